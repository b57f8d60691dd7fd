package org.polygraph.jobs.decision;

import java.io.Serializable;
import java.util.ArrayList;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.verdict.Phase;
import org.polygraph.partitioner.linear.KeyOrders;
import org.polygraph.storage.artifact.ObjectFile;
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

    /** An order that is to be replayed, and the phases before it. */
    private record Kept(FoundOrder order, ArrayList<Phase> phases) implements Serializable {
        private static final long serialVersionUID = 1L;
    }

    /** Returns the orders of keys that an earlier process found, or null. */
    public @Nullable KeyOrders keyOrders() {
        return checkpoints.restored(KEY_ORDERS, KeyOrders.class, left -> left.of(table));
    }

    /** Keeps orders of keys if no key was left open at the end of the budget. */
    public void keepKeyOrders(KeyOrders orders) {
        if (orders.isComplete()) {
            checkpoints.keep(KEY_ORDERS, orders);
        }
    }

    /** Returns the order that an earlier process found but did not replay, or null. */
    @Nullable
    FoundOrder order() {
        return checkpoints.restored(ORDER, Kept.class, left -> {
            boolean[] chosen = left.order.committed();
            if (left.order.position().length
                            != table.transactions() * request.level().eventsPerTransaction()
                    || (chosen != null && chosen.length != table.transactions())) {
                throw new ObjectFile.DamagedException("it is of another history");
            }
            phases.restore(left.phases);
            return left.order;
        });
    }

    /** Keeps an order that is to be replayed. */
    void keepOrder(FoundOrder found) {
        checkpoints.keep(ORDER, new Kept(found, phases.ended()));
    }
}
