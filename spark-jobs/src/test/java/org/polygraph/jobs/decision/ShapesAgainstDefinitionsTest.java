package org.polygraph.jobs.decision;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.application.EmbeddedChecker;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.linear.Linearizability;
import org.polygraph.partitioner.prune.Rules;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.Definitions;
import org.polygraph.storage.testkit.SplitMix;
import org.polygraph.storage.testkit.SuiteScale;

/**
 * Compares all levels, from the bytes of a file to verdict and evidence, with {@link Definitions}, on shapes that other
 * generators seldom make and with all settings: a PASS has an order that replays, a VIOLATION closed sub-histories that
 * violate.
 */
class ShapesAgainstDefinitionsTest {
    @TempDir
    private Path folder;

    private final Map<ShapedGenerator.Shape, int[]> found = new EnumMap<>(ShapedGenerator.Shape.class);
    private final ShownVerdicts shown = new ShownVerdicts();
    private int judged;
    private int skipped;
    private int unknown;

    @Test
    void agrees() throws IOException, HistoryException {
        run(0x54a9e, SuiteScale.of(3_000));
    }

    private void run(long seed, int histories) throws IOException, HistoryException {
        for (int i = 0; i < histories; i++) {
            examine(SplitMix.seedOf(seed, i));
        }
        System.out.println(histories + " histories from seed " + seed + ": " + judged + " verdicts, " + unknown
                + " unknown, " + shown.withoutOrder() + " passes by choices alone, " + shown.withoutPart()
                + " violations of empty transactions, " + skipped + " not judged; accepted and rejected by shape:");
        found.forEach((shape, counts) -> System.out.println("  " + shape + " " + counts[0] + " " + counts[1]));
        assertThat(found).hasSameSizeAs(ShapedGenerator.Shape.values());
        // Some shapes rarely pass or rarely fail, so few verdicts do not show their share.
        assertThat(found.values())
                .allMatch(counts ->
                        counts[0] + counts[1] < 300 || Math.min(counts[0], counts[1]) > (counts[0] + counts[1]) / 20);
        assertThat(unknown).isZero();
        assertThat(shown.large()).isZero();
        assertThat(skipped).isLessThan(judged / 1_000 + 3);
        assertThat(shown.withoutOrder()).isLessThan(judged / 500 + 3);
        assertThat(shown.withoutPart()).isLessThan(judged / 1_000 + 3);
    }

    private void examine(long seed) throws IOException, HistoryException {
        ShapedHistory history = ShapedGenerator.of(seed);
        Path file = folder.resolve("history.jsonl");
        Files.writeString(file, history.json());
        HistoryTable table = HistoryReader.read(file.toString(), HistoryFormat.JSONL);
        SplitMix random = new SplitMix(seed);
        IndeterminateMode mode = random.chance(0.75) ? IndeterminateMode.MAYBE : IndeterminateMode.ABORT;
        boolean timed = table.starts() != null;
        long far = random.chance(0.05) ? Long.MAX_VALUE / 16 : 0;
        long skew = timed && random.chance(0.4) ? far + random.between(1, 15) : 0;
        for (IsolationLevel level : IsolationLevel.values()) {
            Definitions definitions = history.definitions(level == IsolationLevel.LIN);
            if (definitions.vacuous() || !isFor(level, table, ShapedGenerator.shapeOf(seed))) {
                continue;
            }
            Boolean holds =
                    definitions.holds(Definitions.Level.valueOf(level.name()), skew, mode == IndeterminateMode.MAYBE);
            if (holds == null) {
                skipped++;
                continue;
            }
            CheckRequest plain = new CheckRequest(level, TimeMode.NONE, skew, mode);
            CheckRequest hinted = new CheckRequest(level, timed ? TimeMode.HINT : TimeMode.NONE, skew, mode);
            String what = " seed " + seed + " " + mode + " skew " + skew + "\n" + history.json();
            judge(table, plain, Tuning.DEFAULT, holds, level + what, seed);
            Tuning tuning = tuning(random);
            judge(table, hinted, tuning, holds, level + " " + tuning + what, seed);
        }
    }

    private static boolean isFor(IsolationLevel level, HistoryTable table, ShapedGenerator.Shape shape) {
        if (level == IsolationLevel.LIN) {
            return shape == ShapedGenerator.Shape.REGISTERS && Linearizability.problem(table) == null;
        }
        return !level.realTime() || table.starts() != null;
    }

    static Tuning tuning(SplitMix random) {
        int[] rounds = {Tuning.NO_RULES, 0, 1, Tuning.FIXPOINT, Tuning.USUAL, Tuning.USUAL};
        Rules.RealTimeRows[] rows = Rules.RealTimeRows.values();
        return Tuning.DEFAULT
                .withRounds(rounds[random.nextInt(rounds.length)])
                .withRows(rows[random.nextInt(rows.length)])
                .withWorkers(1);
    }

    private void judge(HistoryTable whole, CheckRequest request, Tuning tuning, boolean holds, String what, long seed) {
        Verdict verdict = new EmbeddedChecker(tuning).check(whole, request, Progress.NONE, Budget.unlimited());
        judged++;
        if (verdict.status() == Verdict.Status.UNKNOWN) {
            assertThat(request.level().realTime()).as(what).isTrue();
            unknown++;
            return;
        }
        assertThat(verdict.status()).as(what).isEqualTo(holds ? Verdict.Status.PASS : Verdict.Status.VIOLATION);
        found.computeIfAbsent(ShapedGenerator.shapeOf(seed), shape -> new int[2])[holds ? 0 : 1]++;
        shown.isShown(verdict, whole, request, what);
    }
}
