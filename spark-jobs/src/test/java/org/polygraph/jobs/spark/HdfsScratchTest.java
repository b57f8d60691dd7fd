package org.polygraph.jobs.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.IntBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.application.CheckpointFiles;
import org.polygraph.jobs.application.EmbeddedChecker;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Progress;
import org.polygraph.jobs.report.Untimed;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.partitioner.closure.WindowPlan;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.HistoryGenerator;

/** Files between driver and tasks on HDFS, where nothing can be mapped in place. */
@Tag("cluster")
class HdfsScratchTest {
    private static final long SEED = 0x4df5;

    private static final Predicate<String> COPY =
            Pattern.compile("/polygraph-[-0-9a-f]{36}\\.tmp").asPredicate();

    @Test
    void filesOfTheClosureAreCopiedAndMapped(@TempDir Path folder) throws IOException {
        Configuration configuration = new Configuration();
        configuration.set(MiniDFSCluster.HDFS_MINIDFS_BASEDIR, folder.toString());
        configuration.setBoolean("dfs.namenode.edits.noeditlogchannelflush", true);
        MiniDFSCluster cluster =
                new MiniDFSCluster.Builder(configuration).numDataNodes(1).build();
        try (FileSystem files = cluster.getFileSystem()) {
            ints(new org.apache.hadoop.fs.Path(files.getUri() + "/ints"), configuration);
            check(files);
            sweeps(files);
        } finally {
            cluster.shutdown();
        }
    }

    private static void ints(org.apache.hadoop.fs.Path where, Configuration configuration) throws IOException {
        where.getFileSystem(configuration).mkdirs(where);
        IntFiles files = new IntFiles(where, configuration);
        long[] lengths = {3, 0, 2};
        files.create("filled", lengths, parts -> {
            parts[0].put(0, 7).put(2, 9);
            parts[2].put(1, 11);
        });
        files.write("filled too", sink -> sink.put(new int[] {7, 0, 9, 0, 11}));
        try (IntFiles twice = new IntFiles(where, configuration)) {
            twice.read("filled", lengths);
            assertThat(temporary()).isNotEmpty();
        }
        for (String name : List.of("filled", "filled too")) {
            IntBuffer[] parts = files.read(name, lengths);
            assertThat(parts[0].get(2)).isEqualTo(9);
            assertThat(parts[1].limit()).isZero();
            assertThat(parts[2].get(1)).isEqualTo(11);
        }
        files.close();
        files.delete("filled");
        assertThat(temporary()).isEmpty();
        assertThatThrownBy(() -> files.read("filled", lengths)).isInstanceOf(IOException.class);
        assertThat(where.getFileSystem(configuration).listStatus(where)).isEmpty();
    }

    /**
     * The name node shows which owners are alive, because it closes the file of an owner that has been silent for long.
     */
    private static void sweeps(FileSystem files) throws IOException {
        org.apache.hadoop.fs.Path parent = new org.apache.hadoop.fs.Path(files.getUri() + "/swept");
        org.apache.hadoop.fs.Path dead = new org.apache.hadoop.fs.Path(parent, "polygraph-stage-dead");
        org.apache.hadoop.fs.Path alive = new org.apache.hadoop.fs.Path(parent, "polygraph-stage-alive");
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

    private static void check(FileSystem files) throws IOException {
        String parent = files.getUri() + "/stages";
        System.setProperty(LazySession.STAGE_FOLDER, parent);
        // A session that an earlier test of this process left would be shared, with its own folder.
        SparkSession living = SparkSession.getDefaultSession().getOrElse(() -> null);
        if (living != null) {
            living.stop();
        }
        try (SparkChecker spark = new SparkChecker(
                "local[2]",
                new SparkChecker.TaskSizes(1, 3, 2, 0, 2, 1, new WindowPlan.Granularity(100, 0), Long.MAX_VALUE))) {
            HistoryTable table = HistoryGenerator.withSeed(SEED)
                    .sessions(5)
                    .transactions(120)
                    .operations(4)
                    .keys(40)
                    .isolation(HistoryGenerator.Isolation.SERIAL)
                    .generate();
            CheckRequest request = new CheckRequest(IsolationLevel.SI, TimeMode.NONE, 0, IndeterminateMode.MAYBE);
            String expected =
                    Untimed.json(new EmbeddedChecker().check(table, request, Progress.NONE, Budget.unlimited()));
            CheckpointFiles kept = new CheckpointFiles(Location.of(files.getUri() + "/run/stages"), message -> {});
            assertThat(Untimed.json(spark.check(table, request, Progress.NONE, Budget.unlimited(), kept)))
                    .isEqualTo(expected);
            // The second check continues from the checkpoints of the first.
            assertThat(Untimed.json(spark.check(table, request, Progress.NONE, Budget.unlimited(), kept)))
                    .isEqualTo(expected);
            assertThat(files.listStatus(new org.apache.hadoop.fs.Path(parent))).isEmpty();
            assertThat(temporary()).isEmpty();
        } finally {
            System.clearProperty(LazySession.STAGE_FOLDER);
        }
    }

    /** Copies of files have no name. They take space as long as they are mapped or open. */
    private static List<String> temporary() throws IOException {
        List<String> found = new ArrayList<>();
        try (Stream<Path> all = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
            all.map(Path::toString).filter(COPY).forEach(found::add);
        }
        Path process = Path.of("/proc/self");
        if (Files.exists(process)) {
            try (Stream<String> lines = Files.lines(process.resolve("maps"));
                    Stream<Path> open = Files.list(process.resolve("fd"))) {
                lines.filter(COPY).forEach(found::add);
                for (Path each : open.toList()) {
                    if (Files.isSymbolicLink(each)
                            && COPY.test(Files.readSymbolicLink(each).toString())) {
                        found.add(each.toString());
                    }
                }
            }
        }
        return found;
    }
}
