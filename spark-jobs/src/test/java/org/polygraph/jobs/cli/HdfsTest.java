package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.storage.artifact.AtomicFile;
import org.polygraph.storage.artifact.Location;

/** Checks and verifications whose history and run directory are on HDFS. */
@Tag("cluster")
class HdfsTest {
    @TempDir
    private static Path folder;

    private static MiniDFSCluster cluster;
    private static FileSystem files;

    @BeforeAll
    static void start() throws IOException {
        Configuration configuration = new Configuration();
        configuration.set(MiniDFSCluster.HDFS_MINIDFS_BASEDIR, folder.toString());
        configuration.setBoolean("dfs.namenode.edits.noeditlogchannelflush", true);
        cluster = new MiniDFSCluster.Builder(configuration).numDataNodes(1).build();
        files = cluster.getFileSystem();
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.shutdown();
        }
    }

    private static String uri(String path) {
        return files.getUri() + path;
    }

    private static List<String> list(String path) throws IOException {
        List<String> names = new ArrayList<>();
        RemoteIterator<LocatedFileStatus> each = files.listFiles(new org.apache.hadoop.fs.Path(path), true);
        while (each.hasNext()) {
            names.add(each.next().getPath().toUri().getPath().replaceFirst("^/out/run=[0-9a-f]{16}/", ""));
        }
        return names;
    }

    @Test
    void aRunIsWrittenFoundAndVerified() throws IOException {
        Path examples = Command.ROOT.resolve("spark-jobs/examples");
        for (String name : List.of("bank-serializable.jsonl", "write-skew.jsonl")) {
            files.copyFromLocalFile(
                    new org.apache.hadoop.fs.Path(examples.resolve(name).toUri()),
                    new org.apache.hadoop.fs.Path("/in/" + name));
        }
        String bank = uri("/in/bank-serializable.jsonl");
        InProcess first = InProcess.run("check", "-q", "-l", "ser", "-o", uri("/out"), bank);
        assertThat(first.exitCode()).as(first.toString()).isZero();
        assertThat(list("/out"))
                .containsExactlyInAnyOrder(
                        "/out/index.html",
                        "_SUCCESS",
                        "seam/chain.txt",
                        "certificate/ranks.parquet",
                        "junit.xml",
                        "metrics.json",
                        "report.html",
                        "verdict.json",
                        "violations.jsonl");
        long written = modified();
        InProcess again = InProcess.run("check", "-q", "-l", "ser", "-o", uri("/out"), bank);
        assertThat(again.word()).isEqualTo("PASS");
        assertThat(modified()).isEqualTo(written);
        InProcess verified = InProcess.run("verify", uri("/out"));
        assertThat(verified.exitCode()).as(verified.toString()).isZero();
        assertThat(verified.out()).contains("the same bytes");

        // An unfinished run is replaced.
        files.delete(first(), false);
        org.apache.hadoop.fs.Path left = new org.apache.hadoop.fs.Path(first().getParent(), ".verdict.json.9.tmp");
        files.create(left).close();
        files.setTimes(left, System.currentTimeMillis() - 7_200_000, -1);
        assertThat(InProcess.run("check", "-q", "-l", "ser", "-o", uri("/out"), bank)
                        .exitCode())
                .isZero();
        assertThat(list("/out")).hasSize(9);

        InProcess violation =
                InProcess.run("check", "-q", "-l", "ser", "-o", uri("/skew"), uri("/in/write-skew.jsonl"));
        assertThat(violation.exitCode()).isEqualTo(3);
        assertThat(InProcess.run("verify", uri("/skew")).word()).isEqualTo("VERIFIED");
        assertThat(InProcess.run("verify", uri("/nowhere")).exitCode()).isEqualTo(6);
        // A copy of the run on a local disk verifies a local copy of the history.
        Path local = folder.resolve("local");
        files.copyToLocalFile(new org.apache.hadoop.fs.Path("/out"), new org.apache.hadoop.fs.Path(local.toUri()));
        assertThat(Files.isDirectory(local)).isTrue();
        assertThat(InProcess.run(
                                "verify",
                                local.toString(),
                                examples.resolve("bank-serializable.jsonl").toString())
                        .word())
                .isEqualTo("VERIFIED");
    }

    /** A rename replaces a file in one step: if the new file is missing, the old one stays. */
    @Test
    void aFileIsReplacedThere() throws IOException {
        Location location = Location.of(uri("/replaced/file"));
        location.write(out -> out.write("old".getBytes(StandardCharsets.UTF_8)));
        AtomicFile twin = location.create();
        twin.stream().write('n');
        twin.stream().close();
        for (FileStatus each : files.listStatus(new org.apache.hadoop.fs.Path("/replaced"))) {
            if (each.getPath().getName().endsWith(".tmp")) {
                files.delete(each.getPath(), false);
            }
        }
        assertThatThrownBy(twin::commit).isInstanceOf(IOException.class);
        assertThat(location.length()).isEqualTo(3);
        location.write(out -> out.write("newer".getBytes(StandardCharsets.UTF_8)));
        assertThat(location.length()).isEqualTo(5);
        assertThat(list("/replaced")).hasSize(1);
        // The message must not call a folder a file.
        location.delete();
        location.child("in").write(out -> out.write('n'));
        assertThatThrownBy(() -> location.write(out -> out.write('n'))).isInstanceOf(IOException.class);
        assertThat(list("/replaced")).hasSize(1);
    }

    @Test
    void aHistoryIsGeneratedThere() throws IOException {
        InProcess generated =
                InProcess.run("generate", "-q", "--parts", "3", "--anomaly", "lost-update", "-o", uri("/generated"));
        assertThat(generated.exitCode()).as(generated.toString()).isZero();
        assertThat(files.listStatus(new org.apache.hadoop.fs.Path("/generated")))
                .extracting(each -> each.getPath().getName())
                .containsExactly("_SUCCESS", "part-00000.parquet", "part-00001.parquet", "part-00002.parquet");
        assertThat(InProcess.run("estimate", "--json", uri("/generated")).out())
                .contains("\"transactions\":10000,\"operations\":80000,\"sessions\":10");
        InProcess check = InProcess.run("check", "-q", "-l", "si", uri("/generated"));
        assertThat(check.exitCode()).isEqualTo(3);
        assertThat(generated.out()).contains("lost-update  s0#500 s1#500");
        assertThat(check.out()).contains("LostUpdate").contains("s0#500").contains("s1#500");
    }

    @Test
    void aCheckOnSparkLeavesNothingThere() throws IOException {
        String history = uri("/scratch/h.parquet");
        InProcess generated = InProcess.of("generate -q --transactions 120 --keys 40 --no-time -o " + history);
        assertThat(generated.exitCode()).as(generated.toString()).isZero();
        // A session that an earlier test of this process left would be shared, with its own folder.
        Faults.stopSession();
        String setting = "spark.polygraph.stage.dir";
        System.setProperty(setting, uri("/stages"));
        try {
            InProcess check = InProcess.of("check -q -l si --engine spark --master local[2] " + history);
            assertThat(check.word()).as(check.toString()).isEqualTo("PASS");
            assertThat(files.listStatus(new org.apache.hadoop.fs.Path("/stages")))
                    .isEmpty();
        } finally {
            System.clearProperty(setting);
            Faults.stopSession();
        }
    }

    /** A process that lives keeps the folder of its run; one that was killed loses it after the name node's limit. */
    @Test
    void aFolderOfARunHasOneOwner() throws IOException {
        String name = uri("/run=1/stages/windows");
        Location folderOfRun = Location.of(name);
        try (FileSystem other = FileSystem.newInstance(files.getUri(), files.getConf())) {
            Closeable first = folderOfRun.claimed(() -> true);
            assertThat(first).isNotNull();
            assertThat(folderOfRun.claimed(() -> true)).isNull();
            first.close();
            OutputStream second = other.append(new org.apache.hadoop.fs.Path(name, ".owner"));
            assertThat(folderOfRun.claimed(() -> true)).isNull();
            // As if the second had been silent for longer than the limit.
            cluster.setLeasePeriod(1, 3_600_000);
            int[] asked = new int[1];
            Closeable third = folderOfRun.claimed(() -> asked[0]++ == 10);
            assertThat(third).as("after the second was killed").isNotNull();
            third.close();
            second.close();
        }
    }

    private static org.apache.hadoop.fs.Path first() throws IOException {
        return new org.apache.hadoop.fs.Path(
                files.globStatus(new org.apache.hadoop.fs.Path("/out/run=*"))[0].getPath(), "_SUCCESS");
    }

    private static long modified() throws IOException {
        return files.getFileStatus(first()).getModificationTime();
    }
}
