package org.polygraph.storage.format.edn;

import java.io.IOException;
import java.util.Arrays;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.format.edn.EdnTokens.Token;
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

    private final EdnTokens in;
    private final EdnValue value;

    private @Nullable Type type;
    private @Nullable Function function;
    /** The name of an unknown function; null if it is not a keyword. */
    private @Nullable String otherFunction;

    private boolean hasFunction;
    private boolean hasProcess;
    private boolean isClient;
    private long process;
    private long time;
    private long index;
    private boolean hasIndex;
    private long line;
    private long column;

    /** @param builder counts the memory that is held */
    EdnCall(EdnTokens in, HistoryTableBuilder builder) {
        this.in = in;
        value = new EdnValue(in, builder);
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
        CAS;

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
        INDEX;

        private static final Field[] ALL = values();
        private static final String[] KEYWORDS = keywords(ALL);
    }

    /** Returns the keywords of constants, which are their names. */
    private static String[] keywords(Enum<?>[] constants) {
        return Arrays.stream(constants)
                .map(each -> ":" + each.name().toLowerCase(Locale.ROOT))
                .toArray(String[]::new);
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
     * @return whether the process is a number, as a client's is; calls of other processes are only counted
     */
    boolean read() throws IOException, HistoryException {
        type = null;
        function = null;
        otherFunction = null;
        hasFunction = false;
        hasProcess = false;
        isClient = false;
        hasIndex = false;
        time = HistoryTable.NO_TIME;
        line = in.line();
        column = in.column();
        value.clear();
        int seen = 0;
        while (in.nextValue() != Token.CLOSE) {
            Field field = named(Field.ALL, Field.KEYWORDS);
            if (field == null) {
                in.skip();
            } else {
                int bit = 1 << field.ordinal();
                if ((seen & bit) != 0) {
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
        if (!hasProcess) {
            throw error("an operation without :process", REQUIRED);
        }
        if (isClient) {
            requireTypeAndFunction();
        }
        return isClient;
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
        }
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
        function = named(Function.ALL, Function.KEYWORDS);
        if (function == null && in.token() == Token.KEYWORD) {
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
        if (function == null && !hasFunction && value.isTransaction()) {
            function = Function.TXN;
        }
        boolean isOfInvocation = !hasFunction && type != Type.INVOKE;
        if (function != null || isOfInvocation) {
            return;
        }
        if (otherFunction != null) {
            throw new HistoryException(
                    where(),
                    "the operation " + Shown.text(otherFunction),
                    ":txn, :read, :write or :cas",
                    "state in these what it reads and writes, or leave it out");
        }
        throw hasFunction
                ? error("an operation whose :f is no keyword", "a keyword such as :txn")
                : error("an operation without :f, whose :value is no transaction", REQUIRED);
    }

    /** Returns an error whose place is the beginning of the map. */
    HistoryException error(String found, String expected) {
        return new HistoryException(where(), found, expected, EdnTokens.REMEDY);
    }

    private String where() {
        return EdnTokens.where(in.file(), line, column);
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

    /** Returns the function, which every call of a client has. */
    Function function() {
        return Objects.requireNonNull(function);
    }

    /**
     * Gives a completion without {@code :f} the function of its invocation.
     *
     * @param invoked that function; null if there is no invocation, which is an error
     */
    void complete(@Nullable Function invoked) throws HistoryException {
        function = function == null ? invoked : function;
        if (function == null) {
            throw error("an operation without :f, whose :value is no transaction", REQUIRED);
        }
    }

    /**
     * Whether its value has the operations that were done. If not, the operations of the invocation count, because the
     * value of a completion without a result may be a reason.
     */
    boolean isResult() {
        return type == Type.OK || (function == Function.TXN && value.isSequence());
    }

    EdnValue value() {
        return value;
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
