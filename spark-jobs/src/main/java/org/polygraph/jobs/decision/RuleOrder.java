package org.polygraph.jobs.decision;

import org.jspecify.annotations.Nullable;

/**
 * Closure and saturation in turn: a cycle refutes; an order that extends the forced edges and breaks no read is
 * accepted.
 */
final class RuleOrder implements Strategy {
    private final Decision state;

    RuleOrder(Decision state) {
        this.state = state;
    }

    @Override
    public @Nullable Finding find() {
        state.runRules();
        PruneLoop loop = state.loop();
        if (loop.isRefuted()) {
            return refuted(state);
        }
        return loop.core().isEmpty() ? state.kept(new FoundOrder(loop.position())) : null;
    }

    /** The cycles by which the rules refute the history. */
    static Finding.Refuted refuted(Decision state) {
        if (state.check.refutation() == null) {
            state.check.refuted(Finding.Refuted.unexplained());
        }
        state.phases.begin("evidence");
        return new Finding.Refuted(state.loop().violations());
    }
}
