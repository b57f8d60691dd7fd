package org.polygraph.jobs.decision;

import org.jspecify.annotations.Nullable;

/**
 * Closure and saturation in turn: a cycle refutes; an order that extends the forced edges and breaks no read is
 * accepted.
 */
final class RuleOrder implements Strategy {
    private final Search search;

    RuleOrder(Search search) {
        this.search = search;
    }

    @Override
    public @Nullable Finding find() {
        if (!search.hasLoop()) {
            search.runRules();
        }
        PruneLoop loop = search.loop();
        if (loop.isRefuted()) {
            return refuted(search);
        }
        // The checkpoint of the rules has the order.
        return loop.core().isEmpty() ? search.order(loop.position()) : null;
    }

    /** The cycles by which the rules refute the history. */
    static Finding.Refuted refuted(Search search) {
        if (search.check.refutation() == null) {
            search.check.refuted(Finding.Refuted.unexplained());
        }
        search.phases.begin("evidence");
        return new Finding.Refuted(search.loop().violations());
    }
}
