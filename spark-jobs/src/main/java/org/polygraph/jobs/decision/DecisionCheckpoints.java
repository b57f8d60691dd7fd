package org.polygraph.jobs.decision;

import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.verdict.ResidualSize;
import org.polygraph.partitioner.linear.KeyOrders;
import org.polygraph.storage.artifact.ArrayFile;
import org.polygraph.storage.table.HistoryTable;

/**
 * The checkpoints of a decision: an order that is to be replayed; at level lin, the orders of keys. Each contains the
 * times of the phases before it.
 */
public final class DecisionCheckpoints {
    private static final String ORDER = "order";
    private static final String KEY_ORDERS = "orders";

    private final Checkpoints checkpoints;
    private final HistoryTable table;
    private final CheckRequest request;
    private final PhaseClock phases;

    DecisionCheckpoints(Checkpoints checkpoints, HistoryTable table, CheckRequest request, PhaseClock phases) {
        this.checkpoints = checkpoints;
        this.table = table;
        this.request = request;
        this.phases = phases;
    }

    /** Whether anything is kept. */
    boolean keeps() {
        return checkpoints.keeps();
    }

    /** Returns the orders of keys that an earlier process found, or null. */
    public @Nullable KeyOrders keyOrders() {
        return checkpoints.restored(KEY_ORDERS, left -> KeyOrders.of(table, left));
    }

    /** Keeps orders of keys if no key was left open at the end of the budget. */
    public void keepKeyOrders(KeyOrders orders) {
        if (keeps() && orders.isComplete()) {
            ArrayFile file = new ArrayFile();
            orders.saveTo(file);
            keep(KEY_ORDERS, file);
        }
    }

    /** Returns the order that an earlier process found but did not replay, or null. */
    @Nullable
    FoundOrder order() {
        return checkpoints.restored(ORDER, left -> {
            int[] position = left.ints("position");
            byte[] chosen = left.bytes("committed");
            long[] size = left.longs("residual");
            int events = table.transactions() * request.level().eventsPerTransaction();
            if (position.length != events
                    || size.length != 6
                    || (chosen.length != 0 && chosen.length != table.transactions())) {
                throw new ArrayFile.DamagedException("it is of another history");
            }
            phases.restore(left);
            boolean[] committed = null;
            if (chosen.length > 0) {
                committed = new boolean[chosen.length];
                for (int t = 0; t < chosen.length; t++) {
                    committed[t] = chosen[t] != 0;
                }
            }
            ResidualSize residual = new ResidualSize(size[0], size[1], size[2], size[3], size[4], size[5]);
            return new FoundOrder(position, committed, residual);
        });
    }

    /** Keeps an order that is to be replayed. */
    void keepOrder(FoundOrder found) {
        if (!keeps()) {
            return;
        }
        boolean[] committed = found.committed();
        byte[] chosen = new byte[committed == null ? 0 : committed.length];
        for (int t = 0; t < chosen.length; t++) {
            chosen[t] = (byte) (committed != null && committed[t] ? 1 : 0);
        }
        ResidualSize r = found.residual();
        ArrayFile file = new ArrayFile()
                .put("position", found.position())
                .put("committed", chosen)
                .put("residual", new long[] {
                    r.constraints(), r.candidateReads(), r.components(), r.largest(), r.decisions(), r.conflicts()
                });
        keep(ORDER, file);
    }

    private void keep(String name, ArrayFile file) {
        phases.saveTo(file);
        checkpoints.keep(name, file);
    }
}
