package org.polygraph.jobs.decision;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.jobs.certificate.judge.BruteForce;
import org.polygraph.jobs.certificate.judge.SubHistoryProof;
import org.polygraph.jobs.certificate.replay.Replay;
import org.polygraph.jobs.evidence.Implications;
import org.polygraph.jobs.verdict.Certificate;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.Alternative;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.partitioner.isolation.Basis;
import org.polygraph.partitioner.isolation.Dependency;
import org.polygraph.partitioner.isolation.EdgeKind;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.Reason;
import org.polygraph.partitioner.isolation.SubHistory;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.partitioner.subhistory.SubHistoryFinder;
import org.polygraph.storage.format.HistoryWriter;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistorySelection;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.PredicateReads;
import org.polygraph.storage.table.RecordedSelection;
import org.polygraph.storage.testkit.Definitions;
import org.polygraph.storage.testkit.HistoryDsl;
import org.polygraph.storage.testkit.SimulatedHistory;

/**
 * Checks the evidence of verdicts by {@link Definitions}: a PASS has an order that replays, a VIOLATION closed
 * sub-histories that violate. Counts the verdicts that it cannot check.
 */
public final class ShownVerdicts {
    /** The most transactions that {@link Definitions} take in reasonable time. */
    private static final int MOST_TRANSACTIONS = 12;

    static final List<IsolationLevel> WEAKEST_FIRST = List.of(
            IsolationLevel.PL2,
            IsolationLevel.RC,
            IsolationLevel.RA,
            IsolationLevel.CC,
            IsolationLevel.PC,
            IsolationLevel.SI,
            IsolationLevel.SER);

    /** By terms and history: what brute force found. */
    private final Map<String, BruteForce.Answer> answers = new HashMap<>();

    /** The history of {@link #shown}. */
    private @Nullable HistoryTable of;

    /** What engines showed of it. They often show the same. */
    private final Set<List<@Nullable Object>> shown = new HashSet<>();

    /** The parts whose names were compared. */
    private final Set<String> named = new HashSet<>();

    /**
     * Fails if the evidence does not show the verdict.
     *
     * @param whole the history as it was read
     */
    public void isShown(Verdict verdict, HistoryTable whole, CheckRequest request, String what) {
        if (verdict.status() == Verdict.Status.PASS) {
            Witness witness = verdict.witness();
            assertThat(witness).as(what).isNotNull();
            assertThat(Replay.of(witness).discrepancy()).as(what).isNull();
            Certificate certificate = verdict.certificate();
            assertThat(certificate).as(what).isNotNull();
            assertThat(certificate.verified()).as(what).isTrue();
        } else {
            assertThat(verdict.violations()).as(what).isNotEmpty();
            if (of != whole) {
                of = whole;
                shown.clear();
            }
            for (Violation violation : verdict.violations()) {
                isShown(violation, request.judged(whole), request, what);
            }
        }
    }

    private void isShown(Violation violation, HistoryTable whole, CheckRequest request, String what) {
        isClosed(violation);
        List<Dependency> cycle = violation.cycle();
        boolean isLost = violation.anomaly() == Anomaly.LOST_UPDATE || violation.anomaly() == Anomaly.NO_VALID_ORDER;
        for (int d = 0; request.level() == IsolationLevel.SI && !isLost && d < cycle.size(); d++) {
            // SI allows two consecutive anti-dependencies.
            assertThat(cycle.get(d).kind() == EdgeKind.RW
                            && cycle.get((d + 1) % cycle.size()).kind() == EdgeKind.RW)
                    .as(what)
                    .isFalse();
        }
        SubHistory part = violation.minimal();
        if (!shown.add(Arrays.asList(
                part,
                violation.anomaly(),
                violation.transactions(),
                violation.detail(),
                cycle.isEmpty(),
                request.level(),
                request.terms()))) {
            return;
        }
        if (part == null) {
            assertThat(request.level().realTime() && hasEmptyTransaction(whole))
                    .as(what)
                    .isTrue();
            return;
        }
        HistoryTable alone = HistorySelection.of(whole, part.operations()).table();
        if (!part.minimal()) {
            // Real time alone refutes less of it. It is minimal without real time, and named by what it violates there.
            assertThat(request.level().realTime()).as(what).isTrue();
            assertThat(BruteForce.judge(alone, withoutTime(request).terms()))
                    .as(what)
                    .isEqualTo(BruteForce.Answer.VIOLATED);
        }
        String as = violation.anomaly() + " " + HistoryDsl.print(alone) + " of " + what;
        assertThat(shows(whole, alone, request)).as(as).isTrue();
        needsAll(violation, part, whole, request, as);
        isNamedFirst(violation, part, whole, request, as);
        if (part.recorded() || whole.listVersions() != null) {
            asWritten(violation, part, whole, request, as);
        }
        for (int named : violation.transactions()) {
            assertThat(part.transactions()).as(as).contains(named);
        }
    }

    /** A minimal part with a cycle is so at its level, or at the weakest one that it violates. A name of real time needs real time. */
    private void needsAll(Violation violation, SubHistory part, HistoryTable whole, CheckRequest request, String what) {
        if (part.minimal() && !violation.cycle().isEmpty() && whole.listVersions() == null) {
            String left = superfluous(part, whole, request);
            assertThat(left.isEmpty() ? left : superfluous(part, whole, weakest(whole, part, request)))
                    .as(left + what)
                    .isEmpty();
        }
        if (violation.anomaly() == Anomaly.REAL_TIME_VIOLATION && request.level() != IsolationLevel.LIN) {
            HistoryTable alone = SubHistoryFinder.alone(whole, part);
            assertThat(BruteForce.judge(alone, withoutTime(request).terms()))
                    .as(what)
                    .isNotEqualTo(BruteForce.Answer.VIOLATED);
        }
    }

    /**
     * The transactions of a part that can be left out, apart from those that wrote what another one read: the writer of a wrong value explains
     * it, but may not be needed.
     */
    private String superfluous(SubHistory part, HistoryTable whole, CheckRequest request) {
        HistoryTable judged = request.judged(part.ofWrites() ? whole.withoutRows() : whole);
        StringBuilder superfluous = new StringBuilder();
        for (int t : part.transactions()) {
            int[] fewer = IntStream.of(part.operations())
                    .filter(o -> HistorySelection.transactionOf(whole, o) != t)
                    .toArray();
            boolean isRead = IntStream.of(fewer).anyMatch(o -> !whole.isWrite(o) && writes(whole, t, o));
            if (!isRead
                    && fewer.length > 0
                    && shows(judged, HistorySelection.of(judged, fewer).table(), request)) {
                superfluous
                        .append("without transaction ")
                        .append(t)
                        .append(" at ")
                        .append(request.level())
                        .append(": ");
            }
        }
        return superfluous.toString();
    }

    /**
     * A cycle has the first name of those that a check of its minimal part has at the next weaker level too, without rows and conditions: a
     * part has all writes of a row at some levels, and those that it needs at others.
     */
    private void isNamedFirst(
            Violation violation, SubHistory part, HistoryTable whole, CheckRequest request, String what) {
        int next = WEAKEST_FIRST.indexOf(request.level()) - 1;
        HistoryTable alone = SubHistoryFinder.alone(whole, part);
        boolean isNew = named.add(request.level() + " " + request.indeterminate() + " " + violation.anomaly() + " "
                + HistoryDsl.print(alone));
        boolean hasRows = whole.hasRows() || whole.predicates() != null;
        if (next < 0 || !isNew || !part.minimal() || violation.cycle().isEmpty() || hasRows) {
            return;
        }
        CheckRequest weaker = new CheckRequest(WEAKEST_FIRST.get(next), TimeMode.NONE, 0, request.indeterminate());
        for (Violation other : Checks.check(alone, weaker).violations()) {
            if (!other.cycle().isEmpty()) {
                assertThat(name(other)).as("%s at %s", what, weaker.level()).isGreaterThanOrEqualTo(name(violation));
            }
        }
    }

    /** The request for the weakest level that a part violates, of those that its level implies. */
    private CheckRequest weakest(HistoryTable whole, SubHistory part, CheckRequest request) {
        boolean isOfSessions = request.level() != IsolationLevel.LIN && whole.listVersions() == null;
        for (IsolationLevel level : isOfSessions ? WEAKEST_FIRST : List.<IsolationLevel>of()) {
            CheckRequest weaker = new CheckRequest(level, TimeMode.NONE, 0, request.indeterminate());
            HistoryTable judged = weaker.judged(part.ofWrites() ? whole.withoutRows() : whole);
            if (Implications.implies(request.level(), level)
                    && shows(
                            judged,
                            HistorySelection.of(judged, part.operations()).table(),
                            weaker)) {
                return weaker;
            }
        }
        return request;
    }

    private static boolean writes(HistoryTable table, int t, int read) {
        return IntStream.range(table.firstOperation(t), table.operationsEnd(t))
                .anyMatch(o -> table.isWriteOf(o, table.key(read)) && table.value(o) == table.value(read));
    }

    /** Whether the violation of a part is one of the whole, perhaps with writes in place of inserts and deletes. */
    private boolean shows(HistoryTable whole, HistoryTable part, CheckRequest request) {
        boolean isViolated = true;
        if (part.transactions() > MOST_TRANSACTIONS) {
            isViolated = answer(part, request) != BruteForce.Answer.HOLDS;
        } else {
            Definitions definitions = Definitions.of(part);
            isViolated = !definitions.vacuous()
                    && !Boolean.TRUE.equals(definitions.holds(
                            Definitions.Level.valueOf(request.level().name()),
                            request.clockSkewNanos(),
                            request.indeterminate() == IndeterminateMode.MAYBE));
        }
        return (isViolated && SubHistoryProof.firstGap(whole, part, request.terms()) == null)
                || (whole.hasRows()
                        && (request.level().eventsPerTransaction() == 1 || request.level() == IsolationLevel.PC)
                        && shows(whole.withoutRows(), part.withoutRows(), request));
    }

    /** Engines often show the same part of a history. */
    private BruteForce.Answer answer(HistoryTable part, CheckRequest request) {
        return answers.computeIfAbsent(
                request.terms() + " " + HistoryDsl.print(part), key -> BruteForce.judge(part, request.terms()));
    }

    /** A sub-history is written and read: it has the same verdict and the same name. */
    private void asWritten(
            Violation violation, SubHistory part, HistoryTable whole, CheckRequest request, String what) {
        try {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            HistoryWriter.writeJsonl(
                    RecordedSelection.written(whole, part.operations(), part.recorded(), part.ofWrites()), out);
            String as = out.toString(StandardCharsets.UTF_8) + " of " + what;
            HistoryTable read = SimulatedHistory.read(out.toString(StandardCharsets.UTF_8));
            Verdict alone = Checks.check(read, request);
            assertThat(alone.status()).as(as).isEqualTo(Verdict.Status.VIOLATION);
            // A value that no transaction of the whole wrote needs no other operation to show that.
            boolean isOfUndone = violation.detail().contains("undid it by a rollback");
            if (read.predicates() != null && violation.anomaly() != Anomaly.THIN_AIR_READ && !isOfUndone) {
                HistoryTable apart = PredicateReads.apart(read);
                assertThat(shows(PredicateReads.withPairsOf(apart, whole), apart, request))
                        .as(as)
                        .isTrue();
            } else if (part.minimal()) {
                // Less of another part violates real time alone, which may be found first.
                // What was undone is in the whole only.
                assertThat(name(alone.violations().get(0)))
                        .as(as)
                        .isEqualTo(isOfUndone ? Anomaly.THIN_AIR_READ : name(violation));
            }
        } catch (IOException | HistoryException e) {
            throw new AssertionError(what, e);
        }
    }

    /** A transaction that writes in the whole history may only read in the sub-history. */
    private static Anomaly name(Violation violation) {
        return violation.anomaly() == Anomaly.READ_ONLY_ANOMALY ? Anomaly.ITEM_CYCLE : violation.anomaly();
    }

    private static boolean hasEmptyTransaction(HistoryTable table) {
        for (int t = 0; t < table.transactions(); t++) {
            if (table.firstOperation(t) == table.operationsEnd(t)) {
                return true;
            }
        }
        return false;
    }

    /** The request without real time; at LIN, which is nothing else, as it is. */
    private static CheckRequest withoutTime(CheckRequest request) {
        if (request.level() == IsolationLevel.LIN) {
            return request;
        }
        IsolationLevel level = request.level() == IsolationLevel.SSER ? IsolationLevel.SER : IsolationLevel.SI;
        return new CheckRequest(level, TimeMode.NONE, 0, request.indeterminate());
    }

    /** Every cycle is closed, and so is that of each alternative of a reason, which contains an assumption. */
    private static void isClosed(Violation violation) {
        isClosedOrEmpty(violation.cycle());
        Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        reasons(violation.cycle(), seen);
        for (Alternative alternative : violation.cases()) {
            isClosedOrEmpty(alternative.cycle());
            reasons(alternative.cycle(), seen);
        }
    }

    /** What is not shown by a cycle has none. */
    private static void isClosedOrEmpty(List<Dependency> cycle) {
        if (!cycle.isEmpty()) {
            isClosed(cycle);
        }
    }

    private static void isClosed(List<Dependency> cycle) {
        assertThat(cycle).isNotEmpty();
        for (int i = 0; i < cycle.size(); i++) {
            assertThat(cycle.get(i).to())
                    .isEqualTo(cycle.get((i + 1) % cycle.size()).from());
        }
    }

    private static void reasons(List<Dependency> cycle, Set<Object> seen) {
        for (Dependency d : cycle) {
            Reason reason = d.reason();
            assertThat(reason.why()).doesNotContain("other transactions");
            if (reason.basis() == Basis.FORCED
                    && !reason.why().equals("forced by the inserts and deletes of the row")) {
                assertThat(reason.because()).as(reason.why()).isNotEmpty();
            }
            if (seen.add(reason)) {
                alternatives(reason.because(), seen);
            }
        }
    }

    private static void alternatives(List<Alternative> alternatives, Set<Object> seen) {
        for (Alternative alternative : alternatives) {
            isClosed(alternative.cycle());
            assertThat(alternative.cycle())
                    .filteredOn(d -> d.reason().basis() == Basis.ASSUMED)
                    .isNotEmpty();
            reasons(alternative.cycle(), seen);
        }
    }
}
