package org.polygraph.jobs.application;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.Check;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Finding;
import org.polygraph.jobs.evidence.Implications;
import org.polygraph.jobs.verdict.Certificate;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.PredicateReads;
import org.polygraph.storage.table.RowChoices;
import org.polygraph.storage.table.SerialRefinement;
import org.polygraph.storage.table.UnknownRows;

/**
 * Decides a history with writes by a condition whose rows are not known (docs/predicates.md, Writes of unknown rows).
 * A violation of the relaxed history is a violation of the history, and an order that explains a guess explains
 * the history. If both leave it open, and there are few choices of the rows, each of them is decided.
 */
final class UnknownRowsCheck {
    private static final int MOST_GUESSES = 8;
    /** The most operations of all choices together. */
    private static final long MOST_OPERATIONS = 1_000_000;

    /** The most rows times conditions whose necessary reads are all selected at once. */
    private static final long FEW = 1_000;

    private static final long MOST_NANOS = 5_000_000_000L;

    private final PathCheck path;
    private final PathHistory input;
    private final Checker checker;
    private final Budget budget;
    private final UnknownRows unknown;
    /** By level that is violated: what shows this of each stronger level too. */
    private final Map<IsolationLevel, Refutation> refutations = new EnumMap<>(IsolationLevel.class);

    /** Makes the VIOLATION of a level; null if it does not succeed. */
    @FunctionalInterface
    private interface Refutation {
        Verdict.@Nullable Builder of(CheckRequest request) throws HistoryException;
    }

    UnknownRowsCheck(PathCheck path, PathHistory input, Checker checker, Budget budget, UnknownRows unknown) {
        this.path = path;
        this.input = input;
        this.checker = checker;
        this.budget = budget;
        this.unknown = unknown;
    }

    /** @param given verdicts of the table that was read */
    List<Verdict> of(List<Verdict> given) {
        List<Verdict> verdicts = new ArrayList<>();
        HistoryTable read = Objects.requireNonNull(input.table(), "a history");
        for (Verdict verdict : given) {
            boolean isDecided =
                    switch (verdict.status()) {
                        case PASS ->
                            unknown.table() == UnknownRows.Table.GUESS
                                    && !verdict.level().isAxiom();
                        case VIOLATION ->
                            unknown.refutes(verdict.level().eventsPerTransaction()) || hasRepeatedRow(verdict);
                        default -> true;
                    };
            CheckRequest request = path.request(verdict.level());
            verdicts.add(
                    isDecided
                            ? verdict
                            : verdict.level().isAxiom()
                                    ? atCommits(read, request, verdicts)
                                    : open(read, request, verdict.witness()));
        }
        for (int i = 0; i < verdicts.size(); i++) {
            if (verdicts.get(i).status() == Verdict.Status.UNKNOWN) {
                verdicts.set(i, fromWeaker(verdicts.get(i)));
            }
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

    /** Returns the VIOLATION that follows from that of a weaker level, or else the verdict. */
    private Verdict fromWeaker(Verdict open) {
        CheckRequest request = path.request(open.level());
        for (Map.Entry<IsolationLevel, Refutation> weaker : refutations.entrySet()) {
            if (Implications.implies(open.level(), weaker.getKey())) {
                Verdict.Builder found = inTime(request, () -> weaker.getValue().of(request));
                if (found != null && found.status() == Verdict.Status.VIOLATION) {
                    return path.complete(found);
                }
            }
        }
        return open;
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
            Verdict.Builder implied = inTime(request, () -> {
                Check check = new Check(Objects.requireNonNull(input.table(), "a history"), request, budget);
                Finding order = new Implications(check).pass(other);
                return order == null ? null : LevelCheck.of(check, () -> order);
            });
            if (implied != null && implied.status() == Verdict.Status.PASS) {
                return path.complete(implied);
            }
        }
        return open(read, request.level());
    }

    private Verdict open(HistoryTable read, CheckRequest request, @Nullable Witness witness) {
        List<Deadline.Step<@Nullable HistoryTable, HistoryException, IOException>> guesses = new ArrayList<>();
        boolean usesTimes = request.time() != TimeMode.NONE && read.starts() != null && read.ends() != null;
        // A serial order is one at si too.
        for (int events = request.level().eventsPerTransaction(); events > 0; events--) {
            int each = events;
            if (usesTimes) {
                guesses.add(() -> byReplay(request, each, true, true));
            }
            if (!request.level().realTime()) {
                guesses.add(() -> byReplay(request, each, usesTimes, false));
            }
        }
        if (witness != null) {
            guesses.add(() -> unknown.inOrder(witness.counted(), witness.position()));
        }
        if (unknown.table() == UnknownRows.Table.RELAXED) {
            guesses.add(unknown::inOrderOfEnds);
        }
        for (Deadline.Step<@Nullable HistoryTable, HistoryException, IOException> guess : guesses) {
            Verdict.Builder found = inTime(request, () -> guessed(request, guess.run()));
            // A violation of a guess does not refute the history.
            if (found != null
                    && (found.status() == Verdict.Status.PASS
                            || (found.status() == Verdict.Status.UNKNOWN && budget.exhausted()))) {
                return path.complete(found);
            }
        }
        List<Deadline.Step<Verdict.@Nullable Builder, HistoryException, IOException>> others =
                List.of(() -> byChoices(request, read.operations()), () -> byNecessaryReads(request));
        for (Deadline.Step<Verdict.@Nullable Builder, HistoryException, IOException> other : others) {
            Verdict.Builder found = inTime(request, other);
            if (found != null
                    && (found.status() == Verdict.Status.PASS
                            || found.status() == Verdict.Status.VIOLATION
                            || budget.exhausted())) {
                return path.complete(found);
            }
        }
        return open(read, request.level());
    }

    private Verdict open(HistoryTable read, IsolationLevel level) {
        return path.complete(Verdict.of(Verdict.Status.UNKNOWN, level)
                .reason("found " + unknown.writes() + " writes by a condition without \"keys\", the first at "
                        + read.whereIs(unknown.first())
                        + ", whose rows cannot be derived; expected the keys of the rows that they"
                        + " wrote; record them"));
    }

    private Verdict.@Nullable Builder inTime(
            CheckRequest request, Deadline.Step<Verdict.Builder, HistoryException, IOException> step) {
        return path.attempt(request, () -> Deadline.run(budget, step));
    }

    private @Nullable HistoryTable byReplay(CheckRequest request, int events, boolean usesTimes, boolean inRealTime)
            throws HistoryException {
        Budget share = budget.atMost(MOST_NANOS);
        return unknown.byReplay(events, usesTimes, inRealTime, request.clockSkewNanos(), share::exhausted);
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
            Verdict.Builder verdict = path.judge(
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

    private Verdict.Builder judged(CheckRequest request) throws HistoryException {
        return path.judge(
                Objects.requireNonNull(input.table(), "a history"), request, PathCheck.Kept.NOWHERE, List.of());
    }

    /** Decides every choice of the rows; null if there are too many, or one is not decided. */
    private Verdict.@Nullable Builder byChoices(CheckRequest request, int operations) throws HistoryException {
        Budget share = budget.atMost(MOST_NANOS);
        RowChoices choices = unknown.choices(MOST_OPERATIONS / Math.max(1_000, operations), share::exhausted);
        if (choices == null) {
            return null;
        }
        for (int i = 0; i < choices.count(); i++) {
            share.require();
            input.use(choices.table(i));
            HistoryTable table = request.judged(Objects.requireNonNull(input.table(), "a history"));
            PredicateReads predicates = table.predicates();
            if (predicates != null && !predicates.areAllRead()) {
                return null;
            }
            Finding found = checker.find(new Check(table, request, share));
            if (found instanceof Finding.Order order) {
                return passed(request, order.witness());
            }
            if (!(found instanceof Finding.Refuted || found instanceof Finding.Violated)) {
                return null;
            }
        }
        return refuted(request, stronger -> violated(stronger, choices));
    }

    private Verdict.@Nullable Builder refuted(CheckRequest request, Refutation refutation) throws HistoryException {
        refutations.put(request.level(), refutation);
        return refutation.of(request);
    }

    /** @param choices each of which violates the level */
    private Verdict.@Nullable Builder violated(CheckRequest request, RowChoices choices) throws HistoryException {
        input.use(choices.table(0));
        Verdict.Builder verdict = judged(request);
        return verdict.status() != Verdict.Status.VIOLATION
                ? null
                : verdict.certificate(new Certificate(Certificate.ROW_CHOICES, null, false))
                        .refutation(null)
                        .reason(noneOf(choices.count()));
    }

    /**
     * Refutes a level of serial orders by reads that each of them would have to explain, whatever the rows are. Null if
     * that does not succeed.
     */
    private Verdict.@Nullable Builder byNecessaryReads(CheckRequest request) throws HistoryException {
        Budget share = budget.atMost(MOST_NANOS);
        // An order would have to place loaders of initial rows before all others.
        SerialRefinement refinement = request.level().eventsPerTransaction() == 1 && input.unloaded() == null
                ? unknown.refinement(FEW, share::exhausted)
                : null;
        CheckRequest plain = request.withoutLoaders();
        for (HistoryTable table = refinement == null ? null : refinement.table();
                refinement != null && table != null;
                table = refinement.table()) {
            share.require();
            Finding found = checker.find(new Check(table, plain, share));
            if (found instanceof Finding.Refuted || found instanceof Finding.Violated) {
                HistoryTable necessary = table;
                return refuted(request, stronger -> violated(stronger, necessary));
            }
            if (!(found instanceof Finding.Order order)
                    || !refinement.replay(
                            order.witness().counted(), order.witness().position())) {
                return null;
            }
        }
        return null;
    }

    /** @param necessary a history that violates the level */
    private Verdict.@Nullable Builder violated(CheckRequest request, HistoryTable necessary) throws HistoryException {
        Verdict.Builder shown = path.judge(necessary, request.withoutLoaders(), PathCheck.Kept.NOWHERE, List.of());
        return shown.status() != Verdict.Status.VIOLATION
                ? null
                : shown.certificate(new Certificate(Certificate.NECESSARY_READS, null, false))
                        .refutation(null)
                        .assumptions(request.assumptions(necessary, false))
                        .reason("whatever rows " + writes()
                                + " by a condition without \"keys\" may have written, no serial order explains what"
                                + " results and reads state of these rows");
    }

    /** The verdict of the guess from an order of a choice, which verify makes from the certificate too. */
    private Verdict.@Nullable Builder passed(CheckRequest request, Witness witness) throws HistoryException {
        Verdict.Builder guess = guessed(request, unknown.inOrder(witness.counted(), witness.position()));
        return guess == null || guess.status() != Verdict.Status.PASS ? null : guess;
    }

    /** Finds an order or a violation. A violation has no evidence, because the violation of a guess is never reported. */
    private Finding withoutEvidence(Check check) {
        Finding found = checker.find(check);
        return found instanceof Finding.Refuted refuted
                ? new Finding.Violated(List.of(), List.of(), 0, refuted.certificate())
                : found;
    }

    private String noneOf(int choices) {
        return (choices == 1 ? "the only choice" : "each of the " + choices + " choices") + " of the rows that "
                + writes()
                + " by a condition without \"keys\" may have written violates the level; the evidence is of one choice";
    }

    private String writes() {
        return unknown.writes() == 1 ? "a write" : unknown.writes() + " writes";
    }
}
