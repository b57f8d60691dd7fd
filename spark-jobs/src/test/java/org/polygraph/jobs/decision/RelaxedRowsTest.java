package org.polygraph.jobs.decision;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.certificate.judge.BruteForce;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.PredicateReads;
import org.polygraph.storage.table.UnknownRows;
import org.polygraph.storage.testkit.SplitMix;
import org.polygraph.storage.testkit.SuiteScale;

/**
 * Compares what is derived from histories with writes of unknown rows with the definition: the relaxed history holds if
 * the history does, and a guess that a replay finds holds only if the history does.
 */
class RelaxedRowsTest {
    private static final long SEED = 0x2ead5;

    @TempDir
    private Path folder;

    @Test
    void agreeOnTinyHistories() throws Exception {
        Map<String, Integer> counts = new TreeMap<>();
        for (int i = 0; i < SuiteScale.of(1_500); i++) {
            ConditionHistories history = ConditionHistories.withUnknownRows(new SplitMix(SplitMix.seedOf(SEED, i)));
            Path file = Files.writeString(folder.resolve("history.jsonl"), history.lines());
            HistoryTable read = HistoryReader.read(file.toString(), HistoryFormat.JSONL);
            UnknownRows unknown = read.unknownRows();
            for (IsolationLevel level : IsolationLevel.values()) {
                if (unknown == null || level == IsolationLevel.LIN || (level.realTime() && !history.isTimed())) {
                    continue;
                }
                boolean holds = history.holds(level);
                CheckRequest request = new CheckRequest(level, TimeMode.HINT, 0, IndeterminateMode.MAYBE);
                String what = level + " #" + i + "\n" + history.lines();
                String outcome = (level.isAxiom() ? "at commits " : "") + (holds ? "holds" : "violated");
                boolean isRefuted = unknown.refutes(level.eventsPerTransaction(), level.isAxiom())
                        && BruteForce.judge(request.judged(PredicateReads.apart(read)), request.terms())
                                == BruteForce.Answer.VIOLATED;
                assertThat(isRefuted && holds).as(what).isFalse();
                counts.merge(outcome + (isRefuted ? ", refuted" : ", not refuted"), 1, Integer::sum);
                if (level.isAxiom()) {
                    continue;
                }
                HistoryTable guess = byReplay(unknown, level, history, false);
                guess = guess == null ? byReplay(unknown, level, history, true) : guess;
                boolean isExplained =
                        guess != null && BruteForce.judge(guess, request.terms()) == BruteForce.Answer.HOLDS;
                assertThat(isExplained && !holds).as(what).isFalse();
                counts.merge(
                        outcome + (guess == null ? ", no order" : isExplained ? ", order" : ", wrong order"),
                        1,
                        Integer::sum);
            }
        }
        System.out.println(counts + ", seed " + SEED);
        assertThat(counts).containsKeys("violated, refuted", "at commits violated, refuted", "holds, order");
        assertThat(counts.get("holds, order")).isGreaterThan(5 * counts.getOrDefault("holds, no order", 0));
        assertThat(counts.get("violated, refuted")).isGreaterThan(counts.get("violated, not refuted") / 3);
    }

    private static @Nullable HistoryTable byReplay(
            UnknownRows unknown, IsolationLevel level, ConditionHistories history, boolean countsAll)
            throws HistoryException {
        return unknown.byReplay(
                level.eventsPerTransaction(), history.isTimed(), level.realTime(), 0, countsAll, () -> false);
    }
}
