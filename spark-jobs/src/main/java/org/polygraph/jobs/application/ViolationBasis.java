package org.polygraph.jobs.application;

import java.io.IOException;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.Check;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.verdict.Assumptions;
import org.polygraph.jobs.verdict.LoadedRows;
import org.polygraph.jobs.verdict.SessionOrder;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.SubHistory;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.partitioner.subhistory.SubHistoryFinder;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;

/** Finds out whether a VIOLATION rests on the transactions that load the initial rows, or on session order. */
final class ViolationBasis {
    /** The most operations of a violated history that is decided again without session order. */
    private static final int MOST_OPERATIONS = 100_000;
    /** The CPU time of this decision, which is a remark about a verdict that is known: so much, and for each operation. */
    private static final long NANOS = 500_000_000L;

    private static final long NANOS_OF_OPERATION = 20_000;

    private final PathCheck check;
    private final OnePath path;
    private final @Nullable HistoryTable unloaded;

    /** @param unloaded the history in which loaders are ordinary transactions; null if there are none */
    ViolationBasis(PathCheck check, OnePath path, @Nullable HistoryTable unloaded) {
        this.check = check;
        this.path = path;
        this.unloaded = unloaded;
    }

    /**
     * Adds to a VIOLATION what it rests on.
     *
     * @param whole the history that was judged
     */
    Verdict.Builder of(HistoryTable whole, CheckRequest request, Verdict.Builder verdict) {
        return verdict.status() == Verdict.Status.VIOLATION
                ? sessions(whole, request, loaders(request, verdict))
                : verdict;
    }

    /** Checks whether it remains a VIOLATION if loaders are ordinary transactions. */
    private Verdict.Builder loaders(CheckRequest request, Verdict.Builder verdict) {
        Assumptions assumptions = verdict.assumptions();
        HistoryTable whole = unloaded;
        if (whole == null || assumptions == null) {
            return verdict;
        }
        LoadedRows.Effect effect =
                switch (status(whole, request.withoutLoaders())) {
                    case PASS -> LoadedRows.Effect.DECISIVE;
                    case UNKNOWN -> LoadedRows.Effect.OPEN;
                    default -> LoadedRows.Effect.NONE;
                };
        return verdict.assumptions(assumptions.with(assumptions.loaders().with(effect)));
    }

    /**
     * Checks whether it exists only by session order. A sub-history that violates the level without it shows that it does
     * not. Nothing is said if the whole is not decided within its share of time.
     */
    private Verdict.Builder sessions(HistoryTable whole, CheckRequest request, Verdict.Builder verdict) {
        Assumptions assumptions = verdict.assumptions();
        if (assumptions == null
                || request.level() == IsolationLevel.LIN
                || request.level() == IsolationLevel.PL2
                || request.sessionOrder() == SessionOrder.NONE
                || whole.unknownRows() != null
                || whole.operations() > MOST_OPERATIONS
                || whole.withoutSessionOrder() == whole) {
            return verdict;
        }
        CheckRequest other = request.withoutSessionOrder();
        Verdict built = verdict.build();
        HistoryTable table = built.table();
        for (Violation violation : built.violations()) {
            SubHistory sub = violation.minimal();
            if (table != null && sub != null && status(table, sub, other) != Verdict.Status.PASS) {
                return verdict;
            }
        }
        Budget share = path.budget().atMost(NANOS + NANOS_OF_OPERATION * whole.operations());
        Verdict.Status without = status(other, () -> LevelCheck.of(new Check(whole, other, share), path.checker()));
        return without == Verdict.Status.PASS ? verdict.assumptions(assumptions.bySessionOrder()) : verdict;
    }

    private Verdict.Status status(HistoryTable whole, CheckRequest request) {
        return status(request, () -> check.judge(whole, request, PathCheck.Kept.NOWHERE, List.of()));
    }

    private Verdict.Status status(HistoryTable table, SubHistory sub, CheckRequest request) {
        HistoryTable part = SubHistoryFinder.alone(table, sub);
        return status(request, () -> LevelCheck.of(new Check(part, request, path.budget()), path.checker()));
    }

    private Verdict.Status status(
            CheckRequest request, Deadline.Step<Verdict.Builder, HistoryException, IOException> step) {
        return Objects.requireNonNull(path.attempt(request, step), "a verdict").status();
    }
}
