package org.polygraph.jobs.certificate.replay;

import java.util.Arrays;
import java.util.function.BooleanSupplier;
import org.polygraph.storage.model.StoppedException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.Operations;

/**
 * Replays an order as if transactions ran one after the other. Where every read returns the last write, the order obeys
 * the axioms of RC, RA and CC, because all writers that a read sees commit no later than its source. If some read does
 * not, nothing follows from this replay.
 *
 * <p>Time: linear. Memory: 8 bytes a key.
 */
final class SerialReplay {
    private final HistoryTable table;
    private final int[] starts;
    private final int[] keys;
    private final long[] values;

    SerialReplay(HistoryTable table) {
        this.table = table;
        starts = table.operationStarts();
        keys = table.operationKeys();
        values = table.operationValues();
    }

    /**
     * The reads that do not return the last write.
     *
     * @param order counted transactions in commit order, and negative numbers
     * @param most returns after so many
     * @param stop whether to stop; called every {@value Replay#PLACES} places of the order
     * @throws StoppedException if {@code stop} returned true
     */
    int[] misreads(int[] order, int most, BooleanSupplier stop) {
        long[] current = table.initialValues();
        int[] misreads = new int[16];
        int count = 0;
        for (int place = 0; place < order.length; place++) {
            if ((place + 1) % Replay.PLACES == 0) {
                StoppedException.check(stop);
            }
            int t = order[place];
            int end = t < 0 ? 0 : starts[t + 1];
            int o = t < 0 ? 0 : misread(keys, values, starts[t], end, current);
            while (o < end) {
                misreads = count == misreads.length ? Arrays.copyOf(misreads, 2 * count) : misreads;
                misreads[count++] = o;
                if (count == most) {
                    return Arrays.copyOf(misreads, count);
                }
                o = misread(keys, values, o + 1, end, current);
            }
        }
        return Arrays.copyOf(misreads, count);
    }

    /**
     * Replays operations [from, to) up to a misread. Transactions do not overlap, so the writes of a transaction are
     * the last ones at once.
     */
    private static int misread(int[] keys, long[] values, int from, int to, long[] current) {
        for (int o = from; o < to; o++) {
            int key = Operations.key(keys[o]);
            // The mask is zero for a write, which returns nothing. A branch on the kind would be mispredicted.
            if (((current[key] ^ values[o]) & (keys[o] & 1L) - 1) != 0) {
                return o;
            }
            current[key] = values[o];
        }
        return to;
    }
}
