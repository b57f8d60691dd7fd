package org.polygraph.jobs.decision;

import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.verdict.ResidualSize;
import org.polygraph.partitioner.graph.Problem;
import org.polygraph.partitioner.residual.CoreComponents;
import org.polygraph.partitioner.residual.ResidualCore;
import org.polygraph.solver.Reachability;
import org.polygraph.solver.Statistics;

/**
 * The problem that the solver has to decide.
 *
 * @param reachability of the graph; null if it is not computed
 * @param position of each event in an order that extends the graph
 * @param core the reads and writers that this order breaks
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record ResidualProblem(Problem problem, @Nullable Reachability reachability, int[] position, ResidualCore core) {
    /** Returns the size of the core, and the steps that deciding it took. */
    ResidualSize size(Statistics s) {
        CoreComponents components = CoreComponents.of(core, problem.history());
        return new ResidualSize(
                s.instantiated(),
                problem.versions().ambiguous(),
                components.count(),
                components.largest(),
                s.decisions(),
                s.conflicts());
    }
}
