package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.storage.testkit.HistoryDsl;

/** What holds for all commands; {@link CasesTest} has what each answers. */
class PolygraphTest {
    @TempDir
    private Path folder;

    /** A terminal must not obey a path or a key: escapes, bidirectional overrides and line separators are escaped. */
    @Test
    void textFromOutsideIsEscapedOnEveryStream() throws IOException {
        String hostile = "\u202e\u001b[31m\u200b\u2028x";
        String key = hostile.replace("\u001b", "\\u001b");
        Path history = folder.resolve("odd\u202e\u2028.jsonl");
        Files.writeString(history, """
                {"session":0,"index":0,"status":"committed","ops":[{"op":"w","key":"KEY","value":"KEY"}]}
                {"session":1,"index":0,"status":"committed","ops":[{"op":"r","key":"KEY","value":"thin"}]}
                """.replace("KEY", key));
        String missing = folder.resolve(hostile).toString();
        String runs = folder.resolve("runs").toString();
        for (String[] words : new String[][] {
            {"check", "-l", "ser", history.toString(), missing},
            {"check", "--json", "-l", "ser", history.toString()},
            {"check", "--progress", "json", "-l", "ser", history.toString()},
            {"check", "--progress", "plain", "-l", "ser", history.toString()},
            {"check", "-v", "-l", "ser", "-o", runs, history.toString()},
            {"check", "-l", "ser", "-o", runs, history.toString()},
            {"lint", history.toString()},
            {"stats", history.toString()},
            {"estimate", history.toString()},
            {"estimate", "--json", history.toString()},
            {
                "generate",
                "-q",
                "--transactions",
                "10",
                "--out",
                folder.resolve("made" + hostile + ".jsonl").toString()
            },
            {"verify", "-l", "ser", missing, history.toString()},
            {"check", "--" + hostile, history.toString()},
            {hostile}
        }) {
            InProcess run = InProcess.run(words);
            boolean json = List.of(words).contains("--json");
            assertThat(run.out() + run.err())
                    .as(String.join(" ", words))
                    .doesNotContain("\u001b", "\u2028")
                    .matches(
                            text -> json || !(text.contains("\u202e") || text.contains("\u200b")),
                            "no hidden characters");
        }
    }

    /** A run names its history by a path that is valid from any directory. */
    @Test
    void theHistoryIsFoundFromElsewhere() throws IOException {
        Path history = Files.writeString(folder.resolve("h.jsonl"), HistoryDsl.lines("w(x,1)"));
        String runs = folder.resolve("runs").toString();
        String relative = Path.of("").toAbsolutePath().relativize(history).toString();
        String answer = InProcess.run("check", "--json", "-l", "ser", "-o", runs, relative)
                .out();
        assertThat(answer).contains("\"location\":\"" + history + "\"");
        assertThat(InProcess.run("verify", runs).exitCode()).isZero();
    }

    @Test
    void anUnreadableFileIsAnError() throws IOException {
        Path secret = Files.writeString(folder.resolve("secret"), HistoryDsl.lines("w(x,1)"));
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("---------"));
        Assumptions.assumeTrue(!Files.isReadable(secret), "skipped: this user may read everything");
        InProcess check = InProcess.run("check", "-l", "ser", secret.toString());
        assertThat(check.exitCode()).isEqualTo(6);
        assertThat(check.err()).isEqualTo("polygraph: " + secret + ": permission denied; check who may read it\n");
    }

    @Test
    void aReaderThatLeavesIsNoError() throws IOException {
        try (OutputStream out = new ReaderMayLeave(failing("Broken pipe"))) {
            out.write(new byte[3]);
            out.write(1);
        }
        OutputStream full = new ReaderMayLeave(failing("No space left on device"));
        assertThatThrownBy(() -> full.write(1)).hasMessage("No space left on device");
    }

    private static OutputStream failing(String message) {
        return new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException(message);
            }
        };
    }
}
