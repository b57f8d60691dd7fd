package org.polygraph.partitioner.linear;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.longs.Long2LongOpenHashMap;
import it.unimi.dsi.fastutil.longs.Long2ObjectLinkedOpenHashMap;
import it.unimi.dsi.fastutil.objects.Object2IntOpenHashMap;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryTableBuilder;

/**
 * Operations as a history that is strictly serializable iff the operations of each key have an order. Each operation is
 * a transaction. A session is a chain of operations each of which ended before the next one started, so that real time
 * implies session order.
 *
 * <p>A refused compare-and-set that did not find v reads a class of values: all but v. The class is a key of its own, to
 * which writers of the key write whether they leave another value than v.
 *
 * <p>Memory: about 100 bytes an operation while it is made.
 */
public final class StrictHistory {
    /** The values of keys that stand for a class of values. */
    private static final int IN_CLASS = 1;

    private static final int NOT_IN_CLASS = 0;

    private final HistoryTable table;
    /** By transaction. */
    private final int[] operations;
    /** By transaction: its place in the order of the operations given. */
    private final int[] ranks;

    private StrictHistory(HistoryTable table, int[] operations, int[] ranks) {
        this.table = table;
        this.operations = operations;
        this.ranks = ranks;
    }

    /** The history. */
    public HistoryTable table() {
        return table;
    }

    /** By transaction: its place in an order to try first. */
    public int[] ranks() {
        return ranks;
    }

    /** The operation that a transaction is. */
    int operation(int transaction) {
        return operations[transaction];
    }

    /**
     * The history of some operations.
     *
     * @param some those of one key are neighbours, in an order to try first
     */
    static StrictHistory of(LinearOperations all, IntArrayList some) {
        return new Maker(all, some.toIntArray()).make();
    }

    /** The history of all operations of keys. */
    static StrictHistory of(LinearOperations all) {
        return new Maker(all, LinearOperations.numbers(all.transactions.length)).make();
    }

    /** Makes one. */
    private static final class Maker {
        private final LinearOperations all;
        private final int[] some;
        private final HistoryTableBuilder builder = new HistoryTableBuilder();
        /** By place in some: (class, whether the write is in it) pairs. */
        private final IntArrayList[] classes;
        /** By place in some: the class that a refused compare-and-set reads. */
        private final int[] read;

        private final Long2LongOpenHashMap codes = new Long2LongOpenHashMap();
        private int keys;

        Maker(LinearOperations all, int[] some) {
            this.all = all;
            this.some = some;
            classes = new IntArrayList[some.length];
            read = new int[some.length];
        }

        StrictHistory make() {
            builder.file("operations");
            builder.expect(some.length, some.length + some.length / 4);
            int[] keyOf = new int[some.length];
            for (int i = 0; i < some.length; ) {
                int key = all.keyOf(some[i]);
                int id = builder.keys().id(keys++);
                builder.initialValue(id, value(all.initialValue(key)));
                int end = i;
                while (end < some.length && all.keyOf(some[end]) == key) {
                    keyOf[end++] = id;
                }
                classes(i, end, all.initialValue(key));
                i = end;
            }
            int[] byStart = LinearOperations.sorted(LinearOperations.numbers(some.length), i -> all.starts[some[i]]);
            int[] chains = chains(byStart);
            // Transactions are numbered by session, then by start.
            int[] turn = LinearOperations.sorted(byStart, i -> chains[i]);
            int[] operations = new int[some.length];
            int index = 0;
            for (int t = 0; t < turn.length; t++) {
                int i = turn[t];
                index = t > 0 && chains[turn[t - 1]] == chains[i] ? index + 1 : 0;
                add(i, chains[i], index, keyOf[i]);
                operations[t] = some[i];
            }
            try {
                return new StrictHistory(builder.build(), operations, turn);
            } catch (HistoryException e) {
                throw new IllegalStateException(e);
            }
        }

        private void add(int i, int chain, int index, int key) {
            int o = some[i];
            TransactionStatus status = all.isMaybe(o) ? TransactionStatus.INDETERMINATE : TransactionStatus.COMMITTED;
            builder.begin(chain, index, status, i);
            builder.times(all.starts[o], all.ends[o] == LinearOperations.NEVER ? HistoryTable.NO_TIME : all.ends[o]);
            if (all.isRead(o)) {
                builder.read(key, value(all.read(o)));
            }
            if (all.isRefused(o) && read[i] > 0) {
                builder.read(read[i] - 1, builder.values().code(IN_CLASS));
            }
            if (all.isWrite(o)) {
                builder.write(key, value(all.written(o)));
            }
            IntArrayList in = classes[i];
            for (int c = 0; in != null && c < in.size(); c += 2) {
                builder.write(in.getInt(c), builder.values().code(in.getInt(c + 1)));
            }
            builder.end();
        }

        /** The code of a value in the dictionary of this history. Only integers within bounds are their own codes. */
        private long value(long code) {
            if (builder.values().code(code) == code) {
                return code;
            }
            return codes.computeIfAbsent(code, other -> builder.values().code("value " + codes.size()));
        }

        /**
         * By place in some: its session. Of equal operations of unknown outcome, those that started first may be taken
         * to take effect first, and the others only if those do. So they are a session too.
         *
         * @param turn the places by start
         */
        private int[] chains(int[] turn) {
            int[] chains = new int[some.length];
            int[] byEnd = LinearOperations.sorted(turn, i -> all.ends[some[i]]);
            // The last place of each.
            Object2IntOpenHashMap<Equal> ofEqual = new Object2IntOpenHashMap<>();
            ofEqual.defaultReturnValue(-1);
            IntArrayList free = new IntArrayList();
            int ended = 0;
            int made = 0;
            for (int i : turn) {
                int o = some[i];
                if (all.isMaybe(o)) {
                    Equal equal = new Equal(all.keyOf(o), all.isRead(o) ? all.read(o) : null, all.written(o));
                    int before = ofEqual.getInt(equal);
                    // One that may end earlier than the one before cannot change places with it.
                    boolean isNew = before < 0 || all.ends[o] < all.ends[some[before]];
                    chains[i] = isNew ? made++ : chains[before];
                    ofEqual.put(equal, i);
                    continue;
                }
                for (; all.ends[some[byEnd[ended]]] < all.starts[o]; ended++) {
                    if (!all.isMaybe(some[byEnd[ended]])) {
                        free.add(chains[byEnd[ended]]);
                    }
                }
                chains[i] = free.isEmpty() ? made++ : free.popInt();
            }
            return chains;
        }

        private record Equal(int key, @Nullable Long read, long written) {}

        /** Adds the classes of values of a key. */
        private void classes(int begin, int end, long initial) {
            Long2ObjectLinkedOpenHashMap<IntArrayList> refused = new Long2ObjectLinkedOpenHashMap<>();
            for (int i = begin; i < end; i++) {
                if (all.isRefused(some[i])) {
                    refused.computeIfAbsent(all.excluded(some[i]), v -> new IntArrayList())
                            .add(i);
                }
            }
            if (refused.isEmpty()) {
                return;
            }
            KeyWriters writers = new KeyWriters(all, some, begin, end);
            refused.forEach((value, readers) -> addClass(value, readers, writers, initial));
        }

        /**
         * Adds keys for the reads of one class. A read needs only the writers that may be the last before it: those that
         * had not ended when some writer started that had ended when the read started. Reads whose writers overlap share
         * a key; a read that no write of the value may precede as the last needs none.
         */
        private void addClass(long value, IntArrayList readers, KeyWriters writers, long initial) {
            int[] byStart = LinearOperations.sorted(readers.toIntArray(), i -> all.starts[some[i]]);
            IntArrayList ofValue = writers.of(value);
            long[] open = writers.latestEnds(ofValue);
            IntArrayList members = new IntArrayList();
            long earliest = 0;
            long latest = 0;
            for (int i : byStart) {
                int bound = writers.lastEnded(all.starts[some[i]]);
                long from = bound < 0 ? Long.MIN_VALUE : all.starts[bound];
                boolean mayBeInitial = from == Long.MIN_VALUE && initial == value;
                if (!mayBeInitial && !writers.isAny(ofValue, open, from, all.ends[some[i]])) {
                    continue;
                }
                if (!members.isEmpty() && from > latest && !writers.haveEndless) {
                    addKey(value, members, writers, earliest, latest, initial);
                    members.clear();
                }
                if (members.isEmpty()) {
                    earliest = from;
                    latest = Long.MIN_VALUE;
                }
                members.add(i);
                latest = Math.max(latest, all.ends[some[i]]);
            }
            if (!members.isEmpty()) {
                addKey(value, members, writers, earliest, latest, initial);
            }
        }

        private void addKey(
                long value, IntArrayList readers, KeyWriters writers, long earliest, long latest, long initial) {
            int id = builder.keys().id(keys++);
            boolean isInClass = earliest == Long.MIN_VALUE && initial != value;
            builder.initialValue(id, builder.values().code(isInClass ? IN_CLASS : NOT_IN_CLASS));
            for (int r = 0; r < readers.size(); r++) {
                read[readers.getInt(r)] = id + 1;
            }
            for (int w = writers.firstOpen(earliest); w < writers.byStart.length; w++) {
                int i = writers.byStart[w];
                int o = some[i];
                if (all.starts[o] > latest) {
                    break;
                }
                if (all.ends[o] >= earliest) {
                    IntArrayList in = classes[i];
                    if (in == null) {
                        in = new IntArrayList(2);
                        classes[i] = in;
                    }
                    in.add(id);
                    in.add(all.written(o) == value ? NOT_IN_CLASS : IN_CLASS);
                }
            }
        }
    }
}
