package org.polygraph.jobs.certificate;

import it.unimi.dsi.fastutil.ints.Int2ObjectOpenHashMap;
import java.io.IOException;
import org.polygraph.storage.columnar.HistoryTable;

/**
 * Which slice has which operations. Key k belongs to slice k mod n, where it is key k / n, unless it has many: then ranges of
 * its operations, as they are dealt, have slices of their own beyond these n, where it is key 0. What a range needs to know of
 * those before it are two rows, which it begins with again: the last write of the writer before the latest, and the last of the
 * latest.
 *
 * <p>Memory: 4 bytes a key while many are looked for; nothing to speak of afterwards. One thread.
 */
final class ReplaySlices {
    private final int keys;
    private final int wholes;
    private final Int2ObjectOpenHashMap<Ranges> cut = new Int2ObjectOpenHashMap<>();
    private int slices;

    /**
     * Looks for keys that have many.
     *
     * @param wholes n
     * @param perRange operations of a range; a key with more than two such is cut
     */
    ReplaySlices(HistoryTable table, int wholes, int perRange) {
        this.keys = table.keys().size();
        this.wholes = wholes;
        this.slices = wholes;
        if (table.operations() <= 2L * perRange) {
            return;
        }
        int[] counts = new int[keys];
        for (int key : table.operationKeys()) {
            counts[key >>> 1]++;
        }
        for (int key = 0; key < keys; key++) {
            if (counts[key] > 2L * perRange) {
                cut.put(key, new Ranges(slices, perRange));
                slices += (counts[key] - 1) / perRange + 1;
            }
        }
    }

    /** Slices, those of ranges included. */
    int count() {
        return slices;
    }

    /** How many keys a slice has. */
    int keys(int slice) {
        return slice >= wholes ? 1 : keys / wholes + (slice < keys % wholes ? 1 : 0);
    }

    /**
     * Hands on an operation; in the order of snapshots.
     *
     * @return its slice
     */
    int deal(SlicedReplay.Sink sink, int keyAndKind, long value, int operation, int snapshot, int commit)
            throws IOException {
        int key = keyAndKind >> 1;
        int kind = keyAndKind & 1;
        Ranges ranges = cut.isEmpty() ? null : cut.get(key);
        if (ranges == null) {
            int slice = key % wholes;
            sink.row(slice, (key / wholes) << 1 | kind, value, operation, snapshot, commit);
            return slice;
        }
        int slice = ranges.next(sink);
        sink.row(slice, kind, value, operation, snapshot, commit);
        if (kind == 1) {
            ranges.write(value, snapshot, commit);
        }
        return slice;
    }

    /** The ranges of a key, and its last two writers so far. */
    private static final class Ranges {
        private final int firstSlice;
        private final int perRange;
        private int dealt;
        private final long[] values = new long[2];
        private final int[] snapshots = new int[2];
        private final int[] commits = {KeyReplay.NOBODY, KeyReplay.NOBODY};

        Ranges(int firstSlice, int perRange) {
            this.firstSlice = firstSlice;
            this.perRange = perRange;
        }

        /** The slice of the next operation, begun if it is the first. */
        int next(SlicedReplay.Sink sink) throws IOException {
            int slice = firstSlice + dealt / perRange;
            if (dealt++ % perRange == 0) {
                for (int w = 0; w < 2; w++) {
                    if (commits[w] != KeyReplay.NOBODY) {
                        sink.row(slice, 1, values[w], KeyReplay.CARRIED, snapshots[w], commits[w]);
                    }
                }
            }
            return slice;
        }

        void write(long value, int snapshot, int commit) {
            if (commits[1] != commit) {
                values[0] = values[1];
                snapshots[0] = snapshots[1];
                commits[0] = commits[1];
            }
            values[1] = value;
            snapshots[1] = snapshot;
            commits[1] = commit;
        }
    }
}
