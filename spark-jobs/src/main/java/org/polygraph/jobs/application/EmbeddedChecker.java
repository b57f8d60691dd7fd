package org.polygraph.jobs.application;

import java.util.function.Function;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.Check;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Checkpoints;
import org.polygraph.jobs.decision.Decision;
import org.polygraph.jobs.decision.Finding;
import org.polygraph.jobs.decision.Progress;
import org.polygraph.jobs.decision.Tuning;
import org.polygraph.jobs.evidence.Implications;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.jobs.weak.LinearDecision;
import org.polygraph.jobs.weak.WeakLevelDecision;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.table.HistoryTable;

/** Decides a whole history in the memory of this process. */
public record EmbeddedChecker(Tuning tuning) implements Function<Check, Finding> {
    /** Creates one with its default tuning. Tests and measurements give others. */
    public EmbeddedChecker() {
        this(Tuning.DEFAULT);
    }

    @Override
    public Finding apply(Check check) {
        if (check.table().hasAdditions() && !isOfSums(check.request().level())) {
            return ofSnapshots(check);
        }
        return switch (check.request().level()) {
            case PL2, RC, RA, CC -> WeakLevelDecision.of(check);
            case LIN -> LinearDecision.of(check, tuning);
            default -> Decision.of(check, tuning);
        };
    }

    /** Whether the level defines what an addition finds whose sum is not known. */
    private static boolean isOfSums(IsolationLevel level) {
        return level.isOfEvents() && level != IsolationLevel.PC;
    }

    /** The PASS of a level that si implies. */
    private Finding ofSnapshots(Check check) {
        CheckRequest request = check.request();
        if (request.level() != IsolationLevel.LIN) {
            Check si = check.beside(check.table(), request.at(IsolationLevel.SI), check.budget());
            if (Decision.of(si, tuning) instanceof Finding.Order order) {
                Witness witness = order.witness();
                boolean isUnchanged = request.terms().guarantee().hasPlainWrites();
                return new Finding.Order(isUnchanged ? witness : Implications.inTerms(witness, request.terms()), false);
            }
        }
        throw new BudgetException("level " + request.level().label()
                + " does not define what an addition without \"result\" finds; record the sums, or check "
                + (request.level() == IsolationLevel.LIN ? "sser" : "si"));
    }

    /** Returns the verdict on a history that has at least one committed transaction. */
    public Verdict check(HistoryTable table, CheckRequest request, Progress progress, Budget budget) {
        return check(table, request, progress, budget, Checkpoints.NONE);
    }

    /** Returns the verdict in the same way, but continues from the checkpoints of an earlier process. */
    public Verdict check(
            HistoryTable table, CheckRequest request, Progress progress, Budget budget, Checkpoints checkpoints) {
        return LevelCheck.of(new Check(table, request, progress, budget, checkpoints), Checker.EMBEDDED.finding(this))
                .build();
    }
}
