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
 * The rows that writes of unknown rows may have: those of which some version may match the condition. Such a version
 * is the initial one, one of a write of this row, or what another write of unknown rows leaves in a row that it may
 * have.
 */
final class CandidateRows {
    /** The largest product of open writes and versions. */
    private static final long MOST_EVALUATIONS = 500_000_000;
    /** The most pairs of a write and an open write that may match what the first one leaves. */
    private static final int MOST_PAIRS = 1 << 22;

    private final KnownRows known;
    private final Int2ObjectMap<BitSet> candidates = new Int2ObjectOpenHashMap<>();

    // The versions of writes of known rows.
    private final IntArrayList versionRows = new IntArrayList();
    private final LongArrayList versionValues = new LongArrayList();
    private final IntArrayList versionColumns = new IntArrayList();

    private CandidateRows(KnownRows known) {
        this.known = known;
    }

    /**
     * Returns by number of an open write the rows that it may have; null if that would take too long, or if it was
     * stopped.
     */
    static @Nullable Int2ObjectMap<BitSet> of(KnownRows known, BooleanSupplier stop) {
        HistoryTable raw = known.raw();
        long versions =
                (long) raw.operations() + raw.keys().size() + known.rows().size();
        CandidateRows candidates = new CandidateRows(known);
        return known.open().size() * versions <= MOST_EVALUATIONS && candidates.find(stop)
                ? candidates.candidates
                : null;
    }

    private boolean find(BooleanSupplier stop) {
        collectVersions();
        for (int number : known.open()) {
            if (stop.getAsBoolean()) {
                return false;
            }
            candidates.put(number, matchingVersions(number));
        }
        Int2ObjectMap<IntArrayList> followers = new Int2ObjectOpenHashMap<>();
        int pairs = 0;
        for (int other : known.rows().keySet()) {
            Predicates.Unknown write = known.predicates().unknown(other);
            IntArrayList of = new IntArrayList();
            for (int number : known.open()) {
                if (write != null
                        && other != number
                        && !write.isDelete()
                        && !known.shown().isOfAborted(other)
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
        IntOpenHashSet queued = new IntOpenHashSet(known.rows().keySet());
        known.rows().keySet().forEach(queue::enqueue);
        while (!queue.isEmpty()) {
            if (stop.getAsBoolean()) {
                return false;
            }
            int number = queue.dequeueInt();
            queued.remove(number);
            BitSet own = candidates.containsKey(number)
                    ? candidates.get(number)
                    : bits(known.rows().get(number));
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
        Predicates predicates = known.predicates();
        return known.matches(predicates.condition(predicates.conditionOf(number)), value, columns);
    }

    private void collectVersions() {
        HistoryTable raw = known.raw();
        for (int row = 0; row < raw.keys().size(); row++) {
            if (raw.existsAtFirst(row)) {
                add(row, raw.initialValue(row), -1);
            }
        }
        RecordedWalk walk = new RecordedWalk(raw, known.predicates(), new RecordedWalk.Visitor() {
            @Override
            public boolean write(int operation, int row, long value, int columns) {
                if (!raw.isDelete(operation)) {
                    add(row, value, columns);
                }
                return true;
            }
        });
        for (int t = 0; t < raw.transactions(); t++) {
            walk.over(t);
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
