package org.polygraph.jobs.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.application.EmbeddedChecker;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Progress;
import org.polygraph.jobs.decision.Registers;
import org.polygraph.jobs.report.Untimed;
import org.polygraph.jobs.verdict.Counts;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.closure.WindowPlan;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.linear.Linearizability;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.HistoryDsl;
import org.polygraph.storage.testkit.HistoryGenerator;
import org.polygraph.storage.testkit.InjectedAnomaly;
import org.polygraph.storage.testkit.OracleCorpus;
import org.polygraph.storage.testkit.SplitMix;
import org.polygraph.storage.testkit.SuiteScale;
import org.polygraph.storage.testkit.TinyHistories;
import org.polygraph.storage.testkit.Unrecorded;

/**
 * RC, RA, CC and lin: however keys and sessions are divided, verdict.json equals that of the embedded engine, except
 * for time and memory.
 */
@Tag("spark")
class SparkWeakLevelsTest {
    private static final long SEED = 0x11e7;

    @TempDir
    static Path stages;

    private static final List<IsolationLevel> WEAK = List.of(IsolationLevel.RC, IsolationLevel.RA, IsolationLevel.CC);

    /** Verdicts that took more than the order in which transactions were recorded. */
    private static int inferred;

    private static int turn;

    private static final List<SparkChecker> CHECKERS = new ArrayList<>();

    @BeforeAll
    static void start() {
        System.setProperty(LazySession.STAGE_FOLDER, stages.toUri().toString());
        // Slices of keys, and as many times the operations of a slice a key has that is cut; 0: all keys are.
        for (int[] cut : new int[][] {{1, 2}, {7, 0}, {29, 1}}) {
            CHECKERS.add(new SparkChecker(
                    "local[2]",
                    new SparkChecker.TaskSizes(
                            1, cut[0], cut[1], 0, 3, Long.MAX_VALUE, WindowPlan.Granularity.DEFAULT, Long.MAX_VALUE)));
        }
    }

    @AfterAll
    static void stop() {
        CHECKERS.forEach(SparkChecker::close);
        System.clearProperty(LazySession.STAGE_FOLDER);
    }

    @AfterEach
    void nothingStaysBehind() throws IOException {
        assertThat(CHECKERS.get(0).session().sparkContext().getPersistentRDDs().isEmpty())
                .isTrue();
        try (Stream<Path> left = Files.list(stages)) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void tinyRegistersAreTheSame() {
        tinyRegisters(SEED, SuiteScale.of(30));
    }

    private static void tinyRegisters(long seed, int histories) {
        Map<Verdict.Status, Integer> seen = new EnumMap<>(Verdict.Status.class);
        for (int i = 0; i < histories; i++) {
            HistoryTable table = Registers.tiny(new SplitMix(SplitMix.seedOf(seed, i)));
            assertSameInTurn(table, IsolationLevel.LIN, i % 4 == 0 ? 1 : 0, seen, "seed " + seed + " #" + i);
        }
        System.out.println(histories + " tiny histories at lin from seed " + seed + ": " + seen);
        assertThat(seen.get(Verdict.Status.PASS)).isGreaterThan(histories / 5);
        assertThat(seen.get(Verdict.Status.VIOLATION)).isGreaterThan(histories / 5);
    }

    /**
     * As many keys as slices and more, wrong reads on many of them: the same ones are explained, and the same number is
     * counted.
     */
    @Test
    void registersAreTheSame() {
        Map<Verdict.Status, Integer> seen = new EnumMap<>(Verdict.Status.class);
        for (int i = 0; i < 4; i++) {
            SplitMix random = new SplitMix(SplitMix.seedOf(SEED + 2, i));
            HistoryTable table =
                    Registers.simulated(random, 2_000, 90, random.between(2, 8), i % 2 == 0, i < 2 ? 0 : 0.05);
            assertSame(table, IsolationLevel.LIN, 0, seen, "seed " + (SEED + 2) + " #" + i);
        }
        assertThat(seen).containsOnlyKeys(Verdict.Status.PASS, Verdict.Status.VIOLATION);
    }

    /** Keys on which the search gives up, with and without a violated key; and histories in which nothing counts. */
    @Test
    void openKeysAreTheSame() {
        StringBuilder crowd = new StringBuilder("init 0");
        for (int i = 0; i < 70; i++) {
            crowd.append("; s")
                    .append(i)
                    .append(": @0..9 w(x,")
                    .append(i % 2 + 1)
                    .append(')');
        }
        Map<Verdict.Status, Integer> seen = new EnumMap<>(Verdict.Status.class);
        for (String history : new String[] {
            crowd.toString(),
            crowd + "; s70: @10..11 w(y,1); s71: @12..13 r(y,0); s72: @12..13 r(z,5)",
            crowd + "; s70: @0..1 w(y,1) | @2..3 r(y,1)",
            "init 0; s0: @0..1 !w(x,1)"
        }) {
            assertSame(HistoryDsl.parse(history), IsolationLevel.LIN, 0, seen, history);
        }
        assertThat(seen).containsOnlyKeys(Verdict.Status.PASS, Verdict.Status.VIOLATION, Verdict.Status.UNKNOWN);
    }

    /** Some kind of transactions long enough for the sorted copy, values that repeat, unknown outcomes. */
    @Test
    void generatedHistoriesAreTheSame() {
        Map<Verdict.Status, Integer> seen = new EnumMap<>(Verdict.Status.class);
        HistoryGenerator.Isolation[] isolations = HistoryGenerator.Isolation.values();
        InjectedAnomaly[] anomalies = InjectedAnomaly.values();
        for (int i = 0; i < 6; i++) {
            HistoryGenerator generator = HistoryGenerator.withSeed(SEED + i)
                    .sessions(3 + 12 * i)
                    .transactions(300)
                    .operations(1, i % 3 == 0 ? 60 : 8)
                    .keys(24 + 8 * i)
                    .isolation(isolations[i % isolations.length]);
            if (i % 2 == 1) {
                generator.inject(anomalies[i / 2 % anomalies.length], 2);
            }
            if (i % 5 == 3) {
                generator.repeatedValues(1, 4, 0.5).indeterminateShare(0.1);
            }
            HistoryTable recorded = generator.generate();
            // Clean ones are accepted as they were recorded, before any stage, unless that is not to be seen.
            HistoryTable table = i == 2 || i == 4 ? Unrecorded.shuffled(recorded) : recorded;
            for (IsolationLevel level : WEAK) {
                if (i % 3 == 0) {
                    assertSame(table, level, 0, seen, "seed " + (SEED + i));
                } else {
                    assertSameInTurn(table, level, 0, seen, "seed " + (SEED + i));
                }
            }
        }
        System.out.println("generated histories: " + seen + ", inferred " + inferred);
        assertThat(seen.get(Verdict.Status.PASS)).isGreaterThan(3);
        assertThat(seen.get(Verdict.Status.VIOLATION)).isGreaterThan(3);
        assertThat(inferred).isGreaterThan(2);
    }

    @Test
    void tinyHistoriesAreTheSame() {
        tinyHistories(SEED + 3, SuiteScale.of(15));
    }

    private static void tinyHistories(long seed, int histories) {
        TinyHistories stream = new TinyHistories(seed);
        Map<Verdict.Status, Integer> seen = new EnumMap<>(Verdict.Status.class);
        for (int i = 0; i < histories; i++) {
            HistoryTable table = stream.at(i);
            for (IsolationLevel level : WEAK) {
                if (Counts.of(table).transactionsCommitted() > 0) {
                    assertSameInTurn(table, level, 0, seen, HistoryDsl.print(table) + " seed " + stream.seedOf(i));
                }
            }
        }
        System.out.println(histories + " tiny histories from seed " + seed + ": " + seen);
        assertThat(seen.get(Verdict.Status.PASS)).isGreaterThan(histories / 5);
        assertThat(seen.get(Verdict.Status.VIOLATION)).isGreaterThan(histories / 5);
    }

    @Test
    void oracleHistoriesAreTheSame() throws IOException {
        oracles(199);
    }

    @Test
    @Tag("full")
    void moreOracleHistoriesAreTheSame() throws IOException {
        oracles(7);
    }

    private static void oracles(int every) throws IOException {
        Path folder = OracleCorpus.folder().orElse(null);
        assumeTrue(folder != null, "skipped: no corpus beside the project");
        Map<Verdict.Status, Integer> seen = new EnumMap<>(Verdict.Status.class);
        for (String file : List.of(OracleCorpus.HISTORIES, OracleCorpus.UNKNOWN, OracleCorpus.GOLDEN)) {
            List<OracleCorpus.Entry> entries = OracleCorpus.read(folder.resolve(file));
            for (int i = 0; i < entries.size(); i += every) {
                OracleCorpus.Entry entry = entries.get(i);
                for (IsolationLevel level : WEAK) {
                    if (Counts.of(entry.history()).transactionsCommitted() > 0) {
                        assertSameInTurn(entry.history(), level, 0, seen, file + " " + entry.name());
                    }
                }
            }
        }
        System.out.println("oracles' histories: " + seen);
        assertThat(seen).containsKeys(Verdict.Status.PASS, Verdict.Status.VIOLATION);
    }

    @Test
    void shippedExamplesAreTheSame() throws IOException, HistoryException {
        Path examples = Path.of(System.getProperty("polygraph.root", ".."), "spark-jobs", "examples");
        Map<Verdict.Status, Integer> seen = new EnumMap<>(Verdict.Status.class);
        List<Path> files;
        try (Stream<Path> all = Files.list(examples)) {
            files = all.filter(p -> p.toString().endsWith(".jsonl")).sorted().toList();
        }
        for (Path file : files) {
            HistoryTable table = HistoryReader.read(file.toString(), HistoryFormat.AUTO);
            for (IsolationLevel level : WEAK) {
                if (Counts.of(table).transactionsCommitted() > 0) {
                    assertSameInTurn(table, level, 0, seen, file.toString());
                }
            }
            if (table.ends() != null && Linearizability.problem(table) == null) {
                assertSameInTurn(table, IsolationLevel.LIN, 0, seen, file.toString());
            }
        }
        assertThat(seen).containsKeys(Verdict.Status.PASS, Verdict.Status.VIOLATION);
    }

    /**
     * The last one has more choices than are tried and no recorded order, and SI, which would imply the level, does not
     * hold.
     */
    @Test
    void openReadsAreTheSame() {
        Map<Verdict.Status, Integer> seen = new EnumMap<>(Verdict.Status.class);
        for (IsolationLevel level : WEAK) {
            assertSameInTurn(fewValues(400), level, 0, seen, "seed " + SEED);
        }
        assertSameInTurn(fewValues(2_000), IsolationLevel.RC, 0, seen, "2000 transactions, seed " + SEED);
        assertSameInTurn(
                Unrecorded.of(fewValues(2_000)),
                IsolationLevel.RC,
                0,
                seen,
                "2000 transactions by session, seed " + SEED);
        System.out.println("open reads: " + seen);
        assertThat(seen).containsKeys(Verdict.Status.PASS, Verdict.Status.VIOLATION, Verdict.Status.UNKNOWN);
    }

    private static HistoryTable fewValues(int transactions) {
        return HistoryGenerator.withSeed(SEED)
                .sessions(8)
                .transactions(transactions)
                .operations(2, 6)
                .keys(70)
                .repeatedValues(1, 3, 1.0)
                .isolation(HistoryGenerator.Isolation.READ_COMMITTED)
                .generate();
    }

    /** Checks by all engines, in some hundred tasks. */
    private static void assertSame(
            HistoryTable table, IsolationLevel level, long skew, Map<Verdict.Status, Integer> seen, String what) {
        assertSame(CHECKERS, table, level, skew, seen, what);
    }

    /** Checks by one of the engines, in turn. */
    private static void assertSameInTurn(
            HistoryTable table, IsolationLevel level, long skew, Map<Verdict.Status, Integer> seen, String what) {
        turn = (turn + 1) % CHECKERS.size();
        assertSame(CHECKERS.subList(turn, turn + 1), table, level, skew, seen, what);
    }

    private static void assertSame(
            List<SparkChecker> checkers,
            HistoryTable table,
            IsolationLevel level,
            long skew,
            Map<Verdict.Status, Integer> seen,
            String what) {
        CheckRequest request = new CheckRequest(
                level, level == IsolationLevel.LIN ? TimeMode.STRICT : TimeMode.NONE, skew, IndeterminateMode.MAYBE);
        Verdict expected = new EmbeddedChecker().check(table, request, Progress.NONE, Budget.unlimited());
        seen.merge(expected.status(), 1, Integer::sum);
        inferred += expected.phases().stream().anyMatch(p -> p.name().equals("order") && p.items() > 0) ? 1 : 0;
        for (SparkChecker checker : checkers) {
            Verdict actual = checker.check(table, request, Progress.NONE, Budget.unlimited());
            assertThat(Untimed.json(actual))
                    .as("%s at %s, %s", what, level, checker.sizes())
                    .isEqualTo(Untimed.json(expected));
        }
    }
}
