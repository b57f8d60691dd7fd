package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.ints.Int2ObjectMap;
import it.unimi.dsi.fastutil.ints.Int2ObjectOpenHashMap;
import it.unimi.dsi.fastutil.ints.IntArrayFIFOQueue;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntLinkedOpenHashSet;
import it.unimi.dsi.fastutil.ints.IntOpenHashSet;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.util.BitSet;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The rows that writes of unknown rows may have: those of which some version may match the condition. It is the initial
 * version, one of a write of this row, or what another write of unknown rows leaves in a row that it may have.
 */
final class CandidateRows {
    /** The most versions and rows times open writes. */
    private static final long MOST_EVALUATIONS = 500_000_000;
    /** The most pairs of writes of which one may match because of the other. */
    private static final int MOST_PAIRS = 1 << 22;

    private final HistoryTable raw;
    private final Predicates predicates;
    private final ShownRows shown;
    private final Int2ObjectMap<IntLinkedOpenHashSet> rows;
    private final IntOpenHashSet open;
    private final Int2ObjectMap<BitSet> candidates = new Int2ObjectOpenHashMap<>();

    // The versions of writes of known rows.
    private final IntArrayList versionRows = new IntArrayList();
    private final LongArrayList versionValues = new LongArrayList();
    private final IntArrayList versionColumns = new IntArrayList();

    private CandidateRows(
            HistoryTable raw,
            Predicates predicates,
            ShownRows shown,
            Int2ObjectMap<IntLinkedOpenHashSet> rows,
            IntOpenHashSet open) {
        this.raw = raw;
        this.predicates = predicates;
        this.shown = shown;
        this.rows = rows;
        this.open = open;
    }

    /**
     * Returns by number of an open write the rows that it may have.
     *
     * @param rows by number of an unknown write: its rows, as far as they are known
     * @return null if that would take too long, or if it was stopped
     */
    static @Nullable Int2ObjectMap<BitSet> of(
            HistoryTable raw,
            Predicates predicates,
            ShownRows shown,
            Int2ObjectMap<IntLinkedOpenHashSet> rows,
            IntOpenHashSet open,
            BooleanSupplier stop) {
        long versions = (long) raw.operations() + raw.keys().size() + rows.size();
        CandidateRows candidates = new CandidateRows(raw, predicates, shown, rows, open);
        return open.size() * versions <= MOST_EVALUATIONS && candidates.find(stop) ? candidates.candidates : null;
    }

    private boolean find(BooleanSupplier stop) {
        collectVersions();
        for (int number : open) {
            if (stop.getAsBoolean()) {
                return false;
            }
            candidates.put(number, matchingVersions(number));
        }
        Int2ObjectMap<IntArrayList> followers = new Int2ObjectOpenHashMap<>();
        int pairs = 0;
        for (int other : rows.keySet()) {
            Predicates.Unknown write = predicates.unknown(other);
            IntArrayList of = new IntArrayList();
            for (int number : open) {
                if (write != null
                        && other != number
                        && !write.isDelete()
                        && !shown.isOfAborted(other)
                        && matches(number, write.value(), write.row())) {
                    of.add(number);
                }
            }
            followers.put(other, of);
            pairs += of.size();
            if (pairs > MOST_PAIRS || stop.getAsBoolean()) {
                return false;
            }
        }
        return spread(followers, stop);
    }

    /** @param followers by write: the open writes that match what it leaves */
    private boolean spread(Int2ObjectMap<IntArrayList> followers, BooleanSupplier stop) {
        IntArrayFIFOQueue queue = new IntArrayFIFOQueue();
        IntOpenHashSet queued = new IntOpenHashSet(rows.keySet());
        rows.keySet().forEach(queue::enqueue);
        while (!queue.isEmpty()) {
            if (stop.getAsBoolean()) {
                return false;
            }
            int number = queue.dequeueInt();
            queued.remove(number);
            BitSet own = candidates.containsKey(number) ? candidates.get(number) : bits(rows.get(number));
            for (int follower : followers.get(number)) {
                BitSet all = candidates.get(follower);
                int before = all.cardinality();
                all.or(own);
                if (all.cardinality() > before && queued.add(follower)) {
                    queue.enqueue(follower);
                }
            }
        }
        return true;
    }

    private static BitSet bits(IntLinkedOpenHashSet rows) {
        BitSet bits = new BitSet();
        rows.forEach(bits::set);
        return bits;
    }

    private boolean matches(int number, long value, int columns) {
        return predicates
                .condition(predicates.conditionOf(number))
                .matches(raw.values(), predicates.rows(), value, columns);
    }

    private void collectVersions() {
        for (int row = 0; row < raw.keys().size(); row++) {
            if (raw.existsAtFirst(row)) {
                add(row, raw.initialValue(row), -1);
            }
        }
        int columns = -1;
        for (int o = 0; o < raw.operations(); o++) {
            long code = raw.value(o);
            if (Predicates.isRow(code)) {
                columns = Predicates.rowNumber(code);
            } else if (raw.isWrite(o)) {
                if (!raw.isDelete(o)) {
                    add(raw.key(o), code, columns);
                }
                columns = -1;
            }
        }
    }

    private void add(int row, long value, int columns) {
        versionRows.add(row);
        versionValues.add(value);
        versionColumns.add(columns);
    }

    private BitSet matchingVersions(int number) {
        BitSet found = new BitSet();
        for (int v = 0; v < versionRows.size(); v++) {
            int row = versionRows.getInt(v);
            if (!found.get(row) && matches(number, versionValues.getLong(v), versionColumns.getInt(v))) {
                found.set(row);
            }
        }
        return found;
    }
}
