package org.polygraph.jobs.decision;

import java.util.List;
import org.polygraph.jobs.verdict.Certificate;
import org.polygraph.partitioner.residual.ResidualCore;
import org.polygraph.solver.Outcome;
import org.polygraph.storage.model.BudgetException;

/** The solver decides what the order of the rules breaks. */
final class SolverOrder implements Strategy {
    private final Search search;

    SolverOrder(Search search) {
        this.search = search;
    }

    @Override
    public Finding find() {
        PruneLoop loop = search.loop();
        PhaseClock phases = search.phases;
        ResidualProblem problem = loop.problem();
        phases.begin("solve");
        long held =
                search.check.table().arrayBytes() + search.history().versions().bytes() + loop.heapBytes();
        CoreSolving.Solved solved =
                CoreSolving.solve(problem, search.check.budget(), search.tuning.solver(), search.freeBytes(held));
        Outcome outcome = solved.outcome();
        search.check.residual(problem.size(outcome.statistics()));
        phases.end(outcome.statistics().conflicts());
        if (outcome instanceof Outcome.Unknown unknown) {
            throw new BudgetException("solver: " + unknown.reason());
        }
        if (outcome instanceof Outcome.Unsatisfiable unsatisfiable) {
            return refuted(problem, solved, unsatisfiable);
        }
        Outcome.Satisfiable satisfiable = (Outcome.Satisfiable) outcome;
        FoundOrder found =
                new FoundOrder(solved.position(satisfiable), solved.committed(satisfiable), search.check.residual());
        phases.begin("check");
        ResidualCore left = search.kernels.recheck(
                search.history(),
                problem.graph(),
                search.history().commitStatus().decided(found.committed()),
                found.position());
        phases.end(left.violated());
        if (!left.isEmpty()) {
            throw new IllegalStateException(
                    "the solver's order violates " + left.violated() + " reads, the first" + " of key "
                            + search.check
                                    .table()
                                    .keys()
                                    .label(search.history().versions().keyOf(left.keys()[0])));
        }
        return search.kept(found);
    }

    /** A cycle with reasons explains more than the clauses of the solver, so the rules continue to look for one. */
    private Finding refuted(ResidualProblem problem, CoreSolving.Solved solved, Outcome.Unsatisfiable unsatisfiable) {
        Certificate proof = new Certificate("proof", null, solved.proved());
        search.check.refuted(Finding.Refuted.unexplained(proof, solved.refutation()));
        if (search.loop().refuteByRules()) {
            Finding.Refuted cycles = RuleOrder.refuted(search);
            return new Finding.Refuted(cycles.violations(), cycles.known(), cycles.certificate(), solved.refutation());
        }
        search.phases.begin("evidence");
        CoreSolving.Explained explained = CoreSolving.explain(problem.history(), problem.graph(), unsatisfiable.core());
        return new Finding.Refuted(List.of(explained.violation()), explained.known(), proof, solved.refutation());
    }
}
