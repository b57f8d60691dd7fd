package org.polygraph.jobs.verdict;

import static org.assertj.core.api.Assertions.assertThat;
import static org.polygraph.jobs.verdict.Verdict.Status.ERROR;
import static org.polygraph.jobs.verdict.Verdict.Status.INVALID;
import static org.polygraph.jobs.verdict.Verdict.Status.PASS;
import static org.polygraph.jobs.verdict.Verdict.Status.UNKNOWN;
import static org.polygraph.jobs.verdict.Verdict.Status.VIOLATION;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.polygraph.partitioner.isolation.IsolationLevel;

class StrongestTest {
    private static String of(Verdict.Status ser, Verdict.Status si, Verdict.Status rc) {
        return Strongest.of(List.of(IsolationLevel.SER, IsolationLevel.SI, IsolationLevel.RC), List.of(ser, si, rc))
                .text();
    }

    @Test
    void isTheFirstThatPassesUnlessAStrongerOneMay() {
        assertThat(of(PASS, PASS, PASS)).isEqualTo("ser");
        assertThat(of(PASS, UNKNOWN, PASS)).isEqualTo("ser");
        assertThat(of(VIOLATION, PASS, PASS)).isEqualTo("si");
        assertThat(of(VIOLATION, VIOLATION, PASS)).isEqualTo("rc");
        assertThat(of(VIOLATION, VIOLATION, VIOLATION)).isEqualTo("none");
        for (Verdict.Status open : List.of(UNKNOWN, INVALID, ERROR)) {
            assertThat(of(open, PASS, PASS)).isEqualTo("not known");
            assertThat(of(VIOLATION, open, PASS)).isEqualTo("not known");
            assertThat(of(VIOLATION, VIOLATION, open)).isEqualTo("not known");
        }
    }
}
