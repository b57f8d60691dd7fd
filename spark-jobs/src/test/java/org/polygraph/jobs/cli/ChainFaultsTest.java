package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.polygraph.storage.format.TestFiles;

/**
 * Chains that are broken, that fork, or that are violated: what {@code check --after} and {@code verify --chain}
 * answer.
 */
class ChainFaultsTest extends Chains {
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
        assertThat(next.out())
                .contains(
                        "no new violation; LostUpdate of both.jsonl stands;"
                                + " beyond 2 transactions of both.jsonl the chain keeps ser",
                        "both.jsonl:1");
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

    /** Each of two parts adds a violation, and another one none; then a new chain is begun. */
    @Test
    void whatAPartAddsIsApart() throws IOException {
        after(hour(1));
        after(lost("a", 2));
        InProcess nothing = check("ser", hour(2), "--after", runs(), "--fail-on", "new");
        assertThat(nothing.exitCode()).as(nothing.toString()).isZero();
        assertThat(nothing.out())
                .startsWith("VIOLATION")
                .contains("no new violation; LostUpdate of a.jsonl stands; beyond 2 transactions of a.jsonl");
        // The same check again is answered by the run.
        InProcess again = check("ser", hour(2), "--after", runs(), "--fail-on", "new");
        assertThat(again.exitCode()).as(again.toString()).isZero();
        assertThat(again.out()).contains("no new violation; LostUpdate of a.jsonl stands");
        assertThat(after(hour(2)).exitCode()).isEqualTo(3);
        InProcess second = check("ser", lost("b", 4), "--after", runs(), "--fail-on", "new");
        assertThat(second.exitCode()).as(second.toString()).isEqualTo(3);
        assertThat(second.out()).contains("new: LostUpdate; LostUpdate of a.jsonl stands; beyond 4 transactions");
        assertThat(InProcess.run("explain", run(second).toString()).out())
                .contains("New in b.jsonl, part 4 of the chain", "Of a.jsonl, part 2 of the chain");
        String report = Files.readString(run(second).resolve("report.html"));
        assertThat(report)
                .contains(
                        "This is part 4 of a chain.", "<dt>This part</dt><dd>2 transactions", "<dt>Chain</dt><dd>6 tr");
        assertThat(report)
                .contains("New in b.jsonl, part 4 of the chain", "Of a.jsonl, part 2 of the chain; it stands");
        assertThat(report).contains("<dt>Read for this verdict</dt><dd>6 transactions");
        // Beyond the violations the chain keeps the level, so there are no others.
        assertThat(report).doesNotContain("there may be others");
        // The page shows the command that repeats the check.
        String printed = report.replaceAll("(?s).*<pre id=\"rerun\"[^>]*>polygraph ([^<]*)</pre>.*", "$1");
        InProcess repeated = InProcess.run(List.of(printed.split(" ")));
        assertThat(repeated.exitCode()).as(printed + repeated).isEqualTo(3);
        assertThat(run(repeated)).isEqualTo(run(second));
        assertThat(repeated.out()).contains("new: LostUpdate; LostUpdate of a.jsonl stands");
        InProcess verified = InProcess.run("verify", runs());
        assertThat(verified.exitCode()).as(verified.toString()).isZero();
        assertThat(verified.out()).contains("beyond       the order of the chain without the reads");
        InProcess anew = check("ser", hour(3), "--after", runs(), "--start-over");
        assertThat(anew.exitCode()).as(anew.toString()).isZero();
        assertThat(anew.out())
                .contains("PASS", "begun anew, without the reads of 4 transactions of a.jsonl and b.jsonl");
        assertThat(after(hour(3)).word()).isEqualTo("PASS");
        assertThat(check("ser", hour(3), "--after", runs(), "--overwrite").word())
                .isEqualTo("PASS");
        InProcess third = after(lost("c", 6));
        assertThat(third.exitCode()).as(third.toString()).isEqualTo(3);
        assertThat(third.out()).contains("ms  LostUpdate; beyond 6 transactions");
        InProcess all = InProcess.run("verify", "--chain", run(third).toString());
        assertThat(all.exitCode()).as(all.toString()).isZero();
        assertThat(check("ser", hour(4), "--start-over").exitCode()).isEqualTo(2);
        // Another level is still of the whole chain.
        check("ser", hour(4), "--after", runs(), "--start-over");
        InProcess both = check("ser,si", hour(4), "--after", runs());
        assertThat(both.exitCode()).as(both.toString()).isEqualTo(3);
        assertThat(both.out()).contains("PASS  ser", "VIOLATION  si");
        assertThat(check("ser,si", lost("d", 8), "--after", runs()).out())
                .contains("  LostUpdate: explained at ser above\n");
    }

    /** The first part that has changed is named, no part after it is a PASS, and what the message advises works. */
    @Test
    void aPartIsChangedOnPurpose() throws IOException {
        Path archive = Files.createDirectory(folder.resolve("archive"));
        for (int i = 1; i <= 4; i++) {
            Files.move(Path.of(hour(i)), archive.resolve("hour-" + i + ".jsonl"));
        }
        assertThat(check("ser", archive.toString(), "--each").exitCode()).isZero();
        Path second = archive.resolve("hour-2.jsonl");
        String old = Files.readString(second);
        Files.writeString(second, line(0, 1, read("x", 1) + "," + write("x", 2) + "," + write("z", 1)));
        for (String option : List.of("--json", "--overwrite")) {
            InProcess changed = check("ser", archive.toString(), "--each", option);
            assertThat(changed.exitCode()).as(changed.toString()).isEqualTo(6);
            assertThat(changed.err())
                    .contains("hour-2.jsonl: found part 2 of 4 of the chain, which has changed", "with --recheck")
                    .contains("hour-4.jsonl: not checked, because ");
            assertThat(changed.out().lines().filter(line -> line.contains("PASS")))
                    .hasSize(1);
            InProcess later = after(archive.resolve("hour-3.jsonl").toString());
            assertThat(later.exitCode()).as(later.toString()).isEqualTo(6);
            assertThat(later.err()).contains("hour-2.jsonl: found part 2 of 4 of the chain, which has changed");
        }
        assertThat(InProcess.run("runs", runs()).out().lines().filter(line -> line.contains("Z  PASS  ")))
                .hasSize(1);
        assertThat(folder.resolve("runs/index.html")).content().contains("CHANGED");
        InProcess again = check("ser", archive.toString(), "--each", "--recheck");
        assertThat(again.exitCode()).as(again.toString()).isZero();
        assertThat(again.out().lines().filter(line -> line.startsWith("PASS"))).hasSize(4);
        assertThat(InProcess.run("runs", runs()).out().lines().filter(line -> line.contains("Z  PASS  ")))
                .hasSize(4);
        assertThat(check("ser", archive.toString(), "--each").exitCode()).isZero();
        // A file that is restored needs no check.
        String changedAgain = Files.readString(second);
        Files.writeString(second, old);
        assertThat(check("ser", archive.toString(), "--each").exitCode()).isEqualTo(6);
        Files.writeString(second, changedAgain);
        assertThat(check("ser", archive.toString(), "--each").exitCode()).isZero();
        assertThat(folder.resolve("runs/index.html")).content().doesNotContain("CHANGED");
        // One part alone, and then those after it.
        Files.writeString(second, old);
        InProcess alone = check("ser", second.toString(), "--after", runs(), "--recheck");
        assertThat(alone.exitCode()).as(alone.toString()).isZero();
        assertThat(InProcess.run("runs", runs()).out().lines()).hasSize(2);
        assertThat(after(archive.resolve("hour-3.jsonl").toString()).word()).isEqualTo("PASS");
        InProcess verified = InProcess.run("verify", "--chain", runs());
        assertThat(verified.exitCode()).as(verified.toString()).isZero();
    }

    /** All parts are checked again, also those with a violation: nothing becomes INVALID, and no answer changes. */
    @Test
    void eachPartAgain() throws IOException {
        Path archive = Files.createDirectory(folder.resolve("archive"));
        Files.move(Path.of(lost("a", 2)), archive.resolve("h1.jsonl"));
        for (int i = 1; i <= 3; i++) {
            Files.move(Path.of(hour(i)), archive.resolve("h" + (i + 1) + ".jsonl"));
        }
        Files.move(Path.of(lost("b", 4)), archive.resolve("h5.jsonl"));
        String first = "";
        for (String option : List.of("--resume", "--overwrite", "--overwrite", "--resume")) {
            InProcess each = check("ser", archive.toString(), "--each", option);
            assertThat(each.exitCode()).as(each.toString()).isEqualTo(3);
            String lines = each.out().replaceAll("  \\d+ ms  ", "  ");
            first = first.isEmpty() ? lines : first;
            assertThat(lines).isEqualTo(first);
            assertThat(lines).contains("new: LostUpdate; LostUpdate of h1.jsonl stands");
            InProcess verified = InProcess.run("verify", runs());
            assertThat(verified.exitCode()).as(verified.toString()).isZero();
        }
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
