package org.polygraph.jobs.application;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.record.HistoryRecorder;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;

/** The history of a recorder in memory is checked without a file of the caller. */
class IsolationCheckTest {
    @TempDir
    private Path folder;

    @Test
    void aLostUpdateInMemory() throws HistoryException {
        HistoryRecorder recorder = HistoryRecorder.inMemory(0);
        HistoryRecorder.Transaction first = recorder.session().begin();
        HistoryRecorder.Transaction second = recorder.session().begin();
        for (HistoryRecorder.Transaction each : List.of(first, second)) {
            each.read("x", 0);
            each.write("x", each == first ? 1 : 2);
            each.commit();
        }
        HistoryTable history = recorder.history();
        IsolationCheck.Result alone = IsolationCheck.of(history).at(IsolationLevel.SI);
        assertThat(alone.status()).isEqualTo(Verdict.Status.VIOLATION);
        assertThat(alone.text()).contains("LostUpdate");
        assertThat(alone.report()).isEmpty();
        IsolationCheck.Result kept = IsolationCheck.of(history).keepIn(folder).at(IsolationLevel.SI);
        assertThat(kept.report()).isPresent();
        assertThat(kept.report().orElseThrow()).exists();
        IsolationCheck.of(history).keepIn(folder).at(IsolationLevel.SER);
        // The first kept verdict still refers to its own file.
        assertThat(folder.toFile().list((in, name) -> name.matches("history-.*\\.jsonl")))
                .hasSize(2);
        assertThat(IsolationCheck.of(history).at(IsolationLevel.RC).status()).isEqualTo(Verdict.Status.PASS);
    }

    @Test
    void predicatesAreWrittenAsTheyWereRecorded() throws HistoryException {
        HistoryRecorder recorder = HistoryRecorder.inMemory();
        HistoryRecorder.Transaction first = recorder.session().begin();
        first.insert(1, 5);
        first.writeBetween(1, 9, 6, Set.of(1));
        first.commit();
        HistoryRecorder.Transaction second = recorder.session().begin();
        second.readBetween(1, 9, Map.of(1, 6L));
        second.commit();
        assertThat(IsolationCheck.of(recorder.history()).at(IsolationLevel.SER).status())
                .isEqualTo(Verdict.Status.PASS);
    }

    @Test
    void anUnknownStatesThePhaseInWhichTheTimeEnded() throws HistoryException {
        HistoryRecorder recorder = HistoryRecorder.inMemory(0);
        HistoryRecorder.Transaction only = recorder.session().begin();
        only.write("x", 1);
        only.commit();
        IsolationCheck.Result result =
                IsolationCheck.of(recorder.history()).within(Duration.ZERO).at(IsolationLevel.SER);
        assertThat(result.status()).isEqualTo(Verdict.Status.UNKNOWN);
        assertThat(result.text()).containsPattern("ran out during [a-z]");
    }

    @Test
    void nothingRecorded() throws HistoryException {
        assertThat(IsolationCheck.of(HistoryRecorder.inMemory().history())
                        .at(IsolationLevel.SER)
                        .status())
                .isEqualTo(Verdict.Status.INVALID);
    }
}
