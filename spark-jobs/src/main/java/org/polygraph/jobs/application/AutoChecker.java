package org.polygraph.jobs.application;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.application.Engines.EngineMissingException;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Checkpoints;
import org.polygraph.jobs.decision.Progress;
import org.polygraph.jobs.estimate.Estimate;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.storage.format.HistorySize;
import org.polygraph.storage.table.HistoryTable;

/**
 * {@code --engine auto}: each history and level by the engine that {@link Estimate#auto} names, from the counts of what
 * has been read. Verdicts are the same.
 */
public final class AutoChecker implements Checker {
    private final Engines engines;
    private final String master;
    private final Checker embedded;
    private @Nullable Checker spark;
    private Consumer<String> warn = warning -> {};

    public AutoChecker(Engines engines, String master) {
        this.engines = engines;
        this.master = master;
        this.embedded = engines.embedded();
    }

    /** Which engine it is to be is known when the history is: Spark's settings are looked at then. */
    @Override
    public void prepare(Progress progress, Budget budget, Consumer<String> warnings) {
        warn = warnings;
    }

    @Override
    public Verdict check(HistoryTable table, CheckRequest request, Progress progress, Budget budget) {
        return check(table, request, progress, budget, Checkpoints.NONE);
    }

    @Override
    public Verdict check(
            HistoryTable table, CheckRequest request, Progress progress, Budget budget, Checkpoints stages) {
        return chosen(table, request, progress, budget).check(table, request, progress, budget, stages);
    }

    private Estimate.Cut cut() {
        try {
            return new SparkSettings(master).cut();
        } catch (IllegalArgumentException e) {
            throw new ConfigurationException(Failures.text(e));
        }
    }

    private Checker chosen(HistoryTable table, CheckRequest request, Progress progress, Budget budget) {
        HistorySize size = HistorySize.of(table);
        if (Estimate.of(Estimate.Engine.EMBEDDED, size, request.level()).fit(budget.heap()) == Estimate.Fit.YES
                || Estimate.auto(size, request.level(), cut(), budget.heap()) == Estimate.Engine.EMBEDDED) {
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
