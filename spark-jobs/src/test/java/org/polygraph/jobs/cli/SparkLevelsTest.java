package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.report.Untimed;
import org.polygraph.storage.testkit.Simulator;
import org.polygraph.storage.testkit.Simulator.Feature;

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
                lists(folder, SEED),
                lists(folder, SEED + 1));
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

    private static String lists(Path folder, long seed) throws IOException {
        String lines =
                Simulator.with(EnumSet.of(Feature.LISTS, Feature.LARGE), seed).json();
        return Files.writeString(folder.resolve("lists-" + seed + ".jsonl"), lines)
                .toString();
    }

    private static List<String> verdicts(InProcess check) {
        return check.out()
                .lines()
                .map(line -> line.replaceFirst(
                        ".*(\"verdict\":\"\\w+\",\"level\":\"\\w+\").*(\"path\":\"[^\"]+\").*", "$1 $2"))
                .toList();
    }

    private static InProcess run(List<String> common, List<String> engine, List<String> paths) {
        List<String> words = new ArrayList<>(common);
        words.addAll(engine);
        words.addAll(paths);
        return InProcess.run(words);
    }
}
