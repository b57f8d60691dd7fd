package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
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
    void thePageShowsTheNewestRunsAndCountsTheOthers() throws IOException {
        check("-l", "ser", SKEW);
        Path verdict = Path.of(InProcess.run("report", runs()).out().strip()).resolveSibling("verdict.json");
        for (int i = 0; i < 200; i++) {
            Path other = Files.createDirectory(folder.resolve("runs/run=" + i)).resolve("verdict.json");
            Files.copy(verdict, other);
            Files.setLastModifiedTime(other, FileTime.from(Instant.parse("2026-03-01T23:59:59Z")));
        }
        check("-l", "si", BANK);
        Document page = Jsoup.parse(Files.readString(folder.resolve("runs/index.html")));
        assertThat(page.select("header").text()).contains("2 older runs");
        assertThat(page.select("tbody tr")).hasSize(2);
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
}
