package org.polygraph.jobs.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** With every jar on the class path, the embedded engine still loads no class of Spark, Scala or Hadoop. */
@Tag("process")
class NoSparkInEmbeddedTest {
    @TempDir
    Path folder;

    @Test
    void noClassOfSparkIsLoaded() throws IOException, InterruptedException {
        Path root = Path.of(System.getProperty("polygraph.root", ".."));
        Path loaded = folder.resolve("loaded.txt");
        Path out = folder.resolve("out.txt");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xshare:off",
                        "-Xlog:class+load:file=" + loaded,
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        "org.polygraph.jobs.cli.Main",
                        "check",
                        "-l",
                        "ser",
                        root.resolve("spark-jobs/examples/bank-serializable.jsonl")
                                .toString())
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(Files.readString(out)).isZero();
        String classes = Files.readString(loaded);
        assertThat(classes).contains("org.polygraph.jobs.decision.Decision");
        assertThat(classes.lines()
                        .filter(line -> line.contains("] org.apache.spark.")
                                || line.contains("] scala.")
                                || line.contains("] org.apache.hadoop.")))
                .isEmpty();
    }
}
