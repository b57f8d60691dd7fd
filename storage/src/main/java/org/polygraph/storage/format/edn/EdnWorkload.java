package org.polygraph.storage.format.edn;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntOpenHashSet;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.format.edn.CallTokens.Token;
import org.polygraph.storage.format.io.Shown;
import org.polygraph.storage.model.HistoryException;

/**
 * What the operations of a history access that are no transactions: registers ({@code :read}, {@code :write}, {@code
 * :cas}) or sets ({@code :add}, {@code :read} of all elements), with keys or without. All of one history agree, because
 * the vector [1 2] may be a key and a value, or two elements. Memory: 8 bytes an element that was added.
 */
final class EdnWorkload {
    private static final String LIST =
            "state reads of a list as {:f :txn, :value [[:r key [1 2]]]}, and its appends as [:append key 2]";
    private static final String COUNTER = "a counter is no set of elements: record what an increment read and wrote,"
            + " {:f :txn, :value [[:r :counter 4] [:w :counter 5]]}";
    private static final String BANK = "record what a transfer read and wrote,"
            + " {:f :txn, :value [[:r 1 10] [:r 2 0] [:w 1 5] [:w 2 5]]}, and the read of all balances as"
            + " {:f :txn, :value [[:r 1 5] [:r 2 5]]}";

    private final CallTokens in;
    /** Whether the operations have keys; null before the first. */
    private @Nullable Boolean areKeyed;

    private boolean hasRegisters;
    private boolean hasSets;
    /** Whether an operation has shown what a read of a vector is: one that writes, or adds. */
    private boolean isClear;
    /** The error that applies if none does. */
    private @Nullable HistoryException unclear;

    private final IntOpenHashSet added = new IntOpenHashSet();
    /** The keys of the rows of the result that is being read. */
    private final IntArrayList rows = new IntArrayList();

    private IntOpenHashSet distinct = new IntOpenHashSet();
    private boolean hasPredicates;
    /** Whether a transaction adds to a set. */
    private boolean hasAdds;
    /** The error that applies if one does: the first read of a vector in a transaction. */
    private @Nullable HistoryException readOfVector;
    /** The error that applies if the history has predicates: the first written value that is no integer. */
    private @Nullable HistoryException notInteger;

    EdnWorkload(CallTokens in) {
        this.in = in;
    }

    /**
     * What to record instead of an operation that states no reads and writes.
     *
     * @param function the name of the operation, or of a micro-operation
     * @param otherwise for what no workload that is known has
     */
    static String instead(String function, String otherwise) {
        return switch (function) {
            case ":transfer", ":deposit", ":withdraw", ":balance", ":partial-read" -> BANK;
            case ":inc", ":incr", ":increment", ":dec", ":decr", ":decrement", ":sub", ":subtract" -> COUNTER;
            case ":enqueue", ":dequeue", ":drain", ":push", ":pop", ":offer", ":poll", ":take", ":send" ->
                "record an element of a queue as a row: {:f :txn, :value [[:insert 7 1]]} puts element 7, and"
                        + " {:f :txn, :value [[:rp :true [[7 1]]] [:delete 7]]} takes it; the order of a queue is not checked";
            case ":acquire", ":release" ->
                "record a lock as a register that has its holder: {:f :cas, :value [nil 3]} takes it, and"
                        + " {:f :cas, :value [3 nil]} releases it";
            case ":get", ":put", ":append" ->
                "record a store of keys and values as {:f :read, :value [key value]} and {:f :write, :value [key value]},"
                        + " and an append as {:f :txn, :value [[:append key element]]}, whose reads are lists";
            default -> otherwise;
        };
    }

    /** Notes an operation on registers. @param writes whether it shows that a vector is a key and a value */
    void register(EdnCall call, boolean isKeyed, boolean writes) throws HistoryException {
        hasRegisters |= writes || call.isOk();
        isClear |= writes;
        if (hasRegisters && hasSets) {
            throw mixed(call, "a set");
        }
        if (isKeyed && !isClear && call.isOk() && unclear == null) {
            unclear = vector(call);
        }
        keyed(call, isKeyed);
    }

    /** Whether a successful read returned the elements of a set. */
    boolean isReadOfSet(EdnValue value) {
        return hasSets
                || value.peek() == Token.SET
                || value.isPairWithSet()
                || (!hasRegisters && value.isSequence() && (value.elements() != 2 || value.isPairWithSequence()));
    }

    /** Notes an operation on sets. @param adds whether it shows that a vector has the elements of a set */
    void set(EdnCall call, boolean isKeyed, boolean adds) throws HistoryException {
        hasSets = true;
        isClear |= adds;
        if (hasRegisters) {
            throw mixed(call, "a register");
        }
        if (!isClear && unclear == null) {
            unclear = vector(call);
        }
        keyed(call, isKeyed);
    }

    private HistoryException vector(EdnCall call) {
        return new HistoryException(
                call.value().where(),
                "a read of several values, in a history without an operation that writes or adds one",
                ":write or :cas of [key value], or :add of an element",
                LIST);
    }

    private static HistoryException mixed(EdnCall call, String others) throws HistoryException {
        return new HistoryException(
                call.place(),
                EdnCall.shown(call)
                        + (call.value().isNil() ? "" : " of " + call.value().describe())
                        + ", where other operations access " + others,
                ":add and :read of all elements, or :read, :write and :cas of registers",
                call.function() == EdnCall.Function.ADD
                        ? COUNTER
                        : "an operation that inserts an element is {:f :add, :value 1}");
    }

    private void keyed(EdnCall call, boolean isKeyed) throws HistoryException {
        if (areKeyed == null) {
            areKeyed = isKeyed;
        }
        if (areKeyed != isKeyed) {
            throw new HistoryException(
                    call.place(),
                    isKeyed
                            ? "a vector, where other operations access a single " + (hasSets ? "set" : "register")
                            : "an operation without a key",
                    "[key value] in all operations of " + (hasSets ? "sets" : "registers") + ", or in none",
                    LIST);
        }
    }

    /** The error for an element after a key and a value. */
    static HistoryException notPair(EdnValue value) throws HistoryException {
        return new HistoryException(value.where(), value.describe(), "the end of [key value]", LIST);
    }

    /** The error for a read of what is no element, or no value of a register. */
    HistoryException notRead(EdnCall call) throws HistoryException {
        boolean isMap = call.value().peek() == Token.MAP;
        return new HistoryException(
                call.place(),
                call.value().describe() + " as what was read" + (isMap ? ", such as the balances of a bank" : ""),
                hasSets ? "the elements of a set, #{1 2} or [1 2]" : "a value, or [key value]",
                isMap ? BANK : hasSets ? COUNTER : in.remedy());
    }

    /** Notes an element that was added, or may have been. @param line of the operation */
    void added(int key, String label, long line) throws HistoryException {
        if (!added.add(key)) {
            throw new HistoryException(
                    in.where(line, 1),
                    "the element " + Shown.text(label) + " added a second time",
                    "each element once, or again only after :fail",
                    COUNTER);
        }
    }

    /** Begins a result without rows, and returns the list of the keys of its rows. */
    IntArrayList newRows() {
        rows.clear();
        if (distinct.size() > 1 << 10) {
            distinct = new IntOpenHashSet();
        }
        distinct.clear();
        return rows;
    }

    IntArrayList rows() {
        return rows;
    }

    /** Whether the result has a key already. */
    boolean isRepeated(int key) {
        return !distinct.add(key);
    }

    /** Notes that a transaction adds to a set. */
    void add() {
        hasAdds = true;
    }

    /** Notes what a transaction read. In a history with sets a vector may be a list or a set. */
    void read(EdnValue value) throws HistoryException {
        if (readOfVector == null && value.peek().isSequence()) {
            readOfVector = new HistoryException(
                    value.where(),
                    "a read of a vector, in a history that adds to sets in transactions",
                    "the elements of a set, #{1 2}",
                    "record lists and sets as two histories");
        }
    }

    /** Notes that the history has predicates. */
    void predicate() {
        hasPredicates = true;
    }

    /** Notes that the next token of a value is written and is no integer. */
    void notInteger(EdnValue value) throws HistoryException {
        if (notInteger == null) {
            notInteger = value.unexpected("an integer, because predicates compare integers");
        }
    }

    HistoryException openInit(long line) {
        return new HistoryException(
                in.where(line, 1), "an :init without a completion", ":ok for it", "its rows are the initial state");
    }

    /** Refuses what the whole history shows to be wrong. */
    void end() throws HistoryException {
        if (unclear != null && !isClear) {
            throw unclear;
        }
        if (hasAdds && readOfVector != null) {
            throw readOfVector;
        }
        if (hasPredicates && notInteger != null) {
            throw notInteger;
        }
    }
}
