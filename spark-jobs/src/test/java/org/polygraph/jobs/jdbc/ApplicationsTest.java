package org.polygraph.jobs.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.application.IsolationCheck;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.partitioner.isolation.IsolationLevel;

/** Small applications that know nothing of the recorder, with H2. */
class ApplicationsTest {
    @TempDir
    private Path folder;

    @Test
    void faultsAreFoundAndTheirRepairsAreRight() throws Exception {
        String url = "jdbc:h2:mem:applications";
        try (Connection keeping = DriverManager.getConnection(url)) {
            Applications.checkAll(Applications.of(url), folder);
        }
    }

    /** By the driver alone. */
    @Test
    void bankLosesUpdates() throws Exception {
        Path file = folder.resolve("run.jsonl");
        try (Connection keeping = DriverManager.getConnection("jdbc:h2:mem:bank")) {
            Applications.bank(Applications.of("jdbc:polygraph:h2:mem:bank;polygraph.file=" + file), false);
            RecordingDriver.close(file);
        }
        IsolationCheck.Result found = IsolationCheck.of(file).at(IsolationLevel.SER);
        assertThat(found.anomalies()).as(found.text()).contains(Anomaly.LOST_UPDATE);
        assertThat(Files.readString(file)).contains("\"sql\":\"SELECT balance FROM accounts WHERE id = ?\"");
    }
}
