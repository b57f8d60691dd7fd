package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** {@code --after} and {@code --each}: histories that were archived part by part. */
class ChainTest extends Chains {
    @Test
    void hoursOfListsGoOnAfterAViolation() throws IOException {
        goesOn(
                "ser",
                "LostUpdate",
                line(0, 0, append("x", 1))
                        + line(1, 0, list("x", "1") + "," + append("x", 2))
                        + line(2, 0, list("x", "1") + "," + append("x", 3))
                        + line(3, 0, list("x", "1,2,3")),
                line(0, 1, list("x", "1,2,3") + "," + append("y", 1))
                        + line(1, 1, list("y", "1") + "," + append("y", 2)),
                line(0, 2, list("y", "1,2") + "," + append("y", 4))
                        + line(1, 2, list("y", "1,2") + "," + append("y", 5))
                        + line(2, 1, list("y", "1,2,4,5")));
    }

    /** Two transactions insert one row; neither reads. */
    @Test
    void hoursOfInsertsGoOnAfterAViolation() throws IOException {
        goesOn(
                "ser",
                "DuplicateInsert",
                line(0, 0, insert("x", 1)) + line(1, 0, insert("x", 2)),
                line(0, 1, read("z", "null") + "," + insert("y", 1)) + line(1, 1, read("y", 1)),
                line(2, 0, insert("v", 1)) + line(3, 0, insert("v", 2)));
    }

    /** A query misses the row of an earlier transaction of its session. */
    @Test
    void hoursOfConditionsGoOnAfterAViolation() throws IOException {
        String missed = "{\"op\":\"pr\",\"lo\":1,\"hi\":5,\"rows\":[]}";
        goesOn(
                "si",
                "SessionGuaranteeViolation",
                line(0, 0, insert("x", 1)) + line(0, 1, missed),
                line(0, 2, "{\"op\":\"pr\",\"lo\":1,\"hi\":5,\"rows\":[[\"x\",1]]}"),
                line(0, 3, missed));
    }

    @Test
    void hoursOfSingleOperationsGoOnAfterAViolation() throws IOException {
        goesOn(
                "lin",
                "G-realtime",
                timed(0, write("x", 1)) + timed(1, write("x", 2)) + timed(2, read("x", 1)),
                timed(3, read("x", 2)) + timed(4, write("y", 1)) + timed(5, write("y", 2)),
                timed(6, read("y", 1)));
    }

    /** Hour 1 has a violation, hour 2 nothing that is new, and hour 3 another violation. */
    private void goesOn(String level, String name, String first, String second, String third) throws IOException {
        String[] options = {"--after", runs(), "--fail-on", "new"};
        InProcess one = check(level, write("hour-1.jsonl", first), options);
        assertThat(one.exitCode()).as(one.toString()).isEqualTo(3);
        InProcess two = check(level, write("hour-2.jsonl", second), options);
        assertThat(two.exitCode()).as(two.toString()).isZero();
        assertThat(two.out()).contains("no new violation; " + name + " of hour-1.jsonl stands; beyond ");
        InProcess three = check(level, write("hour-3.jsonl", third), options);
        assertThat(three.exitCode()).as(three.toString()).isEqualTo(3);
        assertThat(three.out()).contains("new: " + name + "; " + name + " of hour-1.jsonl stands; beyond ");
        assertThat(InProcess.run("verify", runs()).exitCode()).isZero();
    }

    /** A transaction of session 0 at a time of its own. */
    private static String timed(int index, String operation) {
        String times = ",\"start\":" + 10 * index + ",\"end\":" + (10 * index + 5) + ",\"status\"";
        return line(0, index, operation).replace(",\"status\"", times);
    }

    private static String insert(String key, int value) {
        return write(key, value).replace("\"w\"", "\"i\"");
    }

    private static String append(String key, int value) {
        return "{\"op\":\"append\",\"key\":\"" + key + "\",\"value\":" + value + "}";
    }

    private static String list(String key, String elements) {
        return "{\"op\":\"r\",\"key\":\"" + key + "\",\"value\":[" + elements + "]}";
    }

    @Test
    void whatIsWrongWithAChainIsNamed() throws IOException {
        String first = hour(1);
        after(first);
        after(hour(2));
        InProcess gap = after(hour(4));
        assertThat(gap.exitCode()).as(gap.toString()).isEqualTo(5);
        assertThat(gap.err()).contains("continuing with index 3 after index 1", "a part is missing");
        String again = write("again.jsonl", line(0, 1, read("x", 1)));
        InProcess twice = after(again);
        assertThat(twice.exitCode()).isEqualTo(5);
        assertThat(twice.err()).contains("again.jsonl:1", "hour-2.jsonl:1");
        Files.delete(Path.of(first));
        // The seam of the second hour suffices for an hour that holds, and for no other.
        assertThat(after(hour(3)).exitCode()).isZero();
        InProcess gone = after(write("stale.jsonl", line(0, 3, read("x", 1))));
        assertThat(gone.exitCode()).as(gone.toString()).isEqualTo(4);
        assertThat(gone.out())
                .contains("hour-1.jsonl, part 1 of 4 of the chain, is gone")
                .contains(
                        "the state after part 3 does not explain transaction (session 0, index 3) at ",
                        "stale.jsonl:1 on key \"x\" (SessionGuaranteeViolation)");
    }

    /** Indexes that have a gap within the first part do not show that a part is missing. */
    @Test
    void aLateTransactionMayFillAGap() throws IOException {
        String first = write("first.jsonl", line(0, 0, write("x", 1)) + line(0, 7, write("x", 3)));
        assertThat(after(first).exitCode()).isZero();
        InProcess filled = after(write("late.jsonl", line(0, 4, write("x", 2))));
        assertThat(filled.exitCode()).as(filled.toString()).isZero();
        InProcess later = after(write("next.jsonl", line(0, 9, read("x", 3))));
        assertThat(later.exitCode()).as(later.toString()).isZero();
    }

    /** A part that is checked again may get other bytes in its seam. What rests on the seam is then renewed. */
    @Test
    void aPartOnASeamThatWasReplacedIsCheckedAgain() throws IOException {
        after(longHour(1));
        after(longHour(2));
        Path base = run(after(longHour(3))).resolve("seam/base.txt");
        String right = Files.readString(base);
        String replaced = "0".repeat(64) + right.substring(64);
        Files.writeString(base, replaced);
        // The seam of the third hour is not used, and the first hour can still be checked.
        InProcess first = after(longHour(1), "--overwrite");
        assertThat(first.exitCode()).as(first.toString()).isZero();
        InProcess third = after(longHour(3));
        assertThat(third.exitCode()).as(third.toString()).isZero();
        assertThat(third.err()).contains("another seam has taken the place of the one that the verdict rests on");
        assertThat(!Files.exists(base) || !Files.readString(base).equals(replaced))
                .isTrue();
        Path archive = Files.createDirectory(folder.resolve("archive"));
        for (int i = 1; i <= 3; i++) {
            Files.copy(Path.of(longHour(i)), archive.resolve("long-" + i + ".jsonl"));
        }
        for (String option : List.of("-q", "--overwrite", "--overwrite")) {
            InProcess each = InProcess.run("check", "-l", "ser", option, "-o", runs(), "--each", archive.toString());
            assertThat(each.exitCode()).as(each.toString()).isZero();
            InProcess verified = InProcess.run("verify", runs());
            assertThat(verified.exitCode()).as(verified.toString()).isZero();
        }
    }

    /** An hour is missing, and the seam of an hour before the last one would explain the rest. */
    @Test
    void aMissingHourIsFoundOnAnySeam() throws IOException {
        after(hour(1));
        after(hour(2));
        InProcess gap = after(write("hour-4.jsonl", line(0, 3, write("y", 1))));
        assertThat(gap.exitCode()).as(gap.toString()).isEqualTo(5);
        assertThat(gap.err()).contains("continuing with index 3 after index 1", "a part is missing");
    }

    @Test
    void anHourInTheWrongOrderIsNamed() throws IOException {
        assertThat(after(hour(2)).word()).isEqualTo("UNKNOWN");
        InProcess late = InProcess.run("check", "-l", "ser", "-o", runs(), "--after", runs(), hour(1));
        assertThat(late.word()).as(late.toString()).isEqualTo("PASS");
        assertThat(late.err())
                .containsPattern("hour-1.jsonl:1 precedes .*hour-2.jsonl:1 of an earlier part in session 0");
    }

    /** The hours share no session, so that only times show their order. */
    @Test
    void anHourOfNewSessionsInTheWrongOrderIsNamed() throws IOException {
        for (int i : new int[] {1, 3, 2}) {
            String times = "{\"session\":" + i + ",\"start\":" + 10 * i + ",\"end\":" + (10 * i + 9) + ",";
            String hour = write(
                    "new-" + i + ".jsonl", line(i, 0, write("x" + i, i)).replace("{\"session\":" + i + ",", times));
            InProcess answer = InProcess.run("check", "-l", "ser", "-o", runs(), "--after", runs(), hour);
            assertThat(answer.word()).as(answer.toString()).isEqualTo("PASS");
            boolean isNamed =
                    answer.err().contains("new-2.jsonl: all its transactions ended before transaction (session 3,");
            assertThat(isNamed).as(answer.toString()).isEqualTo(i == 2);
        }
    }

    /** Only the hour that wrote what a refutation reads is opened; the others are gone. */
    @Test
    void aViolationOpensTheHoursThatItNames() throws IOException {
        String[] hours = new String[7];
        for (int i = 1; i <= 6; i++) {
            hours[i] = longHour(i);
        }
        append(hours[2], line(5, 0, write("a", 1)));
        for (int i = 1; i <= 4; i++) {
            assertThat(after(hours[i]).word()).isEqualTo("PASS");
        }
        append(hours[5], line(6, 0, read("a", 1) + "," + write("a", 2)));
        append(hours[5], line(7, 0, read("a", 1) + "," + write("a", 3)));
        for (int i : new int[] {1, 3, 4}) {
            Files.delete(Path.of(hours[i]));
        }
        InProcess found = after(hours[5]);
        assertThat(found.exitCode()).as(found.toString()).isEqualTo(3);
        assertThat(found.out()).contains("LostUpdate", "s5#0", "long-5.jsonl:1501", "long-5.jsonl:1502");
        assertThat(after(hours[6]).out())
                .contains("no new violation; LostUpdate of long-5.jsonl stands", "  2500 txns");
        Files.delete(Path.of(hours[2]));
        InProcess gone = after(hours[5], "--overwrite");
        assertThat(gone.exitCode()).as(gone.toString()).isEqualTo(4);
        assertThat(gone.out())
                .contains("the state after part 4 does not explain transaction ")
                .contains(" on key \"a\" (LostUpdate); ")
                .contains("long-2.jsonl, part 2 of 5 of the chain, is gone");
    }

    /** No earlier hour can have written the value, so none is opened; all are gone. */
    @Test
    void aReadOfTheNextHourOpensNoEarlierOne() throws IOException {
        for (int i = 1; i <= 3; i++) {
            assertThat(after(longHour(i)).word()).isEqualTo("PASS");
            Files.delete(folder.resolve("long-" + i + ".jsonl"));
        }
        String fourth = longHour(4);
        append(fourth, line(5, 0, read("a", 1)));
        InProcess open = after(fourth);
        assertThat(open.exitCode()).as(open.toString()).isEqualTo(4);
        assertThat(open.out())
                .contains("  2501 txns")
                .contains("long-4.jsonl:1501: read 1 from key \"a\"", "the writer may follow in the next part");
        String fifth = longHour(5);
        append(fifth, line(6, 0, write("a", 1)));
        InProcess closed = after(fifth);
        assertThat(closed.word()).as(closed.toString()).isEqualTo("PASS");
    }

    /** Runs of weaker levels have the order of a stronger one, but a chain of ser is not said to rest on rc. */
    @Test
    void aRunRestsOnTheSeamOfItsOwnLevel() throws IOException {
        String runs = folder.resolve("runs").toString();
        for (int i = 1; i <= 2; i++) {
            InProcess.run("check", "-q", "-l", "ser,si,rc", "-o", runs, "--after", runs, longHour(i));
        }
        InProcess verified = InProcess.run("verify", "--chain", runs + "/long-2.jsonl");
        assertThat(verified.exitCode()).as(verified.toString()).isZero();
        assertThat(verified.out()).containsPattern("VERIFIED  ser  \\S+long-1.jsonl");
    }

    /** Each hour has a folder of runs, and one of them is UNKNOWN. The hour after it reads none of the others. */
    @Test
    void theHourAfterAnUnknownOneUsesItsSeam() throws IOException {
        String before = folder.resolve("runs-1").toString();
        for (int i = 1; i <= 4; i++) {
            String hour = longHour(i);
            append(hour, i == 3 ? line(5, 0, read("a", 1)) : i == 4 ? line(6, 0, write("a", 1)) : "");
            String runs = folder.resolve("runs-" + i).toString();
            InProcess answer = InProcess.run("check", "-q", "-l", "ser", "-o", runs, "--after", before, hour);
            assertThat(answer.word()).as(answer.toString()).isEqualTo(i == 3 ? "UNKNOWN" : "PASS");
            assertThat(answer.out())
                    .contains(List.of("  1500 txns", "  2500 txns", "  2501 txns", "  2502 txns")
                            .get(i - 1));
            if (i <= 3) {
                Files.delete(Path.of(hour));
            }
            before = runs;
        }
    }

    private static void append(String file, String line) throws IOException {
        Files.writeString(Path.of(file), line, StandardOpenOption.APPEND);
    }

    /** 1,500 transactions an hour, so that most of them are before the cut of a seam. */
    private String longHour(int i) throws IOException {
        StringBuilder lines = new StringBuilder();
        for (int t = 0; t < 1500; t++) {
            int n = (i - 1) * 1500 + t;
            String key = "k" + n % 7;
            lines.append(line(0, n, read(key, n < 7 ? "null" : Integer.toString(n - 7)) + "," + write(key, n)));
        }
        return write("long-" + i + ".jsonl", lines.toString());
    }

    @Test
    void aSeamStandsForEarlierParts() throws IOException {
        for (int i = 1; i <= 3; i++) {
            String hour = longHour(i);
            InProcess answer = after(hour);
            assertThat(answer.word()).as(answer.toString()).isEqualTo("PASS");
            // An hour is read with the 1,000 transactions that the seam before it leaves open.
            assertThat(answer.out()).contains("  " + (i == 1 ? 1500 : 2500) + " txns");
        }
        Files.delete(folder.resolve("long-1.jsonl"));
        String last = run(after(longHour(3))).toString();
        InProcess chain = InProcess.run("verify", "--chain", last);
        assertThat(chain.out().lines().map(line -> line.split("  ", 2)[0]))
                .as(chain.toString())
                .containsSubsequence("VERIFIED", "VERIFIED", "ERROR");
        assertThat(chain.out()).contains("state and tail of 1000 transactions follow from the order");
        longHour(1);
        assertThat(InProcess.run("verify", "--chain", last).exitCode()).isZero();
    }

    /** Blind writers overlap so much that exchanges of the seam change the order of several of them. */
    @Test
    void ordersOfExchangesAreVerified() throws IOException {
        String path = folder.resolve("blind.jsonl").toString();
        String options = "--transactions 4000 --operations 8 --sessions 50 --keys 2000 --distribution zipf --zipf 0.8";
        InProcess.run(List.of(("generate -q -l ser --seed 22 " + options + " -o " + path).split(" ")));
        String run = run(check("ser", path, "--after", runs())).toString();
        Path orders = Path.of(run, "seam", "orders.parquet");
        assertThat(orders).exists();
        InProcess verified = InProcess.run("verify", run);
        assertThat(verified.exitCode()).as(verified.toString()).isZero();
        assertThat(verified.out()).contains("state and tail of 1000 transactions follow from the order");
        Files.writeString(orders, "changed");
        InProcess changed = InProcess.run("verify", run);
        assertThat(changed.exitCode()).as(changed.toString()).isEqualTo(6);
        assertThat(changed.err())
                .contains("orders.parquet: found the orders of exchanges of a seam, which has changed");
    }

    /** Two jobs that check the same part, and two that check different parts after the same one. */
    @Test
    void jobsOnOneChainAtTheSameTimeLoseNothing() throws Exception {
        after(longHour(1));
        String second = longHour(2);
        String other = write("other.jsonl", line(1, 0, write("other", 1)));
        ExecutorService jobs = Executors.newFixedThreadPool(3);
        List<Future<InProcess>> running = new ArrayList<>();
        String firstRun = runOf(1);
        for (String path : List.of(second, second, other)) {
            running.add(jobs.submit(
                    () -> InProcess.run("check", "-q", "-l", "ser", "-o", runs(), "--after", firstRun, path)));
        }
        for (Future<InProcess> job : running) {
            assertThat(job.get().exitCode()).as(job.get().toString()).isZero();
            assertThat(job.get().err()).isEmpty();
        }
        jobs.shutdown();
        assertThat(InProcess.run("runs", runs()).out().lines()).hasSize(3);
        InProcess verified = InProcess.run("verify", runs());
        assertThat(verified.exitCode()).as(verified.toString()).isZero();
        assertThat(InProcess.run("check", "-q", "-l", "ser", "-o", runs(), "--after", runOf(2), longHour(3))
                        .exitCode())
                .isZero();
    }

    /** The run of a long hour. */
    private String runOf(int hour) {
        return InProcess.run("runs", runs())
                .out()
                .lines()
                .filter(line -> line.contains("long-" + hour))
                .map(line -> runs() + "/" + line.replaceAll(".*(run=[0-9a-f]+).*", "$1"))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aDamagedSeamIsNotUsed() throws IOException {
        after(longHour(1));
        Path seam = run(after(longHour(2))).resolve("seam");
        for (String file : List.of("state.parquet", "tail.jsonl.zst", "seam.parquet")) {
            Path damaged = seam.resolve(file);
            byte[] bytes = Files.readAllBytes(damaged);
            // The middle of a small file of Parquet may be text that does not matter.
            int stated = new String(bytes, StandardCharsets.ISO_8859_1).indexOf("\"places\":\"");
            int at = file.equals("seam.parquet") ? stated + 10 : bytes.length / 2;
            bytes[at] ^= 1;
            Files.write(damaged, bytes);
            InProcess answer = after(longHour(3), "--overwrite");
            assertThat(answer.word()).as(file + " " + answer).isEqualTo("PASS");
            // It is decided on the seam of the first hour.
            assertThat(answer.out()).contains("  4000 txns");
            assertThat(answer.err()).contains(file, "seam is not used");
            assertThat(InProcess.run("verify", seam.getParent().toString()).exitCode())
                    .as(file)
                    .isIn(5, 6);
            bytes[at] ^= 1;
            Files.write(damaged, bytes);
        }
        // A process that was killed while it wrote the seam leaves no seam.parquet.
        Files.delete(seam.resolve("seam.parquet"));
        assertThat(after(longHour(3), "--overwrite").out()).contains("  4000 txns");
    }
}
