package org.polygraph.jobs.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.application.WindowedChecker;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Progress;
import org.polygraph.jobs.estimate.Estimate;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryWriter;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.HistoryGenerator;

/** Scratch files and the input on HDFS. */
@Tag("cluster")
class HdfsScratchTest {
    private static final long SEED = 0x4df5;

    @Test
    void checksOnHdfsLeaveNothing(@TempDir Path folder) throws IOException, HistoryException {
        Configuration configuration = new Configuration();
        configuration.set(MiniDFSCluster.HDFS_MINIDFS_BASEDIR, folder.toString());
        configuration.setBoolean("dfs.namenode.edits.noeditlogchannelflush", true);
        MiniDFSCluster cluster =
                new MiniDFSCluster.Builder(configuration).numDataNodes(1).build();
        try (FileSystem files = cluster.getFileSystem()) {
            check(files);
            sweeps(files);
            try (FileSystem other = FileSystem.newInstance(files.getUri(), configuration)) {
                folderOfARunHasOneOwner(files, other, cluster);
            }
        } finally {
            cluster.shutdown();
        }
    }

    /**
     * The name node shows which owners are alive, because it closes the file of an owner that has been silent for long.
     */
    private static void sweeps(FileSystem files) throws IOException, HistoryException {
        org.apache.hadoop.fs.Path parent = new org.apache.hadoop.fs.Path(files.getUri() + "/swept");
        org.apache.hadoop.fs.Path dead = new org.apache.hadoop.fs.Path(parent, "polygraph-scratch-dead");
        org.apache.hadoop.fs.Path alive = new org.apache.hadoop.fs.Path(parent, "polygraph-scratch-alive");
        OutputStream open = files.create(new org.apache.hadoop.fs.Path(alive, ".owner"));
        OutputStream closed = files.create(new org.apache.hadoop.fs.Path(dead, ".owner"));
        ScratchFolder.sweep(files, parent);
        assertThat(files.exists(dead)).isTrue();
        closed.close();
        ScratchFolder.sweep(files, parent);
        assertThat(files.exists(dead)).isFalse();
        assertThat(files.exists(alive)).isTrue();
        open.close();
    }

    /** A process that lives keeps the folder of its run; one that was killed loses it after the name node's limit. */
    private static void folderOfARunHasOneOwner(FileSystem files, FileSystem other, MiniDFSCluster cluster)
            throws IOException {
        org.apache.hadoop.fs.Path folder = new org.apache.hadoop.fs.Path(files.getUri() + "/run=1/stages/windows");
        ScratchOwner first = ScratchOwner.takeAgain(files, folder, () -> true);
        assertThat(first).isNotNull();
        assertThat(ScratchOwner.takeAgain(other, folder, () -> true)).isNull();
        first.close();
        ScratchOwner second = ScratchOwner.takeAgain(other, folder, () -> true);
        assertThat(second).as("after the end of the first").isNotNull();
        assertThat(ScratchOwner.takeAgain(files, folder, () -> true)).isNull();
        // As if the second had been silent for longer than the limit.
        cluster.setLeasePeriod(1, 3_600_000);
        int[] asked = new int[1];
        ScratchOwner third = ScratchOwner.takeAgain(files, folder, () -> asked[0]++ == 10);
        assertThat(third).as("after the second was killed").isNotNull();
        third.close();
        second.close();
    }

    private static void check(FileSystem files) throws IOException, HistoryException {
        String parent = files.getUri() + "/stages";
        System.setProperty(LazySession.SCRATCH_FOLDER, parent);
        // A session that an earlier test of this process left would be shared, with its own folder.
        SparkSession living = SparkSession.getDefaultSession().getOrElse(() -> null);
        if (living != null) {
            living.stop();
        }
        try (SparkEngine spark = new SparkEngine("local[2]")) {
            HistoryTable table = HistoryGenerator.withSeed(SEED)
                    .sessions(5)
                    .transactions(120)
                    .operations(4)
                    .keys(40)
                    .isolation(HistoryGenerator.Isolation.SERIAL)
                    .generate();
            String file = files.getUri() + "/in/h.parquet";
            HistoryWriter.write(table, file, HistoryFormat.PARQUET);
            CheckRequest request = new CheckRequest(IsolationLevel.SI, TimeMode.NONE, 0, IndeterminateMode.MAYBE);
            Verdict.Builder verdict = new WindowedChecker(spark, Estimate.WINDOW)
                    .decide(file, HistoryFormat.AUTO, request, null, null, Progress.NONE, Budget.unlimited())
                    .verdict();
            assertThat(verdict).isNotNull();
            assertThat(verdict.status()).isEqualTo(Verdict.Status.PASS);
            assertThat(files.listStatus(new org.apache.hadoop.fs.Path(parent))).isEmpty();
        } finally {
            System.clearProperty(LazySession.SCRATCH_FOLDER);
        }
    }
}
