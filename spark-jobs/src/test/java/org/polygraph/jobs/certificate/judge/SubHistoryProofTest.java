package org.polygraph.jobs.certificate.judge;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.polygraph.jobs.certificate.format.Guarantee;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.jobs.certificate.judge.BruteForce.Answer;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.HistoryDsl;
import org.polygraph.storage.testkit.Simulator;
import org.polygraph.storage.testkit.SplitMix;

class SubHistoryProofTest {
    private static final List<Guarantee> GUARANTEES =
            Arrays.stream(Guarantee.values()).filter(p -> p != Guarantee.LIN).toList();
    private static final String SKEW = "init 0; s0: w(z,1) r(x,0) r(z,1) w(y,1); s1: r(y,0) r(z,1) w(x,1)";

    /** The theorem: if a history keeps a level, so does every closed sub-history. Other sub-histories often do not. */
    @Test
    void closedPartsOfWhatHoldsHold() {
        long seed = 0x5b1;
        Random random = new Random(seed);
        int closed = 0;
        int violatedOpen = 0;
        for (int i = 0; i < 2_000; i++) {
            Terms terms = Terms.of(GUARANTEES.get(i % GUARANTEES.size()));
            // A history is judged at PL2 without its sessions.
            HistoryTable whole = terms.guarantee() == Guarantee.PL2
                    ? Simulator.tiny(SplitMix.seedOf(seed, i)).table().withoutSessionOrder()
                    : Simulator.tiny(SplitMix.seedOf(seed, i)).table();
            if (BruteForce.judge(whole, terms) != Answer.HOLDS) {
                continue;
            }
            for (int round = 0; round < 10; round++) {
                boolean[] transactions = choice(random, whole.transactions(), 0.25 * random.nextDouble());
                boolean[] operations = choice(random, whole.operations(), 0.25 * random.nextDouble());
                HistoryTable sub = TableCopies.of(whole, t -> transactions[t], o -> operations[o]);
                boolean isClosed = SubHistoryProof.firstGap(whole, sub, terms) == null;
                boolean violated = BruteForce.judge(sub, terms) == Answer.VIOLATED;
                assertThat(isClosed && violated)
                        .as("%s %s of %s", terms, HistoryDsl.print(sub), HistoryDsl.print(whole))
                        .isFalse();
                SubHistoryProof proof = new SubHistoryProof(whole, sub, terms);
                assertThat(proof.foreign()).isNull();
                assertThat(proof.unexplainedRead()).isNull();
                HistoryTable closure = proof.closed(64);
                assertThat(SubHistoryProof.firstGap(whole, closure, terms))
                        .as(
                                "%s of %s, closed %s",
                                HistoryDsl.print(sub), HistoryDsl.print(whole), HistoryDsl.print(closure))
                        .isNull();
                assertThat(closure.operations() == sub.operations()).isEqualTo(isClosed);
                closed += isClosed ? 1 : 0;
                violatedOpen += violated ? 1 : 0;
            }
        }
        assertThat(closed).isGreaterThan(1_000);
        assertThat(violatedOpen).isGreaterThan(1_000);
    }

    /** The missing own write hides the write that s1 read; its later write of the same value is then missing too. */
    @Test
    void closingMayTakeSeveralRounds() {
        HistoryTable whole = HistoryDsl.parse("init 0; s0: w(x,2) w(x,3) r(x,3) w(x,2); s1: r(x,2)");
        HistoryTable sub = HistoryDsl.parse("init 0; s0: w(x,2) r(x,3); s1: r(x,2)");
        SubHistoryProof proof = new SubHistoryProof(whole, sub, Terms.of(Guarantee.SER));
        assertThat(proof.foreign()).isNull();
        assertThat(HistoryDsl.print(proof.closed(8))).isEqualTo(HistoryDsl.print(whole));
    }

    /** If the clock of a session runs backwards, a transaction without operations may cause the violation. */
    @Test
    void transactionsWithoutOperationsStay() {
        HistoryTable whole = HistoryDsl.parse(
                "s0: @3..9 w(x,1) | @4..4 (); s1: @5..6 w(y,1) | @6..7 r(x,null) r(y,1); s2: @0..9 w(z,1)");
        HistoryTable sub = HistoryDsl.parse("s0: @3..9 w(x,1) | @4..4 (); s1: @5..6 () | @6..7 r(x,null) r(y,1)");
        Terms terms = Terms.of(Guarantee.SSER);
        SubHistoryProof proof = new SubHistoryProof(whole, sub, terms);
        assertThat(proof.foreign()).isNull();
        HistoryTable closure = proof.closed(8);
        assertThat(HistoryDsl.print(closure))
                .isEqualTo(HistoryDsl.print(
                        HistoryDsl.parse("s0: @3..9 w(x,1) | @4..4 (); s1: @5..6 w(y,1) | @6..7 r(x,null) r(y,1)")));
        assertThat(BruteForce.judge(closure, terms)).isEqualTo(Answer.VIOLATED);
    }

    /** One read suffices if no transaction can have written its value; otherwise no single read suffices. */
    @Test
    void readsThatNothingExplainsAreViolations() {
        int unexplained = 0;
        for (int i = 0; i < 1_500; i++) {
            HistoryTable whole = Simulator.tiny(SplitMix.seedOf(0x5b2, i)).table();
            for (Guarantee guarantee : GUARANTEES) {
                Terms terms = Terms.of(guarantee);
                SubHistoryProof proof = new SubHistoryProof(whole, TableCopies.of(whole, t -> true, o -> true), terms);
                assertThat(proof.foreign()).isNull();
                if (proof.unexplainedRead() != null) {
                    assertThat(BruteForce.judge(whole, terms))
                            .as(HistoryDsl.print(whole))
                            .isEqualTo(Answer.VIOLATED);
                    unexplained++;
                }
            }
        }
        assertThat(unexplained).isGreaterThan(30);
    }

    private static boolean[] choice(Random random, int n, double left) {
        boolean[] chosen = new boolean[n];
        for (int i = 0; i < n; i++) {
            chosen[i] = random.nextDouble() >= left;
        }
        return chosen;
    }

    private static String gap(String whole, String sub) {
        return SubHistoryProof.firstGap(HistoryDsl.parse(whole), HistoryDsl.parse(sub), Terms.of(Guarantee.SER));
    }

    /**
     * The operations of the sub-history occur twice in the whole, and only one of the two matches shows the violation.
     */
    @Test
    void whatIsRepeatedIsFoundWhereItShowsMost() {
        Terms terms = Terms.of(Guarantee.SER);
        for (String[] each : new String[][] {
            {"s0: w(x,2) w(x,1) w(x,2) r(x,2) w(x,1) r(x,2)", "s0: w(x,2) w(x,1) r(x,2)"},
            {"s0: w(x,1) r(x,2) w(x,1) w(x,2) r(x,2)", "s0: w(x,1) r(x,2)"},
            {"s0: w(x,1) w(x,2) r(x,2) r(y,0) w(x,1) r(y,0) r(x,2)", "s0: r(y,0) w(x,1) r(x,2)"}
        }) {
            HistoryTable whole = HistoryDsl.parse("init 0; " + each[0]);
            HistoryTable sub = HistoryDsl.parse("init 0; " + each[1]);
            assertThat(SubHistoryProof.firstGap(whole, sub, terms)).as(each[0]).isNull();
            SubHistoryProof proof = new SubHistoryProof(whole, sub, terms);
            assertThat(proof.foreign()).isNull();
            assertThat(proof.unexplainedRead()).as(each[0]).contains("did not return its own latest write, 1");
        }
    }

    @Test
    void aMinimalPartIsClosed() {
        assertThat(gap(SKEW, SKEW)).isNull();
        assertThat(gap(SKEW, "init 0; s0: r(x,0) w(y,1); s1: r(y,0) w(x,1)")).isNull();
    }

    @Test
    void namesWhatIsMissing() {
        assertThat(gap(SKEW, "init 0; s0: w(y,1); s1: r(z,1)"))
                .contains("transaction (session 1, index 0)", "read key \"z\" = 1, which transaction (session 0")
                .endsWith("; the sub-history lacks this write");
        assertThat(gap(SKEW, "init 0; s0: r(z,1)")).contains("followed its own write of the key, w(\"z\")=1");
        assertThat(gap(SKEW, "init 0; s0: r(x,1)")).contains("has no r(\"x\")=1 in the history");
        assertThat(gap(SKEW, "init 0; s0: w(y,1) r(x,0)")).contains("or not in this order");
        assertThat(gap(SKEW, "init 0; s0: !w(y,1)"))
                .contains("is committed in the history, aborted in the sub-history");
        assertThat(gap(SKEW, "init 0; s7: w(y,1)")).isEqualTo("transaction (session 7, index 0) is not in the history");
        assertThat(gap(SKEW, "init 0; s0: w(y,1) | w(y,2)"))
                .isEqualTo("transaction (session 0, index 1) is not in the history");
        assertThat(gap(SKEW, "init 1; s0: w(y,1)")).isEqualTo("its initial value is 1, that of the history 0");
    }

    /** Another writer of the same value can explain the read, unless the session ran it later. */
    @Test
    void everyPossibleWriterIsNeeded() {
        String whole = "init 0; s0: w(x,1); s1: w(x,1) w(x,2); s2: ?w(x,1); s3: r(x,1) | w(x,1); s4: !w(x,1)";
        assertThat(gap(whole, "init 0; s0: w(x,1); s2: ?w(x,1); s3: r(x,1)")).isNull();
        assertThat(gap(whole, "init 0; s0: w(x,1); s3: r(x,1)")).contains("session 2");
        assertThat(gap(whole, "init 0; s2: ?w(x,1); s3: r(x,1)")).contains("session 0");
    }

    @Test
    void opaqueValuesAreComparedByTheirText() {
        assertThat(gap("init a; s0: w(k,\"5@1.2\")", "init a; s0: w(k,\"5@1.2\")"))
                .isNull();
        assertThat(gap("init a; s0: w(k,\"5\")", "init a; s0: w(k,5)")).contains("has no w(\"k\")=5");
        assertThat(gap("init a; s0: w(\"1\",5)", "init a; s0: w(1,5)")).contains("has no w(1)=5");
        assertThat(gap("init a; s0: w(1,null)", "init a; s0: w(1,a)")).contains("has no w(1)=\"a\"");
    }
}
