package org.polygraph.jobs.application;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.record.HistoryRecorder;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryWriter;
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

    /** Write skew of x and y, and if requested a lost update of z beside it. */
    private static HistoryTable skew(boolean isUpdateLost) throws HistoryException {
        HistoryRecorder recorder = HistoryRecorder.inMemory(0);
        List<HistoryRecorder.Transaction> both =
                List.of(recorder.session().begin(), recorder.session().begin());
        for (int i = 0; i < 2; i++) {
            both.get(i).read("x", 0);
            both.get(i).read("y", 0);
            both.get(i).write(i == 0 ? "x" : "y", i + 1);
        }
        both.forEach(HistoryRecorder.Transaction::commit);
        for (int i = 1; isUpdateLost && i <= 2; i++) {
            HistoryRecorder.Transaction update = recorder.session().begin();
            update.read("z", 0);
            update.write("z", i);
            update.commit();
        }
        return recorder.history();
    }

    @Test
    void anomaliesThatAreAllowed() throws HistoryException {
        IsolationCheck skew = IsolationCheck.of(skew(false)).keepIn(folder);
        assertThatThrownBy(() -> skew.assertKeeps(IsolationLevel.SER))
                .isInstanceOf(AssertionError.class)
                .hasMessageMatching("(?s)VIOLATION  ser .*impossible\\.\nReport: [^\n]*report.html");
        skew.assertKeeps(IsolationLevel.SI);
        skew.mayShow(Anomaly.WRITE_SKEW).assertKeeps(IsolationLevel.SER);
        for (IsolationCheck check : List.of(
                IsolationCheck.of(skew(true)), IsolationCheck.of(skew(true)).keepIn(folder))) {
            check.mayShow(Anomaly.WRITE_SKEW);
            assertThatThrownBy(() -> check.assertKeeps(IsolationLevel.SER))
                    .hasMessageStartingWith("found LostUpdate, where only WriteSkew is allowed\nVIOLATION  ser ");
            check.mayShow(Anomaly.LOST_UPDATE).assertKeeps(IsolationLevel.SER);
        }
    }

    @Test
    void aRunThatIsKeptNamesItsAnomalies() throws IOException, HistoryException {
        Path file = folder.resolve("skew.jsonl");
        HistoryWriter.write(skew(true).asRead(), file.toString(), HistoryFormat.JSONL);
        for (int i = 0; i < 2; i++) {
            // The second answer is that of the first run.
            assertThat(IsolationCheck.of(file)
                            .keepIn(folder)
                            .at(IsolationLevel.SER)
                            .anomalies())
                    .containsExactlyInAnyOrder(Anomaly.WRITE_SKEW, Anomaly.LOST_UPDATE);
        }
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
