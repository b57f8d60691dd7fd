package org.polygraph.jobs.certificate.judge;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.polygraph.jobs.certificate.format.Guarantee;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.jobs.certificate.judge.BruteForce.Answer;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.ListReduction;
import org.polygraph.storage.testkit.HistoryDsl;
import org.polygraph.storage.testkit.Workloads;

/** Named cases and bounds. Each law of verdicts compares it with the definitions. */
class BruteForceTest {
    private static final List<Guarantee> GUARANTEES =
            Arrays.stream(Guarantee.values()).filter(p -> !p.hasPlainWrites()).toList();

    /** With more choices or rows than it allows, it answers at once that the history is too large. */
    @Test
    void choicesAreBounded() {
        StringBuilder many = new StringBuilder("init 0; s0: w(x,1)");
        for (int i = 0; i < 40; i++) {
            many.append(" | w(x,1)");
        }
        String reads = many + "; s1: w(y,1) r(x,1) | w(y,2) r(x,1) | r(x,1) | r(x,1); s2: r(x,1) r(y,2) | r(y,1)";
        assertThat(BruteForce.judge(HistoryDsl.parse(reads), Terms.of(Guarantee.CC)))
                .isEqualTo(Answer.TOO_LARGE);
        assertThat(BruteForce.judge(HistoryDsl.parse(many + " | w(x,2)".repeat(40)), Terms.of(Guarantee.RC)))
                .isEqualTo(Answer.TOO_LARGE);
    }

    @Test
    void droppedTransactionsDoNotExplainReads() {
        HistoryTable history = HistoryDsl.parse("init 0; s0: ?w(x,1); s1: r(x,1)");
        assertThat(BruteForce.judge(history, Terms.of(Guarantee.SER))).isEqualTo(Answer.HOLDS);
        assertThat(BruteForce.judge(history, new Terms(Guarantee.SER, 0, IndeterminateMode.ABORT)))
                .isEqualTo(Answer.VIOLATED);
    }

    /** Lists are judged with the sessions of the history that is given, and not with those that were recorded. */
    @Test
    void listsHaveTheSessionsThatAreGiven() {
        HistoryTable history = ListReduction.ofCommits(HistoryDsl.parse("init null; s0: a(x,1) | r(x,[])"));
        assertThat(BruteForce.judge(history, Terms.of(Guarantee.RA))).isEqualTo(Answer.VIOLATED);
        assertThat(BruteForce.judge(history.withoutSessionOrder(), Terms.of(Guarantee.RA)))
                .isEqualTo(Answer.HOLDS);
    }

    @Test
    void theSkewIsAddedOnce() {
        HistoryTable history = HistoryDsl.parse("init 0; s0: @0..10 w(x,1); s1: @15..20 r(x,0)");
        assertThat(BruteForce.judge(history, Terms.of(Guarantee.SER))).isEqualTo(Answer.HOLDS);
        assertThat(BruteForce.judge(history, Terms.of(Guarantee.SSER))).isEqualTo(Answer.VIOLATED);
        assertThat(BruteForce.judge(history, new Terms(Guarantee.SSER, 4, IndeterminateMode.MAYBE)))
                .isEqualTo(Answer.VIOLATED);
        assertThat(BruteForce.judge(history, new Terms(Guarantee.SSER, 5, IndeterminateMode.MAYBE)))
                .isEqualTo(Answer.HOLDS);
    }

    @Test
    void timesAtTheEndsOfTheirRange() {
        HistoryTable history = HistoryDsl.parse(
                "init 0; s0: @-9223372036854775807..-9223372036854775000 w(x,1); s1: @9223372036854775000..9223372036854775807 r(x,0)");
        assertThat(BruteForce.judge(history, Terms.of(Guarantee.SSI))).isEqualTo(Answer.VIOLATED);
        assertThat(BruteForce.judge(history, new Terms(Guarantee.SSI, Long.MAX_VALUE, IndeterminateMode.MAYBE)))
                .isEqualTo(Answer.VIOLATED);
    }

    /** A long fork at the ends of sessions whose other transactions interleave in more ways than states are tried. */
    @Test
    void longSessionsAreJudged() {
        StringBuilder sessions = new StringBuilder("init 0; s0: w(x,1); s1: w(y,1)");
        for (int s = 2; s < 8; s++) {
            sessions.append("; s" + s + ": ");
            for (int i = 1; i < 5; i++) {
                sessions.append("w(k" + s + "," + i + ") | r(k" + s + "," + i + ") | ");
            }
            sessions.append(s % 2 == 0 ? "r(x,1) r(y,0)" : "r(y,1) r(x,0)");
        }
        HistoryTable history = HistoryDsl.parse(sessions.toString());
        assertThat(BruteForce.judge(history, Terms.of(Guarantee.SER))).isEqualTo(Answer.VIOLATED);
        assertThat(BruteForce.judge(history, Terms.of(Guarantee.SI))).isEqualTo(Answer.VIOLATED);
    }

    /** Eight transactions that all overlap and all differ are judged; larger histories end within a bounded time. */
    @Test
    void isBounded() {
        for (Guarantee guarantee : GUARANTEES) {
            HistoryTable eight = Workloads.of(3, "timed false sessions 8 transactions 8 operations 6 keys 6 level RC")
                    .table();
            assertThat(BruteForce.judge(eight, Terms.of(guarantee))).isNotEqualTo(Answer.TOO_LARGE);
        }
        HistoryTable many = Workloads.of(4, "timed false sessions 40 transactions 250 keys 20 level SI")
                .table();
        assertThat(BruteForce.judge(many, Terms.of(Guarantee.SI))).isNotEqualTo(Answer.VIOLATED);
        HistoryTable more =
                Workloads.of(4, "timed false sessions 1 transactions 300").table();
        assertThat(BruteForce.judge(more, Terms.of(Guarantee.SI))).isEqualTo(Answer.TOO_LARGE);
    }
}
