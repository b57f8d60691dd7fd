package org.polygraph.jobs.decision;

import java.util.List;
import org.polygraph.jobs.verdict.Certificate;
import org.polygraph.partitioner.residual.ResidualCore;
import org.polygraph.solver.Outcome;
import org.polygraph.storage.model.BudgetException;

/** The solver decides the reads that the order of the rules breaks. */
final class SolverOrder implements Strategy {
    private final DecisionState state;

    SolverOrder(DecisionState state) {
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
        CoreSolving.Solved solved =
                CoreSolving.solve(problem, state.check.budget(), state.tuning.solver(), state.freeBytes(held));
        Outcome outcome = solved.outcome();
        state.check.residual(problem.size(outcome.statistics()));
        phases.end(outcome.statistics().conflicts());
        if (outcome instanceof Outcome.Unknown unknown) {
            throw new BudgetException("solver: " + unknown.reason());
        }
        if (outcome instanceof Outcome.Unsatisfiable unsatisfiable) {
            return refuted(problem, solved, unsatisfiable);
        }
        Outcome.Satisfiable satisfiable = (Outcome.Satisfiable) outcome;
        FoundOrder found =
                new FoundOrder(solved.position(satisfiable), solved.committed(satisfiable), state.check.residual());
        phases.begin("check");
        ResidualCore left = rechecked(problem, found);
        phases.end(left.violated());
        if (!left.isEmpty()) {
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
        if (state.check.request().replayed()) {
            return ResidualCore.of(new int[0], 0);
        }
        return ResidualCore.of(
                problem.graph(),
                state.history().versions(),
                state.history().commitStatus().decided(found.committed()),
                found.position(),
                state.check.budget()::exhausted);
    }

    /** A cycle with reasons explains more than the clauses of the solver, so the rules continue to look for one. */
    private Finding refuted(ResidualProblem problem, CoreSolving.Solved solved, Outcome.Unsatisfiable unsatisfiable) {
        Certificate proof = new Certificate(Certificate.PROOF, null, solved.proved());
        state.check.refuted(Finding.Refuted.unexplained(proof, solved.refutation()));
        if (state.loop().refuteByRules()) {
            Finding.Refuted cycles = RuleOrder.refuted(state);
            return new Finding.Refuted(cycles.violations(), cycles.known(), cycles.certificate(), solved.refutation());
        }
        state.phases.begin("evidence");
        CoreSolving.Explained explained = CoreSolving.explain(
                problem.history(), problem.graph(), unsatisfiable.core(), state.check.budget()::exhausted);
        return new Finding.Refuted(List.of(explained.violation()), explained.known(), proof, solved.refutation());
    }
}
