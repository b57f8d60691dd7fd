package org.polygraph.jobs.windows;

import java.io.IOException;
import java.io.Serializable;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.replay.PlacedFault;
import org.polygraph.jobs.certificate.replay.PlacedReplay;
import org.polygraph.jobs.certificate.replay.Tally;
import org.polygraph.jobs.decision.Budget;

/**
 * Replays a slice of keys. Result: {@link Result}.
 *
 * @param slices how many there are; each key is in one
 * @param events of a transaction: 1, or 2 for its snapshot and its commit
 */
record SliceReplayTask(SliceRows.Slice slice, int slices, int events) implements Task<SliceReplayTask.Result> {
    /**
     * The result.
     *
     * @param tally of the operations that count, by place
     * @param ownReads the reads that follow a write of their transaction
     * @param fault the first operation that the order does not explain; null if there is none
     * @param alien a key that belongs to another slice; empty if there is none
     */
    record Result(
            long tally,
            long reads,
            long ownReads,
            long writes,
            @Nullable PlacedFault fault,
            String alien) implements Serializable {}

    @Override
    public Result run(Budget budget) throws IOException {
        SliceRows rows = slice.rows();
        PlacedReplay replay = new PlacedReplay(rows.keys(), rows.values(), rows::initial, events);
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
        String alien = "";
        for (int key = 0; key < rows.keys().size(); key++) {
            if (DealTask.slice(rows.keys(), key, slices) != slice.number()) {
                alien = rows.keys().label(key);
            }
        }
        return new Result(tally.sum(), replay.reads(), replay.ownReads(), replay.writes(), replay.discrepancy(), alien);
    }
}
