package org.polygraph.jobs.decision;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.polygraph.jobs.application.EmbeddedChecker;
import org.polygraph.jobs.verdict.Certificate;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.Definitions;
import org.polygraph.storage.testkit.Formula;
import org.polygraph.storage.testkit.PolygraphHistory;
import org.polygraph.storage.testkit.SatChecker;
import org.polygraph.storage.testkit.SuiteScale;
import org.polygraph.storage.testkit.Workloads;

/**
 * Histories that are hard by construction: formulas as histories, and random polygraphs in more than 64 sessions. sat4j
 * judges them.
 */
class HardHistoriesTest {
    private static final List<IsolationLevel> LEVELS = List.of(IsolationLevel.SER, IsolationLevel.SI);
    private static final int MANY_SESSIONS = 64;

    private int verdicts;
    private int accepted;
    private int proofs;
    private int withConflicts;
    private long conflicts;

    private Verdict check(HistoryTable history, IsolationLevel level, boolean holds, Tuning tuning, String what) {
        Verdict verdict =
                new EmbeddedChecker(tuning).check(history, CheckRequest.of(level), Progress.NONE, Budget.unlimited());
        assertThat(verdict.status())
                .as("%s %s", what, level)
                .isEqualTo(holds ? Verdict.Status.PASS : Verdict.Status.VIOLATION);
        Certificate certificate = Objects.requireNonNull(verdict.certificate());
        if (certificate.kind().equals("proof")) {
            assertThat(certificate.verified()).as("%s %s proved", what, level).isTrue();
            proofs++;
        }
        verdicts++;
        accepted += holds ? 1 : 0;
        conflicts += verdict.residual().conflicts();
        withConflicts += verdict.residual().conflicts() > 0 ? 1 : 0;
        return verdict;
    }

    private void report(String what) {
        System.out.println(what + ": " + verdicts + " verdicts, " + accepted + " accepted, " + proofs
                + " refutations proved, " + withConflicts + " with conflicts, " + conflicts + " conflicts");
    }

    private void formulas(long firstSeed, int count, int least, int most, double low, double high) {
        for (long seed = firstSeed; seed < firstSeed + count; seed++) {
            Random random = new Random(seed);
            int variables = least + random.nextInt(most - least + 1);
            Formula formula = Formula.random3Sat(random, variables, low + (high - low) * random.nextDouble());
            boolean holds = formula.isSatisfiable();
            HistoryTable history = formula.history("seed " + seed);
            for (IsolationLevel level : LEVELS) {
                check(history, level, holds, Tuning.DEFAULT, "formula, seed " + seed);
            }
        }
        report("3-SAT, " + least + " to " + most + " variables, seed " + firstSeed);
    }

    @Test
    void smallFormulas() {
        formulas(24, SuiteScale.of(12, 6), 4, 10, 3.4, 5.2);
        assertThat(accepted).isBetween(verdicts / 10, 9 * verdicts / 10);
        assertThat(conflicts).isGreaterThan(verdicts);
    }

    @Test
    void formulasNearTheThreshold() {
        formulas(10_000, SuiteScale.of(4, 4), 20, 50, 3.9, 4.7);
        assertThat(accepted).isBetween(2, verdicts - 2);
    }

    @Test
    void pigeonHoles() {
        for (int holes = 1; holes <= SuiteScale.of(4, 3); holes++) {
            pigeons(holes);
        }
        report("pigeon holes");
    }

    @Test
    @Tag("full")
    void morePigeonHoles() {
        for (int holes = 5; holes <= 6; holes++) {
            pigeons(holes);
            report("pigeon holes to " + holes);
        }
    }

    private void pigeons(int holes) {
        HistoryTable tooMany = Formula.pigeons(holes + 1, holes).history("pigeons");
        HistoryTable enough = Formula.pigeons(holes, holes).history("pigeons");
        for (IsolationLevel level : LEVELS) {
            Verdict refuted = check(tooMany, level, false, Tuning.DEFAULT, holes + " holes, too many pigeons");
            if (holes >= 2) {
                assertThat(refuted.residual().conflicts()).isPositive();
                assertThat(Objects.requireNonNull(refuted.certificate()).kind()).isEqualTo("proof");
            }
            check(enough, level, true, Tuning.DEFAULT, holes + " holes");
        }
    }

    /** The rules reach their fixpoint with thousands of open events, and only search refutes. */
    @Test
    void refutationsThatSurviveSaturation() {
        surviving(50_000, 1, 18, 24, 6.5);
        report("refutations that survive the fixpoint");
    }

    @Test
    @Tag("full")
    void largeRefutationsThatSurviveSaturation() {
        surviving(51_000, 2, 60, 80, 8);
        surviving(52_000, 1, 110, 110, 8);
        report("large refutations that survive the fixpoint");
    }

    private void surviving(long firstSeed, int count, int least, int most, double ratio) {
        int found = 0;
        for (long seed = firstSeed; found < count; seed++) {
            Random random = new Random(seed);
            Formula formula = Formula.random3Sat(random, least + random.nextInt(most - least + 1), ratio);
            if (formula.isSatisfiable()) {
                continue;
            }
            HistoryTable history = formula.history("seed " + seed);
            for (IsolationLevel level : LEVELS.subList(0, SuiteScale.of(2, 1))) {
                assertThat(level.eventsPerTransaction() * history.transactions())
                        .isBetween(1_000, 30_000);
                assertThat(history.sessions()).isGreaterThan(MANY_SESSIONS);
                Tuning fixpoint = Tuning.DEFAULT.withRounds(Tuning.FIXPOINT);
                Verdict verdict = check(history, level, false, fixpoint, "surviving, seed " + seed);
                assertThat(verdict.residual().conflicts()).as("seed " + seed).isPositive();
                assertThat(Objects.requireNonNull(verdict.certificate()).kind()).isEqualTo("proof");
            }
            found++;
        }
    }

    /** The rules alone decide hardly any read, and 19,000 are open: search does not end within minutes. */
    @Test
    void fewValuesOnFewKeys() {
        for (IsolationLevel level : LEVELS) {
            HistoryTable history = Workloads.of(
                            11, "timed false sessions 25 transactions 8000 operations 8 keys 500 values 5")
                    .table();
            Verdict verdict = check(history, level, true, Tuning.DEFAULT, "few values");
            assertThat(verdict.residual().decisions()).isLessThan(100_000);
        }
        report("few values on few keys");
    }

    @Test
    void randomPolygraphs() {
        polygraphs(60_000, SuiteScale.of(20), 65, 75, IsolationLevel.SER);
        polygraphs(61_000, SuiteScale.of(20), 20, 40, IsolationLevel.SI);
        assertThat(accepted).isBetween(verdicts / 10, 9 * verdicts / 10);
        assertThat(withConflicts).isGreaterThan(3);
    }

    private void polygraphs(long firstSeed, int count, int least, int most, IsolationLevel level) {
        for (long seed = firstSeed; seed < firstSeed + count; seed++) {
            Random random = new Random(seed);
            int transactions = least + random.nextInt(most - least + 1);
            HistoryTable history = polygraph(random, transactions).table("polygraph-" + seed);
            assertThat(history.sessions()).isEqualTo(transactions);
            boolean holds = SatChecker.accepts(history, Definitions.Level.valueOf(level.name()));
            for (int rounds : new int[] {Tuning.USUAL, Tuning.NO_RULES}) {
                check(history, level, holds, Tuning.DEFAULT.withRounds(rounds), "polygraph, seed " + seed);
            }
        }
        report("random polygraphs, " + least + " to " + most + " sessions, " + level + ", seed " + firstSeed);
    }

    /**
     * Each transaction has a session of its own. Reads follow a hidden order, except some, which return any value of
     * their key. Values are unique or few.
     */
    private static PolygraphHistory polygraph(Random random, int transactions) {
        int keys = 5 + random.nextInt(transactions / 2);
        int values = random.nextInt(3) == 0 ? 2 + random.nextInt(3) : transactions;
        int tampered = random.nextInt(7);
        PolygraphHistory g = new PolygraphHistory(transactions, keys);
        int[][] written = new int[keys][transactions];
        int[] now = new int[keys];
        int reads = 0;
        for (int t = 0; t < transactions; t++) {
            boolean[] touched = new boolean[keys];
            for (int i = 0; i < 3; i++) {
                int key = random.nextInt(keys);
                if (touched[key]) {
                    continue;
                }
                touched[key] = true;
                if (random.nextBoolean()) {
                    boolean tamper = tampered > 0 && random.nextInt(10) == 0;
                    int value = now[key];
                    if (tamper && t > 0) {
                        value = written[key][random.nextInt(t)];
                        tampered--;
                    }
                    g.read(key, t, value);
                    reads++;
                } else {
                    now[key] = values == transactions ? t + 1 : 1 + random.nextInt(values);
                    g.write(key, t, now[key]);
                }
            }
            for (int k = 0; k < keys; k++) {
                written[k][t] = now[k];
            }
        }
        assertThat(reads).isPositive();
        return g;
    }
}
