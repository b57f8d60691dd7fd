package org.polygraph.jobs.decision;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.evidence.Implications;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.SubHistory;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistorySelection;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.Definitions;
import org.polygraph.storage.testkit.HistoryDsl;
import org.polygraph.storage.testkit.Interpreter;
import org.polygraph.storage.testkit.Law;
import org.polygraph.storage.testkit.SplitMix;

/**
 * Every violation is shown by a sub-history that is closed, violates, and is minimal at the weakest level that it violates.
 */
final class MinimalSubHistories implements Law.Property<Example> {
    @Override
    public void holds(Example history, SplitMix random, Law.Tally tally) throws HistoryException {
        HistoryTable whole = history.table();
        for (IsolationLevel level : List.of(IsolationLevel.SER, IsolationLevel.SI)) {
            CheckRequest request = CheckRequest.of(level);
            Verdict verdict = Checks.check(whole, request);
            for (Violation violation : verdict.violations()) {
                isMinimal(whole, violation, request, level + " " + HistoryDsl.print(whole));
                tally.count("minimal");
            }
        }
    }

    /** Compares it with the definition. */
    private static void isMinimal(HistoryTable whole, Violation violation, CheckRequest request, String name) {
        SubHistory shown = violation.minimal();
        assertThat(shown).as(name).isNotNull();
        HistoryTable part = HistorySelection.of(whole, shown.operations()).table();
        String shape = name + " shown by " + HistoryDsl.print(part);
        assertThat(gap(whole, part, request)).as(shape).isNull();
        assertThat(passes(part, request)).as(shape).isFalse();
        assertThat(shown.minimal()).as(shape).isTrue();
        assertThat(shown.judge()).as(shape).isEqualTo(SubHistory.Judge.BRUTE_FORCE);
        CheckRequest weakest = weakest(part, request);
        for (int t : shown.transactions()) {
            leftOut(whole, part, weakest, without(whole, shown.operations(), t), shape + " without transaction " + t);
        }
        for (int o : shown.operations()) {
            int[] left = IntStream.of(shown.operations()).filter(x -> x != o).toArray();
            leftOut(whole, part, weakest, left, shape + " without operation " + o);
        }
        assertThat(violation.anomaly() == Anomaly.NO_VALID_ORDER
                        && violation.cases().isEmpty())
                .as(shape)
                .isFalse();
        for (int t : violation.transactions()) {
            assertThat(shown.transactions()).as(shape).contains(t);
        }
    }

    private static int[] without(HistoryTable whole, int[] operations, int transaction) {
        return IntStream.of(operations)
                .filter(o -> o < whole.firstOperation(transaction) || o >= whole.operationsEnd(transaction))
                .toArray();
    }

    private static void leftOut(HistoryTable whole, HistoryTable part, CheckRequest request, int[] left, String name) {
        HistoryTable smaller = HistorySelection.of(whole, left).table();
        if (isClosed(whole, left) && !losesItsWriter(part, smaller)) {
            assertThat(passes(request.judged(smaller), request)).as(name).isTrue();
        }
    }

    private static String gap(HistoryTable whole, HistoryTable part, CheckRequest request) {
        return org.polygraph.jobs.certificate.judge.SubHistoryProof.firstGap(whole, part, request.terms());
    }

    /**
     * The definition once more, by the places of operations, because the text of a sub-history may match the whole in
     * two ways.
     */
    private static boolean isClosed(HistoryTable whole, int[] left) {
        BitSet kept = new BitSet();
        IntStream.of(left).forEach(kept::set);
        for (int read : left) {
            int t = HistorySelection.transactionOf(whole, read);
            int key = whole.key(read);
            if (whole.isWrite(read) || whole.status(t) == TransactionStatus.ABORTED) {
                continue;
            }
            OptionalLong own = lastWrite(whole, null, whole.firstOperation(t), read, key);
            if (own.isPresent()) {
                if (!own.equals(lastWrite(whole, kept, whole.firstOperation(t), read, key))) {
                    return false;
                }
                continue;
            }
            OptionalLong value = OptionalLong.of(whole.value(read));
            for (int w = 0; w < whole.transactions(); w++) {
                int from = whole.firstOperation(w);
                int to = whole.operationsEnd(w);
                boolean source = whole.status(w) != TransactionStatus.ABORTED
                        && (w < t || whole.sessionOf(w) != whole.sessionOf(t))
                        && lastWrite(whole, null, from, to, key).equals(value);
                if (source && !lastWrite(whole, kept, from, to, key).equals(value)) {
                    return false;
                }
            }
        }
        return true;
    }

    /** The value last written to a key by an operation of [from, to) that is kept. */
    private static OptionalLong lastWrite(HistoryTable whole, @Nullable BitSet kept, int from, int to, int key) {
        for (int o = to - 1; o >= from; o--) {
            if (whole.isWriteOf(o, key) && (kept == null || kept.get(o))) {
                return OptionalLong.of(whole.value(o));
            }
        }
        return OptionalLong.empty();
    }

    private static boolean passes(HistoryTable part, CheckRequest request) {
        Definitions.Level level = Definitions.Level.valueOf(request.level().name());
        return part.transactions() == 0
                || (request.level().isAxiom()
                        ? Boolean.TRUE.equals(Definitions.of(part).holds(level, 0, true))
                        : Interpreter.judge(part, level) != Interpreter.Verdict.REJECTED);
    }

    /** The request for the weakest level that a part violates. */
    private static CheckRequest weakest(HistoryTable part, CheckRequest request) {
        return ShownVerdicts.WEAKEST_FIRST.stream()
                .filter(level -> Implications.implies(request.level(), level))
                .map(CheckRequest::of)
                .filter(weaker -> !passes(weaker.judged(part), weaker))
                .findFirst()
                .orElse(request);
    }

    /** Whether a value that some read returns was written by any kept write before, and is no longer. */
    private static boolean losesItsWriter(HistoryTable part, HistoryTable smaller) {
        for (int o = 0; o < smaller.operations(); o++) {
            String key = smaller.keys().label(smaller.key(o));
            if (!smaller.isWrite(o)
                    && isWritten(part, key, smaller.value(o))
                    && !isWritten(smaller, key, smaller.value(o))) {
                return true;
            }
        }
        return false;
    }

    private static boolean isWritten(HistoryTable table, String key, long value) {
        for (int o = 0; o < table.operations(); o++) {
            if (table.isWrite(o)
                    && table.value(o) == value
                    && table.keys().label(table.key(o)).equals(key)) {
                return true;
            }
        }
        return false;
    }
}
