package org.polygraph.jobs.weak;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Checks;
import org.polygraph.jobs.decision.ShownVerdicts;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.SubHistory;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.generate.Workload;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.Definitions;
import org.polygraph.storage.testkit.HistoryDsl;
import org.polygraph.storage.testkit.SimulatedHistory;
import org.polygraph.storage.testkit.Simulator;
import org.polygraph.storage.testkit.Simulator.Feature;
import org.polygraph.storage.testkit.SplitMix;
import org.polygraph.storage.testkit.SuiteScale;

/** Level lin: named cases, and histories of a simulated register. The laws have tiny histories. */
class LinearizabilityTest {

    /**
     * A history that one register executed is linearizable, however operations overlap; with one value changed the
     * search and the rules still agree.
     */
    @Test
    void acceptsWhatARegisterDid() {
        for (int i = 0; i < 300; i++) {
            SplitMix random = new SplitMix(SplitMix.seedOf(0x13, i));
            HistoryTable history = new Workload()
                    .seed(random.nextLong())
                    .sessions(random.between(1, 8))
                    .transactions(random.between(2, 300))
                    .operations(1)
                    .keys(random.between(1, 5))
                    .values(i % 2 == 0 ? 0 : 4)
                    .table();
            assertThat(check(history, 0).status()).as("seed 0x13 #%d", i).isEqualTo(Verdict.Status.PASS);
        }
    }

    /**
     * Histories with unknown outcomes, refused compare-and-sets and repeated values get the verdict of the
     * definition; the sub-history of a violation has no order either, is one of the whole, and has the operations that
     * its sentence names.
     */
    @Test
    void agreesWithSearch() throws HistoryException {
        long seed = 0x11a;
        int histories = SuiteScale.of(3_000, 1_000);
        int[] counts = new int[2];
        for (int i = 0; i < histories; i++) {
            SplitMix random = new SplitMix(SplitMix.seedOf(seed, i));
            HistoryTable history = SimulatedHistory.read(Simulator.with(
                            EnumSet.of(Feature.SINGLE),
                            random.nextLong(),
                            Feature.COMPARE_AND_SET,
                            Feature.REPEATED,
                            Feature.UNKNOWN,
                            Feature.LONG)
                    .json());
            long skew = random.chance(0.2) ? random.between(1, 5) : 0;
            String what = "seed " + seed + " #" + i + " skew " + skew + " " + HistoryDsl.print(history);
            boolean holds = hasOrder(history, skew, new Asked(Long.MAX_VALUE, -1, 0));
            counts[holds ? 0 : 1]++;
            CheckRequest request = new CheckRequest(IsolationLevel.LIN, TimeMode.STRICT, skew, IndeterminateMode.MAYBE);
            Verdict verdict = Checks.check(history, request);
            assertThat(verdict.status()).as(what).isEqualTo(holds ? Verdict.Status.PASS : Verdict.Status.VIOLATION);
            new ShownVerdicts().isShown(verdict, history, request, what);
            verdict.violations().forEach(violation -> isDescribed(violation, history, skew, what));
        }
        System.out.println(histories + " histories from seed " + seed + ": " + counts[0] + " accepted, " + counts[1]
                + " rejected, " + shownByPrefix + " with values of the whole");
        assertThat(Math.min(counts[0], counts[1])).isGreaterThan(histories / 5);
    }

    /** Explanations by the values that a key has in orders of the whole history until an operation. */
    private static int shownByPrefix;

    private static void isDescribed(Violation violation, HistoryTable whole, long skew, String what) {
        SubHistory part = violation.minimal();
        String as = violation.detail() + " of " + what;
        assertThat(part.minimal()).as(as).isTrue();
        // The first transaction did what the sentence begins with, and every name in it is of one that is shown.
        int subject = violation.transactions().get(0);
        int first = whole.firstOperation(subject);
        String found = whole.values().isOther(whole.value(first))
                ? "read another value than "
                        + whole.values().label(whole.values().excluded(whole.value(first)))
                : (whole.isWrite(first) ? "wrote " : "read ") + whole.values().label(whole.value(first));
        assertThat(violation.detail()).as(as).startsWith(found);
        Matcher names = Pattern.compile("s\\d+#\\d+").matcher(violation.detail());
        while (names.find()) {
            assertThat(IntStream.of(part.transactions()).mapToObj(whole::name))
                    .as(as)
                    .contains(names.group());
        }
        Matcher values = Pattern.compile("then has the values? (.*)").matcher(violation.detail());
        if (values.find()) {
            long until = end(whole, subject, skew);
            for (String label : values.group(1).split(", ")) {
                long value = whole.values().code(Long.parseLong(label));
                assertThat(hasOrder(whole, skew, new Asked(until, subject, value)))
                        .as(value + " at the end of " + as)
                        .isTrue();
            }
            shownByPrefix++;
        }
        // No write is shown that began after all reads had ended.
        long[] starts = Objects.requireNonNull(whole.starts());
        long last = Long.MIN_VALUE;
        for (int t : part.transactions()) {
            boolean isRead = !whole.isWrite(whole.firstOperation(t));
            last = isRead ? Math.max(last, end(whole, t, skew)) : last;
        }
        for (int t : part.transactions()) {
            assertThat(starts[t]).as(as).isLessThanOrEqualTo(last);
        }
    }

    private static long end(HistoryTable table, int t, long skew) {
        boolean ended = table.status(t) == TransactionStatus.COMMITTED;
        return ended ? Objects.requireNonNull(table.ends())[t] + skew : Long.MAX_VALUE;
    }

    /**
     * A history until a time, in which one operation reads a value and does nothing else.
     *
     * @param operation -1: none
     */
    private record Asked(long until, int operation, long value) {}

    private static boolean hasOrder(HistoryTable table, long skew, Asked asked) {
        Definitions all = Definitions.of(table);
        int key = asked.operation < 0 ? -1 : table.key(table.firstOperation(asked.operation));
        List<Definitions.Transaction> some = new ArrayList<>();
        for (int t = 0; t < table.transactions(); t++) {
            int last = table.operationsEnd(t) - 1;
            boolean ends = table.status(t) == TransactionStatus.COMMITTED && end(table, t, skew) <= asked.until;
            boolean isOf = table.status(t) != TransactionStatus.ABORTED && (key < 0 || table.key(last) == key);
            if (isOf && (ends || table.isWrite(last))) {
                some.add(new Definitions.Transaction(
                        t,
                        ends ? Definitions.COMMITTED : Definitions.INDETERMINATE,
                        Objects.requireNonNull(table.starts())[t],
                        Objects.requireNonNull(table.ends())[t],
                        t == asked.operation ? List.of(Definitions.Op.read(key, asked.value)) : all.operations(t)));
            }
        }
        return Boolean.TRUE.equals(all.with(some).holds(Definitions.Level.LIN, skew, true));
    }

    private static Verdict check(HistoryTable history, long skew) {
        return Checks.check(
                history, new CheckRequest(IsolationLevel.LIN, TimeMode.STRICT, skew, IndeterminateMode.MAYBE));
    }
}
