package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.report.Version;

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

    @Test
    void helpAndVersion() {
        assertThat(succeeds("--help")).contains("Usage: polygraph", "check", "Exit codes");
        assertThat(succeeds("check", "--help")).contains("--timeout=DUR", "PASS|VIOLATION|UNKNOWN|INVALID|ERROR");
        assertThat(succeeds("--version")).isEqualTo("polygraph " + Version.current() + "\n");
        assertThat(succeeds("version")).isEqualTo("polygraph " + Version.current() + "\n");
        InProcess none = InProcess.run(new String[0]);
        assertThat(none.exitCode()).isEqualTo(2);
        assertThat(none.err()).contains("Missing command: check, explain");
    }

    private static String succeeds(String... words) {
        InProcess run = InProcess.run(words);
        assertThat(run.exitCode()).as(run.toString()).isZero();
        return run.out();
    }
}
