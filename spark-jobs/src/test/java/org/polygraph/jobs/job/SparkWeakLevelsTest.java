package org.polygraph.jobs.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.certificate.IndeterminateMode;
import org.polygraph.jobs.pipeline.Budget;
import org.polygraph.jobs.pipeline.CheckRequest;
import org.polygraph.jobs.pipeline.EmbeddedChecker;
import org.polygraph.jobs.pipeline.Progress;
import org.polygraph.jobs.pipeline.Registers;
import org.polygraph.jobs.report.Untimed;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.columnar.HistoryTable;
import org.polygraph.storage.testkit.HistoryDsl;
import org.polygraph.storage.testkit.SplitMix;

/** RC, RA, CC and lin: however keys and sessions are cut, verdict.json is the embedded engine's but for time and memory. */
class SparkWeakLevelsTest {
    private static final long SEED = 0x11e7;

    @TempDir
    static Path stages;

    private static final List<SparkChecker> CHECKERS = new ArrayList<>();

    @BeforeAll
    static void start() {
        System.setProperty(LazySession.STAGE_FOLDER, stages.toUri().toString());
        for (int slices : new int[] {1, 7, 64}) {
            CHECKERS.add(new SparkChecker("local[2]", new SparkChecker.Cut(1, slices, 0, 3, Long.MAX_VALUE)));
        }
    }

    @AfterAll
    static void stop() {
        CHECKERS.forEach(SparkChecker::close);
        System.clearProperty(LazySession.STAGE_FOLDER);
    }

    @Test
    void tinyRegistersAreTheSame() {
        tinyRegisters(SEED, 60);
    }

    @Test
    @Tag("full")
    void tinyRegistersAreTheSameAtLength() {
        tinyRegisters(SEED + 1, 1_500);
    }

    private static void tinyRegisters(long seed, int histories) {
        Map<Verdict.Status, Integer> seen = new EnumMap<>(Verdict.Status.class);
        for (int i = 0; i < histories; i++) {
            HistoryTable table = Registers.tiny(new SplitMix(SplitMix.seedOf(seed, i)));
            assertSame(table, IsolationLevel.LIN, i % 4 == 0 ? 1 : 0, seen, "seed " + seed + " #" + i);
        }
        System.out.println(histories + " tiny histories at lin from seed " + seed + ": " + seen);
        assertThat(seen.get(Verdict.Status.PASS)).isGreaterThan(histories / 5);
        assertThat(seen.get(Verdict.Status.VIOLATION)).isGreaterThan(histories / 5);
    }

    /** As many keys as slices and more, wrong reads on many of them: which are told, and how many there are. */
    @Test
    void registersAreTheSame() {
        Map<Verdict.Status, Integer> seen = new EnumMap<>(Verdict.Status.class);
        for (int i = 0; i < 8; i++) {
            SplitMix random = new SplitMix(SplitMix.seedOf(SEED + 2, i));
            HistoryTable table =
                    Registers.simulated(random, 2_000, 90, random.between(2, 8), i % 2 == 0, i % 4 < 2 ? 0 : 0.05);
            assertSame(table, IsolationLevel.LIN, 0, seen, "seed " + (SEED + 2) + " #" + i);
        }
        assertThat(seen).containsOnlyKeys(Verdict.Status.PASS, Verdict.Status.VIOLATION);
    }

    /** Keys that the search gives up, with and without a violated one; nothing that counts at all. */
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

    private static void assertSame(
            HistoryTable table, IsolationLevel level, long skew, Map<Verdict.Status, Integer> seen, String what) {
        CheckRequest request = new CheckRequest(
                level, level == IsolationLevel.LIN ? TimeMode.STRICT : TimeMode.NONE, skew, IndeterminateMode.MAYBE);
        Verdict expected = new EmbeddedChecker().check(table, request, Progress.NONE, Budget.unlimited());
        seen.merge(expected.status(), 1, Integer::sum);
        for (SparkChecker checker : CHECKERS) {
            Verdict actual = checker.check(table, request, Progress.NONE, Budget.unlimited());
            assertThat(Untimed.json(actual))
                    .as("%s at %s, %s", what, level, checker.cut())
                    .isEqualTo(Untimed.json(expected));
        }
    }
}
