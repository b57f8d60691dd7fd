package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.storage.testkit.SplitMix;

/** {@code runs --prune}: what goes, what stays, and that later parts get the verdicts that they would get otherwise. */
class PruneTest {
    private static final String SKEW = example("write-skew");
    private static final String BANK = example("bank-serializable");

    /** The transactions of a part. The tail of a seam has 1,000. */
    private static final int SIZE = 400;

    @TempDir
    private Path folder;

    private static String example(String name) {
        return Command.ROOT.resolve("spark-jobs/examples/" + name + ".jsonl").toString();
    }

    private static InProcess prune(Path runs, String... options) {
        List<String> words = new ArrayList<>(List.of("runs", "--prune"));
        words.addAll(List.of(options));
        words.add(runs.toString());
        return InProcess.run(words);
    }

    /** The files of a folder with the bytes of each. */
    private static TreeSet<String> files(Path runs) throws IOException {
        TreeSet<String> files = new TreeSet<>();
        try (Stream<Path> all = Files.walk(runs)) {
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                files.add(runs.relativize(file) + " " + Files.size(file));
            }
        }
        return files;
    }

    private static long bytes(Path runs) throws IOException {
        long bytes = 0;
        for (String file : files(runs)) {
            bytes += Long.parseLong(file.substring(file.lastIndexOf(' ') + 1));
        }
        return bytes;
    }

    @Test
    void runsThatAreNoPartsGoAsAWhole() throws IOException {
        Path runs = folder.resolve("runs");
        for (String path : List.of(SKEW, BANK)) {
            InProcess.run("check", "-q", "-l", "ser,si", "-o", runs.toString(), path);
        }
        TreeSet<String> before = files(runs);
        long bytes = bytes(runs);
        InProcess dry = prune(runs, "--keep", "1", "--dry-run");
        assertThat(dry.exitCode()).as(dry.toString()).isZero();
        assertThat(dry.out()).contains("write-skew.jsonl", "  the run\n").endsWith(" bytes of 2 of 4 runs\n");
        assertThat(files(runs)).isEqualTo(before);
        assertThat(prune(runs, "--older", "1d").out()).isEqualTo("removed 0 bytes of 0 of 4 runs\n");
        assertThat(prune(runs, "--keep", "9", "--older", "0s").out()).isEqualTo("removed 0 bytes of 0 of 4 runs\n");
        String done = prune(runs, "--keep", "1").out();
        assertThat(done.replace("removed ", "would remove ")).isEqualTo(dry.out());
        long stated = Long.parseLong(
                done.lines().reduce((first, last) -> last).orElseThrow().replaceAll("removed (\\d+) bytes.*", "$1"));
        long index = Files.size(runs.resolve("index.html"));
        assertThat(InProcess.run("runs", runs.toString()).out().lines())
                .hasSize(2)
                .allMatch(line -> line.contains(BANK));
        assertThat(Files.readString(runs.resolve("index.html"))).doesNotContain("write-skew");
        assertThat(bytes(runs) - index).isBetween(bytes - stated - 20_000, bytes - stated);
        assertThat(InProcess.run("verify", runs.toString()).exitCode()).isZero();
        assertThat(prune(runs, "--older", "0s").out()).endsWith(" of 2 of 2 runs\n");
    }

    /**
     * Transactions that increment one of five counters each.
     *
     * @param stale the value that the last one reads instead of the last one; negative for none
     */
    private String part(int number, int stale) throws IOException {
        StringBuilder lines = new StringBuilder();
        int size = SIZE;
        for (int i = 0; i < size; i++) {
            int now = number * size + i;
            String key = "k" + now % 5;
            String read = now < 5 ? "null" : "" + (now - 5);
            if (i == size - 1 && stale >= 0) {
                key = "k" + stale % 5;
                read = "" + stale;
            }
            lines.append("{\"session\":0,\"index\":").append(now).append(",\"status\":\"committed\",\"ops\":[");
            lines.append("{\"op\":\"r\",\"key\":\"" + key + "\",\"value\":" + read + "},");
            lines.append("{\"op\":\"w\",\"key\":\"" + key + "\",\"value\":" + now + "}]}\n");
        }
        return Files.writeString(folder.resolve("part-" + number + "-" + stale + ".jsonl"), lines)
                .toString();
    }

    private static InProcess after(Path runs, String path) {
        return InProcess.run("check", "-q", "-l", "ser", "-o", runs.toString(), "--after", runs.toString(), path);
    }

    /** Whatever the next part reads, it gets the same verdict after its folder of runs was pruned. */
    @Test
    void theNextPartHasTheSameVerdict() throws IOException {
        long seed = 54;
        SplitMix random = new SplitMix(seed);
        Path whole = folder.resolve("whole");
        Path pruned = folder.resolve("pruned");
        for (int number = 0; number < 4; number++) {
            String path = part(number, -1);
            for (Path runs : List.of(whole, pruned)) {
                InProcess answer = after(runs, path);
                assertThat(answer.word()).as("seed %s: %s", seed, answer).isEqualTo("PASS");
            }
            prune(pruned, "--keep", "1");
        }
        assertThat(bytes(pruned)).isLessThan(bytes(whole));
        // The last run rests on the seam of the run before, which stays.
        String last = InProcess.run("runs", pruned.toString())
                .out()
                .lines()
                .reduce((first, next) -> next)
                .orElseThrow()
                .replaceAll(".*(run=\\w+).*", "$1");
        InProcess verified = InProcess.run("verify", pruned.resolve(last).toString());
        assertThat(verified.out()).as(verified.toString()).startsWith("VERIFIED");
        InProcess gone = InProcess.run("verify", pruned.toString());
        assertThat(gone.exitCode()).isEqualTo(4);
        assertThat(gone.out()).contains("UNKNOWN  ser  ", "the evidence of this run was removed by runs --prune");
        // Each part is still known.
        assertThat(after(pruned, part(1, -1)).out()).startsWith("PASS");
        for (int value : new int[] {random.nextInt(2 * SIZE), -1}) {
            String next = part(4, value);
            Path one = folder.resolve("whole-" + value);
            Path other = folder.resolve("pruned-" + value);
            copy(whole, one);
            copy(pruned, other);
            InProcess answer = after(other, next);
            assertThat(answer.word()).as(answer.toString()).isEqualTo(value < 0 ? "PASS" : "VIOLATION");
            assertThat(sentence(answer)).isEqualTo(sentence(after(one, next)));
        }
    }

    /** The result line and the sentence about the violation. */
    private static List<String> sentence(InProcess answer) {
        return answer.out()
                .lines()
                .limit(2)
                .map(line -> line.replaceAll("\\d+ ms|run: .*", ""))
                .toList();
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> all = Files.walk(from)) {
            for (Path file : all.toList()) {
                Files.copy(file, to.resolve(from.relativize(file).toString()), StandardCopyOption.COPY_ATTRIBUTES);
            }
        }
    }
}
