package org.polygraph.jobs.application;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.longs.Long2LongMap;
import it.unimi.dsi.fastutil.longs.Long2LongOpenHashMap;
import java.io.IOException;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Fingerprint;
import org.polygraph.jobs.certificate.format.Guarantee;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryWriter;
import org.polygraph.storage.format.InitialState;
import org.polygraph.storage.format.parquet.UnwritableStringException;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryTableBuilder;
import org.polygraph.storage.table.SourceFiles;
import org.polygraph.storage.table.TableCopy;

/**
 * The cut of an order in two, for a {@link Seam}. The last tenth of the transactions, and {@link #LEAST} at least, come
 * after it. A transaction is before the cut if its commit is. If only its snapshot is, the seam has only its writes,
 * see {@link #begun}. At lin each key has an order and a cut of its own.
 *
 * <p>Time: linear in the history and in the keys of the state before it. Memory: 20 bytes a transaction and 9 a key.
 */
final class SeamCut {
    /** The fewest transactions after a cut. */
    static final int LEAST = 1000;

    private static final int SHARE = 10;
    private static final int NONE = -1;

    private final Witness witness;
    private final HistoryTable table;
    private final int events;
    /** By transaction: whether it is before the cut. */
    private final BitSet before = new BitSet();
    /** By transaction: whether its snapshot is before the cut, at si and ssi. */
    private final BitSet begun = new BitSet();
    /** The transactions that the order leaves to later parts. */
    private final BitSet open;
    /** By key that a transaction before the cut wrote: its value at the cut. */
    private final BitSet written = new BitSet();

    private final long[] values;
    /** The counted events by place. */
    private final int[] order;
    /** The number of places before the cut. */
    private int cut;

    private long latestStart = HistoryTable.NO_TIME;

    private SeamCut(Witness witness) {
        this.witness = witness;
        table = witness.table();
        events = witness.terms().guarantee().events();
        values = new long[table.keys().size()];
        open = OpenTransactions.of(witness);
        order = order();
    }

    /**
     * Writes the seam of a run, if its history can have one: histories with lists, inserts, deletes or predicates
     * are not cut.
     *
     * @param chain the chain of the witness
     * @param least the fewest transactions after the cut
     */
    static void write(Location run, Witness witness, Chain chain, int least, BooleanSupplier stop, long memoryBytes)
            throws IOException, HistoryException {
        boolean isByKey = witness.terms().guarantee() == Guarantee.LIN;
        if (!isPossible(witness.table(), isByKey)) {
            return;
        }
        SeamCut cut = new SeamCut(witness);
        if (isByKey) {
            cut.findByKey(least);
        } else {
            cut.find(least);
        }
        try {
            cut.write(run, chain, least, stop, memoryBytes);
        } catch (UnwritableStringException e) {
            // Parquet cannot hold a key or a value, so the next part is decided together with those before.
        }
    }

    /** Whether a history can have a seam. */
    static boolean isPossible(HistoryTable table, boolean isByKey) {
        return table.isPlain()
                && (!table.values().hasOthers() || isByKey)
                && !(isByKey && hasMissingTimes(table))
                && table.source().unit() != SourceFiles.Unit.BYTE;
    }

    /** Whether an operation of a history has no start or no end; a cut by time may not be right for it. */
    private static boolean hasMissingTimes(HistoryTable table) {
        long[] starts = table.starts();
        long[] ends = table.ends();
        if (starts == null || ends == null) {
            return true;
        }
        for (int t = 0; t < table.transactions(); t++) {
            boolean needsEnd = table.status(t) == TransactionStatus.COMMITTED;
            if (starts[t] == HistoryTable.NO_TIME || (needsEnd && ends[t] == HistoryTable.NO_TIME)) {
                return true;
            }
        }
        return false;
    }

    /** Finds the cut and the state there. */
    private void find(int least) {
        int count = witness.countedTransactions();
        int left = count - Math.max(least, count / SHARE);
        long[] starts = table.starts();
        BitSet behind = behindOpen();
        for (; cut < order.length; cut++) {
            int event = order[cut];
            int t = event / events;
            boolean isCommit = events == 1 || (event & 1) == 1;
            if (behind.get(t) || (isCommit && left-- <= 0)) {
                return;
            }
            if (starts != null && starts[t] != HistoryTable.NO_TIME) {
                latestStart = Math.max(latestStart, starts[t]);
            }
            if (!isCommit) {
                begun.set(t);
                continue;
            }
            putBefore(t);
        }
    }

    private void putBefore(int t) {
        before.set(t);
        for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
            if (table.isWrite(o)) {
                written.set(table.key(o));
                values[table.key(o)] = table.value(o);
            }
        }
    }

    /** Returns the transactions that come after one that is open, by their session or in real time. */
    private BitSet behindOpen() {
        BitSet behind = new BitSet();
        long[] starts = table.starts();
        long[] ends = table.ends();
        for (int t = open.nextSetBit(0); t >= 0; t = open.nextSetBit(t + 1)) {
            behind.set(t + 1, table.transactionsEnd(table.sessionOf(t)));
        }
        if (!witness.terms().guarantee().realTime() || starts == null || ends == null || open.isEmpty()) {
            return behind;
        }
        long earliestEnd = HistoryTable.NO_TIME;
        for (int t = open.nextSetBit(0); t >= 0; t = open.nextSetBit(t + 1)) {
            if (ends[t] != HistoryTable.NO_TIME) {
                earliestEnd = earliestEnd == HistoryTable.NO_TIME ? ends[t] : Math.min(earliestEnd, ends[t]);
            }
        }
        for (int t = 0; t < table.transactions(); t++) {
            if (witness.terms().precedes(earliestEnd, starts[t])) {
                behind.set(t);
            }
        }
        return behind;
    }

    /**
     * Finds the cut and the state of each key, whose order is its own. Operations that start late, and those that follow
     * them in the order of their key, come after the cut.
     */
    private void findByKey(int least) {
        int left = Math.max(least, order.length / SHARE);
        if (left >= order.length) {
            return;
        }
        long[] starts = Objects.requireNonNull(table.starts());
        long[] sorted = Arrays.stream(order).mapToLong(t -> starts[t]).sorted().toArray();
        long late = left == 0 ? Long.MAX_VALUE : sorted[order.length - left];
        BitSet isOver = new BitSet();
        for (int t : order) {
            int first = table.firstOperation(t);
            boolean isEmpty = first == table.operationsEnd(t);
            if (!isEmpty && starts[t] >= late) {
                isOver.set(table.key(first));
            }
            if (isEmpty || !isOver.get(table.key(first))) {
                putBefore(t);
                cut++;
                latestStart = Math.max(latestStart, starts[t]);
            }
        }
    }

    private int[] order() {
        int[] order = new int[witness.position().length];
        Arrays.fill(order, NONE);
        for (int t = 0; t < table.transactions(); t++) {
            for (int e = t * events; witness.counted()[t] && e < (t + 1) * events; e++) {
                order[witness.position()[e]] = e;
            }
        }
        int count = 0;
        for (int event : order) {
            if (event != NONE) {
                order[count++] = event;
            }
        }
        return Arrays.copyOf(order, count);
    }

    private void write(Location run, Chain chain, int least, BooleanSupplier stop, long memoryBytes)
            throws IOException, HistoryException {
        Location file = Seam.file(run, Seam.FILE);
        file.delete();
        Seam before = chain.seam();
        long base = before == null ? 0 : before.cut().places();
        Exchanges.Search search = new Exchanges.Search(witness);
        InitialState earlier = chain.initial(stop, memoryBytes);
        InitialState state = earlier == null ? new InitialState() : earlier.copy();
        if (before != null && before.files().exchanges().isStored()) {
            HistoryTable known = before.files().exchanges().read(stop, memoryBytes);
            BitSet needed = Exchanges.needed(known, table);
            state = state.with(known, needed);
            search.takeOver(known, needed, written);
        }
        if (witness.terms().guarantee() != Guarantee.LIN) {
            search.find(order, cut, base, written, values, stop);
        }
        Map<String, String> inputs = new HashMap<>();
        Location exchanges = Seam.file(run, SeamFiles.EXCHANGES);
        if (search.found() > 0) {
            HistoryWriter.write(search.table(), exchanges.name(), HistoryFormat.PARQUET);
            inputs.put(SeamFiles.EXCHANGES, Fingerprint.ofInput(exchanges, stop));
        }
        for (int key = written.nextSetBit(0); key >= 0; key = written.nextSetBit(key + 1)) {
            state.put(table, key, values[key]);
        }
        Location ofState = Seam.file(run, SeamFiles.STATE);
        state.write(ofState);
        inputs.put(SeamFiles.STATE, Fingerprint.ofInput(ofState, stop));
        HistoryTable after = tail(least);
        SourceFiles.Unit unit = table.source().unit();
        String name = SeamFiles.tail(unit);
        Location tail = Seam.file(run, name);
        Location violations = Seam.file(run, StandingViolations.FILE);
        HistoryWriter.write(
                after, tail.name(), unit == SourceFiles.Unit.ROW ? HistoryFormat.PARQUET : HistoryFormat.JSONL);
        inputs.put(name, Fingerprint.ofInput(tail, stop));
        new Seam(
                        run,
                        "",
                        chain.parts().size(),
                        new Seam.Cut(
                                witness.terms(),
                                base + cut,
                                Math.max(
                                        latestStart,
                                        before == null
                                                ? HistoryTable.NO_TIME
                                                : before.cut().latestStart())),
                        after.transactions(),
                        SeamFiles.of(run, name, each -> inputs.getOrDefault(each, "")),
                        sessions(before),
                        violations.exists() ? Fingerprint.ofInput(violations, stop) : "")
                .write();
    }

    private Long2LongMap sessions(@Nullable Seam earlier) {
        return SessionEnds.after(earlier == null ? new Long2LongOpenHashMap() : earlier.sessions(), table);
    }

    /**
     * Returns the transactions after the cut, those that the order leaves out, and those of unknown outcome that later
     * reads may show to have committed.
     */
    private HistoryTable tail(int least) {
        BitSet kept = new BitSet();
        kept.set(0, table.transactions());
        IntArrayList unknown = new IntArrayList();
        long[] ends = table.ends();
        boolean isByKey = witness.terms().guarantee() == Guarantee.LIN;
        for (int s = 0; s < table.sessions(); s++) {
            boolean isFollowed = false;
            for (int t = table.transactionsEnd(s) - 1; t >= table.firstTransaction(s); t--) {
                // A snapshot before the cut does not see what a transaction after the cut writes.
                isFollowed |= (before.get(t) || begun.get(t)) && !isByKey;
                if (!witness.counted()[t] && !open.get(t)) {
                    kept.clear(t);
                    boolean isOver = witness.terms().guarantee().realTime()
                            && !isByKey
                            && ends != null
                            && witness.terms().precedes(ends[t], latestStart);
                    if (table.status(t) == TransactionStatus.INDETERMINATE && !isFollowed && !isOver) {
                        unknown.add(t);
                    }
                }
            }
        }
        kept.andNot(before);
        int[] all = unknown.toIntArray();
        Arrays.sort(all);
        for (int i = Math.max(0, all.length - least); i < all.length; i++) {
            kept.set(all[i]);
        }
        HistoryTableBuilder builder = new HistoryTableBuilder(table.source().unit());
        builder.file("tail");
        TableCopy copy = new TableCopy(builder);
        table.metadata().forEach(builder::metadata);
        builder.initialValue(copy.code(table.values(), table.initialValue()));
        long[] starts = table.starts();
        for (int t = kept.nextSetBit(0); t >= 0; t = kept.nextSetBit(t + 1)) {
            builder.begin(table.sessionLabel(table.sessionOf(t)), table.index(t), table.status(t), 1);
            builder.times(
                    starts == null ? HistoryTable.NO_TIME : starts[t], ends == null ? HistoryTable.NO_TIME : ends[t]);
            if (witness.counted()[t] && begun.get(t)) {
                begun(t, copy);
            } else {
                for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                    copy.add(table, o);
                }
            }
            builder.end();
        }
        return built(builder);
    }

    /**
     * Copies a transaction whose snapshot stays before the cut. Its own reads are left out, because the order explains
     * them before the cut. For each key that it writes, the copy reads the value at the cut, so no later transaction
     * that writes this key can commit before it.
     */
    private void begun(int t, TableCopy copy) {
        for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
            if (table.isWrite(o)) {
                int key = table.key(o);
                int first = table.firstOperation(t);
                while (!table.isWriteOf(first, key)) {
                    first++;
                }
                if (first == o) {
                    copy.read(table, key, written.get(key) ? values[key] : table.initialValue(key));
                }
                copy.add(table, o);
            }
        }
    }

    private static HistoryTable built(HistoryTableBuilder builder) {
        try {
            return builder.build();
        } catch (HistoryException e) {
            throw new IllegalStateException(e);
        }
    }
}
