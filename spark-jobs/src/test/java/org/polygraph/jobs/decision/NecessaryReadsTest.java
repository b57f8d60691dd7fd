package org.polygraph.jobs.decision;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.application.EmbeddedChecker;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.certificate.judge.BruteForce;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.SerialRefinement;
import org.polygraph.storage.table.UnknownRows;
import org.polygraph.storage.testkit.SplitMix;
import org.polygraph.storage.testkit.SuiteScale;

/**
 * Compares what is derived from histories with writes of unknown rows with the definition: the necessary reads hold if
 * the history does, and a guess that a replay finds holds only if the history does.
 */
class NecessaryReadsTest {
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
                if (unknown == null || level.isAxiom() || (level.realTime() && !history.isTimed())) {
                    continue;
                }
                boolean holds = history.holds(level);
                CheckRequest request = new CheckRequest(level, TimeMode.HINT, 0, IndeterminateMode.MAYBE);
                String what = level + " #" + i + "\n" + history.lines();
                String outcome = holds ? "holds" : "violated";
                if (level.eventsPerTransaction() == 1) {
                    boolean isRefuted = isRefuted(unknown, request, what);
                    assertThat(isRefuted && holds).as(what).isFalse();
                    boolean isRefutedInSteps = isRefutedInSteps(unknown, request);
                    assertThat(isRefutedInSteps && !isRefuted).as(what).isFalse();
                    counts.merge(isRefutedInSteps ? "refuted in steps" : "not refuted in steps", 1, Integer::sum);
                    counts.merge(outcome + (isRefuted ? ", refuted" : ", not refuted"), 1, Integer::sum);
                }
                HistoryTable guess = unknown.byReplay(
                        level.eventsPerTransaction(), history.isTimed(), level.realTime(), 0, () -> false);
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
        assertThat(counts)
                .containsKeys("violated, refuted", "violated, not refuted", "holds, order", "refuted in steps");
        assertThat(counts.get("holds, order")).isGreaterThan(5 * counts.getOrDefault("holds, no order", 0));
        assertThat(counts.get("violated, refuted")).isGreaterThan(counts.get("violated, not refuted") / 2);
    }

    private static boolean isRefuted(UnknownRows unknown, CheckRequest request, String what) throws Exception {
        SerialRefinement refinement = unknown.refinement(Long.MAX_VALUE, () -> false);
        HistoryTable necessary = refinement == null ? null : refinement.table();
        assertThat(necessary).as(what).isNotNull();
        Finding found = find(necessary, request);
        boolean isRefuted = found instanceof Finding.Refuted || found instanceof Finding.Violated;
        BruteForce.Answer answer = BruteForce.judge(necessary, request.terms());
        if (answer != BruteForce.Answer.TOO_LARGE) {
            assertThat(answer == BruteForce.Answer.VIOLATED).as(what).isEqualTo(isRefuted);
        }
        return isRefuted;
    }

    /** Selects at first nothing, and then what an order does not explain. */
    private static boolean isRefutedInSteps(UnknownRows unknown, CheckRequest request) {
        SerialRefinement refinement = unknown.refinement(0, () -> false);
        while (refinement != null) {
            HistoryTable necessary = refinement.table();
            Finding found = find(Objects.requireNonNull(necessary, "few operations"), request);
            if (!(found instanceof Finding.Order order)) {
                return true;
            }
            if (!refinement.replay(order.witness().counted(), order.witness().position())) {
                return false;
            }
        }
        return false;
    }

    private static Finding find(HistoryTable history, CheckRequest request) {
        return new EmbeddedChecker().apply(new Check(history, request, Budget.unlimited()));
    }
}
