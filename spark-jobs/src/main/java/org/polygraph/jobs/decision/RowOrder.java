package org.polygraph.jobs.decision;

import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.order.InputOrder;

/**
 * Accepts histories of inserts and deletes that the order of the input explains, after few repairs. If no transaction
 * reads the rows of inserts and deletes, they force few edges, but only few orders fit them. A search without a hint
 * does not find these orders.
 */
final class RowOrder implements Strategy {
    private final DecisionState state;

    RowOrder(DecisionState state) {
        this.state = state;
    }

    /** @return null if the history has no rows, or the order of the input breaks many reads */
    @Override
    public @Nullable Finding find() {
        if (state.needsRealTime()
                || !state.tuning.triesOrders()
                || state.history().versions().rows() == null) {
            return null;
        }
        state.phases.begin("order");
        KnownGraph known = state.graph();
        int[] position = InputOrder.of(
                known,
                state.check.table(),
                state.history().versions(),
                state.history().commitStatus());
        state.phases.end(state.events.count());
        return position == null ? null : new TimeHint(state).repaired(position);
    }
}
