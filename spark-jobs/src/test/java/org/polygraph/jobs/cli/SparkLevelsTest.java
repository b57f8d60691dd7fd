package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.report.Untimed;
import org.polygraph.jobs.windows.ListHistories;
import org.polygraph.storage.testkit.SplitMix;

/** Several levels in one check on Spark have the answers of windows in one process, and the verdicts of the whole. */
class SparkLevelsTest {
    private static final long SEED = 0x5a1;

    @Test
    @Tag("spark")
    void severalLevelsAndPaths(@TempDir Path folder) throws IOException {
        String examples = Command.ROOT.resolve("spark-jobs/examples").toString();
        List<String> common = List.of("check", "-l", "ser,si,cc,ra,rc", "--json", "--time", "none");
        List<String> paths = List.of(
                examples + "/long-fork.jsonl",
                examples + "/write-skew.jsonl",
                examples + "/lost-update.jsonl",
                examples + "/fractured-read.jsonl",
                examples + "/bank-serializable.jsonl",
                lists(folder, "lists", 0),
                lists(folder, "lists-late", 0.02));
        InProcess whole = run(common, List.of("--engine", "embedded"), paths);
        InProcess embedded = run(common, List.of("--engine", "embedded", "--window", "131072"), paths);
        InProcess spark = run(common, List.of("--engine", "spark", "--master", "local[2]"), paths);
        assertThat(verdicts(spark)).isEqualTo(verdicts(whole));
        assertThat(spark.exitCode()).isEqualTo(whole.exitCode());
        // Whatever windows of files decide is the same to the last byte.
        List<String> sparkLines = Untimed.json(spark.out()).lines().toList();
        List<String> lines = Untimed.json(embedded.out()).lines().toList();
        assertThat(sparkLines).hasSize(5 * paths.size());
        int byTasks = 0;
        for (int i = 0; i < lines.size(); i++) {
            if (sparkLines.get(i).contains("\"windows\":{")) {
                byTasks++;
                assertThat(sparkLines.get(i)).isEqualTo(lines.get(i));
            }
        }
        assertThat(byTasks).isGreaterThan(lines.size() / 2);
    }

    private static String lists(Path folder, String name, double late) throws IOException {
        ListHistories histories = new ListHistories(new SplitMix(SEED), 300, 5, 20, true).faults(late, 0);
        return Files.writeString(folder.resolve(name + ".jsonl"), histories.json())
                .toString();
    }

    private static List<String> verdicts(InProcess check) {
        return check.out()
                .lines()
                .map(line -> line.replaceFirst(
                        ".*(\"verdict\":\"\\w+\",\"level\":\"\\w+\").*(\"path\":\"[^\"]+\").*", "$1 $2"))
                .toList();
    }

    /** What executors do not decide is said, with the reason; the verdict is that of the embedded engine. */
    @Test
    @Tag("spark")
    void historiesThatTheDriverDecidesAreReported(@TempDir Path folder) throws IOException {
        String examples = Command.ROOT.resolve("spark-jobs/examples") + "/";
        Path registers = Files.writeString(
                folder.resolve("registers.jsonl"),
                "{\"session\":0,\"index\":0,\"start\":1,\"end\":2,\"status\":\"committed\",\"ops\":[{\"op\":\"cas\",\"key\":1,\"expected\":3,\"ok\":false}]}\n");
        Path queries = Files.writeString(
                folder.resolve("queries.jsonl"),
                "{\"session\":0,\"index\":0,\"status\":\"committed\",\"ops\":[{\"op\":\"w\",\"key\":1,\"value\":5},{\"op\":\"pr\",\"lo\":1,\"hi\":9,\"rows\":[[1,5]]}]}\n");
        List<List<String>> cases = List.of(
                List.of("lin", registers.toString(), "it has refused compare-and-sets"),
                List.of("all", examples + "write-skew.jsonl", "level all needs the whole in memory; name the levels"),
                List.of("ser,si", examples + "jepsen-list-append.edn", "it is no file of JSON Lines or Parquet"),
                List.of("ser,si", examples + "rows-reinserted.jsonl", "insert"),
                List.of("ser", queries.toString(), "it has predicates"));
        for (List<String> each : cases) {
            List<String> check = List.of("check", "-l", each.get(0));
            InProcess spark = run(check, List.of("--engine", "spark", "--master", "local[2]"), List.of(each.get(1)));
            assertThat(spark.err().lines().filter(line -> line.contains("windows do not decide the history, because ")))
                    .as(each + " " + spark)
                    .singleElement()
                    .asString()
                    .contains(each.get(2), "; it is decided as a whole in the memory of this process");
            InProcess embedded = run(check, List.of("--engine", "embedded"), List.of(each.get(1)));
            assertThat(spark.exitCode()).as(each + " " + spark).isEqualTo(embedded.exitCode());
        }
    }

    /** A history with predicates that exceeds the memory of the driver is UNKNOWN, and both are named as the reason. */
    @Test
    @Tag("spark")
    void predicatesThatDoNotFitInTheDriverAreUnknown(@TempDir Path folder) throws IOException {
        String path = folder.resolve("queries.jsonl").toString();
        String out = folder.resolve("out").toString();
        InProcess generated = InProcess.run(List.of(
                ("generate -q -l ser --transactions 2000 --keys 2000 --predicates 1 --selectivity 400 --operations 1 --out "
                                + path)
                        .split(" ", -1)));
        assertThat(generated.exitCode()).as(generated.toString()).isZero();
        List<String> check = List.of("check", "-l", "ser");
        List<String> spark = List.of("--engine", "spark", "--master", "local[2]");
        InProcess small = run(check, spark, List.of("--memory", "1m", "-o", out, path));
        assertThat(small.exitCode()).as(small.toString()).isEqualTo(4);
        String reason = "because windows do not decide it: it has predicates";
        assertThat(small.out()).startsWith("UNKNOWN  ser").contains(reason);
        assertThat(small.err()).doesNotContain("OutOfMemoryError", "Exception");
        try (Stream<Path> runs = Files.list(Path.of(out))) {
            Path run = runs.filter(Files::isDirectory).findFirst().orElseThrow();
            assertThat(Files.readString(run.resolve("verdict.json")))
                    .contains(reason, "\"whole\":\"it has predicates\"");
        }
        InProcess large = run(check, spark, List.of("--json", path));
        assertThat(large.exitCode()).as(large.toString()).isZero();
        assertThat(large.out()).contains("\"whole\":\"it has predicates\"");
        assertThat(large.err())
                .contains("because it has predicates; it is decided as a whole in the memory of this process");
    }

    /** The first part is decided by tasks, the second one in the driver on the seam of the first. */
    @Test
    @Tag("spark")
    void partsOfAChain(@TempDir Path folder) throws IOException {
        String runs = folder.resolve("runs").toString();
        for (int part = 0; part < 2; part++) {
            StringBuilder lines = new StringBuilder();
            for (int t = 2000 * part; t < 2000 * (part + 1); t++) {
                lines.append("{\"session\":0,\"index\":" + t
                        + ",\"status\":\"committed\",\"ops\":[{\"op\":\"r\",\"key\":1,\"value\":"
                        + (t == 0 ? "null" : t) + "},{\"op\":\"w\",\"key\":1,\"value\":" + (t + 1) + "}]}\n");
            }
            Path file = Files.writeString(folder.resolve("part-" + part + ".jsonl"), lines);
            InProcess answer = InProcess.run(List.of(
                    "check",
                    "-q",
                    "-l",
                    "ser",
                    "--engine",
                    "spark",
                    "--master",
                    "local[2]",
                    "-o",
                    runs,
                    "--after",
                    runs,
                    file.toString()));
            assertThat(answer.word()).as(answer.toString()).isEqualTo("PASS");
            assertThat(answer.out()).contains(part == 0 ? "  2000 txns" : "  3000 txns");
        }
    }

    /** One planted write skew among many transactions: both engines name its two transactions and no others. */
    @Test
    void aPlantedWriteSkewIsNamed(@TempDir Path folder) {
        String path = folder.resolve("planted.parquet").toString();
        InProcess generated = InProcess.run(List.of(
                ("generate -q --transactions 20000 --sessions 50 --keys 1600 --anomaly write-skew --at 12345 --out "
                                + path)
                        .split(" ", -1)));
        assertThat(generated.exitCode()).as(generated.toString()).isZero();
        Set<String> planted = places(generated.out());
        assertThat(planted).hasSize(2);
        for (String time : List.of("none", "hint")) {
            List<String> common = List.of("check", "-q", "-l", "ser", "--time", time);
            for (List<String> engine :
                    List.of(List.of("--engine", "embedded"), List.of("--engine", "spark", "--master", "local[2]"))) {
                InProcess check = run(common, engine, List.of(path));
                assertThat(check.exitCode()).as(check.toString()).isEqualTo(3);
                assertThat(check.out()).startsWith("VIOLATION  ser").contains("20000 txns", "WriteSkew");
                assertThat(places(check.out())).as("%s %s", time, engine).isEqualTo(planted);
            }
        }
    }

    /** 2,000 sessions of 80 transactions: 650 MB of clocks. */
    @Test
    @Tag("spark")
    void autoIsWindowsWhereTheWholeDoesNotFit(@TempDir Path folder) {
        String path = folder.resolve("wide.parquet").toString();
        InProcess generated = InProcess.run(List.of(
                ("generate -q --transactions 160000 --sessions 2000 --operations 2 --keys 20000 --no-time --out "
                                + path)
                        .split(" ", -1)));
        assertThat(generated.exitCode()).as(generated.toString()).isZero();
        assertThat(run(List.of("estimate", "-l", "ser", "--memory", "500m"), List.of(), List.of(path))
                        .out())
                .contains("--engine auto takes windows for ser");
        List<String> check = List.of("check", "-v", "-l", "ser");
        String note = "the history is decided by windows, because the estimate of its memory exceeds what there is";
        InProcess windows = run(check, List.of("--memory", "500m"), List.of(path));
        assertThat(windows.exitCode()).as(windows.toString()).isZero();
        assertThat(windows.err()).contains(note);
        InProcess whole = run(check, List.of("--memory", "500m", "--window", "0"), List.of(path));
        assertThat(whole.exitCode()).as(whole.toString()).isZero();
        assertThat(whole.err()).doesNotContain(note);
    }

    private static Set<String> places(String text) {
        return Pattern.compile("s\\d+#\\d+")
                .matcher(text)
                .results()
                .map(MatchResult::group)
                .collect(Collectors.toSet());
    }

    private static InProcess run(List<String> common, List<String> engine, List<String> paths) {
        List<String> words = new java.util.ArrayList<>(common);
        words.addAll(engine);
        words.addAll(paths);
        return InProcess.run(words);
    }
}
