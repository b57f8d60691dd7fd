package org.polygraph.jobs.application;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.application.Engines.EngineMissingException;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Progress;
import org.polygraph.jobs.estimate.Estimate;
import org.polygraph.jobs.windows.Workers;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.format.HistorySize;
import org.polygraph.storage.table.HistoryTable;

/**
 * {@code --engine auto}: this process decides a history that fits in its memory. A larger one is decided by windows,
 * whose tasks run on a cluster if the master is one, else on threads of this process.
 */
final class AutoChecker implements Checker {
    private final @Nullable Checker cluster;

    /** @throws EngineMissingException if the master is a cluster, and Spark is not installed */
    AutoChecker(Engines engines, String master) throws EngineMissingException {
        // spark-submit sets the property.
        boolean isLocal =
                SparkSettings.isLocal(master) && SparkSettings.isLocal(System.getProperty("spark.master", master));
        cluster = isLocal ? null : engines.spark(master);
    }

    @Override
    public boolean isTooLarge(HistoryTable table, CheckRequest request, Budget budget) {
        return Estimate.auto(HistorySize.of(table), request.level(), budget.heap()) == Estimate.Engine.WINDOWS;
    }

    /** Only windows use the cluster. */
    @Override
    public Progress listening(Progress progress) {
        return cluster == null ? progress : cluster.listening(progress);
    }

    @Override
    public void ended(String how) {
        if (cluster != null) {
            cluster.ended(how);
        }
    }

    @Override
    public Workers workers(@Nullable Location scratch, Progress progress, Budget budget) throws IOException {
        if (cluster == null) {
            return Checker.super.workers(scratch, progress, budget);
        }
        cluster.prepare(scratch, progress, budget, progress::note);
        return cluster.workers(scratch, progress, budget);
    }
}
