package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The archive that {@code mvn package} writes, unpacked on a machine without Maven. */
@Tag("process")
class ArchiveIT {
    @TempDir
    private Path folder;

    private Path home;

    @BeforeEach
    void unpack() throws IOException, InterruptedException {
        Path target = Command.ROOT.resolve("spark-jobs/target");
        try (Stream<Path> files = Files.list(target)) {
            Path archive = files.filter(file -> file.toString().endsWith(".tar.gz"))
                    .findFirst()
                    .orElseThrow();
            assertThat(run("tar", "xzf", archive.toString()).exitCode()).isZero();
            home = folder.resolve(archive.getFileName().toString().replace(".tar.gz", ""));
        }
    }

    private Command run(String... words) throws IOException, InterruptedException {
        return Command.run(folder, Map.of(), List.of(words));
    }

    private Command polygraph(String... words) throws IOException, InterruptedException {
        return run(Stream.concat(Stream.of(home + "/bin/polygraph"), Stream.of(words))
                .toArray(String[]::new));
    }

    @Test
    void needsNeitherMavenNorSpark() throws IOException, InterruptedException {
        String history = home + "/examples/bank-serializable.jsonl";
        Command convert = polygraph("convert", history, "bank.parquet");
        assertThat(convert.exitCode()).as(convert.err()).isZero();
        Command check = polygraph("check", "-l", "ser", "-o", "runs", "bank.parquet");
        assertThat(check.out()).as(check.err()).startsWith("PASS  ser  bank.parquet");
        Command verify = polygraph("verify", "runs", "bank.parquet");
        assertThat(verify.exitCode()).as(verify.err()).isZero();
        Command record = polygraph("record", "--transactions", "100", "--check", "-o", "run.jsonl");
        assertThat(record.out()).as(record.err()).contains("100 txns", "PASS  si  run.jsonl");
        assertThat(record.err()).doesNotContain("downloads");
        Command spark = polygraph("check", "-l", "ser", "--engine", "spark", "bank.parquet");
        assertThat(spark.exitCode()).isEqualTo(2);
        assertThat(spark.err()).contains("set SPARK_HOME to a Spark 4.1").doesNotContain("internal error");
    }

    @Test
    void hasAManualAndCompletion() throws IOException, InterruptedException {
        for (String command : List.of("", "-check", "-verify", "-convert")) {
            assertThat(home.resolve("share/man/man1/polygraph" + command + ".1"))
                    .content()
                    .contains(".SH NAME\npolygraph", ".SH OPTIONS\n");
        }
        String script = home + "/share/bash-completion/completions/polygraph";
        Command completion = run(
                "bash",
                "-c",
                ". '" + script
                        + "'; COMP_WORDS=(polygraph ver) COMP_CWORD=1; _complete_polygraph; echo ${COMPREPLY[*]}");
        assertThat(completion.out()).as(completion.err()).contains("verify", "version");
        // Where nothing fits, bash completes names of files.
        assertThat(Path.of(script)).content().contains("-o default").doesNotContain("compopt +o default");
        for (String[] words : new String[][] {
            {"check -l s", "3", "sser ser ssi si"},
            {"record --isolation re", "3", "read-uncommitted read-committed repeatable-read"},
            {"record -w re", "3", "registers"},
            {"generate --anomaly w", "3", "write-skew"}
        }) {
            Command options = run(
                    "bash",
                    "-c",
                    ". '" + script + "'; COMP_WORDS=(polygraph " + words[0] + ") COMP_CWORD=" + words[1]
                            + "; _complete_polygraph; echo ${COMPREPLY[*]}");
            assertThat(options.out().strip()).as(options.err()).isEqualTo(words[2]);
        }
    }
}
