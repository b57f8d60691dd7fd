package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import org.junit.jupiter.api.Test;

/** What a part of a chain reads of the runs before it; the files chains-*.case have the faults of chains. */
class ChainFaultsTest extends Chains {
    private static void assertBroken(InProcess answer, String... texts) {
        assertThat(answer.exitCode()).as(answer.toString()).isEqualTo(5);
        assertThat(answer.err()).as(answer.toString()).contains(texts);
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
