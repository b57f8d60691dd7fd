package org.polygraph.jobs.evidence;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.jobs.certificate.judge.BruteForce;
import org.polygraph.jobs.certificate.judge.SubHistoryProof;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.Check;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Finding;
import org.polygraph.jobs.verdict.Certificate;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.partitioner.isolation.Dependency;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.SubHistory;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.partitioner.subhistory.SubHistoryFinder;
import org.polygraph.partitioner.subhistory.WholeHistoryIds;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.table.HistorySelection;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.PredicateReads;
import org.polygraph.storage.table.RecordedSelection;

/**
 * Turns the violations that refuted a history into those that are reported: each is shown by a minimal sub-history
 * and judged again.
 */
public final class Counterexamples {
    /**
     * The most calls of the budget for all violations of a history. The work between two calls takes 6 to 12
     * microseconds, so this is about three seconds of CPU. Calls are counted, because evidence must not depend on the
     * speed of the machine.
     */
    private static final long MOST_LOOKS = 300_000;

    /** Adya's name of two missed writes, and other names. */
    private static final List<String> LOST_UPDATE_OF_CONDITIONS = Stream.concat(
                    Stream.of("G2-item"), Anomaly.LOST_UPDATE.aliases().stream())
            .toList();

    /** The most transactions of a sub-history in its recorded form. */
    private static final int MOST_RECORDED = 64;

    private final HistoryTable table;
    /** The history in which inserts and deletes have their own meaning. */
    private final HistoryTable withRows;

    private final CheckRequest request;
    private final Budget whole;
    /** A share of {@link #whole} with half of the time that was left. */
    private final Budget time;

    private final Budget budget;
    /** Whether independent code has confirmed a violation. After that, large sub-histories are not judged. */
    private boolean isJudged;

    private final List<Violation> unexplained = new ArrayList<>();

    private final BeyondReads.Rest rest;
    private final WeakerLevel weaker;

    /**
     * Takes a share of the budget of a check.
     *
     * @param rest checks what is left of the history without the reads that refute it
     */
    private Counterexamples(Check check, BeyondReads.Rest rest) {
        this.table = check.table();
        this.withRows = check.withRows();
        this.request = check.request();
        this.whole = check.budget();
        this.rest = rest;
        this.time = whole.half();
        this.weaker = new WeakerLevel(withRows, request, time, rest);
        this.budget = time.ofLooks(MOST_LOOKS);
    }

    /**
     * Shrinks and judges violations; ends the phase that runs.
     *
     * @return those with the smallest sub-histories first
     * @throws IllegalStateException if a sub-history does not violate after all: a bug, never a verdict
     */
    public static Finding.Violated of(Check check, Finding.Refuted refuted, BeyondReads.Rest rest) {
        Counterexamples counterexamples = new Counterexamples(check, rest);
        List<Violation> reported = counterexamples.of(check, refuted);
        check.phases().end(reported.size());
        return new Finding.Violated(
                reported,
                counterexamples.unexplained,
                reported.size() + counterexamples.unexplained.size(),
                counterexamples.certificate(refuted));
    }

    private Certificate certificate(Finding.Refuted refuted) {
        Certificate found = refuted.certificate();
        return new Certificate(found.kind(), found.path(), found.verified() || isJudged);
    }

    private List<Violation> of(Check check, Finding.Refuted refuted) {
        int most = request.mostViolations();
        List<Violation> violations = withEveryName(ofRows(refuted.violations()), most);
        SubHistoryFinder finder = finder(request);
        RealTimeName name = new RealTimeName(table, request, budget);
        List<Violation> reported = new ArrayList<>();
        int tried = Math.min(violations.size(), most);
        for (int i = 0; i < tried; i++) {
            Violation violation = violations.get(i);
            Violation judged = shown(violation, reported.isEmpty() ? refuted.known() : List.of(), name, finder);
            if (reported.stream().noneMatch(other -> isSame(other, judged))) {
                reported.add(judged);
            }
            List<Violation> known = new ArrayList<>(reported);
            known.addAll(violations.subList(i + 1, violations.size()));
            check.refuted(new Finding.Refuted(known, refuted.known(), certificate(refuted), refuted.refutation()));
        }
        List<Violation> further = new ArrayList<>();
        for (Violation violation : new BeyondReads(table, request, whole, rest).of(violations)) {
            // The check of the rest finds sub-histories of a few violations, some of which may be the same as here.
            Violation shown = violation.minimal() == null && further.size() < most
                    ? shown(violation, List.of(), name, finder)
                    : asKept(asRecorded(violation));
            if (reported.stream().noneMatch(other -> isSame(other, shown))) {
                further.add(shown);
            }
        }
        if (reported.size() + further.size() > most) {
            // Some violations of either kind are kept.
            int kept = Math.min(reported.size(), Math.max(most / 2, most - further.size()));
            List<Violation> dropped = reported.subList(kept, reported.size());
            unexplained.addAll(dropped);
            dropped.clear();
        }
        unexplained.addAll(violations.subList(tried, violations.size()));
        int room = Math.min(further.size(), most - reported.size());
        reported.addAll(further.subList(0, room));
        unexplained.addAll(further.subList(room, further.size()));
        reported.sort(Comparator.comparingInt(Counterexamples::transactions)
                .thenComparing(Violation::anomaly)
                .thenComparingInt(Counterexamples::operations));
        return reported;
    }

    /**
     * Returns the violations without those of an insert or a delete on a key that expresses a condition on a row, if
     * there is the same one on the row.
     */
    private List<Violation> ofRows(List<Violation> violations) {
        return violations.stream()
                .filter(violation -> violations.stream().noneMatch(other -> isOfItsRow(violation, other)))
                .toList();
    }

    private boolean isOfItsRow(Violation violation, Violation other) {
        if (!violation.anomaly().isOfRow() || violation.anomaly() != other.anomaly()) {
            return false;
        }
        return PredicateReads.isPairOf(
                table, violation.keys().get(0), other.keys().get(0));
    }

    /**
     * The same violations, reordered so that the first ones have as many names as possible; the first one stays the
     * first.
     */
    private static List<Violation> withEveryName(List<Violation> violations, int most) {
        Map<Anomaly, Violation> firstOfName = new LinkedHashMap<>();
        violations.forEach(violation -> firstOfName.putIfAbsent(violation.anomaly(), violation));
        int others = most - firstOfName.size();
        List<Violation> first = new ArrayList<>();
        List<Violation> later = new ArrayList<>();
        for (Violation violation : violations) {
            boolean isFirstOfName = firstOfName.get(violation.anomaly()) == violation;
            (isFirstOfName || others-- > 0 ? first : later).add(violation);
        }
        first.addAll(later);
        return first;
    }

    /** Returns null if time or memory does not suffice. The verdict does not need sub-histories. */
    private @Nullable SubHistoryFinder finder(CheckRequest of) {
        try {
            return new SubHistoryFinder(
                    table,
                    of.level(),
                    of.indexing(),
                    of.clockSkewNanos(),
                    new SubHistoryChecker(of, budget),
                    () -> budget.spent() >= 1 || time.exhausted());
        } catch (BudgetException | OutOfMemoryError e) {
            return null;
        }
    }

    private Violation shown(
            Violation violation, List<Dependency> more, RealTimeName name, @Nullable SubHistoryFinder finder) {
        Violation shrunk = finder == null ? violation : shrunk(finder, violation, more);
        Violation named = asKept(PredicateName.of(judged(shrunk, name, finder), table));
        return finder == null ? named : weaker.of(named, finder);
    }

    private static Violation shrunk(SubHistoryFinder finder, Violation violation, List<Dependency> more) {
        try {
            return finder.shrunk(violation, more);
        } catch (BudgetException | OutOfMemoryError e) {
            return violation;
        }
    }

    private Violation judged(Violation violation, RealTimeName name, @Nullable SubHistoryFinder finder) {
        try {
            Violation found = withFewer(judged(inTime(violation, name, finder)), name, finder);
            Violation untimed = hasTimeInOrder() ? name.ofRecorded(found, finder, this::finder) : found;
            return named(untimed == found ? found : judged(untimed));
        } catch (BudgetException | OutOfMemoryError e) {
            return violation;
        }
    }

    private Violation inTime(Violation violation, RealTimeName name, @Nullable SubHistoryFinder finder) {
        return hasTimeInOrder() ? name.of(violation, finder, this::finder) : violation;
    }

    /**
     * Returns a violation by fewer transactions, if the recorded form of the sub-history has one: a statement whose other results are shown
     * too may make a transaction superfluous. Else the same, as of a repeated row, whose inserts alone may violate snapshot isolation too.
     */
    private Violation withFewer(Violation violation, RealTimeName name, @Nullable SubHistoryFinder finder) {
        SubHistory sub = violation.minimal();
        boolean isRepeatedRow = violation.anomaly() == Anomaly.DUPLICATE_ROW;
        if (finder == null || sub == null || !sub.recorded() || !sub.minimal() || isRepeatedRow) {
            return violation;
        }
        Violation fewer = finder.withFewerTransactions(sub);
        if (fewer == null) {
            return violation;
        }
        Violation again = judged(inTime(fewer, name, finder));
        return transactions(again) < transactions(violation) ? withFewer(again, name, finder) : violation;
    }

    /**
     * Snapshot isolation forbids lost updates, so a violation whose sub-history keeps it is none. Example: a transaction reads a row that
     * another one deletes, and inserts a row with the same key, which is another row. An update beside a delete of the row is one. A write
     * skew between conditions is one if both transactions change the row that one of them missed.
     */
    private Violation named(Violation found) {
        SubHistory sub = found.minimal();
        Violation violation = sub != null && isOfOneRow(found, sub)
                ? found.named(Anomaly.LOST_UPDATE, LOST_UPDATE_OF_CONDITIONS)
                : found;
        if (request.level() != IsolationLevel.SER
                || violation.anomaly() != Anomaly.LOST_UPDATE
                || sub == null
                || violation.keys().stream()
                        .anyMatch(key -> isDeletedBeside(rowOf(key), violation.transactions(), sub))) {
            return violation;
        }
        HistoryTable recorded = RecordedSelection.of(withRows, sub.operations());
        HistoryTable shown = recorded == null
                ? HistorySelection.of(withRows, sub.operations()).table()
                : recorded;
        Terms snapshot = new CheckRequest(IsolationLevel.SI, TimeMode.NONE, 0, request.indeterminate()).terms();
        boolean keeps =
                BruteForce.judge(shown, snapshot, BruteForce.FEW_STATES, time::exhausted) == BruteForce.Answer.HOLDS;
        if (keeps && found.anomaly() == Anomaly.LOST_UPDATE) {
            return found.named(Anomaly.ITEM_CYCLE, Anomaly.ITEM_CYCLE.aliases());
        }
        return keeps ? found : violation;
    }

    /** Whether a write skew with a condition is one of two transactions that both change a row of which one missed the other's change. */
    private boolean isOfOneRow(Violation violation, SubHistory sub) {
        return violation.anomaly() == Anomaly.WRITE_SKEW
                && sub.recorded()
                && violation.keys().stream()
                        .anyMatch(key -> violation.transactions().stream().allMatch(t -> changes(t, rowOf(key), sub)));
    }

    private boolean changes(int transaction, int row, SubHistory sub) {
        for (int o : sub.operations()) {
            boolean isOwn = o >= table.firstOperation(transaction) && o < table.operationsEnd(transaction);
            if (isOwn && table.isWriteOf(o, row)) {
                return true;
            }
        }
        return false;
    }

    /** The row of a key that states whether it matches a condition; another key itself. */
    private int rowOf(int key) {
        PredicateReads predicates = table.predicates();
        int row = predicates == null ? -1 : predicates.rowOf(key);
        return row < 0 ? key : row;
    }

    /**
     * Whether each of the transactions updates or deletes the row in the sub-history and one of them deletes it: a lost update, also where
     * the level allows it.
     */
    private boolean isDeletedBeside(int key, List<Integer> transactions, SubHistory sub) {
        boolean isDeleted = false;
        for (int t : transactions) {
            boolean replaces = false;
            for (int o : sub.operations()) {
                boolean isOwn = o >= table.firstOperation(t) && o < table.operationsEnd(t);
                boolean is = isOwn && withRows.isWriteOf(o, key) && !withRows.isInsert(o);
                replaces |= is;
                isDeleted |= is && withRows.isDelete(o);
            }
            if (!replaces) {
                return false;
            }
        }
        return isDeleted;
    }

    /**
     * Returns the violation that a check of the recorded form of the sub-history finds first. This form may have a
     * simpler violation than the one that it was found for. Example: a result has a row that a later transaction wrote,
     * and whose columns do not match the condition.
     */
    private Violation asKept(Violation violation) {
        SubHistory sub = violation.minimal();
        if (sub == null || !sub.recorded() || sub.operations().length == table.operations()) {
            return violation;
        }
        HistorySelection kept = RecordedSelection.selection(withRows, sub.operations());
        if (kept == null) {
            return violation;
        }
        List<Violation> again = rest.violations(RecordedSelection.part(kept.table(), sub.ofWrites()), request, time);
        boolean isShown = !again.isEmpty() && again.get(0).minimal() != null;
        return isShown ? new WholeHistoryIds(kept, withRows).of(again.get(0)) : violation;
    }

    private boolean hasTimeInOrder() {
        return request.level() == IsolationLevel.SSER || request.level() == IsolationLevel.SSI;
    }

    private static boolean isSame(Violation a, Violation b) {
        SubHistory x = a.minimal();
        SubHistory y = b.minimal();
        return x != null && y != null && Arrays.equals(x.operations(), y.operations());
    }

    private static int transactions(Violation violation) {
        SubHistory sub = violation.minimal();
        return sub == null ? Integer.MAX_VALUE : sub.transactions().length;
    }

    private static int operations(Violation violation) {
        SubHistory sub = violation.minimal();
        return sub == null ? Integer.MAX_VALUE : sub.operations().length;
    }

    private Violation asRecorded(Violation violation) {
        SubHistory sub = violation.minimal();
        return sub == null || sub.recorded() ? violation : violation.shownBy(asRecorded(sub, request.terms()));
    }

    /**
     * Returns the sub-history in its recorded form, with the writers that this form has to have in addition; unchanged
     * if it has no condition, or if its recorded form does not show the violation.
     */
    private SubHistory asRecorded(SubHistory sub, Terms terms) {
        // With plain writes in place of inserts and deletes a sub-history needs fewer writers.
        SubHistory shown = sub.ofWrites() && table.hasRows() ? asRecorded(table.withoutRows(), sub, terms) : null;
        if (shown == null) {
            shown = asRecorded(table, sub, terms);
        }
        return shown == null ? sub : shown;
    }

    private @Nullable SubHistory asRecorded(HistoryTable whole, SubHistory sub, Terms terms) {
        int[] operations = sub.operations();
        for (int[] closed = null; !Arrays.equals(closed, operations); ) {
            closed = operations;
            int[] expressed = RecordedSelection.expressed(table, closed);
            operations = expressed == null
                    ? null
                    : SubHistoryProof.closure(
                            whole, HistorySelection.of(whole, expressed).table(), terms, MOST_RECORDED);
            if (operations == null) {
                return null;
            }
        }
        HistoryTable recorded = RecordedSelection.of(table, operations);
        if (recorded == null
                || BruteForce.judge(
                                whole.hasRows() ? recorded : recorded.withoutRows(),
                                terms,
                                BruteForce.FEW_STATES,
                                time::exhausted)
                        == BruteForce.Answer.HOLDS) {
            return null;
        }
        int[] transactions = HistorySelection.of(table, operations).transactions();
        return new SubHistory(transactions, operations, sub.minimal(), sub.judge(), true, !whole.hasRows());
    }

    private Violation judged(Violation violation) {
        SubHistory sub = violation.minimal();
        if (sub == null || (sub.transactions().length > BruteForce.TRANSACTIONS && isJudged)) {
            return violation;
        }
        Terms terms = request.terms();
        return switch (BruteForce.judge(
                SubHistoryFinder.alone(table, sub), terms, BruteForce.FEW_STATES, time::exhausted)) {
            case VIOLATED -> {
                isJudged = true;
                SubHistory judged = sub.judgedBy(SubHistory.Judge.BRUTE_FORCE);
                yield violation.shownBy(asRecorded(judged, terms));
            }
            case TOO_LARGE -> violation;
            case HOLDS ->
                throw new IllegalStateException(
                        "the sub-history of " + violation.anomaly().label() + " has an order that explains it");
        };
    }
}
