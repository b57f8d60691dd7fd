package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Help, stats as JSON, what convert writes, and outputs that are not regular files. */
class SmallCommandsTest {
    private static final String BANK =
            Command.ROOT.resolve("spark-jobs/examples/bank-serializable.jsonl").toString();

    @TempDir
    private Path folder;

    @Test
    void helpOfACommand() {
        assertThat(InProcess.run("help", "check")).isEqualTo(InProcess.run("check", "--help"));
        assertThat(InProcess.run("help")).isEqualTo(InProcess.run("--help"));
        assertThat(InProcess.run("help", "check").exitCode()).isZero();
    }

    @Test
    void statsAsJson() throws IOException {
        JsonNode stats = new ObjectMapper()
                .readTree(InProcess.run("stats", "--json", BANK).out());
        assertThat(stats.get("path").textValue()).isEqualTo(BANK);
        assertThat(stats.get("txns").longValue()).isEqualTo(200);
        assertThat(stats.get("ops").longValue()).isEqualTo(896);
        assertThat(stats.get("reads").longValue() + stats.get("writes").longValue())
                .isEqualTo(896);
    }

    private static final class Failing extends OutputStream {
        private final String message;

        Failing(String message) {
            this.message = message;
        }

        @Override
        public void write(int b) throws IOException {
            throw new IOException(message);
        }
    }

    @Test
    void aReaderThatLeavesIsNoError() throws IOException {
        try (OutputStream out = new ReaderMayLeave(new Failing("Broken pipe"))) {
            out.write(new byte[3]);
            out.write(1);
        }
        OutputStream full = new ReaderMayLeave(new Failing("No space left on device"));
        assertThatThrownBy(() -> full.write(1)).hasMessage("No space left on device");
    }

    @Test
    void devicesPipesAndLinksStay() throws Exception {
        Path device = Path.of("/dev/null");
        Assumptions.assumeTrue(Files.exists(device), "skipped: no /dev/null");
        assertThat(InProcess.run("convert", "-q", "-t", "jsonl", BANK, "/dev/null")
                        .exitCode())
                .isZero();
        assertThat(Files.isRegularFile(device)).isFalse();
        Path runs = folder.resolve("runs");
        InProcess.run("check", "-q", "-l", "ser", "-o", runs.toString(), BANK);
        assertThat(InProcess.run("report", "-o", "-", runs.toString()).out())
                .isEqualTo(Files.readString(Faults.run(runs).resolve("report.html")));
        assertThat(InProcess.run("report", "-o", "/dev/null", runs.toString()).exitCode())
                .isZero();
        assertThat(Files.isRegularFile(device)).isFalse();

        Path target = folder.resolve("there/target.jsonl");
        Path link = Files.createSymbolicLink(folder.resolve("link.jsonl"), Path.of("there/target.jsonl"));
        assertThat(InProcess.run("convert", "-q", BANK, link.toString()).exitCode())
                .isZero();
        assertThat(link).isSymbolicLink();
        assertThat(target).isRegularFile();
        assertThat(InProcess.run("generate", "-q", "--transactions", "10", "--overwrite", "-o", link.toString())
                        .exitCode())
                .isZero();
        assertThat(link).isSymbolicLink();

        Path pipe = folder.resolve("pipe.jsonl");
        Assumptions.assumeTrue(
                new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor() == 0, "skipped: no mkfifo");
        Process reader = new ProcessBuilder("cat", pipe.toString()).start();
        assertThat(InProcess.run("convert", "-q", BANK, pipe.toString()).exitCode())
                .isZero();
        assertThat(new String(reader.getInputStream().readAllBytes(), StandardCharsets.UTF_8).lines())
                .hasSizeGreaterThan(200);
        assertThat(Files.isRegularFile(pipe)).isFalse();
    }

    /** What was recorded is the same in Arrow, and so are the answer and the hash of the contents. */
    @Test
    void convertWritesArrow() throws IOException {
        for (String name : List.of("bank-serializable.jsonl", "jepsen-list-append.edn", "rows-reinserted.jsonl")) {
            String source = Command.ROOT.resolve("spark-jobs/examples/" + name).toString();
            String lines = folder.resolve("lines.jsonl").toString();
            String arrow = folder.resolve("copy.arrow").toString();
            String back = folder.resolve("back.jsonl").toString();
            assertThat(InProcess.run("convert", "--overwrite", source, lines).err())
                    .isEmpty();
            assertThat(InProcess.run("convert", "--overwrite", lines, arrow).err())
                    .isEmpty();
            assertThat(InProcess.run("convert", "--overwrite", arrow, back).err())
                    .isEmpty();
            assertThat(Path.of(back)).as(name).hasSameTextualContentAs(Path.of(lines));
            assertThat(InProcess.run("check", "-q", "-l", "si", arrow).exitCode())
                    .isEqualTo(InProcess.run("check", "-q", "-l", "si", source).exitCode());
        }
    }

    @Test
    void listsAreConverted() throws IOException {
        String transactions = """
                {"session":0,"index":0,"status":"committed","ops":[{"op":"append","key":1,"value":1},{"op":"append","key":"x","value":"a"}]}
                {"session":1,"index":0,"status":"indeterminate","ops":[{"op":"append","key":1,"value":2},{"op":"w","key":2,"value":7}]}
                {"session":2,"index":0,"start":5,"end":6,"status":"committed","ops":[{"op":"r","key":1,"value":[1,2]},{"op":"r","key":"x","value":[]}]}
                """;
        String lists =
                Files.writeString(folder.resolve("lists.jsonl"), transactions).toString();
        Path copy = folder.resolve("copy.jsonl");
        for (String middle : List.of("lists.parquet", "lists.arrow", "lists.jsonl.zst")) {
            String other = folder.resolve(middle).toString();
            assertThat(InProcess.run("convert", lists, other).exitCode()).isZero();
            assertThat(InProcess.run("convert", "--overwrite", other, copy.toString())
                            .exitCode())
                    .isZero();
            assertThat(Files.readString(copy)).as(middle).endsWith("}\n" + transactions);
        }
        for (String level : List.of("ser", "si", "rc")) {
            for (String window : List.of("0", "2")) {
                assertThat(InProcess.run("check", "-q", "-l", level, "--window", window, folder + "/lists.parquet")
                                .exitCode())
                        .as(level + " by windows of " + window)
                        .isEqualTo(InProcess.run("check", "-q", "-l", level, "--window", window, lists)
                                .exitCode());
            }
        }
    }
}
