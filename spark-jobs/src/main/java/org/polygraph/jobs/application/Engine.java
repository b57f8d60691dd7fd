package org.polygraph.jobs.application;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.Progress;
import org.polygraph.jobs.windows.LocalWorkers;
import org.polygraph.jobs.windows.Workers;
import org.polygraph.storage.artifact.Location;

/** What runs the tasks of checks by windows: by default the threads of this process. It keeps no state between calls. */
public interface Engine {
    Engine LOCAL = new Engine() {};

    /**
     * Validates the settings before a history is read.
     *
     * @param scratch as for {@link #workers}
     * @throws ConfigurationException if the engine cannot work with the settings
     * @throws EngineException if validation needs a cluster and there is none
     * @throws org.polygraph.storage.model.BudgetException if the budget ends before the settings are validated
     */
    default void prepare(@Nullable Location scratch, Progress progress, Budget budget) {}

    /**
     * Returns workers for a check by windows. The caller closes them.
     *
     * @param scratch where scratch files go that a later process may need; null if none does
     */
    default Workers workers(@Nullable Location scratch, Progress progress, Budget budget) throws IOException {
        return LocalWorkers.of(scratch, budget, progress);
    }

    /** Returns a listener for a new check, which reports to the given one and to the metrics of the engine. */
    default Progress listening(Progress progress) {
        return progress;
    }

    /**
     * Is called when a check that this engine began has ended.
     *
     * @param how the status of its verdict; undecided, if windows did not decide; or failed
     */
    default void ended(String how) {}
}
