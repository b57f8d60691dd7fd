package org.polygraph.jobs.decision;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.polygraph.jobs.application.EmbeddedChecker;
import org.polygraph.jobs.verdict.Phase;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.BruteForceChecker;
import org.polygraph.storage.testkit.HistoryDsl;
import org.polygraph.storage.testkit.HistoryGenerator;
import org.polygraph.storage.testkit.HistoryGenerator.Isolation;
import org.polygraph.storage.testkit.SplitMix;
import org.polygraph.storage.testkit.SuiteScale;
import org.polygraph.storage.testkit.TinyHistories;

/**
 * Read-modify-write histories, which version chains decide: compares them with brute force, and with the solver without
 * rules.
 */
class VersionChainsTest {
    private static final List<IsolationLevel> LEVELS =
            List.of(IsolationLevel.SSER, IsolationLevel.SER, IsolationLevel.SSI, IsolationLevel.SI);

    @Test
    void agreesWithBruteForce() {
        tiny(0xc4a1, SuiteScale.of(3_000));
    }

    @Test
    void agreesWithTheOrdinaryPath() {
        small(0xc4a3, SuiteScale.of(300));
    }

    private static HistoryGenerator generator(SplitMix random) {
        Isolation[] isolations = Isolation.values();
        return HistoryGenerator.withSeed(random.nextLong())
                .isolation(isolations[random.nextInt(isolations.length)])
                .readShare(1)
                .readModifyWriteShare(0.4 + 0.6 * random.nextDouble())
                .abortedShare(random.chance(0.7) ? 0 : 0.15)
                .indeterminateShare(random.chance(0.7) ? 0 : 0.2);
    }

    private static void tiny(long seed, int histories) {
        int[] accepted = new int[LEVELS.size()];
        int judged = 0;
        int chained = 0;
        for (int i = 0; i < histories; i++) {
            SplitMix random = new SplitMix(SplitMix.seedOf(seed, i));
            HistoryGenerator generator = generator(random)
                    .sessions(random.between(2, 4))
                    .transactions(random.between(3, 6))
                    .operations(random.between(1, 2), random.between(2, 4))
                    .keys(random.between(1, 3));
            HistoryTable history = TinyHistories.of(generator, random.chance(0.3) ? random : null);
            for (int l = 0; l < LEVELS.size(); l++) {
                IsolationLevel level = LEVELS.get(l);
                BruteForceChecker.Verdict truth =
                        BruteForceChecker.judge(history, BruteForceChecker.Level.valueOf(level.name()));
                if (truth == BruteForceChecker.Verdict.INVALID) {
                    continue;
                }
                boolean holds = truth == BruteForceChecker.Verdict.ACCEPTED;
                Verdict verdict = check(history, level, Tuning.DEFAULT);
                String what = HistoryDsl.print(history) + " " + level + " seed " + seed + " #" + i;
                assertThat(verdict.status()).as(what).isEqualTo(holds ? Verdict.Status.PASS : Verdict.Status.VIOLATION);
                assertExplained(verdict, what);
                judged++;
                chained += isChained(verdict) ? 1 : 0;
                accepted[l] += holds ? 1 : 0;
            }
        }
        System.out.println(histories + " histories from seed " + seed + ": " + judged + " verdicts, " + chained
                + " without closure, accepted at SSER " + accepted[0] + ", SER " + accepted[1] + ", SSI " + accepted[2]
                + ", SI " + accepted[3]);
        assertThat(chained).isGreaterThan(judged / 2);
        assertThat(accepted[1]).isBetween(histories / 10, histories * 9 / 10);
    }

    private static void small(long seed, int histories) {
        int accepted = 0;
        int rejected = 0;
        for (int i = 0; i < histories; i++) {
            SplitMix random = new SplitMix(SplitMix.seedOf(seed, i));
            HistoryTable history = TinyHistories.of(
                    generator(random)
                            .sessions(random.between(2, 8))
                            .transactions(random.between(10, 120))
                            .operations(random.between(1, 2), random.between(2, 8))
                            .keys(random.between(2, 60)),
                    random.chance(0.5) ? random : null);
            for (IsolationLevel level : LEVELS) {
                Verdict verdict = check(history, level, Tuning.DEFAULT);
                Verdict ordinary = check(history, level, Tuning.DEFAULT.withRounds(Tuning.NO_RULES));
                String what = level + " seed " + seed + " #" + i;
                assertThat(verdict.status()).as(what).isEqualTo(ordinary.status());
                assertExplained(verdict, what);
                accepted += verdict.status() == Verdict.Status.PASS ? 1 : 0;
                rejected += verdict.status() == Verdict.Status.VIOLATION ? 1 : 0;
            }
        }
        System.out.println(
                histories + " histories from seed " + seed + ": accepted " + accepted + ", rejected " + rejected);
        assertThat(accepted).isGreaterThan(histories / 5);
        assertThat(rejected).isGreaterThan(histories / 5);
    }

    /** A violation has a name, evidence and a sub-history. */
    private static void assertExplained(Verdict verdict, String what) {
        if (verdict.status() == Verdict.Status.VIOLATION) {
            assertThat(verdict.violations()).as(what).isNotEmpty();
            for (Violation violation : verdict.violations()) {
                assertThat(violation.transactions()).as(what).isNotEmpty();
                assertThat(violation.minimal()).as(what).isNotNull();
            }
        }
    }

    private static Verdict check(HistoryTable history, IsolationLevel level, Tuning tuning) {
        return new EmbeddedChecker(tuning).check(history, CheckRequest.of(level), Progress.NONE, Budget.unlimited());
    }

    private static boolean isChained(Verdict verdict) {
        return verdict.phases().stream().map(Phase::name).noneMatch("closure"::equals);
    }
}
