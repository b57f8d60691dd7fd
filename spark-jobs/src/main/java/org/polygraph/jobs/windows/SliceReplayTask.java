package org.polygraph.jobs.windows;

import java.io.IOException;
import org.polygraph.jobs.certificate.replay.PlacedReplay;
import org.polygraph.jobs.certificate.replay.Tally;
import org.polygraph.jobs.decision.Budget;

/**
 * Replays a slice of keys. Result: the tally of its operations that count, by place, and the first discrepancy or an empty text.
 *
 * @param slices how many there are; each key is in one
 * @param events of a transaction: 1, or 2 for its snapshot and its commit
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record SliceReplayTask(SliceRows.Slice slice, int slices, byte[] initial, int events) implements Task<byte[]> {
    private static final long serialVersionUID = 1L;

    @Override
    public byte[] run(Budget budget) throws IOException {
        SliceRows rows = slice.rows();
        PlacedReplay replay = new PlacedReplay(new BlockReader(initial).value(rows.values()), events);
        Tally tally = new Tally();
        while (rows.next()) {
            if (rows.state() == SliceRows.COUNTED) {
                if (rows.isIntent()) {
                    replay.intent(rows.place(), rows.number(), rows.key(), rows.session());
                } else {
                    replay.operation(
                            rows.place(), rows.number(), rows.key(), rows.session(), rows.isWrite(), rows.code());
                }
                tally.operation(
                        Tally.name(rows.place()),
                        rows.number(),
                        Tally.key(rows.keys(), rows.key()),
                        rows.isWrite(),
                        rows.isIntent()
                                ? CellReplayTask.INTENT + rows.session()
                                : Tally.value(rows.values(), rows.code()));
            }
        }
        String wrong = replay.discrepancy();
        for (int key = 0; key < rows.keys().size(); key++) {
            if (DealTask.slice(rows.keys(), key, slices) != slice.number()) {
                wrong = "key " + rows.keys().label(key) + " is in the slice of other keys";
            }
        }
        return new BlockWriter()
                .signed(tally.sum())
                .text(wrong == null ? "" : wrong)
                .toBytes();
    }
}
