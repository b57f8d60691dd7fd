package org.polygraph.jobs.certificate.replay;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.Operations;

/**
 * Assigns operations to slices. Key k belongs to slice k mod n, where it is key k / n, unless it has many operations:
 * then windows of its operations, in the order of snapshots, have slices of their own beyond these n, where it is key
 * 0. A window begins with two rows of the windows before it: the last write of the writer before the latest, and the
 * last write of the latest.
 *
 * <p>Memory: 4 bytes per key while operations are counted, little afterwards. Single-threaded.
 */
final class ReplaySlices {
    private final int keys;
    private final int wholes;
    /** Keys that are split into windows, ascending; few. */
    private final int[] splitKeys;

    private final List<Windows> split = new ArrayList<>();
    private int slices;

    /**
     * Finds the keys to split.
     *
     * @param wholes number of slices of whole keys
     * @param perWindow operations of a window; a key with more than two such is split
     */
    ReplaySlices(HistoryTable table, int wholes, int perWindow) {
        this.keys = table.keys().size();
        this.wholes = wholes;
        this.slices = wholes;
        long most = 2L * perWindow;
        int[] counts = table.operations() > most ? counts(table) : new int[0];
        int[] found = new int[table.operations() / perWindow / 2];
        for (int key = 0; key < counts.length; key++) {
            if (counts[key] > most) {
                found[split.size()] = key;
                split.add(new Windows(slices, perWindow));
                slices += (counts[key] - 1) / perWindow + 1;
            }
        }
        this.splitKeys = Arrays.copyOf(found, split.size());
    }

    private static int[] counts(HistoryTable table) {
        int[] counts = new int[table.keys().size()];
        for (int keyAndKind : table.operationKeys()) {
            counts[Operations.key(keyAndKind)]++;
        }
        return counts;
    }

    /** The number of slices, those of windows included. */
    int count() {
        return slices;
    }

    /** The number of keys of a slice. */
    int keys(int slice) {
        return slice >= wholes ? 1 : keys / wholes + (slice < keys % wholes ? 1 : 0);
    }

    /** Sends an operation to its slice. To be called in the order of snapshots. */
    int deal(SlicedReplay.Sink sink, int keyAndKind, long value, int operation, int snapshot, int commit)
            throws IOException {
        int key = Operations.key(keyAndKind);
        int place = splitKeys.length == 0 ? -1 : Arrays.binarySearch(splitKeys, key);
        if (place < 0) {
            int slice = key % wholes;
            sink.row(slice, Operations.withKey(keyAndKind, key / wholes), value, operation, snapshot, commit);
            return slice;
        }
        Windows windows = split.get(place);
        int slice = windows.next(sink);
        sink.row(slice, Operations.withKey(keyAndKind, 0), value, operation, snapshot, commit);
        if (Operations.isWrite(keyAndKind)) {
            windows.write(value, snapshot, commit);
        }
        return slice;
    }

    /** The windows of a key, and its last two writers so far. */
    private static final class Windows {
        private final int firstSlice;
        private final int perWindow;
        private int dealt;
        private final long[] values = new long[2];
        private final int[] snapshots = new int[2];
        private final int[] commits = {KeyReplay.NONE, KeyReplay.NONE};

        Windows(int firstSlice, int perWindow) {
            this.firstSlice = firstSlice;
            this.perWindow = perWindow;
        }

        /** The slice of the next operation; writes its first rows if the operation is its first one. */
        int next(SlicedReplay.Sink sink) throws IOException {
            int slice = firstSlice + dealt / perWindow;
            if (dealt++ % perWindow == 0) {
                for (int w = 0; w < 2; w++) {
                    if (commits[w] != KeyReplay.NONE) {
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
