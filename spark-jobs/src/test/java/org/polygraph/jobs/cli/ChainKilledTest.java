package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A check of a part is killed while it writes its run: the chain is unchanged, and the same command completes the run.
 */
@Tag("process")
class ChainKilledTest {
    private static final int TRANSACTIONS = 30_000;
    private static final int KEYS = 5_000;

    @TempDir
    private Path folder;

    private String runs() {
        return folder.resolve("runs").toString();
    }

    /** Each transaction increments a key; the indexes of the session have no gap. */
    private String hour(int i) throws IOException {
        StringBuilder lines = new StringBuilder();
        for (int t = 0; t < TRANSACTIONS; t++) {
            int n = (i - 1) * TRANSACTIONS + t;
            lines.append("{\"session\":0,\"index\":").append(n).append(",\"status\":\"committed\",\"ops\":[");
            lines.append("{\"op\":\"r\",\"key\":").append(n % KEYS).append(",\"value\":");
            lines.append(n < KEYS ? "null" : n - KEYS)
                    .append("},{\"op\":\"w\",\"key\":")
                    .append(n % KEYS);
            lines.append(",\"value\":").append(n).append("}]}\n");
        }
        return Files.writeString(folder.resolve("hour-" + i + ".jsonl"), lines).toString();
    }

    private List<String> words(String path) {
        return List.of("check", "-q", "-l", "ser", "-o", runs(), "--after", runs(), path);
    }

    @Test
    @Timeout(300)
    void nothingIsLost() throws IOException, InterruptedException {
        assertThat(InProcess.run(words(hour(1))).exitCode()).isZero();
        String second = hour(2);
        String third = hour(3);
        int killed = 0;
        for (String file :
                List.of("certificate/ranks.parquet", "seam/chain.txt", "seam/state.parquet", "seam/seam.parquet")) {
            boolean isKilled = kill(words(second), file);
            if (isKilled) {
                killed++;
                InProcess next = InProcess.run(words(third));
                assertThat(next.exitCode()).as(file + " " + next).isEqualTo(5);
                assertThat(next.err()).as(file).contains("a part is missing");
            }
            InProcess again = InProcess.run(words(second));
            assertThat(again.word()).as(file + " " + again).isEqualTo("PASS");
            InProcess pass = InProcess.run(words(third));
            assertThat(pass.word()).as(file + " " + pass).isEqualTo("PASS");
            // A tenth of the part before, and of the part before that one, is left to it.
            assertThat(pass.out()).as(file).contains("  " + (TRANSACTIONS + TRANSACTIONS * 11 / 100) + " txns");
            String run = pass.out()
                    .lines()
                    .filter(line -> line.startsWith("  run: "))
                    .findFirst()
                    .orElseThrow();
            InProcess verified = InProcess.run("verify", "--chain", run.substring(7));
            assertThat(verified.exitCode()).as(file + " " + verified).isZero();
            remove(second);
            remove(third);
        }
        System.out.println(killed + " of 4 checks of a part were killed while they wrote their run");
        assertThat(killed).isPositive();
    }

    /** Kills a check once a file of a run that was not there is there; returns false if the check was over by then. */
    private boolean kill(List<String> words, String file) throws IOException, InterruptedException {
        List<Path> before = having(file);
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                Main.class.getName()));
        command.addAll(words);
        Process process =
                Command.start(folder, Map.of(), folder.resolve("out.log"), folder.resolve("err.log"), command);
        while (process.isAlive() && having(file).equals(before)) {
            Thread.sleep(1);
        }
        process.destroyForcibly();
        process.waitFor(30, TimeUnit.SECONDS);
        List<Path> runs = new ArrayList<>(having(file));
        runs.removeAll(before);
        return !runs.isEmpty() && Files.notExists(runs.get(0).resolve("verdict.json"));
    }

    private List<Path> having(String file) throws IOException {
        try (Stream<Path> runs = Files.list(Path.of(runs()))) {
            return runs.filter(run -> Files.exists(run.resolve(file))).sorted().toList();
        }
    }

    /** Removes the runs of a part. */
    private void remove(String part) throws IOException {
        try (Stream<Path> runs = Files.list(Path.of(runs()))) {
            for (Path run : runs.filter(each -> each.getFileName().toString().startsWith("run="))
                    .toList()) {
                if (Files.readString(run.resolve("verdict.json")).contains(part)) {
                    try (Stream<Path> files = Files.walk(run)) {
                        for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
                            Files.delete(each);
                        }
                    }
                }
            }
        }
    }
}
