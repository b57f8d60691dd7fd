package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.spark.launcher.JavaModuleOptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A cluster that does not answer, and settings with which none could. */
class TimeoutTest {
    @TempDir
    private Path folder;

    @Test
    @Tag("process")
    void aClusterThatDoesNotAnswerIsNotWaitedFor() throws IOException, InterruptedException {
        List<String> options = new ArrayList<>(List.of(JavaModuleOptions.defaultModuleOptionArray()));
        options.addAll(List.of(
                "-Xmx1g",
                "-Dpolygraph.test.silence=600000",
                "-Dspark.driver.host=127.0.0.1",
                "-Dspark.ui.enabled=false"));
        String line = "check -l ser --engine spark --master yarn --timeout 5s spark-jobs/examples/write-skew.jsonl";
        List<String> words = Command.main(options, List.of(line.split(" ")));
        long start = System.nanoTime();
        Command check = Command.run(Command.ROOT, Map.of("SPARK_LOCAL_IP", "127.0.0.1"), words, 5);
        assertThat(check.exitCode()).as(check.err()).isEqualTo(4);
        assertThat(check.out())
                .startsWith("UNKNOWN  ser  ")
                .contains("  timeout of 5000 ms ran out during start of Spark; give --timeout more");
        assertThat(System.nanoTime() - start).isLessThan(TimeUnit.MINUTES.toNanos(4));
    }

    /** The check fails before it reads: the history does not exist. */
    @Test
    void settingsThatCannotWorkAreReportedFirst() {
        String nowhere = folder.resolve("nowhere").toString();
        InProcess pods =
                InProcess.run("check", "-q", "-l", "ser", "--engine", "spark", "--master", "k8s://https://h", nowhere);
        assertThat(pods.exitCode()).isEqualTo(2);
        assertThat(pods.out()).isEmpty();
        assertThat(pods.err())
                .startsWith("polygraph: scratch files would go to ")
                .contains("spark.polygraph.stage.dir");
        settingIsRefused("spark.polygraph.stage.dir", "hdfs:", nowhere);
        assertThat(Files.exists(Path.of(nowhere))).isFalse();
    }

    private static void settingIsRefused(String key, String value, String history) {
        System.setProperty(key, value);
        try {
            InProcess wrong = InProcess.run("check", "-q", "-l", "ser", "--engine", "spark", history);
            assertThat(wrong.exitCode()).as(wrong.toString()).isEqualTo(2);
            assertThat(wrong.err())
                    .contains(value.substring(0, value.length() - 1), key)
                    .contains("; expected a ");
        } finally {
            System.clearProperty(key);
        }
    }
}
