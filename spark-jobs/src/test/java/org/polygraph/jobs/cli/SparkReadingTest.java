package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.report.Untimed;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.BinaryFiles;
import org.polygraph.storage.testkit.EdnFiles;

/**
 * Inputs that tasks read in pieces, and those of other formats, which the driver reads. The output is that of the
 * embedded engine to the byte, also for damaged inputs.
 */
@Tag("spark")
class SparkReadingTest {
    private static final String PIECE_BYTES = "spark.polygraph.piece.bytes";

    @TempDir
    private Path folder;

    @BeforeEach
    void readSmallPieces() {
        System.setProperty(PIECE_BYTES, "16k");
    }

    @AfterEach
    void readDefaultPieces() {
        System.clearProperty(PIECE_BYTES);
        assertThat(SparkSession.active().sparkContext().getPersistentRDDs().isEmpty())
                .isTrue();
    }

    private String generated(String name, String options) {
        String path = folder.resolve(name).toString();
        InProcess generated = InProcess.run(
                List.of(("generate -q --transactions 3000 --sessions 20 --keys 300 " + options + " --out " + path)
                        .split(" +", -1)));
        assertThat(generated.exitCode()).as(generated.toString()).isNotEqualTo(2);
        return path;
    }

    private static InProcess check(List<String> engine, List<String> options, List<String> paths) {
        List<String> words = new ArrayList<>(List.of("check", "-q", "-l", "ser,si", "--json"));
        words.addAll(engine);
        words.addAll(options);
        words.addAll(paths);
        return InProcess.run(words);
    }

    private static InProcess same(String... paths) throws IOException {
        InProcess embedded = check(List.of(), List.of(), List.of(paths));
        InProcess spark = check(List.of("--engine", "spark", "--master", "local[2]"), List.of(), List.of(paths));
        assertThat(Untimed.json(spark.out())).isEqualTo(Untimed.json(embedded.out()));
        assertThat(spark.err()).isEqualTo(embedded.err());
        assertThat(spark.exitCode()).isEqualTo(embedded.exitCode());
        return spark;
    }

    @Test
    void verdictsAreTheSameBytes() throws IOException {
        String lines = generated("h.jsonl", "--anomaly write-skew");
        String parquet = generated("h.parquet", "--seed 3");
        Path parts = Files.createDirectory(folder.resolve("parts"));
        List<String> all = Files.readAllLines(Path.of(lines));
        Files.write(parts.resolve("1.jsonl"), all.subList(0, 1200));
        Files.write(parts.resolve("2.jsonl"), all.subList(1200, all.size()));
        InProcess spark = same(lines, parquet, parts.toString());
        assertThat(spark.exitCode()).isEqualTo(3);
        assertThat(jobs()).contains("read the input");
    }

    private String dbcop(String name, HistoryTable table) throws IOException {
        BinaryFiles.dbcop(table, folder.resolve(name));
        return folder.resolve(name).toString();
    }

    private String cobra(String name, HistoryTable table) throws IOException {
        BinaryFiles.cobra(table, folder.resolve(name));
        return folder.resolve(name).toString();
    }

    private HistoryTable unfinished() throws Exception {
        return HistoryReader.read(generated("h.jsonl", "--aborted 0.1 --indeterminate 0.1"), HistoryFormat.AUTO);
    }

    private HistoryTable skewed() throws Exception {
        return HistoryReader.read(generated("skewed.jsonl", "--anomaly write-skew"), HistoryFormat.AUTO);
    }

    private long readings() {
        return jobs().stream().filter("read the input"::equals).count();
    }

    @Test
    void binaryFormats() throws Exception {
        HistoryTable table = unfinished();
        HistoryTable skewed = skewed();
        long before = readings();
        InProcess spark = same(
                dbcop("h.bincode", table),
                cobra("logs", table),
                dbcop("skewed.bincode", skewed),
                cobra("skewed", skewed));
        assertThat(spark.exitCode()).isEqualTo(3);
        assertThat(readings() - before).isZero();
    }

    private String edn(String name, HistoryTable table, boolean isOfLists) throws IOException {
        EdnFiles.write(table, isOfLists, folder.resolve(name));
        return folder.resolve(name).toString();
    }

    @Test
    void invocationsAndCompletions() throws Exception {
        HistoryTable table = unfinished();
        HistoryTable skewed = skewed();
        long before = readings();
        InProcess spark =
                same(edn("h.edn", table, false), edn("skewed.edn", skewed, false), edn("lists.edn", skewed, true));
        assertThat(spark.exitCode()).isEqualTo(3);
        assertThat(readings() - before).isZero();
    }

    @Test
    void damagedBytesHaveTheMessageOfOnePass() throws Exception {
        HistoryTable table = HistoryReader.read(generated("h.jsonl", ""), HistoryFormat.AUTO);
        Path flag = Path.of(dbcop("flag.bincode", table));
        byte[] content = Files.readAllBytes(flag);
        content[content.length - 1] = 7;
        Files.write(flag, content);
        Path behind = Files.write(folder.resolve("behind.bincode"), Arrays.copyOf(content, content.length + 1));
        Path logs = Path.of(cobra("logs", table));
        byte[] log = Files.readAllBytes(logs.resolve("T7.log"));
        Files.write(logs.resolve("T7.log"), Arrays.copyOf(log, log.length - 3));
        InProcess spark = same(flag.toString(), behind.toString(), logs.toString());
        assertThat(spark.exitCode()).isEqualTo(5);
        assertThat(spark.err()).contains("flag.bincode:byte ", "behind.bincode:byte ", "T7.log:byte ");
    }

    /** The names of Spark's jobs. */
    private static List<String> jobs() {
        List<String> names = new ArrayList<>();
        SparkSession.active()
                .sparkContext()
                .statusStore()
                .jobsList(null)
                .foreach(job -> names.add(job.description().getOrElse(() -> "")));
        return names;
    }

    @Test
    void errorsHaveTheMessageOfOnePass() throws IOException {
        String path = generated("h.jsonl", "");
        List<String> lines = Files.readAllLines(Path.of(path));
        List<String> broken = new ArrayList<>(lines);
        broken.set(2500, broken.get(2500).replace("\"ops\"", "\"opps\""));
        broken.set(2900, "{");
        Path bad = Files.write(folder.resolve("bad.jsonl"), broken);
        List<String> twice = new ArrayList<>(lines);
        twice.add(twice.get(7));
        Path again = Files.write(folder.resolve("again.jsonl"), twice);
        InProcess spark = same(bad.toString(), again.toString());
        assertThat(spark.exitCode()).isEqualTo(5);
        assertThat(spark.err()).contains("bad.jsonl:2501:", "again.jsonl:3002", "a second time");
    }

    @Test
    void timeEndsIt() throws IOException {
        String path = generated("h.jsonl", "");
        // The session is started first, because otherwise the time would end while it starts.
        same(path);
        InProcess spark =
                check(List.of("--engine", "spark", "--master", "local[2]"), List.of("--timeout", "1ms"), List.of(path));
        assertThat(spark.exitCode()).isEqualTo(4);
        assertThat(spark.out()).contains("timeout of 1 ms ran out during reading");
    }

    @Test
    void filesOnHdfs() throws Exception {
        Configuration configuration = new Configuration();
        configuration.set(
                MiniDFSCluster.HDFS_MINIDFS_BASEDIR, folder.resolve("hdfs").toString());
        configuration.setBoolean("dfs.namenode.edits.noeditlogchannelflush", true);
        MiniDFSCluster cluster =
                new MiniDFSCluster.Builder(configuration).numDataNodes(1).build();
        try (FileSystem files = cluster.getFileSystem()) {
            List<String> paths = new ArrayList<>();
            for (String name : List.of("h.jsonl", "h.parquet")) {
                String local = generated(name, "--seed 5");
                files.copyFromLocalFile(
                        new org.apache.hadoop.fs.Path(local), new org.apache.hadoop.fs.Path("/" + name));
                paths.add(files.getUri() + "/" + name);
            }
            HistoryTable table = HistoryReader.read(paths.get(0), HistoryFormat.AUTO);
            for (String local : List.of(dbcop("h.bincode", table), cobra("logs", table))) {
                String name = Path.of(local).getFileName().toString();
                files.copyFromLocalFile(
                        new org.apache.hadoop.fs.Path(local), new org.apache.hadoop.fs.Path("/" + name));
                paths.add(files.getUri() + "/" + name);
            }
            assertThat(same(paths.toArray(String[]::new)).exitCode()).isZero();
        } finally {
            cluster.shutdown();
        }
    }
}
