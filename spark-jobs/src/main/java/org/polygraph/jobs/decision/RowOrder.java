package org.polygraph.jobs.decision;

import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.order.InputOrder;

/**
 * Accepts histories of inserts and deletes that the order of the input explains, after few repairs. Inserts and deletes
 * whose rows no transaction reads determine no order, but they fit only few orders, which a search without any hint
 * does not find.
 */
final class RowOrder implements Strategy {
    private final Search search;

    RowOrder(Search search) {
        this.search = search;
    }

    /** @return null if the history has no rows, or the order of the input breaks many reads */
    @Override
    public @Nullable Finding find() {
        if (search.needsRealTime()
                || !search.tuning.hasRules()
                || search.history().versions().rows() == null) {
            return null;
        }
        search.phases.begin("order");
        KnownGraph known = search.graph();
        int[] position = InputOrder.of(
                known,
                search.check.table(),
                search.history().versions(),
                search.history().commitStatus());
        search.phases.end(search.events.count());
        return position == null ? null : new TimeHint(search).repaired(position);
    }
}
