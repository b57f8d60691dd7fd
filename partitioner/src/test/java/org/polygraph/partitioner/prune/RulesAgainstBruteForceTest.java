package org.polygraph.partitioner.prune;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.polygraph.partitioner.closure.WorkerThreads;
import org.polygraph.partitioner.evidence.CycleEvidence;
import org.polygraph.partitioner.graph.Problem;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.isolation.Alternative;
import org.polygraph.partitioner.isolation.Basis;
import org.polygraph.partitioner.isolation.Dependency;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.Reason;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.partitioner.residual.ResidualCore;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.BruteForceChecker;
import org.polygraph.storage.testkit.HistoryDsl;
import org.polygraph.storage.testkit.SuiteScale;
import org.polygraph.storage.testkit.TinyHistories;

/** Index, rules, order and check never contradict brute force, and two rounds of the rules decide most of what none leaves
 * open. */
class RulesAgainstBruteForceTest {
    private enum Answer {
        ACCEPT,
        REJECT,
        OPEN
    }

    /** By rounds of the rules: how many were left open. */
    private final int[] open = new int[5];
    /** By rounds of the rules: how many were refuted. */
    private final int[] refuted = new int[5];

    @Test
    void neverContradictBruteForce() {
        run(0x5eed, SuiteScale.of(30_000));
    }

    private void run(long seed, int histories) {
        TinyHistories stream = new TinyHistories(seed);
        int accepted = 0;
        for (int i = 0; i < histories; i++) {
            HistoryTable history = stream.at(i);
            for (IsolationLevel level : List.of(IsolationLevel.SER, IsolationLevel.SI)) {
                BruteForceChecker.Level asked =
                        level == IsolationLevel.SER ? BruteForceChecker.Level.SER : BruteForceChecker.Level.SI;
                BruteForceChecker.Verdict verdict = BruteForceChecker.judge(history, asked);
                if (verdict == BruteForceChecker.Verdict.INVALID) {
                    continue;
                }
                boolean truth = verdict == BruteForceChecker.Verdict.ACCEPTED;
                accepted += truth ? 1 : 0;
                for (int rounds = 0; rounds <= 4; rounds += 2) {
                    Answer answer = decide(history, level, rounds);
                    open[rounds] += answer == Answer.OPEN ? 1 : 0;
                    refuted[rounds] += answer == Answer.REJECT ? 1 : 0;
                    assertThat(answer)
                            .as("%s %s rounds %d seed %d", HistoryDsl.print(history), level, rounds, stream.seedOf(i))
                            .isIn(truth ? Answer.ACCEPT : Answer.REJECT, Answer.OPEN);
                }
            }
        }
        System.out.println(histories + " histories from seed " + seed + ": accepted " + accepted + " of "
                + 2 * histories + ", left open by 0 to 4 rounds " + Arrays.toString(open) + ", refuted "
                + Arrays.toString(refuted));
        assertThat(accepted).isBetween(histories / 10, 2 * histories - histories / 10);
        // Rules that force nothing contradict nothing.
        assertThat(refuted[2]).isGreaterThan(refuted[0] + histories / 10);
        assertThat(open[2]).isLessThan(open[0] / 2);
        assertThat(open[4]).isLessThanOrEqualTo(open[2]);
    }

    private Answer decide(HistoryTable history, IsolationLevel level, int rounds) {
        IndexedHistory indexed = IndexedHistory.of(history, IndexedHistory.Indeterminate.MAYBE);
        if (!indexed.violations().isEmpty()) {
            return Answer.REJECT;
        }
        Problem problem = Problem.of(indexed, level.eventsPerTransaction());
        Rules rules = Objects.requireNonNull(
                Rules.of(problem, Long.MAX_VALUE, Rules.RealTimeRows.BY_KEYS, WorkerThreads.of(1), Rules.Phases.NONE));
        Rules.Refutation refutation = rules.run(rounds, () -> false);
        if (refutation != null) {
            return closes(new CycleEvidence(problem, () -> false).of(refutation));
        }
        ResidualCore core = ResidualCore.of(problem, rules.order(), () -> false);
        if (core.isEmpty()) {
            return Answer.ACCEPT;
        }
        return Answer.OPEN;
    }

    /** Every shown cycle is closed, and so is the cycle of each alternative, which contains its assumption. */
    private static Answer closes(List<Violation> violations) {
        assertThat(violations).isNotEmpty();
        for (Violation violation : violations) {
            isClosed(violation.cycle());
            Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
            reasons(violation.cycle(), seen);
            alternatives(violation.cases(), seen);
        }
        return Answer.REJECT;
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
            if (reason.basis() == Basis.FORCED) {
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
                    .hasSize(1);
            reasons(alternative.cycle(), seen);
        }
    }
}
