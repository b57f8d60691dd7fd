package org.polygraph.jobs.application;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntList;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.io.IOException;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.dictionary.KeyDictionary;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.StoppedException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryTableBuilder;
import org.polygraph.storage.table.SourceFiles;
import org.polygraph.storage.table.TableCopy;

/**
 * The exchanges of a seam. The last two writers of a key often overlap, and if no transaction has read the key since,
 * either may be the last one. An exchange moves the last but one behind the last one, with the events of its window
 * that depend on it. The order that results explains the same transactions, and the key has another value at the cut;
 * every other key keeps its value, because two writers of it depend on each other. If the last writer is among these
 * events, there is no exchange. Exchanges whose windows of places are disjoint can be made together.
 *
 * <p>They are stored as a history: an exchange is a session. Its first transaction writes the key's other value; start
 * and end are the first and the last place of its window. The others have no operations; their starts are the places of
 * the events that come last in the window, in their new order. Places count from the first transaction of the chain.
 */
final class Exchanges {
    /**
     * The most places of a window. Sessions that overlap take about as many. Longer windows would make the search
     * quadratic.
     */
    private static final int LONGEST = 1_000;

    private static final int NONE = -1;

    private Exchanges() {}

    /**
     * Reads a file whose checksum is known to be right.
     *
     * @throws HistoryException if it has other sessions than exchanges
     */
    static HistoryTable read(Location file, BooleanSupplier stop, long memoryBytes)
            throws IOException, HistoryException {
        HistoryTable exchanges = HistoryReader.read(file.name(), HistoryFormat.PARQUET, stop, memoryBytes);
        long[] starts = exchanges.starts();
        long[] ends = exchanges.ends();
        if (starts == null || ends == null || exchanges.operations() != exchanges.sessions()) {
            throw SessionEnds.damaged(file.name());
        }
        for (int e = 0; e < exchanges.sessions(); e++) {
            int t = exchanges.firstTransaction(e);
            if (exchanges.operationsEnd(t) != e + 1
                    || !exchanges.isWrite(e)
                    || starts[t] == HistoryTable.NO_TIME
                    || ends[t] < starts[t]) {
                throw SessionEnds.damaged(file.name());
            }
            for (int moved = t + 1; moved < exchanges.transactionsEnd(e); moved++) {
                if (starts[moved] < starts[t] || starts[moved] > ends[t]) {
                    throw SessionEnds.damaged(file.name());
                }
            }
        }
        return exchanges;
    }

    /**
     * Returns the exchanges that a later part needs: it reads the other value of their keys, and does not write this
     * value. If the windows of two overlap, the first one is returned.
     *
     * @param history the tail and the later parts
     * @return numbers of the exchanges, which are also those of their writes
     */
    static BitSet needed(HistoryTable exchanges, HistoryTable history) {
        int[] of = byKey(exchanges, history);
        BitSet read = new BitSet();
        BitSet written = new BitSet();
        for (int o = 0; o < history.operations(); o++) {
            int exchange = of[history.key(o)];
            if (exchange != NONE && history.value(o) == value(exchanges, exchange, history)) {
                (history.isWrite(o) ? written : read).set(exchange);
            }
        }
        read.andNot(written);
        long end = Long.MIN_VALUE;
        for (int e = read.nextSetBit(0); e >= 0; e = read.nextSetBit(e + 1)) {
            if (first(exchanges, e) <= end) {
                read.clear(e);
            } else {
                end = last(exchanges, e);
            }
        }
        return read;
    }

    /** Returns by key of a history: its exchange. */
    private static int[] byKey(HistoryTable exchanges, HistoryTable history) {
        KeyDictionary own = exchanges.keys();
        int[] byKey = new int[own.size()];
        Arrays.fill(byKey, NONE);
        for (int o = 0; o < exchanges.operations(); o++) {
            byKey[exchanges.key(o)] = o;
        }
        KeyDictionary keys = history.keys();
        int[] of = new int[keys.size()];
        for (int k = 0; k < of.length; k++) {
            // A key that is new to this dictionary is added, with an id after the others.
            int id = own.id(keys, k);
            of[k] = id < byKey.length ? byKey[id] : NONE;
        }
        return of;
    }

    private static long value(HistoryTable exchanges, int exchange, HistoryTable history) {
        return TableCopy.code(exchanges.values(), exchanges.value(exchange), history.values());
    }

    private static long first(HistoryTable exchanges, int exchange) {
        return Objects.requireNonNull(exchanges.starts())[exchanges.firstTransaction(exchange)];
    }

    private static long last(HistoryTable exchanges, int exchange) {
        return Objects.requireNonNull(exchanges.ends())[exchanges.firstTransaction(exchange)];
    }

    /** Collects the exchanges of a seam. */
    static final class Search {
        private final Witness witness;
        private final HistoryTable table;
        private final int events;
        private final HistoryTableBuilder builder = new HistoryTableBuilder(SourceFiles.Unit.ROW);
        private final TableCopy copy = new TableCopy(builder);
        private int found;

        Search(Witness witness) {
            this.witness = witness;
            table = witness.table();
            events = witness.terms().guarantee().events();
            builder.file("exchanges");
        }

        /**
         * Keeps exchanges of the seam that a history was decided on. The history must not contradict them, and their
         * windows must be disjoint from the windows of the exchanges that it needed.
         *
         * @param made the exchanges that it needed
         * @param overwritten by key: whether the seam has another value of it
         */
        void takeOver(HistoryTable earlier, BitSet made, BitSet overwritten) {
            int[] of = byKey(earlier, table);
            BitSet over = (BitSet) made.clone();
            for (int k = 0; k < of.length; k++) {
                if (of[k] != NONE && overwritten.get(k)) {
                    over.set(of[k]);
                }
            }
            for (int o = 0; o < table.operations(); o++) {
                int exchange = of[table.key(o)];
                if (exchange != NONE && !table.isWrite(o) && table.value(o) == table.initialValue(table.key(o))) {
                    over.set(exchange);
                }
            }
            for (int e = 0; e < earlier.sessions(); e++) {
                int next = made.nextSetBit(0);
                while (next >= 0 && last(earlier, next) < first(earlier, e)) {
                    next = made.nextSetBit(next + 1);
                }
                if (!over.get(e) && (next < 0 || first(earlier, next) > last(earlier, e))) {
                    // It is not made again, so its events need not be known.
                    add(first(earlier, e), last(earlier, e), earlier, e, IntList.of(), 0);
                }
            }
        }

        /**
         * Adds an exchange.
         *
         * @param moved the places of the events that come last, less {@code base}
         */
        private void add(long first, long last, HistoryTable from, int write, IntList moved, long base) {
            builder.begin(found, 0, TransactionStatus.COMMITTED, found);
            builder.times(first, last);
            copy.add(from, write);
            builder.end();
            for (int i = 0; i < moved.size(); i++) {
                builder.begin(found, i + 1, TransactionStatus.COMMITTED, found);
                builder.times(base + moved.getInt(i), base + moved.getInt(i));
                builder.end();
            }
            found++;
        }

        /**
         * Finds the exchanges of an order.
         *
         * @param order events by place; those up to the cut
         * @param base the place of the first event
         * @param values by key: its value at the cut
         * @param stop whether to stop; called for each key
         * @throws org.polygraph.storage.model.BudgetException if {@code stop} returned true
         */
        void find(int[] order, int cut, long base, BitSet written, long[] values, BooleanSupplier stop) {
            Dependents dependents = new Dependents();
            int[] last = new int[values.length];
            int[] previous = new int[values.length];
            Arrays.fill(last, NONE);
            Arrays.fill(previous, NONE);
            for (int place = 0; place < cut; place++) {
                int t = order[place] / events;
                if (order[place] == commit(t)) {
                    for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                        int key = table.key(o);
                        if (table.isWrite(o) && last[key] != place) {
                            previous[key] = last[key];
                            last[key] = place;
                        }
                    }
                }
            }
            for (int o = 0; o < table.operations(); o++) {
                int key = table.key(o);
                if (!table.isWrite(o) && written.get(key) && table.value(o) == values[key]) {
                    previous[key] = NONE;
                }
            }
            LongArrayList byPlace = new LongArrayList();
            for (int key = written.nextSetBit(0); key >= 0; key = written.nextSetBit(key + 1)) {
                if (previous[key] != NONE && last[key] - previous[key] <= LONGEST) {
                    byPlace.add((long) previous[key] << 32 | key);
                }
            }
            long[] candidates = byPlace.toLongArray();
            Arrays.sort(candidates);
            for (long candidate : candidates) {
                StoppedException.check(stop);
                int key = (int) candidate;
                int moved = order[previous[key]] / events;
                int write = table.lastWrite(moved, key);
                if (table.value(write) == values[key]) {
                    continue;
                }
                IntList moves = moved(order, previous[key], last[key], key, dependents);
                if (!moves.isEmpty()) {
                    add(base + moves.getInt(0), base + last[key], table, write, moves, base);
                }
            }
        }

        private int commit(int t) {
            return t * events + events - 1;
        }

        /**
         * Returns the places of the events that move behind the last writer: the snapshot of the last but one, and the
         * events that depend on it; empty if the last writer does.
         */
        private IntList moved(int[] order, int commit, int last, int key, Dependents dependents) {
            IntList moved = new IntArrayList();
            int t = order[commit] / events;
            int lastWriter = order[last] / events;
            if (table.firstRead(t, key) >= 0 || table.firstRead(lastWriter, key) >= 0) {
                return moved;
            }
            int first = commit;
            while (order[first] != t * events) {
                if (first == 0 || last - first >= LONGEST) {
                    return moved;
                }
                first--;
            }
            dependents.clear();
            for (int place = first; place <= last; place++) {
                boolean isLastWriter = order[place] / events == lastWriter;
                if (place == first || dependents.precede(order[place], isLastWriter ? key : NONE)) {
                    if (isLastWriter) {
                        return IntList.of();
                    }
                    dependents.add(order[place]);
                    moved.add(place);
                }
            }
            return moved;
        }

        /**
         * The events that must stay behind the snapshot that moves: their transactions and sessions, and the keys that
         * they read or write. Each has the number of the last snapshot for which it was added.
         */
        private final class Dependents {
            private final int[] transactions = new int[table.transactions()];
            private final int[] sessions = new int[table.sessions()];
            private final int[] reads = new int[table.keys().size()];
            private final int[] writes = new int[table.keys().size()];
            private int snapshot;
            private long earliestEnd;

            void clear() {
                snapshot++;
                earliestEnd = HistoryTable.NO_TIME;
            }

            void add(int event) {
                int t = event / events;
                transactions[t] = snapshot;
                for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                    if (table.isWrite(o) ? event == commit(t) : event == t * events) {
                        (table.isWrite(o) ? writes : reads)[table.key(o)] = snapshot;
                    }
                }
                long[] ends = table.ends();
                if (event == commit(t)) {
                    sessions[table.sessionOf(t)] = snapshot;
                    if (ends != null && ends[t] != HistoryTable.NO_TIME) {
                        earliestEnd = earliestEnd == HistoryTable.NO_TIME ? ends[t] : Math.min(earliestEnd, ends[t]);
                    }
                }
            }

            /** @param exempt a key that does not matter */
            boolean precede(int event, int exempt) {
                int t = event / events;
                boolean isSnapshot = event == t * events;
                long[] starts = table.starts();
                if (transactions[t] == snapshot
                        || (isSnapshot && sessions[table.sessionOf(t)] == snapshot)
                        || (isSnapshot
                                && witness.terms().guarantee().realTime()
                                && starts != null
                                && witness.terms().precedes(earliestEnd, starts[t]))) {
                    return true;
                }
                for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                    int key = table.key(o);
                    // A snapshot comes after the commits of transactions that write what its own transaction reads or
                    // writes.
                    if (key != exempt
                            && ((writes[key] == snapshot && (isSnapshot || table.isWrite(o)))
                                    || (reads[key] == snapshot && table.isWrite(o) && event == commit(t)))) {
                        return true;
                    }
                }
                return false;
            }
        }

        int found() {
            return found;
        }

        HistoryTable table() throws HistoryException {
            return builder.build();
        }
    }
}
