package org.polygraph.jobs.evidence;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.polygraph.jobs.certificate.format.Guarantee;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.jobs.certificate.replay.Replay;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.Check;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Checks;
import org.polygraph.jobs.decision.Finding;
import org.polygraph.jobs.verdict.Counts;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.SubHistory;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.table.HistorySelection;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.Definitions;
import org.polygraph.storage.testkit.HistoryDsl;
import org.polygraph.storage.testkit.Interpreter;
import org.polygraph.storage.testkit.Simulator;
import org.polygraph.storage.testkit.SplitMix;
import org.polygraph.storage.testkit.SuiteScale;

/** The verdicts of all levels agree with the implications, and derived verdicts have evidence at their level. */
class ImplicationsTest {
    /** The implications between pairs of levels, written by hand. */
    private static final Map<IsolationLevel, List<IsolationLevel>> WEAKER = Stream.of(
                    "SSER SER SSI SI PC CC RA RC PL2",
                    "SER SI PC CC RA RC PL2",
                    "SSI SI PC CC RA RC PL2",
                    "SI PC CC RA RC PL2",
                    "PC CC RA RC PL2",
                    "CC RA RC PL2",
                    "RA RC PL2",
                    "RC PL2",
                    "PL2",
                    "LIN")
            .map(line -> Stream.of(line.split(" ")).map(IsolationLevel::valueOf).toList())
            .collect(Collectors.toMap(all -> all.get(0), all -> all.subList(1, all.size())));

    private int histories;
    private int passes;
    private int violations;
    private int withoutPart;

    @Test
    void areThoseOfTheLevels() {
        for (IsolationLevel a : IsolationLevel.values()) {
            for (IsolationLevel b : IsolationLevel.values()) {
                boolean truth = a == b || WEAKER.get(a).contains(b);
                assertThat(Implications.implies(a, b)).as("%s %s", a, b).isEqualTo(truth);
                Implications.Contradiction found = Implications.contradiction(
                        List.of(a, b), List.of(Verdict.Status.PASS, Verdict.Status.VIOLATION));
                assertThat(found != null).as("%s %s", a, b).isEqualTo(truth);
                assertThat(Implications.contradiction(
                                List.of(a, b), List.of(Verdict.Status.PASS, Verdict.Status.UNKNOWN)))
                        .isNull();
            }
        }
    }

    @Test
    void holdOverTinyHistories() {
        int count = SuiteScale.of(1_000, 400);
        for (int i = 0; i < count; i++) {
            examine(Simulator.tiny(SplitMix.seedOf(0x1e7e1, i)).table(), "seed " + SplitMix.seedOf(0x1e7e1, i));
        }
        System.out.println(histories + " histories, " + passes + " passes handed down, " + violations
                + " violations handed up, " + withoutPart + " not, for want of a sub-history");
        assertThat(passes).isGreaterThan(count);
        assertThat(violations).isGreaterThan(count);
        assertThat(withoutPart).isLessThan(violations / 20 + 1);
    }

    private void examine(HistoryTable history, String name) {
        if (Counts.of(history).transactionsCommitted() == 0) {
            return;
        }
        histories++;
        boolean timed = history.starts() != null && history.ends() != null;
        Map<IsolationLevel, Verdict> own = new EnumMap<>(IsolationLevel.class);
        for (IsolationLevel level : IsolationLevel.values()) {
            // LIN is about single operations. No level implies it, and it implies none.
            if (level != IsolationLevel.LIN && (timed || !level.realTime())) {
                own.put(level, Checks.check(history, level));
            }
        }
        assertThat(Implications.contradiction(
                        List.copyOf(own.keySet()),
                        own.values().stream().map(Verdict::status).toList()))
                .as("%s %s", HistoryDsl.print(history), name)
                .isNull();
        for (Verdict stronger : own.values()) {
            for (Verdict weaker : own.values()) {
                String as = stronger.level() + " " + weaker.level() + " " + HistoryDsl.print(history) + " " + name;
                Finding down = implications(history, weaker).pass(stronger);
                Finding up = implications(history, stronger).violation(weaker);
                if (!WEAKER.get(stronger.level()).contains(weaker.level())) {
                    assertThat(stronger.level() != weaker.level() && (down != null || up != null))
                            .as(as)
                            .isFalse();
                    continue;
                }
                boolean hasOrder = stronger.witness() != null;
                assertThat(down != null).as(as).isEqualTo(hasOrder);
                if (down != null) {
                    passes((Finding.Order) down, weaker, as);
                }
                if (weaker.status() == Verdict.Status.VIOLATION && up == null) {
                    withoutPart++;
                    assertThat(weaker.violations()).as(as).allMatch(v -> v.minimal() == null);
                } else if (up != null) {
                    violated((Finding.Violated) up, stronger, history, as);
                }
            }
        }
    }

    private static Implications implications(HistoryTable history, Verdict own) {
        return new Implications(new Check(history, CheckRequest.of(own.level()), Budget.unlimited()));
    }

    private void passes(Finding.Order found, Verdict own, String as) {
        passes++;
        assertThat(own.status()).as(as).isEqualTo(Verdict.Status.PASS);
        Witness witness = found.witness();
        assertThat(Replay.of(witness).discrepancy()).as(as).isNull();
        Guarantee shown = witness.terms().guarantee();
        Guarantee said = Guarantee.of(own.level().label(), false).orElseThrow();
        assertThat(said.hasPlainWrites() ? shown.implies(said) : shown == said)
                .as(as)
                .isTrue();
    }

    private void violated(Finding.Violated found, Verdict own, HistoryTable history, String as) {
        violations++;
        assertThat(own.status()).as(as).isEqualTo(Verdict.Status.VIOLATION);
        assertThat(found.violations()).isNotEmpty();
        for (Violation violation : found.violations()) {
            SubHistory part = violation.minimal();
            HistoryTable alone = HistorySelection.of(history, part.operations()).table();
            boolean accepted = own.level().isAxiom()
                    ? Definitions.accepts(alone, own.level().name())
                    : Interpreter.judge(
                                    alone, Definitions.Level.valueOf(own.level().name()))
                            == Interpreter.Verdict.ACCEPTED;
            assertThat(accepted).as(as).isFalse();
        }
    }
}
