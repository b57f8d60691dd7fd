package org.polygraph.jobs.evidence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.CpuClock;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.Formula;

class SubHistoryCheckerTest {
    /** Only search refutes this history. */
    static HistoryTable search(int variables) {
        for (long seed = 1; ; seed++) {
            Formula formula = Formula.random3Sat(new Random(seed), variables, 6);
            if (!formula.isSatisfiable()) {
                return formula.history("seed " + seed);
            }
        }
    }

    /**
     * Shrinking gives up by the cost of judgements: the same sub-history costs the same, whatever else the machine
     * does.
     */
    @Test
    void costsAreCountedNotTimed() {
        HistoryTable table = search(10);
        for (IsolationLevel level : new IsolationLevel[] {IsolationLevel.SER, IsolationLevel.SSI, IsolationLevel.CC}) {
            SubHistoryChecker judge = new SubHistoryChecker(
                    CheckRequest.of(level), Budget.unlimited().ofLooks(100_000));
            boolean violates = judge.violates(table);
            double first = judge.spent();
            assertThat(first).as("%s", level).isBetween(10e-5, 0.4);
            for (long start = CpuClock.millis(); CpuClock.millis() < start + 50; ) {
                Thread.onSpinWait();
            }
            assertThat(judge.violates(table)).isEqualTo(violates);
            assertThat(judge.spent()).as("%s", level).isCloseTo(2 * first, within(1e-9));
        }
    }

    /** When the work has run out, the answer is unknown. */
    @Test
    void withoutWorkNothingViolates() {
        HistoryTable table = search(10);
        Budget budget = Budget.unlimited().ofLooks(10);
        SubHistoryChecker judge = new SubHistoryChecker(CheckRequest.of(IsolationLevel.SER), budget);
        assertThat(judge.violates(table)).isFalse();
        assertThat(judge.spent()).isEqualTo(1);
    }
}
