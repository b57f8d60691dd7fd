package org.polygraph.jobs.application;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.Check;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Finding;
import org.polygraph.jobs.evidence.Implications;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.UnknownRows;

/**
 * Decides a history with writes by a condition whose rows are not known (docs/rows.md, Writes of unknown rows).
 * A violation of the relaxed history is a violation of the history, and an order that explains a guess explains
 * the history. If both leave it open, the verdict is UNKNOWN.
 */
final class UnknownRowsCheck {
    private static final int MOST_GUESSES = 8;
    /** The most writes that the reason of an UNKNOWN names. */
    private static final int MOST_NAMED = 3;

    private static final long MOST_NANOS = 5_000_000_000L;

    private final PathCheck check;
    private final OnePath path;
    private final PathHistory input;
    private final UnknownRows unknown;

    UnknownRowsCheck(PathCheck check, OnePath path, PathHistory input, UnknownRows unknown) {
        this.check = check;
        this.path = path;
        this.input = input;
        this.unknown = unknown;
    }

    /** @param given verdicts of the table that was read */
    List<Verdict> of(List<Verdict> given) {
        List<Verdict> verdicts = new ArrayList<>();
        HistoryTable read = Objects.requireNonNull(input.table(), "a history");
        for (Verdict verdict : given) {
            IsolationLevel level = verdict.level();
            boolean isDecided = verdict.status() != Verdict.Status.PASS
                    && (verdict.status() != Verdict.Status.VIOLATION
                            || unknown.refutes(level.eventsPerTransaction(), level.isAxiom())
                            || hasRepeatedRow(verdict));
            CheckRequest request = check.request(level);
            verdicts.add(
                    isDecided
                            ? verdict
                            : level.isAxiom()
                                    ? atCommits(read, request, verdicts)
                                    : open(read, request, verdict.witness()));
        }
        return verdicts;
    }

    /** Whether a committed transaction has a result with two rows of one key, which no rows of writes explain. */
    private boolean hasRepeatedRow(Verdict verdict) {
        HistoryTable read = Objects.requireNonNull(input.table(), "a history").asRead();
        return verdict.violations().stream()
                .anyMatch(violation -> violation.anomaly() == Anomaly.DUPLICATE_ROW
                        && read.status(violation.transactions().get(0)) == TransactionStatus.COMMITTED);
    }

    /**
     * Decides RC, RA or CC by SI, which implies them, because an order of SI shows the rows.
     *
     * @param stronger verdicts of other levels
     */
    private Verdict atCommits(HistoryTable read, CheckRequest request, List<Verdict> stronger) {
        List<Verdict> all = new ArrayList<>(stronger);
        if (stronger.stream().noneMatch(other -> Implications.implies(other.level(), IsolationLevel.SI))) {
            all.add(open(read, request.at(IsolationLevel.SI), null));
        }
        for (Verdict other : all) {
            Verdict.Builder implied = path.inTime(request, () -> {
                Check implying = new Check(Objects.requireNonNull(input.table(), "a history"), request, path.budget());
                Finding order = new Implications(implying).pass(other);
                return order == null ? null : LevelCheck.of(implying, () -> order);
            });
            if (implied != null && implied.status() == Verdict.Status.PASS) {
                return check.complete(implied);
            }
        }
        return open(read, request.level());
    }

    private Verdict open(HistoryTable read, CheckRequest request, @Nullable Witness witness) {
        List<Deadline.Step<@Nullable HistoryTable, HistoryException, IOException>> guesses = new ArrayList<>();
        boolean usesTimes = request.time() != TimeMode.NONE && read.starts() != null && read.ends() != null;
        boolean hasUnknownOutcomes = unknown.hasUnknownOutcomes();
        for (boolean countsAll : new boolean[] {false, true}) {
            // A serial order is one at si too.
            for (int events = request.level().eventsPerTransaction();
                    events > 0 && (hasUnknownOutcomes || !countsAll);
                    events--) {
                int each = events;
                if (usesTimes) {
                    guesses.add(() -> byReplay(request, each, true, true, countsAll));
                }
                if (!request.level().realTime()) {
                    guesses.add(() -> byReplay(request, each, usesTimes, false, countsAll));
                }
            }
        }
        if (witness != null) {
            guesses.add(() -> unknown.inOrder(witness.counted(), witness.position()));
        }
        guesses.add(unknown::inOrderOfEnds);
        for (Deadline.Step<@Nullable HistoryTable, HistoryException, IOException> guess : guesses) {
            Verdict.Builder found = path.inTime(request, () -> guessed(request, guess.run()));
            // A violation of a guess does not refute the history.
            if (found != null
                    && (found.status() == Verdict.Status.PASS
                            || (found.status() == Verdict.Status.UNKNOWN
                                    && path.budget().exhausted()))) {
                return check.complete(found);
            }
        }
        return open(read, request.level());
    }

    private Verdict open(HistoryTable read, IsolationLevel level) {
        List<UnknownRows.Open> writes = unknown.writes();
        String named = writes.stream()
                .limit(MOST_NAMED)
                .map(write -> write.statement() + " of " + read.name(write.transaction()) + " at "
                        + read.whereIs(write.transaction()))
                .collect(Collectors.joining(", "));
        int more = writes.size() - MOST_NAMED;
        return check.complete(Verdict.of(Verdict.Status.UNKNOWN, level)
                .reason("found " + (writes.size() == 1 ? "a write" : writes.size() + " writes")
                        + " by a condition without \"keys\", whose rows cannot be derived: " + named
                        + (more > 0 ? " and " + more + " more" : "")
                        + "; expected the keys of the rows that each of them wrote; record them with RETURNING, or with"
                        + " SELECT ... FOR UPDATE of the same condition before the write"));
    }

    private @Nullable HistoryTable byReplay(
            CheckRequest request, int events, boolean usesTimes, boolean inRealTime, boolean countsAll)
            throws HistoryException {
        Budget share = path.budget().atMost(MOST_NANOS);
        return unknown.byReplay(events, usesTimes, inRealTime, request.clockSkewNanos(), countsAll, share::exhausted);
    }

    /**
     * Returns the verdict of a guess, PASS or UNKNOWN. While writes stay open, an order of the guess yields the next
     * guess. Null if some writes are open in the end, or if the guess violates the level.
     */
    private Verdict.@Nullable Builder guessed(CheckRequest request, @Nullable HistoryTable first)
            throws HistoryException {
        HistoryTable guess = first;
        for (int i = 0; i < MOST_GUESSES && guess != null; i++) {
            input.use(guess);
            Verdict.Builder verdict = check.judge(
                    Objects.requireNonNull(input.table(), "a history"),
                    request,
                    PathCheck.Kept.NOWHERE,
                    List.of(),
                    Checker.EMBEDDED.finding(this::withoutEvidence));
            UnknownRows open = guess.unknownRows();
            Witness witness = verdict.witness();
            if (verdict.status() == Verdict.Status.VIOLATION) {
                return null;
            }
            if (open == null || verdict.status() != Verdict.Status.PASS) {
                return verdict;
            }
            if (witness == null) {
                return null;
            }
            guess = open.inOrder(witness.counted(), witness.position());
        }
        return null;
    }

    /** Finds an order or a violation. A violation has no evidence, because the violation of a guess is never reported. */
    private Finding withoutEvidence(Check guess) {
        Finding found = path.checker().find(guess);
        return found instanceof Finding.Refuted refuted
                ? new Finding.Violated(List.of(), List.of(), 0, refuted.certificate())
                : found;
    }
}
