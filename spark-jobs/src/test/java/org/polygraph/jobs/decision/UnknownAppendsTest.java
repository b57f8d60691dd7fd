package org.polygraph.jobs.decision;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.polygraph.jobs.application.EmbeddedChecker;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.testkit.HistoryDsl;

/** Appends of transactions of unknown outcome, at the levels of commits. */
class UnknownAppendsTest {
    /**
     * A transaction of unknown outcome that counts if a plain value of it was read: its appends, which no list has, come
     * after those that lists have. So it cannot have run before one of these in its session.
     */
    @Test
    void plainValuesMayShowThatAnAppendCounts() {
        String open = "?a(L,2) w(x,1) | a(L,1)";
        // Only the first transaction wrote 1 before the read.
        assertViolated("init null; s0: " + open + "; s1: r(L,[1]) r(x,1)");
        assertViolated("init null; s0: " + open + "; s1: r(L,[1]) r(x,1) | w(x,1)");
        // Another writer may have written it.
        for (IsolationLevel level : List.of(IsolationLevel.RC, IsolationLevel.RA, IsolationLevel.CC)) {
            assertThat(status(level, "init null; s0: " + open + "; s1: r(L,[1]) r(x,1); s2: w(x,1)"))
                    .isEqualTo(Verdict.Status.PASS);
        }
        // It wrote y too, whose old value was read.
        String other = "; s2: w(x,1) w(y,1); s3: r(y,null) r(x,1)";
        assertThat(status(IsolationLevel.RC, "init null; s0: " + open + "; s1: r(L,[1])" + other))
                .isEqualTo(Verdict.Status.PASS);
        for (IsolationLevel level : List.of(IsolationLevel.RA, IsolationLevel.CC)) {
            assertThat(status(level, "init null; s0: " + open + "; s1: r(L,[1])" + other))
                    .isEqualTo(Verdict.Status.VIOLATION);
        }
    }

    private void assertViolated(String history) {
        for (IsolationLevel level : List.of(IsolationLevel.RC, IsolationLevel.RA, IsolationLevel.CC)) {
            assertThat(status(level, history)).as(level + " " + history).isEqualTo(Verdict.Status.VIOLATION);
        }
    }

    private static Verdict.Status status(IsolationLevel level, String history) {
        return new EmbeddedChecker()
                .check(HistoryDsl.parse(history), CheckRequest.of(level), Progress.NONE, Budget.unlimited())
                .status();
    }
}
