package org.polygraph.storage.format.edn;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.format.edn.CallTokens.Token;
import org.polygraph.storage.format.io.Shown;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryTableBuilder;

/**
 * A map of an EDN history: the invocation of an operation by a process, or its completion. One object is used for all
 * maps.
 */
final class EdnCall {
    private static final String REQUIRED = ":type, :process, :f and :value";
    private static final String FUNCTIONS = ":txn, :read, :write, :cas or :add";
    private static final int MOST_SHOWN = 200;

    private final CallTokens in;
    private final EdnValue value;

    private @Nullable Type type;
    private @Nullable Function function;
    /** The function that {@code :f} names; null if there is none, or no such function. */
    private @Nullable Function named;
    /** The keyword of {@code :f} that is no function; null if there is none. */
    private @Nullable String otherFunction;

    private final EdnWorkload workload;
    private boolean hasFunction;
    private boolean hasProcess;
    private boolean isClient;
    private long process;
    private long time;
    private long index;
    private boolean hasIndex;
    private long line;
    private long column;
    /** Its error as text; empty if it has none. */
    private String failure = "";

    /** @param builder counts the memory that is held */
    EdnCall(CallTokens in, HistoryTableBuilder builder) {
        this.in = in;
        value = new EdnValue(in, builder);
        workload = new EdnWorkload(in);
    }

    private enum Type {
        INVOKE(TransactionStatus.INDETERMINATE),
        OK(TransactionStatus.COMMITTED),
        FAIL(TransactionStatus.ABORTED),
        INFO(TransactionStatus.INDETERMINATE);

        private static final Type[] ALL = values();
        private static final String[] KEYWORDS = keywords(ALL);

        private final TransactionStatus outcome;

        Type(TransactionStatus outcome) {
            this.outcome = outcome;
        }
    }

    /** The function of a call, which is its field {@code :f}. */
    enum Function {
        TXN,
        READ,
        R,
        WRITE,
        W,
        CAS,
        ADD,
        INIT;

        private static final Function[] ALL = values();
        private static final String[] KEYWORDS = keywords(ALL);

        String keyword() {
            return KEYWORDS[ordinal()];
        }

        boolean isRead() {
            return this == READ || this == R;
        }
    }

    /** The fields of a call that are read. */
    private enum Field {
        TYPE,
        PROCESS,
        F,
        VALUE,
        TIME,
        INDEX,
        ERROR;

        private static final Field[] ALL = values();
        private static final String[] KEYWORDS = keywords(ALL);
    }

    /** Returns the keywords of constants, which are their names. */
    private static String[] keywords(Enum<?>[] constants) {
        return Arrays.stream(constants)
                .map(each -> ":" + each.name().toLowerCase(Locale.ROOT))
                .toArray(String[]::new);
    }

    /** Returns the keyword of a {@link #name}. */
    static String keyword(Object name) {
        return name instanceof Function known ? known.keyword() : Shown.text((String) name);
    }

    /** Returns the constant that the current keyword names, or null. */
    private <E> @Nullable E named(E[] constants, String[] keywords) {
        for (int i = 0; i < keywords.length; i++) {
            if (in.is(keywords[i])) {
                return constants[i];
            }
        }
        return null;
    }

    /**
     * Reads the map that has begun.
     *
     * @return whether the process is a number, as a client's is, or missing; calls of other processes are only counted
     */
    boolean read() throws IOException, HistoryException {
        type = null;
        function = null;
        named = null;
        otherFunction = null;
        hasFunction = false;
        hasProcess = false;
        isClient = false;
        hasIndex = false;
        time = HistoryTable.NO_TIME;
        line = in.line();
        column = in.column();
        value.clear();
        failure = "";
        int seen = 0;
        while (in.nextValue() != Token.CLOSE) {
            Field field = named(Field.ALL, Field.KEYWORDS);
            if (field == null) {
                in.skip();
            } else {
                int bit = 1 << field.ordinal();
                if ((seen & bit) != 0 && field != Field.ERROR) {
                    throw in.error(in.describe() + " a second time", "it once");
                }
                seen |= bit;
            }
            if (in.nextValue() == Token.CLOSE) {
                throw in.error("the end of a map after a key", "the value of that key");
            }
            if (field == null) {
                in.skip();
            } else {
                take(field);
            }
        }
        if (!isClient && hasProcess) {
            return false;
        }
        requireTypeAndFunction();
        return true;
    }

    private void take(Field field) throws IOException, HistoryException {
        switch (field) {
            case TYPE -> type = takeType();
            case PROCESS -> takeProcess();
            case F -> takeFunction();
            case VALUE -> value.take();
            case TIME -> time = in.isNil() ? HistoryTable.NO_TIME : integer(":time", "a number of ns");
            case INDEX -> {
                hasIndex = !in.isNil();
                index = in.isNil() ? 0 : integer(":index", "an integer");
            }
            case ERROR -> failure = in.isNil() ? "" : shown();
        }
    }

    /** Returns the beginning of the current value, and goes to its end. */
    private String shown() throws IOException, HistoryException {
        StringBuilder text = new StringBuilder();
        int depth = 0;
        do {
            Token token = depth == 0 ? in.token() : in.nextValue();
            depth += token.isOpen() ? 1 : token == Token.CLOSE ? -1 : 0;
            String next = token.isOpen()
                    ? "["
                    : token == Token.CLOSE ? "]" : new String(in.text, 0, in.length(), StandardCharsets.UTF_8);
            if (text.length() < MOST_SHOWN) {
                boolean isApart = token != Token.CLOSE && !text.isEmpty() && text.charAt(text.length() - 1) != '[';
                text.append(isApart ? " " : "").append(next, 0, Math.min(next.length(), MOST_SHOWN));
            }
        } while (depth > 0);
        return text.toString();
    }

    private Type takeType() throws HistoryException {
        Type named = named(Type.ALL, Type.KEYWORDS);
        if (named == null) {
            throw in.error(in.describe() + " as :type", ":invoke, :ok, :fail or :info");
        }
        return named;
    }

    private void takeProcess() throws IOException, HistoryException {
        hasProcess = true;
        isClient = in.token() == Token.INTEGER;
        if (isClient) {
            process = in.integer();
        } else if (in.token() == Token.KEYWORD || in.isNil()) {
            in.skip();
        } else {
            throw in.error(in.describe() + " as :process", "an integer, or a keyword such as :nemesis");
        }
    }

    private void takeFunction() throws IOException, HistoryException {
        hasFunction = !in.isNil();
        named = named(Function.ALL, Function.KEYWORDS);
        if (named == null && in.token() == Token.KEYWORD) {
            otherFunction = in.text();
        }
        in.skip();
    }

    private long integer(String name, String expected) throws HistoryException {
        if (in.token() != Token.INTEGER) {
            throw in.error(in.describe() + " as " + name, expected);
        }
        return in.integer();
    }

    private void requireTypeAndFunction() throws HistoryException {
        if (type == null) {
            throw error("an operation without :type", REQUIRED);
        }
        // Workloads have names of their own for transactions, such as :write with [[:w 1 1]].
        function = value.isTransaction() ? Function.TXN : named;
        boolean mayBeOfInvocation = type != Type.INVOKE && (!hasFunction || otherFunction != null);
        if (function == null && !mayBeOfInvocation) {
            throw withoutFunction();
        }
    }

    private HistoryException withoutFunction() {
        if (otherFunction != null) {
            return new HistoryException(
                    where(),
                    "the operation " + Shown.text(otherFunction),
                    FUNCTIONS,
                    EdnWorkload.instead(otherFunction, "state in these what it reads and writes, or leave it out"));
        }
        return hasFunction
                ? error("an operation whose :f is no keyword", "a keyword such as :txn")
                : error("an operation without :f, whose :value is no transaction", REQUIRED);
    }

    /** Returns an error whose place is the beginning of the map. */
    HistoryException error(String found, String expected) {
        return new HistoryException(where(), found, expected, in.remedy());
    }

    private String where() {
        return in.where(line, column);
    }

    boolean isInvocation() {
        return type == Type.INVOKE;
    }

    /** Whether the operation succeeded. */
    boolean isOk() {
        return type == Type.OK;
    }

    /**
     * Returns the status of the transaction that ends with this call. An invocation gives the status of a transaction
     * that has no completion.
     */
    TransactionStatus outcome() {
        return Objects.requireNonNull(type).outcome;
    }

    /** Returns the error that it ended with, as text, the beginning if it is long; empty if there is none. */
    String failure() {
        return failure;
    }

    /** Returns the function, which every call of a client has. */
    Function function() {
        return Objects.requireNonNull(function);
    }

    /** Returns what the call does, as the field {@code :f} names it; the keyword if it is none of ours. */
    @Nullable
    Object name() {
        return named != null ? named : otherFunction;
    }

    /**
     * Gives a completion the function of its invocation, because its value may be a reason or be missing.
     *
     * @param invoked that function; null if there is no invocation, which is an error if the call has no function
     */
    void complete(@Nullable Function invoked) throws HistoryException {
        function = invoked == null || value.isTransaction() ? function : invoked;
        if (function == null) {
            throw withoutFunction();
        }
    }

    /** Returns what the operations of the history access that are no transactions. */
    EdnWorkload workload() {
        return workload;
    }

    /** Returns the place of the next token of the value, or that of the map if there is no value. */
    String place() {
        return value.isEmpty() ? where() : value.where();
    }

    /** Returns the field {@code :f} for messages. */
    static String shown(EdnCall call) {
        Object name = call.name();
        return name == null ? "an operation" : keyword(name);
    }

    /**
     * Whether its value has the operations that were done. If not, the operations of the invocation count, because the
     * value of a completion without a result may be a reason.
     */
    boolean isResult() {
        return type == Type.OK || (function == Function.TXN && value.isSequence());
    }

    String remedy() {
        return in.remedy();
    }

    EdnValue value() {
        return value;
    }

    /** Whether the call has a process. Without one it is of a session of its own. */
    boolean hasProcess() {
        return hasProcess;
    }

    long process() {
        return process;
    }

    /** Returns the time in ns, or {@link HistoryTable#NO_TIME} if it is unknown. */
    long time() {
        return time;
    }

    boolean hasIndex() {
        return hasIndex;
    }

    long index() {
        return index;
    }

    long line() {
        return line;
    }
}
