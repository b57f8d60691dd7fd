package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs are named, listed and found again. */
class RunsTest {
    private static final String SKEW = example("write-skew");
    private static final String BANK = example("bank-serializable");

    @TempDir
    private Path folder;

    private static String example(String name) {
        return Command.ROOT.resolve("spark-jobs/examples/" + name + ".jsonl").toString();
    }

    private String runs() {
        return folder.resolve("runs").toString();
    }

    private InProcess check(String... words) {
        String[] all = new String[words.length + 4];
        all[0] = "check";
        all[1] = "-q";
        all[2] = "-o";
        all[3] = runs();
        System.arraycopy(words, 0, all, 4, words.length);
        return InProcess.run(all);
    }

    @Test
    void theAnswerNamesTheRun() throws IOException {
        String first = check("-l", "ser", SKEW).out();
        String run = first.lines()
                .filter(line -> line.startsWith("  run: "))
                .findFirst()
                .orElseThrow()
                .substring(7);
        assertThat(Path.of(run, "verdict.json")).exists();
        // An earlier run is also named, in text and with --json.
        assertThat(check("-l", "ser", SKEW).out()).contains("  run: " + run);
        assertThat(check("-l", "ser", "--json", SKEW).out()).contains("\"run\":\"" + run + "\"");
        assertThat(check("-l", "si", "--json", SKEW).out()).contains("\"run\":\"" + runs() + "/run=");
        assertThat(InProcess.run("check", "-q", "-l", "ser", SKEW).out()).doesNotContain("run: ");
    }

    @Test
    void runsAreExplainedInTheirOrder() throws IOException {
        check("-l", "ser,si,rc", SKEW);
        // Files that are written within one tick of the clock of the file system have the same time.
        FileTime moment = FileTime.fromMillis(0);
        try (Stream<Path> folders = Files.list(Path.of(runs()))) {
            for (Path folder : folders.filter(
                            path -> path.getFileName().toString().startsWith("run="))
                    .toList()) {
                Files.setLastModifiedTime(folder.resolve("verdict.json"), moment);
            }
        }
        assertThat(InProcess.run("explain", runs()).out().lines().filter(line -> !line.startsWith(" ")))
                .extracting(line -> line.split("  ")[1])
                .containsExactly("ser", "si", "rc");
        InProcess unknown = InProcess.run("explain", runs() + "/unknown.jsonl");
        assertThat(unknown.exitCode()).isEqualTo(6);
        assertThat(unknown.err()).contains("unknown.jsonl: no run, folder of runs or history");
    }

    @Test
    void theFoldersBelowAreNamedIfTheyHaveTheRuns() throws IOException {
        check("-l", "ser", SKEW);
        for (String command : List.of("explain", "report", "runs", "verify")) {
            InProcess above = InProcess.run(command, folder.toString());
            assertThat(above.exitCode()).as(command).isEqualTo(5);
            assertThat(above.err())
                    .isEqualTo("polygraph: " + folder + ": found no run, but runs in the folder " + runs()
                            + "; expected a folder run=<id>, or the folder that holds such folders; give that one\n");
        }
    }

    /** An integer and a string are different values, which a recorder may mix up. */
    @Test
    void aReadOfTheOtherTypeIsExplained() throws IOException {
        String line = "{'session':%d,'index':0,'status':'committed','ops':[{'op':'%s','key':'x','value':%s}]}\n";
        for (List<String> each : List.of(
                List.of("'1'", "1", "the string \"1\", which is another value than the integer"),
                List.of("1", "'1'", "the integer 1, which is another value than the string"))) {
            String lines = line.formatted(0, "w", each.get(0)) + line.formatted(1, "r", each.get(1));
            Path file = Files.writeString(folder.resolve("types.jsonl"), lines.replace('\'', '"'));
            InProcess check = InProcess.run("check", "-l", "ser", file.toString());
            assertThat(check.exitCode()).isEqualTo(3);
            assertThat(check.out()).contains(", which no transaction wrote; a transaction wrote " + each.get(2) + ".");
        }
    }

    @Test
    void runsAreListed() throws IOException {
        check("-l", "ser,si", SKEW, BANK);
        InProcess list = InProcess.run("runs", runs());
        assertThat(list.exitCode()).isZero();
        assertThat(list.out().lines())
                .hasSize(4)
                .allMatch(
                        line -> line.matches(
                                "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ  (PASS|VIOLATION)  (ser|si)  \\S+  run=[0-9a-f]{16}(  \\S+)?"));
        assertThat(list.out()).contains("VIOLATION  ser  " + SKEW + "  run=");
        assertThat(InProcess.run("runs", "--json", runs()).out().lines())
                .hasSize(4)
                .allMatch(line -> line.contains("\"run\":\"" + runs() + "/run="));
        Document page = Jsoup.parse(Files.readString(folder.resolve("runs/index.html")));
        assertThat(page.select("th").eachText()).containsExactly("History", "ser", "si", "Checked (UTC)");
        assertThat(page.select("header p.reason").text())
                .isEqualTo("in " + Path.of(SKEW).getParent() + "/");
        assertThat(page.select("tbody td:first-child").eachText())
                .containsExactlyInAnyOrder("write-skew.jsonl", "bank-serializable.jsonl");
        assertThat(page.select("tbody tr")).hasSize(2);
        assertThat(page.select("tbody td.violation a").eachText()).containsExactly("VIOLATION");
        for (var link : page.select("td a")) {
            assertThat(folder.resolve("runs").resolve(link.attr("href"))).exists();
        }
        assertThat(InProcess.run("runs", folder.resolve("none").toString()).exitCode())
                .isEqualTo(6);
        assertThat(InProcess.run(
                                "runs",
                                Files.createDirectory(folder.resolve("empty")).toString())
                        .exitCode())
                .isEqualTo(5);
    }

    @Test
    void runsOfSeveralDaysHaveAPageForEach() throws IOException {
        check("-l", "ser,si", SKEW);
        try (Stream<Path> files = Files.walk(folder.resolve("runs"))) {
            for (Path file : files.filter(path -> path.endsWith("verdict.json")).toList()) {
                Files.setLastModifiedTime(file, FileTime.from(Instant.parse("2026-03-01T23:59:59Z")));
            }
        }
        check("-l", "ser", BANK);

        Document days = Jsoup.parse(Files.readString(folder.resolve("runs/index.html")));
        assertThat(days.title()).isEqualTo("2 days");
        assertThat(days.select("tbody tr").first().text()).isEqualTo("2026-03-01 1 1 VIOLATION 1 PASS 1");
        assertThat(days.select("tbody tr").last().text()).endsWith(" 1 1 PASS 0");
        String link = days.select("tbody a").first().attr("href");
        assertThat(link).isEqualTo("day-2026-03-01.html");
        Document day = Jsoup.parse(Files.readString(folder.resolve("runs").resolve(link)));
        assertThat(day.select("tbody tr")).hasSize(1);
        Path report =
                folder.resolve("runs").resolve(day.select("tbody a").first().attr("href"));
        assertThat(report).exists();

        // The page of a day with the same runs is kept, and their verdicts are not read again.
        Path page = folder.resolve("runs").resolve(link);
        Path verdict = report.resolveSibling("verdict.json");
        FileTime finished = Files.getLastModifiedTime(verdict);
        String text = Files.readString(verdict);
        Files.writeString(verdict, "{");
        Files.setLastModifiedTime(verdict, finished);
        Files.setLastModifiedTime(page, FileTime.fromMillis(0));
        check("-l", "si", BANK);
        assertThat(Files.getLastModifiedTime(page).toMillis()).isZero();
        Document more = Jsoup.parse(Files.readString(folder.resolve("runs/index.html")));
        assertThat(more.select("tbody tr").first().text()).isEqualTo("2026-03-01 1 1 VIOLATION 1 PASS 1");
        assertThat(more.select("tbody tr").last().text()).endsWith(" 1 1 PASS 1 PASS 0");
        // If a run of the day has changed, the page is made again.
        Files.writeString(verdict, text.replace("write-skew", "other-name"));
        Files.setLastModifiedTime(verdict, FileTime.fromMillis(finished.toMillis() - 1));
        check("-l", "rc", BANK);
        assertThat(Files.readString(page)).contains("other-name");
        assertThat(Jsoup.parse(Files.readString(folder.resolve("runs/index.html")))
                        .select("tbody tr")
                        .first()
                        .text())
                .isEqualTo("2026-03-01 2 1 VIOLATION 1 PASS 1");
    }

    @Test
    void runsAreFoundByFolderAndByHistory() throws IOException {
        check("-l", "ser,si", SKEW, BANK);
        assertThat(InProcess.run("explain", runs()).out())
                .contains("VIOLATION  ser")
                .contains("PASS  si")
                .contains("bank-serializable");
        InProcess one = InProcess.run("explain", runs() + "/write-skew.jsonl");
        assertThat(one.exitCode()).isEqualTo(3);
        assertThat(one.out()).contains("WriteSkew").doesNotContain("bank-serializable");
        assertThat(InProcess.run("report", runs() + "/bank-serializable.jsonl")
                        .out()
                        .lines())
                .hasSize(2)
                .allMatch(line -> line.endsWith("/report.html"));
        assertThat(InProcess.run("report", runs() + "/nothing.jsonl").exitCode())
                .isEqualTo(6);
    }

    /** A run names its history by a path that is valid from any directory. */
    @Test
    void theHistoryIsFoundFromElsewhere() throws IOException {
        Path history = Files.copy(Path.of(BANK), folder.resolve("h.jsonl"));
        Path here = Path.of("").toAbsolutePath();
        check("-l", "ser", here.relativize(history).toString());
        assertThat(Files.readString(folder.resolve("runs/index.html"))).contains("h.jsonl");
        try (var found = Files.walk(folder.resolve("runs"), 2)) {
            Path verdict = found.filter(file -> file.endsWith("verdict.json"))
                    .findFirst()
                    .orElseThrow();
            assertThat(Files.readString(verdict)).contains("\"location\":\"" + history + "\"");
        }
        assertThat(InProcess.run("verify", runs()).exitCode()).isZero();
    }

    /**
     * The explanation names the last write of a transaction; so do the sub-history and with it the emphasis in the
     * report.
     */
    @Test
    void theSubHistoryKeepsTheWriteThatTheExplanationNames() throws IOException {
        String lines = "{'format':'history','version':1,'initial':{'value':0}}\n"
                + "{'session':0,'index':0,'status':'committed','ops':[{'op':'r','key':1,'value':0},{'op':'w','key':1,'value':1},"
                + "{'op':'w','key':1,'value':2}]}\n"
                + "{'session':1,'index':0,'status':'committed','ops':[{'op':'r','key':1,'value':0},{'op':'w','key':1,'value':3},"
                + "{'op':'r','key':1,'value':3},{'op':'w','key':1,'value':4}]}\n";
        Path history = Files.writeString(folder.resolve("twice.jsonl"), lines.replace('\'', '"'));
        assertThat(check("-l", "ser", history.toString()).out())
                .contains("T1 read 0, which T2 overwrote with 4")
                .contains("T2 read 0, which T1 overwrote with 2");
        Path run = Path.of(InProcess.run("report", runs()).out().strip()).getParent();
        assertThat(Files.readString(run.resolve("violations/000/history.jsonl")))
                .contains("\"value\":2", "\"value\":4")
                .doesNotContain("\"value\":1}", "\"value\":3");
        Document report = Jsoup.parse(Files.readString(run.resolve("report.html")));
        assertThat(report.select("td.ops code.write:not(.weak)").eachText()).containsExactly("w(1)=2", "w(1)=4");
    }

    @Test
    void aRunVerifiedAfterAnotherShowsItsOwnSizes() throws IOException {
        Path damaged = Files.writeString(folder.resolve("damaged.jsonl"), "{\"session\":\"x\"}\n");
        check("-l", "ser,si,rc", BANK, damaged.toString());
        InProcess verify = InProcess.run("verify", runs());
        assertThat(verify.exitCode()).isEqualTo(5);
        assertThat(verify.out().lines().filter(line -> line.startsWith("INVALID")))
                .hasSize(3)
                .allMatch(line -> line.contains(damaged + "  0 txns  0 ops"));
        assertThat(verify.out().lines().filter(line -> line.startsWith("VERIFIED")))
                .hasSize(3)
                .allMatch(line -> line.contains(BANK + "  200 txns  896 ops"));
    }

    @Test
    void theAnswersAreMetricsOfPrometheus() throws IOException {
        Path file = folder.resolve("polygraph.prom");
        Files.writeString(file, "before");
        Path odd = Files.copy(Path.of(BANK), folder.resolve("a\"b\\c.jsonl"));
        for (String time : List.of("[0-9]+\\.[0-9]{3}", "0\\.000")) {
            // The second time the run has the answer.
            check("-l", "ser", "--metrics-file", file.toString(), SKEW, odd.toString());
            String text = Files.readString(file);
            assertThat(text)
                    .contains(
                            "# TYPE polygraph_answers gauge\n",
                            "polygraph_answers{level=\"ser\",verdict=\"PASS\"} 1\n",
                            "polygraph_answers{level=\"ser\",verdict=\"VIOLATION\"} 1\n",
                            "polygraph_last_answer_info{level=\"ser\",path=\"" + folder
                                    + "/a\\\"b\\\\c.jsonl\",verdict=\"PASS\"} 1\n",
                            "polygraph_last_answer_transactions{level=\"ser\"} 200\n")
                    .containsPattern("polygraph_last_answer_duration_seconds\\{level=\"ser\"} " + time + "\n");
            // A comment, or a name with labels and a number.
            assertThat(text.lines()).allMatch(line -> line.matches("# .*|[a-z_]+\\{[a-z]+=\".*\"} [0-9.]+"));
        }
        InProcess failed = InProcess.run("check", "-q", "-l", "si", "--metrics-file", file + "/x", SKEW);
        assertThat(failed.exitCode()).isEqualTo(6);
        assertThat(failed.out()).startsWith("PASS");
        assertThat(failed.err()).contains("/x: the metrics cannot be written there (");
    }
}
