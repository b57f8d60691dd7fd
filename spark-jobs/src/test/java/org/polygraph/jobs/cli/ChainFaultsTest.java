package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.storage.format.TestFiles;

/**
 * Chains that are broken, that fork, or that are violated: what {@code check --after} and {@code verify --chain}
 * answer.
 */
class ChainFaultsTest {
    @TempDir
    private Path folder;

    private String write(String name, String... transactions) throws IOException {
        return Files.writeString(folder.resolve(name), String.join("", transactions))
                .toString();
    }

    private static String line(int session, int index, String operations) {
        return "{\"session\":" + session + ",\"index\":" + index + ",\"status\":\"committed\",\"ops\":[" + operations
                + "]}\n";
    }

    private static String read(String key, Object value) {
        return "{\"op\":\"r\",\"key\":\"" + key + "\",\"value\":" + value + "}";
    }

    private static String write(String key, int value) {
        return "{\"op\":\"w\",\"key\":\"" + key + "\",\"value\":" + value + "}";
    }

    /** Hour i increments x from i - 1. */
    private String hour(int i) throws IOException {
        return write("hour-" + i + ".jsonl", line(0, i - 1, read("x", i == 1 ? "null" : i - 1) + "," + write("x", i)));
    }

    private String runs() {
        return folder.resolve("runs").toString();
    }

    private InProcess check(String level, String path, String... options) {
        List<String> words = new ArrayList<>(List.of("check", "-q", "-l", level, "-o", runs()));
        words.addAll(List.of(options));
        words.add(path);
        return InProcess.run(words);
    }

    private InProcess after(String path) {
        return check("ser", path, "--after", runs());
    }

    private static Path run(InProcess answer) {
        return Path.of(answer.out()
                .lines()
                .filter(line -> line.startsWith("  run: "))
                .findFirst()
                .orElseThrow(() -> new AssertionError(answer.toString()))
                .substring(7));
    }

    private static void assertBroken(InProcess answer, String... texts) {
        assertThat(answer.exitCode()).as(answer.toString()).isEqualTo(5);
        assertThat(answer.err()).as(answer.toString()).contains(texts);
    }

    @Test
    void theFirstPartMayBeCheckedWithoutAfter() throws IOException {
        String first = hour(1);
        assertThat(check("ser", first).exitCode()).isZero();
        for (int i = 1; i <= 4; i++) {
            InProcess answer = after(hour(i));
            assertThat(answer.word()).as(answer.toString()).isEqualTo("PASS");
        }
        Files.writeString(Path.of(first), line(0, 0, write("x", 5)));
        InProcess changed = after(write("hour-5.jsonl", line(0, 4, read("x", 1))));
        assertThat(changed.exitCode()).as(changed.toString()).isEqualTo(6);
        assertThat(changed.err()).contains("hour-1.jsonl: found part 1 of 5 of the chain, which has changed");
    }

    @Test
    void aMissingOrDamagedListIsNoShorterChain() throws IOException {
        after(hour(1));
        Path run = run(after(hour(2)));
        Path list = run.resolve("seam/chain.txt");
        byte[] bytes = Files.readAllBytes(list);
        Files.delete(list);
        for (String given : List.of(run.toString(), runs())) {
            assertBroken(
                    check("ser", hour(3), "--after", given), "chain.txt: found no list", "restore the folder seam");
        }
        // A damaged seam is named once, and not used.
        Path seam = run.resolve("seam/seam.parquet");
        byte[] whole = Files.readAllBytes(seam);
        Files.write(list, bytes);
        Files.write(seam, Arrays.copyOf(whole, whole.length / 2));
        InProcess unused = after(hour(3));
        assertThat(unused.word()).as(unused.toString()).isEqualTo("PASS");
        assertThat(unused.err()).containsOnlyOnce("seam.parquet: found");
        Files.write(seam, whole);
        delete(run(unused));
        Files.delete(list);
        // The check of the same part repairs the run.
        assertThat(check("ser", hour(2), "--after", runs(), "--overwrite").exitCode())
                .isZero();
        Files.write(list, new byte[] {bytes[0], bytes[1]});
        assertBroken(check("ser", hour(3), "--after", run.toString()), "another list than the verdict states");
        Files.write(list, bytes);
        Path base = run.resolve("seam/base.txt");
        Files.write(base, new byte[0]);
        assertBroken(check("ser", hour(3), "--after", run.toString()), "base.txt: found 0 lines");
        Files.delete(base);
        assertBroken(check("ser", hour(3), "--after", run.toString()), "base.txt: found no file");
    }

    private static void delete(Path run) throws IOException {
        try (Stream<Path> files = Files.walk(run)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    @Test
    void verifyReportsABrokenChain() throws IOException {
        List<Path> runs = new ArrayList<>();
        for (int i = 1; i <= 3; i++) {
            runs.add(run(after(hour(i))));
        }
        String last = runs.get(2).toString();
        assertThat(InProcess.run("verify", "--chain", last).exitCode()).isZero();
        for (int i = 0; i < 3; i++) {
            Path list = runs.get(i).resolve("seam/chain.txt");
            byte[] bytes = Files.readAllBytes(list);
            Files.writeString(list, "damaged\n");
            for (String option : List.of("--chain", "-f=auto")) {
                InProcess verified = InProcess.run("verify", option, last);
                assertThat(verified.exitCode()).as(i + " " + verified).isEqualTo(5);
            }
            Files.write(list, bytes);
        }
        Files.delete(folder.resolve("hour-1.jsonl"));
        assertThat(InProcess.run("verify", last).exitCode()).isZero();
        InProcess gone = InProcess.run("verify", "--chain", last);
        assertThat(gone.exitCode()).as(gone.toString()).isNotZero();
        assertThat(gone.out()).contains("hour-1.jsonl: no such file");
    }

    @Test
    void afterNamesARunOrAFolder() throws IOException {
        String elsewhere = folder.resolve("elsewhere").toString();
        assertBroken(check("ser", hour(1), "--after", elsewhere), elsewhere + ": found nothing", "give --after");
        assertBroken(check("ser", hour(1), "--after", elsewhere + "/run=12"), "run=12: found nothing");
        assertBroken(check("ser", hour(1), "--after", hour(2)), "hour-2.jsonl: found a file");
        Files.createDirectory(Path.of(elsewhere));
        assertThat(check("ser", hour(1), "--after", elsewhere).exitCode()).isZero();
    }

    @Test
    void aCopyIsNamed() throws IOException {
        after(hour(1));
        after(hour(2));
        Path copy = Files.copy(folder.resolve("hour-1.jsonl"), folder.resolve("hour-3.jsonl"));
        assertBroken(after(copy.toString()), "hour-3.jsonl: found the bytes of", "hour-1.jsonl, part 1 of the chain");
        // An archive that has moved is no copy.
        Path moved = Files.createDirectory(folder.resolve("moved")).resolve("hour-1.jsonl");
        assertThat(after(Files.copy(folder.resolve("hour-1.jsonl"), moved).toString())
                        .exitCode())
                .isZero();
    }

    @Test
    void theFirstPartMayHaveAnInitialState() throws IOException {
        String state = write("state.jsonl", "{\"key\":\"x\",\"value\":7}\n");
        String first = write("hour-1.jsonl", line(0, 0, read("x", 7) + "," + write("x", 1)));
        Path parts = Files.createDirectory(folder.resolve("archive"));
        Files.copy(Path.of(first), parts.resolve("hour-1.jsonl"));
        Files.copy(Path.of(hour(2)), parts.resolve("hour-2.jsonl"));
        InProcess each = check("ser", parts.toString(), "--each", "--initial-state", state);
        assertThat(each.exitCode()).as(each.toString()).isZero();
        // Later parts know it from the runs.
        assertThat(after(hour(3)).word()).isEqualTo("PASS");
        assertThat(check("ser", hour(4), "--after", runs(), "--initial-state", state)
                        .word())
                .isEqualTo("PASS");
        assertThat(InProcess.run("verify", runs()).exitCode()).isZero();
        String other = write("other.jsonl", "{\"key\":\"x\",\"value\":8}\n");
        assertBroken(
                check("ser", hour(5), "--after", runs(), "--initial-state", other),
                "other.jsonl: found an initial state before part 5 of a chain that begins with that of",
                "leave out --initial-state");
    }

    @Test
    void partsMayBeEmpty() throws IOException {
        String header = "{\"format\":\"history\",\"version\":1}\n";
        assertBroken(after(write("hour-0.jsonl", header)), "vacuous: found 0 transactions");
        after(hour(1));
        for (String empty : List.of("", header, "", header)) {
            InProcess answer = after(write("empty-" + System.nanoTime() + ".jsonl", empty));
            assertThat(answer.word()).as(answer.toString()).isEqualTo("PASS");
            assertThat(answer.out()).contains("  1 txns");
        }
        assertThat(after(hour(2)).word()).isEqualTo("PASS");
        assertThat(InProcess.run("verify", "--chain", run(after(hour(2))).toString())
                        .exitCode())
                .isZero();
    }

    @Test
    void runsAndPartsMayMove() throws IOException {
        Path archive = Files.createDirectory(folder.resolve("archive"));
        Path old = archive.resolve("runs");
        for (int i = 1; i <= 3; i++) {
            Path part = Files.move(Path.of(hour(i)), archive.resolve("hour-" + i + ".jsonl"));
            InProcess.run("check", "-q", "-l", "ser", "-o", old.toString(), "--after", old.toString(), part.toString());
        }
        Path moved = Files.move(archive, folder.resolve("moved"));
        String runs = moved.resolve("runs").toString();
        Path next = Files.move(Path.of(hour(4)), moved.resolve("hour-4.jsonl"));
        InProcess pass = InProcess.run("check", "-q", "-l", "ser", "-o", runs, "--after", runs, next.toString());
        assertThat(pass.word()).as(pass.toString()).isEqualTo("PASS");
        // It takes all parts to find this.
        Path stale = Files.writeString(moved.resolve("hour-5.jsonl"), line(0, 4, read("x", 1)));
        InProcess violation = InProcess.run("check", "-q", "-l", "ser", "-o", runs, "--after", runs, stale.toString());
        assertThat(violation.word()).as(violation.toString()).isEqualTo("VIOLATION");
    }

    @Test
    void eachPartInTheOrderOfNumbers() throws IOException {
        Path parts = Files.createDirectory(folder.resolve("archive"));
        List<String> names = List.of("hour2.jsonl", "hour10.jsonl", "hour11-1.jsonl", "hour11-02.jsonl");
        for (int i = 0; i < names.size(); i++) {
            Files.move(Path.of(hour(i + 1)), parts.resolve(names.get(i)));
        }
        InProcess each = check("ser", parts.toString(), "--each");
        assertThat(each.exitCode()).as(each.toString()).isZero();
    }

    /** What a part violated stays violated, at the cost of the next part, unless that writes a value again. */
    @Test
    void aViolationStands() throws IOException {
        after(hour(1));
        after(write(
                "both.jsonl",
                line(1, 0, read("x", 1) + "," + write("x", 2)),
                line(2, 0, read("x", 1) + "," + write("x", 3))));
        Path first = folder.resolve("hour-1.jsonl");
        Files.move(first, folder.resolve("aside"));
        InProcess next = after(write("next.jsonl", line(1, 1, read("y", "null") + "," + write("y", 1))));
        assertThat(next.exitCode()).as(next.toString()).isEqualTo(3);
        assertThat(next.out()).contains("  1 txns", "LostUpdate");
        InProcess further = after(write("further.jsonl", line(3, 0, read("y", 1) + "," + write("y", 2))));
        assertThat(further.exitCode()).as(further.toString()).isEqualTo(3);
        // A part that is late, or that writes a value that was read, takes all parts.
        for (String other : List.of(line(3, 0, read("y", 1)), line(4, 0, write("x", 1)))) {
            String last = run(further).toString();
            InProcess gone = check("ser", write("other.jsonl", other), "--after", last);
            assertThat(gone.exitCode()).as(gone.toString()).isEqualTo(4);
            assertThat(gone.out()).contains("hour-1.jsonl, part 1 of 5 of the chain, is gone");
        }
        Files.move(folder.resolve("aside"), first);
        assertThat(InProcess.run("verify", run(further).toString()).exitCode()).isZero();
        // The second writer of x=1 explains one of the reads.
        String again = write("again.jsonl", line(4, 0, write("x", 1)));
        assertThat(check("ser", again, "--after", run(further).toString()).word())
                .isEqualTo("PASS");
    }

    /** The log of the next part writes the version that was read. It cannot be compared with a string. */
    @Test
    void aViolationDoesNotStandBeforeCobra() throws IOException {
        String read = "{\"op\":\"r\",\"key\":5,\"value\":";
        String write = "{\"op\":\"w\",\"key\":5,\"value\":";
        InProcess first = after(write(
                "converted.jsonl",
                line(0, 0, read + "null}," + write + "\"7@1.77\"}"),
                line(1, 0, read + "\"7@1.77\"}," + write + "2}"),
                line(2, 0, read + "\"7@1.77\"}," + write + "3}")));
        assertThat(first.exitCode()).as(first.toString()).isEqualTo(3);
        Path logs = Files.createDirectory(folder.resolve("logs"));
        Files.write(logs.resolve("T9.log"), TestFiles.cobraLog(77));
        assertBroken(after(logs.toString()), "T9.log");
    }

    @Test
    void aForkIsNamed() throws IOException {
        Path first = run(after(hour(1)));
        Path second = run(check("ser", hour(2), "--after", first.toString()));
        Path other = run(check("ser", write("other.jsonl", line(1, 0, read("x", 1))), "--after", first.toString()));
        InProcess fork = after(hour(3));
        assertBroken(fork, second.getFileName().toString(), other.getFileName().toString(), "one chain");
        assertThat(check("ser", hour(3), "--after", second.toString()).exitCode())
                .isZero();
    }

    /** If time ended before the seam of a PASS was written, the next part is decided with this part too. */
    @Test
    void aPassMayHaveNoSeam() throws IOException {
        Path first = run(after(hour(1)));
        Path second = run(after(hour(2)));
        Files.delete(second.resolve("seam/seam.parquet"));
        assertThat(run(after(hour(2)))).isEqualTo(second);
        Path third = run(after(hour(3)));
        assertThat(third.resolve("seam/base.txt"))
                .content()
                .contains(first.getFileName().toString());
        Path fourth = run(after(hour(4)));
        assertThat(fourth.resolve("seam/base.txt"))
                .content()
                .contains(third.getFileName().toString());
    }

    /** A run that was compared by an earlier check is not read again, unless it has changed since. */
    @Test
    void runsAreComparedOnce() throws IOException {
        Path first = run(after(hour(1)));
        Path second = run(after(hour(2)));
        Path third = run(after(hour(3)));
        assertThat(third.resolve("seam/runs.txt")).content().endsWith("  2\n");
        Path verdict = first.resolve("verdict.json");
        String text = Files.readString(verdict);
        FileTime finished = Files.getLastModifiedTime(verdict);
        Files.writeString(verdict, "{");
        Files.setLastModifiedTime(verdict, finished);
        Path fourth = run(after(hour(4)));
        assertThat(fourth.resolve("seam/runs.txt")).content().endsWith("  3\n");
        Files.setLastModifiedTime(verdict, FileTime.fromMillis(finished.toMillis() + 1));
        assertBroken(after(hour(5)), first.getFileName().toString(), "the verdict of a run");
        Files.writeString(verdict, text);
        // A run that was added is compared, whatever its time, and so are all if one is gone.
        Path other = run(check("ser", write("other.jsonl", line(1, 0, read("x", 2))), "--after", second.toString()));
        for (long millis : new long[] {finished.toMillis() - 1, finished.toMillis() + 100_000}) {
            Files.setLastModifiedTime(other.resolve("verdict.json"), FileTime.fromMillis(millis));
            assertBroken(after(hour(5)), other.getFileName().toString(), "one chain");
        }
        delete(first);
        Files.setLastModifiedTime(other.resolve("verdict.json"), finished);
        assertBroken(after(hour(5)), other.getFileName().toString(), "one chain");
        delete(other);
        Files.writeString(fourth.resolve("seam/runs.txt"), "damaged");
        InProcess next = after(hour(5));
        assertThat(next.word()).as(next.toString()).isEqualTo("PASS");
        assertThat(run(next).resolve("seam/runs.txt")).content().endsWith("  3\n");
    }

    @Test
    void aWriterMayFollowInTheNextPart() throws IOException {
        String early = write("early.jsonl", line(1, 0, read("x", 1)));
        for (String level : List.of("ser", "rc")) {
            InProcess open = check(level, early, "--after", runs());
            assertThat(open.exitCode()).as(open.toString()).isEqualTo(4);
            assertThat(open.out()).contains("early.jsonl:1: ", "the writer may follow in the next part");
        }
        // If time ended before the seam was written, the same check completes the run.
        Path seam = run(after(early)).resolve("seam/seam.parquet");
        Files.delete(seam);
        assertThat(after(early).exitCode()).isEqualTo(4);
        assertThat(seam).exists();
        InProcess pass = after(hour(1));
        assertThat(pass.word()).as(pass.toString()).isEqualTo("PASS");
        // Without a writer in the next part it is a violation, and one that a later part may still explain.
        assertThat(after(write("late.jsonl", line(1, 1, read("y", 7)))).exitCode())
                .isEqualTo(4);
        assertThat(after(hour(2)).exitCode()).isEqualTo(3);
        assertThat(after(write("y.jsonl", line(2, 0, write("y", 7)))).word()).isEqualTo("PASS");
    }

    /** si goes on after ser is violated, each part on the seam of the part before. */
    @Test
    void eachLevelHasItsSeam() throws IOException {
        StringBuilder both = new StringBuilder();
        for (int i = 1; i <= 4; i++) {
            StringBuilder lines = new StringBuilder();
            for (int t = 0; t < 1200; t++) {
                int n = (i - 1) * 1200 + t;
                lines.append(line(0, n, read("k", n == 0 ? "null" : n) + "," + write("k", n + 1)));
            }
            if (i == 2) {
                // Write skew.
                lines.append(line(1, 0, read("a", "null") + "," + write("b", 1)));
                lines.append(line(2, 0, read("b", "null") + "," + write("a", 1)));
            }
            InProcess answer = check("ser,si", write("long-" + i + ".jsonl", lines.toString()), "--after", runs());
            both.append(answer.out());
            assertThat(answer.out()).contains(i < 2 ? "PASS  ser" : "VIOLATION  ser", "PASS  si");
            if (i == 4) {
                String si = answer.out()
                        .lines()
                        .filter(line -> line.startsWith("PASS  si"))
                        .findFirst()
                        .orElseThrow();
                assertThat(si).as(both.toString()).contains("  2200 txns");
            }
        }
    }
}
