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
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.SplitMix;
import org.polygraph.storage.testkit.SuiteScale;

/**
 * Shapes joined to histories of up to hundreds of transactions, at all levels and settings. They have more sessions,
 * keys and writers of a key than the definitions can try at once, and their verdict is known by construction.
 */
class JoinedShapesTest {
    private static final IsolationLevel[] LEVELS = IsolationLevel.values();

    @TempDir
    private Path folder;

    private final ShownVerdicts shown = new ShownVerdicts();
    private final Map<IsolationLevel, Map<Verdict.Status, Integer>> seen = new EnumMap<>(IsolationLevel.class);

    @Test
    void agree() throws IOException, HistoryException {
        run(0x101ed, SuiteScale.of(20 * LEVELS.length, 8 * LEVELS.length), 40);
    }

    private void run(long seed, int histories, int mostParts) throws IOException, HistoryException {
        for (int i = 0; i < histories; i++) {
            SplitMix random = new SplitMix(SplitMix.seedOf(seed, i));
            IsolationLevel level = LEVELS[i % LEVELS.length];
            int parts = random.between(2, random.chance(0.5) ? 6 : mostParts);
            int violating = random.chance(0.5) ? 0 : random.chance(0.7) ? 1 : random.between(1, Math.min(parts, 5));
            ShapedJoin join = ShapedJoin.of(random.nextLong(), level, parts, violating);
            examine(join, level, random, "#" + i + " of seed " + seed + ": " + join);
        }
        System.out.println(histories + " joined histories from seed " + seed + ": " + seen + ", "
                + shown.withoutPart()
                + " violations of empty transactions, " + shown.large() + " of large parts");
        int enough = histories / LEVELS.length / 4;
        assertThat(seen.values())
                .hasSize(LEVELS.length)
                .allMatch(counts -> counts.getOrDefault(Verdict.Status.PASS, 0) > enough
                        && counts.getOrDefault(Verdict.Status.VIOLATION, 0) > enough
                        && counts.getOrDefault(Verdict.Status.UNKNOWN, 0) < enough);
    }

    private void examine(ShapedJoin join, IsolationLevel level, SplitMix random, String what)
            throws IOException, HistoryException {
        Path file = folder.resolve("history.jsonl");
        Files.writeString(file, join.json());
        HistoryTable table = HistoryReader.read(file.toString(), HistoryFormat.JSONL);
        TimeMode hint = join.isTimed() ? TimeMode.HINT : TimeMode.NONE;
        judge(join, table, join.request(level, TimeMode.NONE), Tuning.DEFAULT.withRounds(2), what);
        judge(join, table, join.request(level, hint), VerdictLaw.tuning(random), what);
        judge(join, table, join.request(LEVELS[random.nextInt(LEVELS.length)], hint), VerdictLaw.tuning(random), what);
    }

    private void judge(ShapedJoin join, HistoryTable table, CheckRequest request, Tuning tuning, String what) {
        IsolationLevel level = request.level();
        Boolean holds = join.holds(level);
        if (holds == null) {
            return;
        }
        Verdict verdict = new EmbeddedChecker(tuning).check(table, request, Progress.NONE, Budget.unlimited());
        seen.computeIfAbsent(level, l -> new EnumMap<>(Verdict.Status.class)).merge(verdict.status(), 1, Integer::sum);
        String as = what + " " + request + " " + tuning + " " + verdict.reason() + "\n" + join.json();
        shown.isShown(verdict, join, holds, table, request, as);
    }
}
