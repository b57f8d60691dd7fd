package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileUtil;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.format.HistoryWriter;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.Workloads;

/** {@code verify} by workers: executors of Spark, or threads if the history does not fit in memory. */
class VerifyByWorkersTest {
    @TempDir
    private Path folder;

    private String verify(String engine, Path file) {
        InProcess answer = engine.equals("spark")
                ? InProcess.run("verify", "--engine", "spark", "--master", "local[2]", folder + "/out", file.toString())
                : InProcess.run("verify", folder + "/out", file.toString());
        return answer.out().replaceAll("[0-9]+ ms", "N ms");
    }

    /** The answer is that of the embedded engine except for the hash of the bytes. */
    @Test
    @Tag("spark")
    void answersAsTheWholeHistory() throws IOException {
        HistoryTable table = Workloads.of(
                        0x9e, "timed false sessions 7 transactions 400 operations 1 5 keys 30 indeterminate 0.05")
                .table();
        Path file = folder.resolve("h.jsonl");
        Location.of(file.toString()).write(out -> HistoryWriter.writeJsonl(table, out));
        for (String level : new String[] {"ser", "si", "pc", "ra"}) {
            assertThat(InProcess.run("check", "-q", "-l", level, "-o", folder + "/out", file.toString())
                            .exitCode())
                    .isZero();
            String whole = verify("embedded", file);
            String byWorkers = verify("spark", file);
            assertThat(whole).startsWith("VERIFIED");
            // Workers verify orders of transactions; the driver verifies all other evidence.
            boolean isByWorkers = !level.equals("ra") && !level.equals("pc");
            assertThat(byWorkers.contains("the same content, sha256")).isEqualTo(isByWorkers);
            String history = "  history .*\n";
            assertThat(byWorkers.replaceAll(history, "")).isEqualTo(whole.replaceAll(history, ""));
            Path changed = folder.resolve("changed.jsonl");
            String text = Files.readString(file);
            int at = text.lastIndexOf("\"op\":\"w\"");
            int value = text.indexOf("\"value\":", at) + "\"value\":".length();
            Files.writeString(changed, text.substring(0, value) + "9" + text.substring(value));
            String wrong = verify("spark", changed);
            assertThat(wrong).startsWith("REJECTED").contains("the history is not the one that was checked");
            assertThat(wrong).isEqualTo(verify("embedded", changed));
            try (Stream<Path> runs = Files.list(folder.resolve("out"))) {
                for (Path run : runs.filter(p -> p.getFileName().toString().startsWith("run="))
                        .toList()) {
                    assertThat(FileUtil.fullyDelete(run.toFile())).isTrue();
                }
            }
        }
    }

    /** Runs {@code verify} in a process with a small heap. */
    private static Command verify(String heap, Path out, Path file) throws IOException, InterruptedException {
        // Each thread needs its share of the heap.
        List<String> options = List.of(heap, "-XX:+UseSerialGC", "-XX:ActiveProcessorCount=1");
        List<String> words = Command.main(options, List.of("verify", out.toString(), file.toString()));
        return Command.run(Command.ROOT, Map.of(), words, 5);
    }

    /** A history of {@value #LARGE} transactions takes more than this heap as a whole. */
    private static final String HEAP = "-Xmx80m";

    private static final int LARGE = 300_000;

    @Test
    @Tag("process")
    void threadsVerifyWhatDoesNotFitInMemory() throws IOException, InterruptedException {
        Path file = folder.resolve("large.jsonl");
        InProcess made =
                InProcess.run("generate", "-q", "--transactions", Integer.toString(LARGE), "-o", file.toString());
        assertThat(made.exitCode()).as(made.toString()).isZero();
        Path out = folder.resolve("large");
        InProcess check = InProcess.run("check", "-q", "-l", "si", "-o", out.toString(), file.toString());
        assertThat(check.exitCode()).as(check.toString()).isZero();
        Command verified = verify(HEAP, out, file);
        assertThat(verified.exitCode()).as(verified.toString()).isZero();
        // Workers hash what was recorded, and not the bytes of the file.
        assertThat(verified.out()).startsWith("VERIFIED  si  ").contains("the same content, sha256");
        assertThat(InProcess.run("verify", out.toString()).out()).contains("the same bytes, sha256");
        Path other = folder.resolve("other.jsonl");
        assertThat(InProcess.of("generate -q --seed 9 --transactions " + LARGE + " -o " + other)
                        .exitCode())
                .isZero();
        Command rejected = verify(HEAP, out, other);
        assertThat(rejected.exitCode()).as(rejected.toString()).isEqualTo(3);
        assertThat(rejected.out()).contains("the history is not the one that was checked");
    }
}
