package org.polygraph.jobs.application;

import java.io.IOException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.application.Engines.EngineMissingException;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.Check;
import org.polygraph.jobs.decision.Finding;
import org.polygraph.jobs.decision.Progress;
import org.polygraph.jobs.estimate.Estimate;
import org.polygraph.jobs.windows.Workers;
import org.polygraph.storage.format.HistorySize;

/**
 * {@code --engine auto}: decides each history and level with the engine that {@link Estimate#auto} chooses from the
 * counts of the table.
 */
public final class AutoChecker implements Checker {
    private final Engines engines;
    private final String master;
    private final Checker embedded;
    private @Nullable Checker spark;
    /** The engine of the last check. */
    private Checker last;

    private Consumer<String> warn = warning -> {};

    public AutoChecker(Engines engines, String master) {
        this.engines = engines;
        this.master = master;
        this.embedded = engines.embedded();
        this.last = embedded;
    }

    /** The engine is chosen after reading; the settings of Spark are validated then. */
    @Override
    public void prepare(Progress progress, Budget budget, Consumer<String> warnings) {
        warn = warnings;
    }

    @Override
    public Finding find(Check check) {
        Checker engine = chosen(check);
        last = engine;
        return engine.find(check);
    }

    /** Windows run in this process. */
    @Override
    public Workers workers(Progress progress, Budget budget) throws IOException {
        return embedded.workers(progress, budget);
    }

    @Override
    public void ended(String how) {
        last.ended(how);
    }

    private Estimate.Division division() {
        try {
            return new SparkSettings(master).division();
        } catch (IllegalArgumentException e) {
            throw new ConfigurationException(Failures.text(e));
        }
    }

    private Checker chosen(Check check) {
        if (check.table().hasRows() || check.table().hasInitialState()) {
            return embedded;
        }
        HistorySize size = HistorySize.of(check.table());
        Budget budget = check.budget();
        Progress progress = check.phases().listener();
        if (Estimate.auto(size, check.request().level(), this::division, budget.heap()) == Estimate.Engine.EMBEDDED) {
            return embedded;
        }
        try {
            if (spark == null) {
                Checker made = engines.spark(master);
                made.prepare(progress, budget, warn);
                spark = made;
            }
            progress.note("engine=spark: the estimate exceeds the memory of the embedded engine");
            return spark;
        } catch (EngineMissingException e) {
            progress.note("engine=embedded, without clocks: " + Failures.text(e));
            return embedded;
        }
    }
}
