package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.storage.testkit.SplitMix;

/** A client that does not learn an outcome continues as a new session: 70,000 sessions, in the memory of a laptop. */
class ManySessionsTest {
    private static final int SESSIONS = 70_000;
    private static final int KEYS = 1_000;

    @TempDir
    private static Path folder;

    /**
     * Writes a serial history of registers.
     *
     * @param operations of each transaction
     * @param withTimes whether transactions have times, so that they overlap
     * @param isLost whether two transactions lose an update
     */
    private static Path write(String name, int operations, boolean withTimes, boolean isLost) throws IOException {
        Path file = folder.resolve(name);
        SplitMix random = new SplitMix(70_000);
        int[] values = new int[KEYS];
        try (BufferedWriter out = Files.newBufferedWriter(file)) {
            out.write("{\"format\":\"history\",\"version\":1,\"initial\":{\"value\":0}}\n");
            for (int s = 0; s < SESSIONS; s++) {
                StringBuilder ops = new StringBuilder();
                for (int o = 0; o < operations; o++) {
                    int key = random.nextInt(KEYS);
                    boolean isWrite = random.nextInt(2) == 0;
                    if (isWrite) {
                        // Values neither ascend nor repeat.
                        values[key] = (int) (((long) (s * operations + o) * 7_919) % 1_000_003) + 1;
                    }
                    ops.append(o == 0 ? "" : ",")
                            .append(isWrite ? "{\"op\":\"w\",\"key\":" : "{\"op\":\"r\",\"key\":")
                            .append(key)
                            .append(",\"value\":")
                            .append(values[key])
                            .append('}');
                }
                String times = withTimes ? ",\"start\":" + 10 * s + ",\"end\":" + (10 * s + 25) : "";
                String status = s % 9 == 0 ? "indeterminate" : "committed";
                out.write("{\"session\":" + s + ",\"index\":0" + times + ",\"status\":\"" + status + "\",\"ops\":["
                        + ops + "]}\n");
            }
            for (int s = SESSIONS; isLost && s < SESSIONS + 2; s++) {
                out.write("{\"session\":" + s + ",\"index\":0,\"status\":\"committed\",\"ops\":["
                        + "{\"op\":\"r\",\"key\":\"k\",\"value\":0},{\"op\":\"w\",\"key\":\"k\",\"value\":" + s
                        + "}]}\n");
            }
        }
        return file;
    }

    /** Checks with 2 GB and the engine that is chosen; the first word of each line of the result. */
    private static List<String> check(String levels, Path file) {
        InProcess check = InProcess.run(
                "check", "-l", levels, "--memory", "2g", "--timeout", "60s", "--progress", "plain", file.toString());
        assertThat(check.err()).doesNotContain("engine=spark");
        List<String> words = check.out()
                .lines()
                .map(line -> line.split(" ")[0])
                .filter(word -> word.matches("[A-Z]+"))
                .toList();
        assertThat(words).as(check.toString()).hasSize(levels.split(",").length);
        return words;
    }

    @Test
    void allLevelsDecideWithTimes() throws IOException {
        assertThat(check("sser,ser,ssi,si,cc,ra,rc", write("timed.jsonl", 2, true, false)))
                .containsOnly("PASS");
        assertThat(check("lin", write("registers.jsonl", 1, true, false))).containsOnly("PASS");
    }

    @Test
    void allLevelsDecideWithoutTimes() throws IOException {
        assertThat(check("ser,si,cc,ra,rc", write("untimed.jsonl", 2, false, false)))
                .containsOnly("PASS");
    }

    @Test
    void aLostUpdateIsFound() throws IOException {
        assertThat(check("ser,si,cc,ra,rc", write("lost.jsonl", 2, false, true)))
                .isEqualTo(Arrays.asList("VIOLATION", "VIOLATION", "PASS", "PASS", "PASS"));
    }
}
