package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.report.Version;

/** The command line with an engine whose answer depends on the number of the first session. */
class PolygraphTest {
    private static final String HISTORY =
            "{\"session\":%d,\"index\":0,\"status\":\"committed\",\"ops\":[{\"op\":\"w\",\"key\":1,\"value\":2}]}\n";

    @TempDir
    private Path folder;

    private String out = "";
    private String err = "";
    private final FakeChecker fake = new FakeChecker();

    private String pass;
    private String violation;

    @BeforeEach
    void histories() throws IOException {
        pass = history("pass.jsonl", FakeChecker.PASS);
        violation = history("violation.jsonl", FakeChecker.VIOLATION);
    }

    private String history(String name, int answer) throws IOException {
        return Files.writeString(folder.resolve(name), String.format(HISTORY, answer))
                .toString();
    }

    private int run(String... args) {
        InProcess run = InProcess.run(new OnlyEmbedded(fake.checker()), args);
        out = run.out();
        err = run.err();
        return run.exitCode();
    }

    private static String columns(String line) {
        return line.replaceAll("[0-9]+ ms", "N ms");
    }

    // --- results

    @Test
    void aPassIsOneLine() {
        assertThat(run("check", "-l", "ser", pass)).isZero();
        assertThat(columns(out)).isEqualTo("PASS  ser  " + pass + "  1 txns  1 ops  N ms\n");
        assertThat(err).isEmpty();
    }

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

    /** An error of configuration is a usage error before the first answer; afterwards each PATH still has its line. */
    @Test
    void settingsThatDoNotWorkTakeNoAnswerAway() throws IOException {
        String misconfigured = history("misconfigured.jsonl", FakeChecker.MISCONFIGURED);
        assertThat(run("check", "-l", "ser", misconfigured, pass)).isEqualTo(2);
        assertThat(out).isEmpty();
        assertThat(err).isEqualTo("polygraph: found 1; expected 2; give 2\n");
        assertThat(run("check", "-l", "ser", violation, misconfigured, pass)).isEqualTo(6);
        assertThat(out.lines().filter(line -> line.matches("[A-Z]+ .*")).map(line -> line.split("  ", 2)[0]))
                .containsExactly("VIOLATION", "ERROR", "PASS");
        assertThat(err).isEqualTo("polygraph: found 1; expected 2; give 2\n");
    }

    @Test
    void aViolationIsExplainedIndented() {
        assertThat(run("check", "-l", "si", violation)).isEqualTo(3);
        assertThat(columns(out))
                .isEqualTo("VIOLATION  si  " + violation + "  1 txns  1 ops  N ms  AbortedRead\n"
                        + "  AbortedRead (G1a, dirty read): a read returned what only an aborted transaction wrote.\n"
                        + "  for a test\n  Transactions\n    T1  session 3, index 0 (s3#0)  " + violation
                        + ":1\n          w(1)=2\n");
        assertThat(run("explain", "-l", "si", violation)).isEqualTo(3);
        assertThat(out).contains("Transactions");
    }

    @Test
    void aRunIsExplainedAndItsReportCopied() throws IOException {
        String runs = folder.resolve("runs").toString();
        assertThat(run("check", "-l", "ser", "-o", runs, violation)).isEqualTo(3);
        int before = fake.checks;
        String run = Faults.run(folder.resolve("runs")).toString();
        for (String place : new String[] {runs, run}) {
            assertThat(run("explain", place)).isEqualTo(3);
            assertThat(out).startsWith("VIOLATION  ser  " + violation).contains("  for a test\n", "\n  Expected\n");
            assertThat(run("report", place)).isZero();
            assertThat(out).isEqualTo(run + "/report.html\n");
        }
        assertThat(fake.checks).isEqualTo(before);
        Path copy = folder.resolve("copy.html");
        assertThat(run("report", run, "-o", copy.toString())).isZero();
        assertThat(copy).hasSameBinaryContentAs(Path.of(run, "report.html"));
        assertThat(run("report", run, "-o", "-")).isZero();
        assertThat(out).isEqualTo(Files.readString(copy));
        assertThat(run("explain", "-l", "si", run, pass)).isEqualTo(3);
        assertThat(out.lines().filter(line -> line.startsWith("PASS"))).hasSize(1);
        assertThat(run("explain", run, pass)).isEqualTo(2);
        assertThat(err).contains("pass.jsonl states no isolation in its header");
        assertThat(run("report", pass)).isEqualTo(5);
        assertThat(err)
                .isEqualTo("polygraph: " + pass
                        + ": found a file; expected the folder run=<id> that check --out wrote; give that\n");
        Files.writeString(Path.of(run, "verdict.json"), "{\"schema\":");
        assertThat(run("explain", run)).isEqualTo(5);
        assertThat(err)
                .contains(run + "/verdict.json: found damaged JSON; expected a verdict; check the history again");
        // The error is not in the history.
        assertThat(run("check", "-l", "ser", "-o", runs, violation)).isEqualTo(6);
        assertThat(err)
                .contains(run + "/verdict.json: found damaged JSON; expected a verdict; check the history again");
        Files.delete(Path.of(run, "report.html"));
        assertThat(run("report", run)).isEqualTo(5);
        assertThat(err).contains("found a run without report.html", "check again with --overwrite");
    }

    @Test
    void onViolationSucceedForgivesOnlyViolations() throws IOException {
        assertThat(run("check", "-l", "ser", "--on-violation", "succeed", violation))
                .isZero();
        assertThat(out).startsWith("VIOLATION");
        assertThat(run("check", "-l", "ser", "--on-violation=succeed", history("u", FakeChecker.UNKNOWN)))
                .isEqualTo(4);
    }

    @Test
    void pathsAreAnsweredInOrderWhateverBecameOfOthers() throws IOException {
        String unknown = history("unknown.jsonl", FakeChecker.UNKNOWN);
        String broken = Files.writeString(folder.resolve("broken.jsonl"), "{\"session\":")
                .toString();
        String missing = folder.resolve("missing.jsonl").toString();
        assertThat(run("check", "-l", "ser", missing, broken, unknown, violation, pass))
                .isEqualTo(6);
        assertThat(out.lines().filter(line -> !line.startsWith(" ")).map(line -> line.split("  ", 2)[0]))
                .containsExactly("ERROR", "INVALID", "UNKNOWN", "VIOLATION", "PASS");
        assertThat(err)
                .contains(missing + ": no such file or folder; check the path")
                .contains(broken + ":1:");
        assertThat(run("check", "-l", "ser", broken, violation, pass)).isEqualTo(5);
        assertThat(run("check", "-l", "ser", unknown, violation, pass)).isEqualTo(3);
        assertThat(run("check", "-l", "ser", unknown, pass)).isEqualTo(4);
        assertThat(out).contains("  tired\n");
    }

    @Test
    void jsonIsALineAPath() {
        assertThat(run("check", "-l", "ser", "--json", pass, violation)).isEqualTo(3);
        List<String> lines = out.lines().toList();
        assertThat(lines).hasSize(2);
        assertThat(lines.get(0))
                .startsWith("{\"schema\":1,")
                .contains("\"verdict\":\"PASS\"")
                .endsWith("\"exit_code\":0}");
        assertThat(lines.get(1)).contains("\"name\":\"AbortedRead\"").endsWith("\"exit_code\":3}");
        assertThat(lines.get(0)).containsPattern("\"peak_memory_bytes\":[1-9]");
    }

    @Test
    void stdinIsAPath() {
        InputStream before = System.in;
        System.setIn(new ByteArrayInputStream(
                String.format(HISTORY, FakeChecker.PASS).getBytes(StandardCharsets.UTF_8)));
        try {
            assertThat(run("check", "-l", "ser", "-")).isZero();
        } finally {
            System.setIn(before);
        }
        assertThat(out).startsWith("PASS  ser  -  1 txns");
    }

    // --- failures

    @Test
    void aBugIsExitOneAndShowsItsTraceOnlyWithV() throws IOException {
        String bug = history("bug.jsonl", FakeChecker.BUG);
        assertThat(run("check", "-l", "ser", bug, pass)).isEqualTo(1);
        assertThat(out).startsWith("ERROR  ser  " + bug).contains("\nPASS").doesNotContain("internal error");
        assertThat(err)
                .contains("internal error during faking")
                .contains("-v shows where")
                .doesNotContain("\tat ");
        run("check", "-v", "-l", "ser", bug);
        assertThat(err).contains("\tat ");
    }

    @Test
    void memoryThatRunsOutIsUnknown() throws IOException {
        assertThat(run("check", "-l", "ser", "--memory", "64m", history("m", FakeChecker.OUT_OF_MEMORY), pass))
                .isEqualTo(4);
        assertThat(out)
                .contains("memory of 64 MiB ran out during faking; give --memory more")
                .contains("\nPASS");
    }

    @Test
    void timeThatRunsOutIsUnknown() throws IOException {
        assertThat(run("check", "-l", "ser", "--timeout", "1s", history("s", FakeChecker.SLOW)))
                .isEqualTo(4);
        assertThat(out).contains("timeout of 1000 ms ran out during faking; give --timeout more");
    }

    @Test
    void nothingCommittedIsVacuous() throws IOException {
        Path file = folder.resolve("aborted.jsonl");
        Files.writeString(file, "{\"session\":0,\"index\":0,\"status\":\"aborted\",\"ops\":[]}\n");
        assertThat(run("check", "-l", "ser", file.toString())).isEqualTo(5);
        assertThat(out).doesNotContain("vacuous");
        assertThat(err).contains("vacuous: found 1 transaction, which did not commit; expected one at least");
        assertThat(fake.checks).isZero();
    }

    @Test
    void badFilesAreInvalidAndLocated() throws IOException {
        Path empty = Files.createFile(folder.resolve("empty.jsonl"));
        Path cut = folder.resolve("cut.jsonl.gz");
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
            gzip.write(String.format(HISTORY, FakeChecker.PASS).repeat(50).getBytes(StandardCharsets.UTF_8));
        }
        Files.write(cut, java.util.Arrays.copyOf(bytes.toByteArray(), bytes.size() - 20));
        for (Path file : List.of(empty, cut)) {
            assertThat(run("check", "-l", "ser", file.toString()))
                    .as(file.toString())
                    .isEqualTo(5);
            assertThat(out).startsWith("INVALID  ser  " + file).hasLineCount(1);
            assertThat(err)
                    .startsWith("polygraph: " + file)
                    .doesNotContain("\tat ")
                    .hasLineCount(1);
        }
    }

    // --- usage

    private void usage(String message, String... args) {
        assertThat(run(args)).as(String.join(" ", args)).isEqualTo(2);
        assertThat(err).contains(message).doesNotContain("\tat ");
        assertThat(out).isEmpty();
        assertThat(fake.checks).isZero();
    }

    @Test
    void levels() {
        usage(
                "unknown level 'sre'; did you mean ser? (levels: sser, ser, ssi, si, cc, ra, rc, lin)",
                "check",
                "-l",
                "sre",
                pass);
        usage("unknown level 'linear'", "check", "-l", "linear", pass);
        usage("Missing required option: '--level=LEVEL'", "check", pass);
        usage("; give one or more of sser, ser, ssi, si, cc, ra, rc, lin", "check", pass);
        assertThat(run("check", "-l", "SER", pass)).isZero();
    }

    @Test
    void typosGetSuggestions() {
        usage("unknown command 'chek'; did you mean check? (commands: check, ", "chek", "-l", "ser", pass);
        usage("Possible solutions: --json", "check", "-l", "ser", "--jsn", pass);
        usage("unknown format 'jsnl'; did you mean jsonl?", "check", "-l", "ser", "-f", "jsnl", pass);
        usage(
                "unknown choice 'hnt'; did you mean hint? (none, hint, strict)",
                "check",
                "-l",
                "ser",
                "--time",
                "hnt",
                pass);
    }

    @Test
    void optionsThatMakeNoSense() {
        usage("--time strict with level cc", "check", "-l", "cc", "--time", "strict", pass);
        usage("--time none with level sser", "check", "-l", "sser", "--time", "none", pass);
        usage("'10' is no duration", "check", "-l", "ser", "--timeout", "10", pass);
        usage("'99999999999d' is too large", "check", "-l", "ser", "--timeout", "99999999999d", pass);
        usage("'4x' is no size", "check", "-l", "ser", "--memory", "4x", pass);
        usage(
                "'4' means 4 bytes, in which nothing fits; give a unit, such as 4g",
                "check",
                "-l",
                "ser",
                "--memory",
                "4",
                pass);
        usage("no memory at all", "check", "-l", "ser", "--memory", "0", pass);
        usage("exclude each other", "check", "-l", "ser", "-o", "d", "--resume", "--overwrite", pass);
        usage("--overwrite needs --out DIR", "check", "-l", "ser", "--overwrite", pass);
        usage("--master is for --engine spark", "check", "-l", "ser", "--engine", "embedded", "--master", "x", pass);
        usage("no spark for local[*]", "check", "-l", "ser", "--engine", "spark", pass);
        usage("should be specified only once", "check", "-l", "ser", "-l", "si", pass);
        usage("Missing required parameter: 'PATH'", "check", "-l", "ser");
        usage("Missing command: check, explain", new String[0]);
    }

    @Test
    void theSamePathTwice() {
        usage("the same PATH is given twice: '" + pass + "'; give it once", "check", "-l", "ser", pass, pass);
        usage("twice: '-'", "check", "-l", "ser", "-", "-");
        usage(
                "twice: '" + pass + "' and '",
                "check",
                "-l",
                "ser",
                pass,
                folder.resolve("x/../pass.jsonl").toString());
        usage("an empty PATH", "check", "-l", "ser", "");
    }

    @Test
    void helpAndVersion() {
        assertThat(run("--help")).isZero();
        assertThat(out).contains("Usage: polygraph").contains("check").contains("Exit codes");
        assertThat(run("check", "--help")).isZero();
        assertThat(out).contains("--timeout=DUR").contains("PASS|VIOLATION|UNKNOWN|INVALID|ERROR");
        assertThat(run("--version")).isZero();
        assertThat(out).isEqualTo("polygraph " + Version.current() + "\n");
        assertThat(run("version")).isZero();
        assertThat(out).isEqualTo("polygraph " + Version.current() + "\n");
    }

    // --- runs

    @Test
    void aRunIsKeptAndFoundAgain() throws IOException {
        String runs = folder.resolve("runs").toString();
        assertThat(run("check", "-l", "ser", "-o", runs, violation)).isEqualTo(3);
        String first = columns(out);
        try (var entries = Files.list(folder.resolve("runs"))) {
            List<Path> found = entries.filter(Files::isDirectory).toList();
            assertThat(found).hasSize(1);
            assertThat(found.get(0).getFileName().toString()).matches("run=[0-9a-f]{16}");
            assertThat(found.get(0).resolve("_SUCCESS")).exists();
            assertThat(Files.readString(found.get(0).resolve("verdict.json"))).endsWith("\"exit_code\":3}\n");
        }
        assertThat(run("check", "-l", "ser", "-o", runs, violation)).isEqualTo(3);
        assertThat(columns(out)).isEqualTo(first);
        assertThat(fake.checks).isEqualTo(1);
        assertThat(run("check", "-l", "ser", "--json", "--on-violation", "succeed", "-o", runs, violation))
                .isZero();
        assertThat(out).startsWith("{").hasLineCount(1);
        assertThat(fake.checks).isEqualTo(1);
        assertThat(run("check", "-l", "ser", "--overwrite", "-o", runs, violation))
                .isEqualTo(3);
        assertThat(fake.checks).isEqualTo(2);
        assertThat(run("check", "-l", "si", "-o", runs, violation)).isEqualTo(3);
        assertThat(fake.checks).isEqualTo(3);
    }

    @Test
    void aForgivenRunIsNotForgivenForEver() throws IOException {
        String runs = folder.resolve("runs").toString();
        String copy = history("copy.jsonl", FakeChecker.VIOLATION);
        assertThat(run("check", "-l", "ser", "--on-violation", "succeed", "-o", runs, violation))
                .isZero();
        assertThat(run("check", "-l", "ser", "--json", "-o", runs, copy)).isEqualTo(3);
        assertThat(fake.checks).isEqualTo(1);
        assertThat(out).contains("\"path\":\"" + copy + "\"").endsWith("\"exit_code\":3}\n");
    }

    @Test
    void aStoredRefusalIsReportedAgainForTheSameNameOnly() throws IOException {
        String runs = folder.resolve("runs").toString();
        String named = history("named.gz", FakeChecker.PASS);
        assertThat(run("check", "-l", "ser", "-o", runs, named)).isEqualTo(5);
        assertThat(run("check", "-l", "ser", "-o", runs, named)).isEqualTo(5);
        assertThat(err).startsWith("polygraph: " + named + ": found content that is not compressed by gzip");
        assertThat(run("check", "-l", "ser", "-o", runs, pass)).isZero();
    }

    @Test
    void anUnknownRunIsTriedAgain() throws IOException {
        String unknown = history("unknown.jsonl", FakeChecker.UNKNOWN);
        String runs = folder.resolve("runs").toString();
        assertThat(run("check", "-l", "ser", "-o", runs, unknown)).isEqualTo(4);
        assertThat(run("check", "-l", "ser", "--resume", "-o", runs, unknown)).isEqualTo(4);
        assertThat(fake.checks).isEqualTo(2);
    }

    @Test
    void aFolderThatCannotBeWrittenIsAnError() throws IOException {
        assertThat(run("check", "-l", "ser", "-o", violation, pass)).isEqualTo(6);
        assertThat(out).startsWith("ERROR  ser  " + pass);
    }

    // --- convert

    @Test
    void convertWritesWhatCheckReads() {
        for (String name : List.of("c.jsonl", "c.jsonl.gz", "c.jsonl.zst", "c.parquet")) {
            String target = folder.resolve(name).toString();
            assertThat(run("convert", violation, target)).as(name + err).isZero();
            assertThat(run("check", "-l", "ser", target)).as(name + err).isEqualTo(3);
            fake.checks = 0;
            usage("exists; give --overwrite", "convert", violation, target);
            assertThat(run("convert", "--overwrite", violation, target)).isZero();
        }
        usage("has no known ending", "convert", violation, folder.resolve("c").toString());
        usage(
                "not written as cobra",
                "convert",
                "-t",
                "cobra",
                violation,
                folder.resolve("c").toString());
        usage("given twice", "convert", violation, violation);
        assertThat(run("convert", violation, "-")).isZero();
        assertThat(out).hasLineCount(2).startsWith("{\"format\":\"history\"");
        assertThat(run("convert", pass, pass + "/x.jsonl")).isEqualTo(6);
        assertThat(err).startsWith("polygraph: " + pass + "/x.jsonl: the history cannot be written there");
        assertThat(run(
                        "convert",
                        folder.resolve("none").toString(),
                        folder.resolve("d.jsonl").toString()))
                .isEqualTo(6);
        assertThat(folder.resolve("d.jsonl")).doesNotExist();
    }

    // --- stats and lint

    @Test
    void statsAndLintDescribeAHistory() {
        String missing = folder.resolve("missing").toString();
        assertThat(run("stats", pass, missing, violation)).isEqualTo(6);
        assertThat(out)
                .contains(pass + "\n  transactions  1: 1 committed, 0 aborted")
                .contains("\n  operations    1: 0 reads, 1 writes; at most 1 a transaction\n")
                .contains("\n" + violation + "\n");
        assertThat(run("lint", pass)).isZero();
        assertThat(out).startsWith(pass).doesNotContain("\tat ");
        usage("given twice", "stats", pass, pass);
        usage("given twice", "lint", pass, pass);
    }
}
