package org.polygraph.jobs.decision;

import java.util.List;
import org.polygraph.jobs.verdict.Certificate;
import org.polygraph.partitioner.residual.ResidualCore;

/** The solver decides the reads that the order of the rules breaks. */
final class SolverOrder implements Strategy {
    private final Decision state;

    SolverOrder(Decision state) {
        this.state = state;
    }

    @Override
    public Finding find() {
        PruneLoop loop = state.loop();
        PhaseClock phases = state.phases;
        ResidualProblem problem = loop.problem();
        phases.begin("solve");
        long held =
                state.check.table().arrayBytes() + state.history().versions().bytes() + loop.heapBytes();
        Solved solved = CoreSolving.solve(problem, state.check.budget(), state.tuning.solver(), state.freeBytes(held));
        state.check.residual(solved.residual());
        phases.end(solved.residual().conflicts());
        FoundOrder found = solved.required().order();
        if (found == null) {
            return refuted(problem, solved);
        }
        phases.begin("check");
        ResidualCore left = rechecked(problem, found);
        phases.end(left.violated());
        if (left.violated() > 0) {
            throw new IllegalStateException(
                    "the solver's order violates " + left.violated() + " reads, the first" + " of key "
                            + state.check
                                    .table()
                                    .keys()
                                    .label(state.history().versions().keyOf(left.keys()[0])));
        }
        return state.kept(found);
    }

    /**
     * Checks every key against the order of the solver, which must violate nothing. If a replay follows, no key is
     * checked, because the replay checks the order on the raw operations.
     */
    private ResidualCore rechecked(ResidualProblem problem, FoundOrder found) {
        return state.check.request().replayed()
                ? ResidualCore.of(new int[0], 0)
                : ResidualCore.of(
                        problem.problem(),
                        state.history().commitStatus().decided(found.committed()),
                        found.position(),
                        state.check.budget()::exhausted);
    }

    /** A cycle with reasons explains more than the clauses of the solver, so the rules continue to look for one. */
    private Finding refuted(ResidualProblem problem, Solved solved) {
        Certificate proof = new Certificate(Certificate.PROOF, null, solved.proved());
        state.check.refuted(Finding.Refuted.unexplained(proof, solved.refutation()));
        if (state.loop().refuteByRules()) {
            Finding.Refuted cycles = state.refutedByRules();
            return new Finding.Refuted(cycles.violations(), cycles.known(), cycles.certificate(), solved.refutation());
        }
        state.phases.begin("evidence");
        CoreSolving.Explained explained =
                CoreSolving.explain(problem.problem(), solved.core(), state.check.budget()::exhausted);
        return new Finding.Refuted(List.of(explained.violation()), explained.known(), proof, solved.refutation());
    }
}
