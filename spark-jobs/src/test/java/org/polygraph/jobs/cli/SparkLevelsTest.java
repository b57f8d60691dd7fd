package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.polygraph.jobs.report.Untimed;

/** Several levels in one check, on Spark: what the embedded engine answers. */
class SparkLevelsTest {
    @Test
    void severalLevelsAndPaths() {
        String examples = Command.ROOT.resolve("spark-jobs/examples").toString();
        List<String> common = List.of("check", "-l", "ser,si,cc,ra,rc", "--json", "--time", "none");
        List<String> paths = List.of(
                examples + "/long-fork.jsonl",
                examples + "/write-skew.jsonl",
                examples + "/lost-update.jsonl",
                examples + "/fractured-read.jsonl",
                examples + "/bank-serializable.jsonl");
        InProcess embedded = run(common, List.of("--engine", "embedded"), paths);
        InProcess spark = run(common, List.of("--engine", "spark", "--master", "local[2]"), paths);
        assertThat(Untimed.json(spark.out())).isEqualTo(Untimed.json(embedded.out()));
        assertThat(spark.exitCode()).isEqualTo(embedded.exitCode());
        assertThat(spark.out().lines()).hasSize(5 * paths.size());
    }

    private static InProcess run(List<String> common, List<String> engine, List<String> paths) {
        List<String> words = new java.util.ArrayList<>(common);
        words.addAll(engine);
        words.addAll(paths);
        return InProcess.run(words);
    }
}
