package org.polygraph.jobs.application;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.jobs.certificate.judge.BruteForce;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Registers;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.HistoryDsl;
import org.polygraph.storage.testkit.SplitMix;
import org.polygraph.storage.testkit.SuiteScale;
import org.polygraph.storage.testkit.TinyHistories;

/**
 * Tiny histories in 2 to 5 parts against {@link BruteForce}: after each part the verdict is that of everything so far.
 * It is UNKNOWN only if a read of the last part has no writer yet, or if an earlier part is withheld, which it names.
 * Scale 106 is about 100,000 histories.
 */
class ChainsAgainstBruteForceTest {
    private static final long SEED = 0xc4a1;

    @TempDir
    private Path folder;

    private final Map<Verdict.Status, Integer> seen = new EnumMap<>(Verdict.Status.class);
    private int open;
    private int withheld;
    private int onSeams;
    private int standing;

    @Test
    void verdictsAreThoseOfBruteForce() throws Exception {
        int most = SuiteScale.of(500);
        long from = Long.getLong("polygraph.test.from", 0);
        TinyHistories histories = new TinyHistories(SEED);
        IsolationLevel[] levels = IsolationLevel.values();
        int decided = 0;
        for (long i = from; i < from + most; i++) {
            IsolationLevel level = levels[(int) (i % levels.length)];
            SplitMix random = new SplitMix(histories.seedOf(i));
            HistoryTable history = level == IsolationLevel.LIN
                    ? Registers.tiny(random)
                    : random.chance(0.5) ? histories.at(i) : RollingTest.blindWrites(histories.seedOf(i));
            boolean isTimed = history.starts() != null && history.ends() != null;
            if (!level.realTime() || isTimed) {
                int parts = random.between(2, 5);
                check(history, level, RollingTest.parts(history, parts, random), random, "#" + i);
                decided++;
            }
        }
        System.out.println(decided + " histories in parts against brute force, seed " + SEED + " from " + from + ": "
                + seen + ", " + onSeams + " on seams, " + standing + " violations of earlier parts; UNKNOWN: " + open
                + " because a writer may follow, " + withheld
                + " because a part is gone");
        assertThat(seen.get(Verdict.Status.PASS)).isPositive();
        assertThat(seen.get(Verdict.Status.VIOLATION)).isPositive();
        assertThat(onSeams).isPositive();
        assertThat(standing).isPositive();
        assertThat(withheld).isPositive();
    }

    private void check(HistoryTable history, IsolationLevel level, int[] partOf, SplitMix random, String number)
            throws Exception {
        Path runs = Files.createDirectory(folder.resolve("runs"));
        int least = random.nextInt(3);
        boolean withholds = random.chance(0.25);
        int from = 0;
        for (int p = 0; p <= Arrays.stream(partOf).max().orElse(0); p++) {
            Path part = folder.resolve("part-" + p + ".jsonl");
            if (!RollingTest.write(history, partOf, from, p, part)) {
                continue;
            }
            Path whole = folder.resolve("whole.jsonl");
            RollingTest.write(history, partOf, 0, p, whole);
            HistoryTable table = HistoryReader.read(whole.toString(), HistoryFormat.AUTO);
            if (IntStream.range(0, table.transactions())
                    .noneMatch(t -> table.status(t) == TransactionStatus.COMMITTED)) {
                // A chain begins with a part that can be judged, so this one is written with the next.
                continue;
            }
            from = p + 1;
            IsolationCheck.Messages messages = new IsolationCheck.Messages();
            CheckSettings settings = RollingTest.settings(level, runs);
            Answer answer = new CheckRun(settings, new EmbeddedChecker(), messages, least)
                    .answers(part.toString())
                    .get(0);
            BruteForce.Answer expected = judged(table, level);
            String name = number + " " + HistoryDsl.print(history) + " parts " + Arrays.toString(partOf) + " to " + p
                    + " least " + least + " " + level + " " + answer.status() + " " + messages.lines;
            String reason = answer.found() == null ? "" : answer.found().reason();
            if (answer.status() == Verdict.Status.UNKNOWN) {
                boolean isOpen = reason.contains("the writer may follow in the next part");
                assertThat(isOpen || (withholds && reason.contains(" is gone")))
                        .as(name + reason)
                        .isTrue();
                assertThat(isOpen && expected == BruteForce.Answer.HOLDS)
                        .as(name + reason)
                        .isFalse();
                open += isOpen ? 1 : 0;
                withheld += isOpen ? 0 : 1;
            } else {
                assertThat(answer.status())
                        .as(name)
                        .isEqualTo(
                                expected == BruteForce.Answer.HOLDS ? Verdict.Status.PASS : Verdict.Status.VIOLATION);
                assertThat(expected).as(name).isNotEqualTo(BruteForce.Answer.TOO_LARGE);
            }
            standing += reason.contains("no later part writes a value that it reads") ? 1 : 0;
            seen.merge(answer.status(), 1, Integer::sum);
            onSeams += Files.exists(Path.of(answer.run().name(), "seam", "base.txt")) ? 1 : 0;
            if (withholds && random.chance(0.5)) {
                Files.delete(part);
            }
        }
        delete();
    }

    private static BruteForce.Answer judged(HistoryTable table, IsolationLevel level) throws HistoryException {
        CheckRequest request = RollingTest.request(level);
        Terms terms = request.terms();
        assertThat(request.time()).isEqualTo(level.realTime() ? TimeMode.STRICT : TimeMode.NONE);
        HistoryTable whole = request.loaders(table).applied();
        return BruteForce.judge(level == IsolationLevel.LIN ? whole : whole.withoutRefusals(), terms);
    }

    private void delete() throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            List<Path> all = files.sorted(Comparator.reverseOrder()).toList();
            for (Path file : all.subList(0, all.size() - 1)) {
                Files.delete(file);
            }
        }
    }
}
