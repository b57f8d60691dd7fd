package org.polygraph.jobs.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.application.EngineException;
import org.polygraph.partitioner.index.CommitStatus;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.HistoryGenerator;

/** Files of transactions, in any folder. */
class ScratchFilesTest {
    private static final HistoryTable TABLE =
            HistoryGenerator.withSeed(0x57a6).transactions(100).generate();
    private static final CommitStatus COUNTING =
            IndexedHistory.of(TABLE, IndexedHistory.Indeterminate.MAYBE).commitStatus();

    @SuppressWarnings("NullAway.Init")
    private static SparkSession spark;

    @TempDir
    private java.nio.file.Path folder;

    @BeforeAll
    static void start() {
        spark = new LazySession("local[2]").get();
    }

    private ScratchFiles written(java.nio.file.Path parent) throws IOException {
        ScratchFiles files = new ScratchFiles(new Path(parent.toUri()), new Configuration());
        files.write(TABLE, COUNTING, 30, () -> false);
        return files;
    }

    /** The characters of Hadoop's patterns; Spark looks for files that fit. */
    @Test
    void aFolderMayBeCalledAnything() throws IOException {
        java.nio.file.Path odd = Files.createDirectory(folder.resolve("a b[1]{c,d}*?e%20"));
        try (ScratchFiles files = written(odd)) {
            assertThat(files.rows(spark).count()).isEqualTo(100);
        }
        assertThat(odd).isEmptyDirectory();
    }

    /** Failures before any task runs: a missing folder, a damaged file and a bug have messages of their own. */
    @Test
    void failuresHaveMessages() throws IOException {
        Path there = new Path(folder.toUri());
        Files.writeString(folder.resolve("part-00000.parquet"), "PAR1 is no file PAR1");
        assertThatThrownBy(() -> ScratchFolder.load(spark.read().format("parquet"), new Path(there, "gone")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("gone: found no such folder; something else removes files there");
        assertThatThrownBy(() -> ScratchFolder.load(spark.read().format("parquet"), there))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("scratch files in " + there + ": found ")
                .hasMessageContaining("part-00000.parquet")
                .hasMessageContaining("expected them as they were written; ")
                .hasMessageContaining("give another " + LazySession.STAGE_FOLDER)
                .hasMessageNotContaining("no such folder");
        assertThatThrownBy(() -> ScratchFolder.load(spark.read().format("binaryFile"), there, "path", "contents"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("scratch files in " + there + ": found ")
                .hasMessageContaining("`contents`")
                .hasMessageContaining("expected what this version writes; ")
                .hasMessageNotContaining("no such folder");
        assertThat(ScratchFolder.load(spark.read().format("binaryFile"), there, "path", "content")
                        .count())
                .isEqualTo(1);
    }

    @Test
    void aFolderThatIsGoneIsAnErrorOfStorage() throws IOException {
        try (ScratchFiles files = written(folder)) {
            try (Stream<java.nio.file.Path> all = Files.list(folder)) {
                all.forEach(each -> FileUtil.fullyDelete(each.toFile()));
            }
            assertThatThrownBy(() -> files.rows(spark))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("something else removes files there");
        }
    }
}
