package org.polygraph.jobs.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.Closeable;
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
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryWriter;
import org.polygraph.storage.generate.Workload;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;

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
            try (FileSystem other = FileSystem.newInstance(files.getUri(), configuration)) {
                folderOfARunHasOneOwner(files, other, cluster);
            }
        } finally {
            cluster.shutdown();
        }
    }

    /** A process that lives keeps the folder of its run; one that was killed loses it after the name node's limit. */
    private static void folderOfARunHasOneOwner(FileSystem files, FileSystem other, MiniDFSCluster cluster)
            throws IOException {
        String name = files.getUri() + "/run=1/stages/windows";
        org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path(name, ".owner");
        Location folder = Location.of(name);
        Closeable first = folder.claimed(() -> true);
        assertThat(first).isNotNull();
        assertThat(folder.claimed(() -> true)).isNull();
        first.close();
        OutputStream second = other.append(file);
        assertThat(folder.claimed(() -> true)).isNull();
        // As if the second had been silent for longer than the limit.
        cluster.setLeasePeriod(1, 3_600_000);
        int[] asked = new int[1];
        Closeable third = folder.claimed(() -> asked[0]++ == 10);
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
            HistoryTable table = new Workload()
                    .seed(SEED)
                    .timed(false)
                    .sessions(5)
                    .transactions(120)
                    .operations(4)
                    .keys(40)
                    .table();
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
