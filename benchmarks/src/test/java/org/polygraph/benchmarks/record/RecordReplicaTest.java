package org.polygraph.benchmarks.record;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.application.EmbeddedChecker;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Progress;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.table.HistoryTable;
import picocli.CommandLine;

/** Against a database in this process, which is its own replica: nothing read there is stale. */
class RecordReplicaTest {
    private static final String URL = "jdbc:h2:mem:recorded;DB_CLOSE_DELAY=-1";

    @Test
    void whatClientsSawIsAHistory(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("recorded.jsonl");
        int exit = new CommandLine(new RecordReplica())
                .execute(
                        "--primary=" + URL,
                        "--replica=" + URL,
                        "--writers=3",
                        "--readers=2",
                        "--transactions=40",
                        "--keys=6",
                        "--pause=0",
                        "--about=H2 \"in memory\"",
                        file.toString());
        assertThat(exit).isZero();
        HistoryTable table = HistoryReader.read(file.toString(), HistoryFormat.AUTO);
        assertThat(table.sessions()).isEqualTo(5);
        assertThat(table.transactions()).isEqualTo(200);
        assertThat(new EmbeddedChecker()
                        .check(
                                table,
                                new CheckRequest(IsolationLevel.SI, TimeMode.STRICT, 0, IndeterminateMode.MAYBE),
                                Progress.NONE,
                                Budget.unlimited())
                        .status())
                .isEqualTo(Verdict.Status.PASS);
        assertThat(folder).isDirectoryContaining("glob:**/recorded.jsonl").isDirectoryNotContaining("glob:**.partial");
    }
}
