package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import it.unimi.dsi.fastutil.longs.LongSet;
import java.util.function.IntToLongFunction;

/**
 * A small history in place of a large one with predicates. Its orders are guesses for the large one. It has a few of
 * the reads of rows that the large history demands, and for each of them the writes that it may see between two times.
 * An order of it is replayed on the large history. Reads that this replay does not explain are added, but only a few
 * for each transaction and the writer whose version it found instead: the rows that a transaction writes by one
 * condition mostly require the same of an order.
 *
 * <p>If the small history has no order, nothing follows for the large one.
 */
public final class ReadSample {
    private static final long NO_MATCH = 0;
    private static final long MATCH = 1;
    private static final long EXISTENCE = 1L << 62;

    private final HistoryTable table;
    private final Predicates predicates;
    private final ReplayedRows rows;
    private final long[] starts;
    private final long[] ends;
    private final RowWriters writers;
    /**
     * What was added: a read, as its operation; an insert or a delete, as EXISTENCE | its operation; a pair, as
     * (predicate + 1) x 2^32 + its row; an overlap, as a negative number of its operation and the other writer.
     */
    private final LongOpenHashSet added = new LongOpenHashSet();

    private final IntArrayList transactions = new IntArrayList();
    private final IntArrayList keys = new IntArrayList();
    private final LongArrayList values = new LongArrayList();
    /** By key. */
    private final LongArrayList initial = new LongArrayList();

    private final IntArrayList found = new IntArrayList();
    /**
     * Prepares an empty sample.
     *
     * @param table as it was recorded
     * @param rows of the history
     * @param starts by transaction: the earliest time at which it takes effect
     * @param ends by transaction: the latest such time, if it is committed
     * @param skew the most by which two clocks differ
     */
    ReadSample(
            HistoryTable table,
            Predicates predicates,
            ReplayedRows rows,
            int rowCount,
            long[] starts,
            long[] ends,
            long skew) {
        this.table = table;
        this.predicates = predicates;
        this.rows = rows;
        this.starts = starts;
        this.ends = ends;
        writers = new RowWriters(table, rowCount, starts, ends, skew);
    }

    /** The small history. Its transactions are those of the large one. */
    public HistoryTable history() {
        int[] operations = new int[table.transactions() + 1];
        for (int i = 0; i < transactions.size(); i++) {
            operations[transactions.getInt(i) + 1]++;
        }
        for (int t = 0; t < table.transactions(); t++) {
            operations[t + 1] += operations[t];
        }
        int[] next = operations.clone();
        int[] ofKeys = new int[keys.size()];
        long[] codes = new long[keys.size()];
        // A transaction reads what others left, so its reads come before its writes.
        for (int isWrite = 0; isWrite < 2; isWrite++) {
            for (int i = 0; i < ofKeys.length; i++) {
                if ((keys.getInt(i) & 1) == isWrite) {
                    int at = next[transactions.getInt(i)]++;
                    ofKeys[at] = keys.getInt(i);
                    codes[at] = values.getLong(i);
                }
            }
        }
        return CodedHistory.of(
                table.sessionStarts(),
                table.statuses(),
                starts,
                ends,
                new Operations(operations, ofKeys, codes, null),
                initial.toLongArray());
    }

    /** What a replay found. */
    public enum Replayed {
        /** The order explains the large history. */
        RIGHT,
        /** Reads were added. */
        EXTENDED,
        /** There is a fault that no other order of this kind repairs. */
        HOPELESS
    }

    /**
     * Replays an order on the large history, and adds some of what it does not explain.
     *
     * @param counted by transaction: whether it counts as committed
     * @param position by event, one or two a transaction: its place
     */
    public Replayed extend(boolean[] counted, int[] position) {
        Wrong wrong = new Wrong();
        PredicateReplay.run(table, predicates, rows, counted, position, wrong);
        return wrong.isOwn
                ? Replayed.HOPELESS
                : wrong.isExtended ? Replayed.EXTENDED : wrong.isAny ? Replayed.HOPELESS : Replayed.RIGHT;
    }

    private final class Wrong implements PredicateReplay.Sink {
        private final FoundWriters found = new FoundWriters(table.transactions());
        private boolean isAny;
        private boolean isExtended;
        /** Whether a transaction contradicts its own writes. */
        private boolean isOwn;

        private boolean takes(int transaction, int writer, long what) {
            isAny = true;
            isOwn |= writer == transaction;
            boolean isTaken = found.isNeeded(transaction, writer) && added.add(what);
            isExtended |= isTaken;
            return isTaken;
        }

        @Override
        public void pair(int transaction, int predicate, int row, int writer) {
            if (takes(transaction, writer, (predicate + 1L) << 32 | row)) {
                addPair(transaction, predicate, row);
            }
        }

        @Override
        public void read(int transaction, int operation, int writer) {
            if (takes(transaction, writer, operation)) {
                addRead(transaction, operation);
            }
        }

        @Override
        public void existence(int transaction, int operation, int writer) {
            if (takes(transaction, writer, EXISTENCE | operation)) {
                addExistence(transaction, operation);
            }
        }

        @Override
        public void overlap(int transaction, int operation, int writer) {
            if (takes(transaction, writer, Long.MIN_VALUE | (long) operation << 31 | writer)) {
                addOverlap(transaction, writer);
            }
        }
    }

    /** Adds the pairs of a condition and a row that the sample has. */
    public void pairs(LongSet pairs) {
        for (long each : added) {
            if (each > 0 && (each & EXISTENCE) == 0 && each >>> 32 != 0) {
                pairs.add(PredicateReads.pair(predicates.conditionOf((int) (each >>> 32) - 1), (int) each));
            }
        }
    }

    private void addPair(int transaction, int predicate, int row) {
        Condition condition = predicates.condition(predicates.conditionOf(predicate));
        boolean isMatched = false;
        for (int at = predicates.firstKey(predicate); at < predicates.keysEnd(predicate); at++) {
            isMatched |= predicates.keyAt(at) == row;
        }
        int key = read(
                transaction,
                isMatched ? MATCH : NO_MATCH,
                table.existsAtFirst(row)
                                && condition.matches(table.values(), predicates.rows(), table.initialValue(row), -1)
                        ? MATCH
                        : NO_MATCH);
        addWrites(transaction, row, key, write -> {
            boolean matches = !table.isDelete(write)
                    && condition.matches(
                            table.values(), predicates.rows(), table.value(write), Predicates.columnsOf(table, write));
            return matches ? MATCH : NO_MATCH;
        });
    }

    private void addRead(int transaction, int operation) {
        int row = table.key(operation);
        int key = read(transaction, table.value(operation), table.initialValue(row));
        addWrites(transaction, row, key, table::value);
    }

    private void addExistence(int transaction, int operation) {
        int row = table.key(operation);
        int key = read(
                transaction, table.isInsert(operation) ? NO_MATCH : MATCH, table.existsAtFirst(row) ? MATCH : NO_MATCH);
        addWrites(transaction, row, key, write -> table.isDelete(write) ? NO_MATCH : MATCH);
    }

    /** Adds the writes of a row that a reader may see. @param value by write: what it writes to the key */
    private void addWrites(int reader, int row, int key, IntToLongFunction value) {
        found.clear();
        writers.collect(row, reader, found);
        for (int i = 0; i < found.size(); i++) {
            int write = found.getInt(i);
            put(writers.transactionOf(write), key << 1 | 1, value.applyAsLong(write));
        }
    }

    private void addOverlap(int transaction, int writer) {
        int key = initial.size();
        initial.add(NO_MATCH);
        put(transaction, key << 1 | 1, MATCH);
        put(writer, key << 1 | 1, NO_MATCH);
    }

    /** Adds a read of a new key. */
    private int read(int transaction, long value, long initially) {
        int key = initial.size();
        initial.add(initially);
        put(transaction, key << 1, value);
        return key;
    }

    private void put(int transaction, int keyAndKind, long value) {
        transactions.add(transaction);
        keys.add(keyAndKind);
        values.add(value);
    }
}
