package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LevelNamesTest {
    private static final Path EXAMPLES = Command.ROOT.resolve("spark-jobs/examples");

    @TempDir
    private Path folder;

    private static String example(String name) {
        return EXAMPLES.resolve(name + ".jsonl").toString();
    }

    /** Status and level of each result line. */
    private static List<String> results(InProcess run) {
        return run.out()
                .lines()
                .filter(line -> !line.startsWith(" "))
                .map(line -> line.replaceFirst("^(\\w+)  (\\w+)  .*", "$1 $2"))
                .toList();
    }

    @ParameterizedTest
    @CsvSource({
        "serializable, ser",
        "SERIALIZABLE, ser",
        "strict-serializable, sser",
        "PL-SS, sser",
        "snapshot-isolation, si",
        "Snapshot Isolation, si",
        "strong-snapshot-isolation, ssi",
        "causal-consistency, cc",
        "read-atomic, ra",
        "READ_COMMITTED, rc",
        "read-committed, rc",
        ":serializable, ser",
        "strong-session-serializable, ser",
        ":strong-session-PL-SI, si",
        "strong-session-read-committed, rc",
        "linearizable, lin",
        "si, si"
    })
    void known(String name, String label) {
        assertThat(LevelNames.of(name).orElseThrow().label()).isEqualTo(label);
    }

    @Test
    void repeatableReadIsExplained() {
        for (String name : List.of("repeatable-read", "REPEATABLE READ", "pl-2.99")) {
            assertThat(LevelNames.of(name)).isEmpty();
            assertThat(LevelNames.refusal(name))
                    .contains("'" + name + "'", "PostgreSQL snapshot isolation (si)", "MySQL", "(ser)")
                    .doesNotContain("did you mean");
        }
    }

    @Test
    void namesThatAreNotDecidedHaveALevelThatImpliesThem() {
        assertThat(LevelNames.refusal("monotonic-atomic-view")).contains("ra (read atomicity) implies it");
        for (String name : List.of("PL-2+", "cursor-stability", "monotonic-view", "PL-MSR", "strong-session-PL-FCV")) {
            assertThat(LevelNames.refusal(name)).contains("si (snapshot isolation) implies it");
        }
        assertThat(LevelNames.refusal("strong-read-committed")).contains("ssi (strong snapshot isolation) implies it");
        assertThat(LevelNames.refusal("serialisable")).contains("did you mean serializable?");
    }

    @Test
    void allAreThoseThatTheHistoryHasTheDataFor() throws Exception {
        // Without times there is no real-time order.
        InProcess untimed = InProcess.run("check", "-l", "all", example("write-skew"));
        assertThat(untimed.exitCode()).isEqualTo(3);
        assertThat(results(untimed)).containsExactly("VIOLATION ser", "PASS si", "PASS cc", "PASS ra", "PASS rc");
        assertThat(untimed.out()).contains("strongest of ser, si, cc, ra, rc that holds: si");
        assertThat(untimed.err()).isEmpty();

        InProcess timed = InProcess.run("check", "-l", "all", example("bank-serializable"));
        assertThat(results(timed))
                .containsExactly("PASS sser", "PASS ser", "PASS ssi", "PASS si", "PASS cc", "PASS ra", "PASS rc");

        Path lists = folder.resolve("lists.jsonl");
        Files.writeString(
                lists,
                "{\"session\":0,\"index\":0,\"status\":\"committed\",\"ops\":[{\"op\":\"append\",\"key\":1,\"value\":1}]}\n");
        assertThat(results(InProcess.run("check", "-l", "all", lists.toString())))
                .containsExactly("PASS ser", "PASS si", "PASS cc", "PASS ra", "PASS rc");
    }

    @Test
    void allIsKeptInTheSameRunsAsEachLevel() {
        String out = folder.resolve("runs").toString();
        List<String> first = results(InProcess.run("check", "-l", "all", "-o", out, example("write-skew")));
        assertThat(results(InProcess.run("check", "-l", "all", "-o", out, example("write-skew"))))
                .isEqualTo(first)
                .hasSize(5);
        assertThat(results(InProcess.run("check", "-l", "si", "-o", out, example("write-skew"))))
                .containsExactly("PASS si");
    }

    private String stating(String isolation) throws Exception {
        Path file = folder.resolve(isolation.replaceAll("\\W", "") + ".jsonl");
        Files.writeString(
                file,
                Files.readString(Path.of(example("write-skew")))
                        .replaceFirst("\"version\":1", "\"version\":1,\"isolation\":\"" + isolation + "\""));
        return file.toString();
    }

    @Test
    void withoutALevelTheHeaderStatesIt() throws Exception {
        String serializable = stating("serializable");
        String snapshot = stating("snapshot-isolation");
        InProcess run = InProcess.run("check", serializable, snapshot);
        assertThat(run.exitCode()).isEqualTo(3);
        assertThat(results(run)).containsExactly("VIOLATION ser", "PASS si");
        assertThat(run.err()).contains(serializable + ": level ser, because the header states isolation serializable");
        assertThat(results(InProcess.run("explain", snapshot))).containsExactly("PASS si");
        assertThat(results(InProcess.run("check", "-l", "si", serializable))).containsExactly("PASS si");

        String parquet = folder.resolve("stated.parquet").toString();
        assertThat(InProcess.run("convert", serializable, parquet).exitCode()).isZero();
        assertThat(results(InProcess.run("check", parquet))).containsExactly("VIOLATION ser");

        InProcess repeatable = InProcess.run("check", stating("repeatable-read"));
        assertThat(repeatable.exitCode()).isEqualTo(2);
        assertThat(repeatable.err()).contains("Missing required option: '--level=LEVEL'", "in PostgreSQL snapshot");
        assertThat(InProcess.run("check", example("write-skew")).err()).contains("states no isolation in its header");
        assertThat(InProcess.run("check", "-").err()).contains("- states no isolation in its header");
        assertThat(InProcess.run("check", "nowhere.jsonl").err()).contains("no such file");
    }

    @ParameterizedTest
    @CsvSource({
        "PostgreSQL 15.18, repeatable-read, si",
        "postgres, REPEATABLE READ, si",
        "10.11.18-MariaDB, repeatable-read, cc",
        "Apache Derby 10.16, repeatable_read, rc",
        "H2 2.3.232, serializable, si",
        "HSQL Database Engine 2.7.4, serializable, ser",
        "DuckDB v1.3.2, repeatable-read, si",
        "CockroachDB, serializable, ser",
    })
    void theNameOfADatabaseGivesTheLevelOfItsIsolation(String database, String isolation, String level)
            throws Exception {
        InProcess run = InProcess.run("check", stating(isolation + "\",\"database\":\"" + database));
        assertThat(results(run)).hasSize(1).allMatch(line -> line.endsWith(" " + level));
        assertThat(run.err()).contains(": level " + level + ", because ");
    }
}
