package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.format.HistoryWriter;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.HistoryGenerator;

/**
 * {@code verify --engine spark} of a history that tasks read: the answer is that of the embedded engine except for the
 * hash of the bytes.
 */
@Tag("spark")
class VerifyInPiecesTest {
    @TempDir
    private Path folder;

    private String verify(String engine, Path file) {
        InProcess answer = engine.equals("spark")
                ? InProcess.run("verify", "--engine", "spark", "--master", "local[2]", folder + "/out", file.toString())
                : InProcess.run("verify", folder + "/out", file.toString());
        return answer.out().replaceAll("[0-9]+ ms", "N ms");
    }

    @Test
    void answersAsTheWholeHistory() throws IOException {
        HistoryTable table = HistoryGenerator.withSeed(0x9e)
                .sessions(7)
                .transactions(400)
                .operations(1, 5)
                .keys(30)
                .indeterminateShare(0.05)
                .isolation(HistoryGenerator.Isolation.SERIAL)
                .generate();
        Path file = folder.resolve("h.jsonl");
        Location.of(file.toString()).write(out -> HistoryWriter.writeJsonl(table, out));
        for (String level : new String[] {"ser", "si", "ra"}) {
            assertThat(InProcess.run("check", "-q", "-l", level, "-o", folder + "/out", file.toString())
                            .exitCode())
                    .isZero();
            String whole = verify("embedded", file);
            String pieces = verify("spark", file);
            assertThat(whole).startsWith("VERIFIED");
            // Tasks verify orders of transactions; the driver verifies all other evidence.
            boolean inPieces = !level.equals("ra");
            assertThat(pieces.contains("the same content, sha256")).isEqualTo(inPieces);
            String history = "  history .*\n";
            assertThat(pieces.replaceAll(history, "")).isEqualTo(whole.replaceAll(history, ""));
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
                    try (Stream<Path> files = Files.walk(run)) {
                        files.sorted(Comparator.reverseOrder())
                                .forEach(p -> assertThat(p.toFile().delete()).isTrue());
                    }
                }
            }
        }
    }
}
