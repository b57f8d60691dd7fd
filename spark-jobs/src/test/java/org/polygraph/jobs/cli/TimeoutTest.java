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
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code --timeout} in steps without a kernel: hashing, verification, a cluster that does not answer. */
class TimeoutTest {
    @TempDir
    private static Path folder;

    private static String history;

    @BeforeAll
    static void generate() {
        history = folder.resolve("h.jsonl").toString();
        InProcess made = InProcess.run("generate", "-q", "--transactions", "20000", "-o", history);
        assertThat(made.exitCode()).as(made.toString()).isZero();
    }

    @Test
    void hashingTheInputIsInTime() throws IOException {
        Path out = folder.resolve("hashed");
        InProcess check =
                InProcess.run("check", "-q", "-l", "ser,si", "--timeout", "1ms", "-o", out.toString(), history);
        assertThat(check.exitCode()).isEqualTo(4);
        assertThat(check.out().lines().filter(line -> line.startsWith("UNKNOWN")))
                .hasSize(2)
                .allMatch(line -> line.endsWith("  timeout of 1 ms ran out during hashing; give --timeout more"));
        // The id of the run is not known.
        assertThat(out).doesNotExist();
    }

    @Test
    void hashingTheInitialStateIsInTime() throws IOException {
        String small = folder.resolve("small.jsonl").toString();
        Files.writeString(Path.of(small), "{\"session\":0,\"index\":0,\"status\":\"committed\",\"ops\":[]}\n");
        for (String out : List.of("", " -o " + folder.resolve("after"))) {
            InProcess check =
                    InProcess.of("check -q -l ser,si --timeout 1ms --initial-state " + history + out + " " + small);
            assertThat(check.exitCode()).as(check.toString()).isEqualTo(4);
            assertThat(check.out().lines().filter(line -> line.startsWith("UNKNOWN")))
                    .as(check.toString())
                    .hasSize(2)
                    .allMatch(line -> line.contains("timeout of 1 ms ran out during hashing"));
        }
    }

    @Test
    void verificationIsInTime() {
        String out = folder.resolve("verified").toString();
        assertThat(InProcess.run("check", "-q", "-l", "ser", "-o", out, history).exitCode())
                .isZero();
        InProcess late = InProcess.run("verify", "--timeout", "1ms", out);
        assertThat(late.exitCode()).isEqualTo(4);
        assertThat(late.out())
                .startsWith("UNKNOWN  ")
                .endsWith("  timeout of 1 ms ran out during verification; give --timeout more\n");
        InProcess early = InProcess.run("verify", "--timeout", "5m", out);
        assertThat(early.exitCode()).as(early.toString()).isZero();
        assertThat(early.word()).isEqualTo("VERIFIED");
        assertThat(InProcess.run(
                                "verify",
                                "--timeout",
                                "5m",
                                folder.resolve("nowhere").toString())
                        .exitCode())
                .isEqualTo(6);
        assertThat(InProcess.run("verify", "--timeout", "soon", out).exitCode()).isEqualTo(2);
    }

    @Test
    @Tag("process")
    void aClusterThatDoesNotAnswerIsNotWaitedFor() throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx1g"));
        words.addAll(List.of(JavaModuleOptions.defaultModuleOptionArray()));
        words.addAll(List.of(
                "-Dpolygraph.test.silence=600000",
                "-Dspark.driver.host=127.0.0.1",
                "-Dspark.ui.enabled=false",
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                "org.polygraph.jobs.cli.Main"));
        words.addAll(
                List.of("check", "-l", "ser", "--engine", "spark", "--master", "yarn", "--timeout", "5s", history));
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
