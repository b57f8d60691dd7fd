package org.polygraph.benchmarks.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.benchmarks.pipeline.Measurement;

class CapacityTest {
    @TempDir
    private Path folder;

    private static Measurement measurement(long operations, String level, String setting, String verdict, long millis) {
        return new Measurement()
                .set("title", "Capacity")
                .set("x", "ops")
                .set("source", "gen:ops=" + operations)
                .set("operations", operations)
                .set("level", level)
                .set("setting", setting)
                .set("verdict", verdict)
                .set("process_ms", millis)
                .set("elapsed_ms", millis)
                .set("resident_mb", 100);
    }

    private static List<Measurement> some() {
        return List.of(
                measurement(10_000, "", "sort by (key, transaction), local[2]", Measurement.DONE, 8_000),
                measurement(10_000, "ser", "local[2], time none", "PASS", 12_000)
                        .set("read_ms", 1_500)
                        .set("transactions", 1_250)
                        .set("read_mb", 50)
                        .set("index_mb", 100)
                        .set("index_ms", 2_500)
                        .set("shuffle_mb", "1.25"),
                measurement(40_000, "", "sort by (key, transaction), local[2]", Measurement.DONE, 10_000),
                measurement(40_000, "ser", "local[2], time none", "PASS", 20_000)
                        .set("read_ms", 2_000)
                        .set("index_ms", 0));
    }

    @Test
    void sizesHaveUnits() {
        assertThat(List.of("8", "10k", "2.5M", "1G"))
                .extracting(Capacity::size)
                .containsExactly(8L, 10_000L, 2_500_000L, 1_000_000_000L);
        assertThatThrownBy(() -> Capacity.size("many")).hasMessageContaining("found size many; expected a number");
    }

    @Test
    void aTableHoldsChecksAgainstTheSortOfTheirSize() {
        List<String> lines = Tables.capacity(some()).lines().toList();

        assertThat(lines).hasSize(12);
        assertThat(lines.get(11)).startsWith("| 10k | local[2], time none | SER | 80000 | 50 | 100 |  |");
        assertThat(lines.get(0).chars().filter(c -> c == '|').count())
                .isEqualTo(lines.get(3).chars().filter(c -> c == '|').count());
        assertThat(lines.get(3))
                .startsWith(
                        "| 10k | local[2], time none | SER | PASS | 12.0 | 1.50 | 12.0 | 100 |  | 1.25 | 1.50 | 2.50 |")
                .endsWith("| 8.00 |");
        assertThat(lines.get(5)).contains("| 20.0 | 2.00 |");
    }

    @Test
    void aVerdictHasPhasesAndCertificate() throws Exception {
        ChildProcess process = new ChildProcess(
                0,
                1,
                1,
                1,
                1,
                Map.of("reading", 3_000_000L, "check", 5_000_000L, "building", 7L),
                "{\"verdict\":\"PASS\",\"phases\":[{\"name\":\"read\",\"ms\":9,\"cpu_ms\":5,\"items\":8},"
                        + "{\"name\":\"check\",\"ms\":1,\"cpu_ms\":2,\"items\":8},"
                        + "{\"name\":\"check\",\"ms\":1,\"cpu_ms\":3,\"items\":8}],"
                        + "\"certificate\":{\"kind\":\"order\",\"path\":null,\"verified\":true}}",
                "");

        Measurement result = Capacity.judged(new Measurement(), process);

        assertThat(List.of("verdict", "read_ms", "check_ms", "certificate", "read_mb", "check_mb"))
                .extracting(result::get)
                .containsExactly("PASS", "5", "5", "verified", "3", "5");
        ChildProcess killed = new ChildProcess(137, 1, 1, 1, 1, Map.of(), "", "first\nlast\n");
        assertThat(Capacity.judged(new Measurement(), killed).get("reason")).isEqualTo("exit code 137: last");
    }

    @Test
    void shuffleIsAddedUpFromTheLog() throws Exception {
        Files.writeString(folder.resolve("local-1"), """
                {"Event":"SparkListenerTaskEnd","Task Metrics":{"Shuffle Write Metrics":{"Shuffle Bytes Written":30,"x":1}}}
                {"Event":"SparkListenerTaskEnd","Task Metrics":{"Shuffle Write Metrics":{"Shuffle Bytes Written":12,"x":1}}}
                {"Event":"SparkListenerJobEnd","Shuffle Bytes Written":5}
                """);

        assertThat(Capacity.shuffled(folder)).isEqualTo(42);
    }

    @Test
    void aProcessIsCountedWhole() throws Exception {
        ChildProcess process = ChildProcess.run(
                folder,
                Map.of("MESSAGE", "hello"),
                List.of(
                        "bash",
                        "-c",
                        "echo '{\"phase\":\"index\"}' >&2; for ((i = 0; i < 300000; i++)); do :; done; echo $MESSAGE; exit 7"));

        assertThat(process.exitCode()).isEqualTo(7);
        assertThat(process.out()).isEqualTo("hello\n");
        assertThat(process.cpuMillis()).isPositive();
        assertThat(process.phaseBytes()).containsOnlyKeys("index");
        assertThat(process.phaseBytes().get("index")).isLessThanOrEqualTo(process.residentBytes());
        // The two clocks differ, because one of them advances in steps.
        assertThat((double) process.cpuMillis()).isLessThanOrEqualTo(process.wallMillis() + 50.0);
        assertThat(process.residentBytes()).isGreaterThanOrEqualTo(process.heldBytes());
        assertThat(process.wallMillis() / 1e3).isCloseTo(0, within(60.0));
    }
}
