package org.polygraph.jobs.decision;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BudgetTest {
    private static final long HOUR = 3_600_000_000_000L;
    private static final long HEAP = 1L << 30;

    private static void await(Budget budget) {
        while (!budget.exhausted()) {
            Thread.onSpinWait();
        }
    }

    @Test
    void aShareEndsByCpuTimeAndNotBefore() {
        long share = 100_000_000;
        long cpu = CpuClock.millis();
        long start = System.nanoTime();
        await(Budget.unlimited().atMost(share));
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(share);
        // The CPU clock has steps of 10 ms at both ends, unless ten times the share has passed on the wall clock.
        assertThat(CpuClock.millis() - cpu >= 80 || System.nanoTime() - start >= 10 * share)
                .isTrue();
    }

    @Test
    void aShareThatSleepsEndsAllTheSame() throws InterruptedException {
        Budget share = Budget.unlimited().atMost(20_000_000);
        Thread.sleep(201);
        assertThat(share.exhausted()).isTrue();
    }

    @Test
    void aShareTakesHalfOfWhatIsLeft() {
        long start = System.nanoTime();
        Budget whole = Budget.starting(400_000_000, HEAP);
        Budget share = whole.atMost(HOUR);
        await(share);
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(190_000_000);
        assertThat(share.atMost(HOUR).exhausted()).isTrue();
        Budget outer = Budget.starting(HOUR, HEAP).atMost(200_000_000);
        Budget inner = outer.atMost(HOUR);
        await(inner);
        assertThat(inner.exhausted()).isTrue();
    }

    @Test
    void looksEndAShareAndTheWholeEndsIt() {
        Budget whole = Budget.starting(HOUR, HEAP);
        Budget share = whole.ofLooks(3);
        for (int i = 0; i < 3; i++) {
            assertThat(share.exhausted()).isFalse();
        }
        assertThat(share.exhausted()).isTrue();
        assertThat(whole.exhausted()).isFalse();
        Budget other = whole.ofLooks(1_000);
        whole.cancel();
        assertThat(other.exhausted()).isTrue();
        assertThat(whole.bytes()).isEqualTo(HEAP / 20 * 17);
    }

    /** Shrinking gives up by the spent share, so the share counts calls and does not depend on a clock. */
    @Test
    void whatIsSpentGoesByLooksAlone() {
        Budget whole = Budget.starting(50_000_000, HEAP);
        Budget share = whole.ofLooks(64);
        await(whole);
        assertThat(share.spent()).isZero();
        assertThat(share.exhausted()).isTrue();
        assertThat(share.spent()).isEqualTo(1.0 / 64);
        share.charge(31);
        assertThat(share.spent()).isEqualTo(0.5);
        share.charge(1_000);
        assertThat(share.spent()).isEqualTo(1);
        whole.charge(1_000);
        assertThat(whole.spent()).isZero();
    }

    @Test
    void aCancelledBudgetEndsItsSharesAndDoesNotBlameTheTime() {
        Budget whole = Budget.starting(HOUR, HEAP);
        Budget share = whole.atMost(HOUR).atMost(HOUR);
        assertThat(share.exhausted()).isFalse();
        whole.cancel();
        assertThat(share.exhausted()).isTrue();
        assertThat(whole.exhaustion("a test")).isEqualTo("cancelled during a test");
    }

    @Test
    void aHalfEndsWithHalfOfTheTimeAndWithTheWhole() {
        long start = System.nanoTime();
        Budget whole = Budget.starting(400_000_000, HEAP);
        await(whole.half());
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(190_000_000);
        Budget other = Budget.unlimited();
        Budget half = other.half();
        assertThat(half.exhausted()).isFalse();
        other.cancel();
        assertThat(half.exhausted()).isTrue();
    }
}
