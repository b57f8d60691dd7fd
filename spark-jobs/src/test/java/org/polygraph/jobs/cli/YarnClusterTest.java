package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.spark.launcher.JavaModuleOptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.application.ClusterDriver;
import org.polygraph.jobs.application.InstalledEngines;

/** {@code --deploy-mode cluster} on YARN: the status that the application master gets for a command. */
@Tag("cluster")
class YarnClusterTest {
    @TempDir
    private Path folder;

    private static Environment environment(ByteArrayOutputStream out) {
        PrintStream stream = new PrintStream(out, false, StandardCharsets.UTF_8);
        return new Environment(stream, stream, false, new InstalledEngines());
    }

    private static Properties properties(String... keysAndValues) {
        Properties properties = new Properties();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            properties.setProperty(keysAndValues[i], keysAndValues[i + 1]);
        }
        return properties;
    }

    @Test
    void onlyYarnsClusterModeHasTheProcess() {
        InstalledEngines engines = new InstalledEngines();
        for (Properties own : List.of(
                properties(),
                properties("spark.master", "yarn"),
                properties("spark.master", "yarn", "spark.submit.deployMode", "client"),
                properties("spark.master", "k8s://h", "spark.submit.deployMode", "cluster"),
                properties("spark.master", "spark://h:1", "spark.submit.deployMode", "cluster"))) {
            assertThat(engines.driver(own, System.err)).as(own.toString()).isNull();
        }
        assertThat(engines.driver(properties("spark.master", "yarn", "spark.submit.deployMode", "cluster"), System.err))
                .isNotNull();
    }

    /** The session starts first, and the end is reported last, after all output was written. */
    @Test
    void theClusterHearsOfTheCode() {
        List<String> heard = new ArrayList<>();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ClusterDriver driver = new ClusterDriver() {
            @Override
            public void begin() {
                heard.add("begin");
            }

            @Override
            public void end(int exitCode) {
                heard.add("end " + exitCode + " after "
                        + out.toString(StandardCharsets.UTF_8).split("  ", 2)[0]);
                throw new IllegalStateException("refused");
            }
        };
        String example =
                Command.ROOT.resolve("spark-jobs/examples/write-skew.jsonl").toString();
        assertThatThrownBy(() -> Main.run(
                        new String[] {"check", "-l", "ser", "--engine", "embedded", example}, environment(out), driver))
                .hasMessage("refused");
        assertThat(heard).containsExactly("begin", "end 3 after VIOLATION");
    }

    /** Five applications run in one process of the cluster, which none of them may end. */
    @Test
    void everyEndIsReported() throws IOException, InterruptedException {
        String runs = folder.resolve("runs").toString();
        String invalid = Files.writeString(folder.resolve("broken.jsonl"), "no history\n")
                .toString();
        List<String> words = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx1g"));
        words.addAll(List.of(JavaModuleOptions.defaultModuleOptionArray()));
        words.addAll(List.of(
                "-Djava.io.tmpdir=" + folder,
                "-Dspark.driver.host=127.0.0.1",
                "-Dspark.ui.enabled=false",
                "-Dspark.polygraph.stage.dir=" + folder.resolve("stages"),
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                "org.polygraph.jobs.spark.YarnStandIn",
                "org.polygraph.jobs.cli.Main"));
        String pass = "check -q -l ser --engine spark -o " + runs + " spark-jobs/examples/bank-serializable.jsonl";
        String skew = "check -q -l ser --engine spark spark-jobs/examples/write-skew.jsonl";
        // The second command finds its verdict in a run and needs no session.
        String all =
                String.join(" ; ", pass, pass, skew, skew + " --on-violation=succeed", "check -q -l ser " + invalid);
        words.addAll(List.of(all.split(" ")));
        Command command = Command.run(Command.ROOT, Map.of("SPARK_LOCAL_IP", "127.0.0.1"), words, 5);
        assertThat(command.err().lines().filter(line -> line.matches("(application|process) .*")))
                .as(command.err())
                .containsExactly(
                        "application SUCCEEDED 0",
                        "application SUCCEEDED 0",
                        "application FAILED 3",
                        "application SUCCEEDED 0",
                        "application FAILED 5",
                        "process ends");
        assertThat(command.out().lines().map(line -> line.split("  ", 2)[0]).filter(word -> !word.isEmpty()))
                .startsWith("PASS", "PASS", "VIOLATION")
                .endsWith("INVALID");
        assertThat(command.err()).contains("polygraph: found spark.yarn.maxAppAttempts = nothing; expected 1");
        assertThat(new File(folder.toFile(), "stages").list()).isNullOrEmpty();
    }
}
