package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.launcher.JavaModuleOptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** spark-submit with the jars of cluster-config/bin/thin-jars, on a class path without our jars. */
@Tag("cluster")
class SparkSubmitIT {
    @TempDir
    private Path folder;

    @Test
    void thinJarsAreEnough() throws IOException, InterruptedException {
        Command thin = Command.run(
                Command.ROOT,
                Map.of(),
                List.of(
                        Command.ROOT.resolve("cluster-config/bin/thin-jars").toString(),
                        folder.resolve("jars").toString()));
        assertThat(thin.exitCode()).as(thin.err()).isZero();
        List<String> jars = thin.out().lines().toList();
        List<String> ours = Stream.of((jars.get(0) + "," + jars.get(1)).split(","))
                .map(jar -> Path.of(jar).getFileName().toString())
                .toList();
        String manifest =
                Files.readString(Command.ROOT.resolve("cluster-config/deploy/kubernetes/sparkapplication.yaml"));
        assertThat(Pattern.compile("local:///opt/polygraph/(\\S+)")
                        .matcher(manifest)
                        .results()
                        .map(match -> match.group(1)))
                .containsExactlyInAnyOrderElementsOf(ours);
        String libraries = Files.readString(Command.ROOT.resolve("spark-jobs/target/launch/spark.libraries"));
        String spark = Arrays.stream(libraries.strip().split(File.pathSeparator))
                .filter(jar -> !ours.contains(Path.of(jar).getFileName().toString()))
                .collect(Collectors.joining(File.pathSeparator));
        List<String> words = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx1g"));
        words.addAll(List.of(JavaModuleOptions.defaultModuleOptionArray()));
        words.addAll(List.of("-cp", spark, "org.apache.spark.deploy.SparkSubmit"));
        words.addAll(List.of("--class", "org.polygraph.jobs.cli.Main", "--master", "local[2]", "--jars", jars.get(1)));
        words.addAll(List.of("--conf", "spark.polygraph.stage.dir=" + folder.toUri() + "stages"));
        words.add(jars.get(0));
        words.addAll(List.of(("check -q -l ser --engine spark -o " + folder.resolve("runs")
                        + " spark-jobs/examples/bank-serializable.jsonl spark-jobs/examples/write-skew.jsonl")
                .split(" ")));
        Command submit = Command.run(Command.ROOT, Map.of("SPARK_LOCAL_IP", "127.0.0.1"), words, 5);
        assertThat(submit.exitCode()).as(submit.err()).isEqualTo(3);
        assertThat(submit.out())
                .startsWith("PASS  ser  spark-jobs/examples/bank-serializable.jsonl")
                .contains("\nVIOLATION  ser  spark-jobs/examples/write-skew.jsonl");
        try (var left = Files.list(folder.resolve("stages"))) {
            assertThat(left).isEmpty();
        }
        try (var runs = Files.walk(folder.resolve("runs"))) {
            assertThat(runs.filter(file -> file.endsWith("_SUCCESS"))).hasSize(2);
        }
    }
}
