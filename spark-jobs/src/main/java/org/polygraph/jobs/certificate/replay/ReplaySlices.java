package org.polygraph.jobs.certificate.replay;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.polygraph.storage.table.HistoryTable;

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
    /** Keys that are cut, ascending; few. */
    private final int[] cutKeys;

    private final List<Ranges> cut = new ArrayList<>();
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
        long most = 2L * perRange;
        int[] counts = table.operations() > most ? counts(table) : new int[0];
        int[] found = new int[table.operations() / perRange / 2];
        for (int key = 0; key < counts.length; key++) {
            if (counts[key] > most) {
                found[cut.size()] = key;
                cut.add(new Ranges(slices, perRange));
                slices += (counts[key] - 1) / perRange + 1;
            }
        }
        this.cutKeys = Arrays.copyOf(found, cut.size());
    }

    private static int[] counts(HistoryTable table) {
        int[] counts = new int[table.keys().size()];
        for (int key : table.operationKeys()) {
            counts[key >>> 1]++;
        }
        return counts;
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
        int place = cutKeys.length == 0 ? -1 : Arrays.binarySearch(cutKeys, key);
        if (place < 0) {
            int slice = key % wholes;
            sink.row(slice, (key / wholes) << 1 | kind, value, operation, snapshot, commit);
            return slice;
        }
        Ranges ranges = cut.get(place);
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
