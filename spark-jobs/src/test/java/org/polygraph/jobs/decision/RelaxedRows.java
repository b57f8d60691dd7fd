package org.polygraph.jobs.decision;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.certificate.judge.BruteForce;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.PredicateReads;
import org.polygraph.storage.table.UnknownRows;
import org.polygraph.storage.testkit.Law;
import org.polygraph.storage.testkit.SplitMix;

/**
 * What is derived from a history with writes of unknown rows: the relaxed history holds if the history does, and a guess
 * that a replay finds holds only if the history does.
 */
final class RelaxedRows implements Law.Property<Example> {
    @Override
    public void holds(Example history, SplitMix random, Law.Tally tally) throws Exception {
        HistoryTable read = history.table();
        UnknownRows unknown = read.unknownRows();
        for (IsolationLevel level : history.levels()) {
            if (unknown == null || level == IsolationLevel.LIN) {
                continue;
            }
            boolean holds = Boolean.TRUE.equals(history.holds(level, 0, true));
            CheckRequest request = new CheckRequest(level, TimeMode.HINT, 0, IndeterminateMode.MAYBE);
            String what = level + "\n" + history.text();
            String outcome = (level.isAxiom() ? "at commits " : "") + (holds ? "holds" : "violated");
            boolean isRefuted = unknown.refutes(level.eventsPerTransaction(), level.isAxiom())
                    && BruteForce.judge(request.judged(PredicateReads.apart(read)), request.terms())
                            == BruteForce.Answer.VIOLATED;
            assertThat(isRefuted && holds).as(what).isFalse();
            tally.count(outcome + (isRefuted ? ", refuted" : ", not refuted"));
            if (level.isAxiom()) {
                continue;
            }
            HistoryTable guess = byReplay(unknown, level, read, false);
            guess = guess == null ? byReplay(unknown, level, read, true) : guess;
            boolean isExplained = guess != null && BruteForce.judge(guess, request.terms()) == BruteForce.Answer.HOLDS;
            assertThat(isExplained && !holds).as(what).isFalse();
            tally.count(outcome + (guess == null ? ", no order" : isExplained ? ", order" : ", wrong order"));
        }
    }

    private static @Nullable HistoryTable byReplay(
            UnknownRows unknown, IsolationLevel level, HistoryTable read, boolean countsAll) throws HistoryException {
        return unknown.byReplay(
                level.eventsPerTransaction(), read.starts() != null, level.realTime(), 0, countsAll, () -> false);
    }
}
