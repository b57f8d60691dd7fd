package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.report.Untimed;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.testkit.BinaryFiles;

/** Loaders of initial rows in each format that can have them, and {@code --initial}. */
class InitialRowsFormatsTest {
    private static final String LOST_UPDATE = "w(0,0,0,0)\nr(0,0,1,1)\nw(0,1,1,1)\nr(0,0,2,2)\nw(0,2,2,2)\n";

    @TempDir
    private Path folder;

    private String lostUpdate() throws IOException {
        return Files.writeString(folder.resolve("lost.txt"), LOST_UPDATE).toString();
    }

    private static InProcess check(String level, String path, String... options) {
        List<String> words = new ArrayList<>(List.of("check", "-l", level));
        words.addAll(List.of(options));
        words.add(path);
        return InProcess.run(words);
    }

    /** The two long forks: each reader sees one of two writes, and the loader wrote the values before them. */
    private String longFork(boolean timed) throws IOException {
        String[] ops = {
            "w:x:0 w:y:0", "r:x:0 w:x:1", "r:y:0 w:y:1", "r:x:1 r:y:0", "r:x:0 r:y:1",
        };
        StringBuilder lines = new StringBuilder("{\"format\":\"history\",\"version\":1,\"initial\":{\"value\":0}}\n");
        for (int s = 0; s < ops.length; s++) {
            lines.append("{\"session\":").append(s).append(",\"index\":0,\"status\":\"committed\",");
            if (timed) {
                lines.append("\"start\":")
                        .append(s == 0 ? 1 : 10)
                        .append(",\"end\":")
                        .append(s == 0 ? 2 : 20);
                lines.append(',');
            }
            lines.append("\"ops\":[");
            String comma = "";
            for (String op : ops[s].split(" ")) {
                String[] f = op.split(":");
                lines.append(comma)
                        .append(String.format("{\"op\":\"%s\",\"key\":\"%s\",\"value\":%s}", f[0], f[1], f[2]));
                comma = ",";
            }
            lines.append("]}\n");
        }
        return Files.writeString(folder.resolve("fork-" + timed + ".jsonl"), lines.toString())
                .toString();
    }

    private static List<String> withParquet(String path) {
        String parquet = path.replaceFirst("\\.[a-z]+$", ".parquet");
        assertThat(InProcess.run("convert", "-q", path, parquet).exitCode()).isZero();
        return List.of(path, parquet);
    }

    /** The same history in other formats. */
    private List<String> copies(String path) throws Exception {
        List<String> copies = new ArrayList<>(withParquet(path));
        Path dbcop = folder.resolve("copy.bincode");
        BinaryFiles.dbcop(HistoryReader.read(path, HistoryFormat.AUTO), dbcop);
        copies.add(dbcop.toString());
        return copies;
    }

    @Test
    void theLostUpdateIsFoundInEachFormat() throws Exception {
        for (String path : copies(lostUpdate())) {
            for (String level : new String[] {"ser", "si"}) {
                InProcess auto = check(level, path);
                assertThat(auto.exitCode()).as(path + auto).isEqualTo(3);
                assertThat(auto.out())
                        .contains("LostUpdate")
                        .contains("This depends on the initial rows: s0#0 loads them and precedes all others.")
                        .contains("the history keeps " + level);
                assertThat(auto.err()).contains(path + ": session 0, index 0 (s0#0) loads the initial rows");
                assertThat(check(level, path, "--initial", "0#0").exitCode()).isEqualTo(3);
                assertThat(check(level, path, "--initial", "implicit").word()).isEqualTo("PASS");
            }
            assertThat(check("rc", path).word()).isEqualTo("PASS");
        }
    }

    /** Rows loaded by a client that commits each INSERT separately. */
    @Test
    void rowsMayBeLoadedOneByOne() throws Exception {
        String path = Files.writeString(
                        folder.resolve("rows.txt"),
                        "w(7,0,0,0)\n" + LOST_UPDATE.replace("w(0,0,0,0)", "w(0,0,0,1)") + "r(7,0,1,1)\n")
                .toString();
        for (String copy : copies(path)) {
            for (String level : new String[] {"ser", "si"}) {
                InProcess auto = check(level, copy);
                assertThat(auto.exitCode()).as(copy + auto).isEqualTo(3);
                assertThat(auto.out())
                        .contains("LostUpdate")
                        .contains("This depends on the initial rows: s0#0, s0#1 load them and precede all others.");
                assertThat(check(level, copy, "--initial", "0#1").exitCode()).isEqualTo(3);
                assertThat(check(level, copy, "--initial", "implicit").word()).isEqualTo("PASS");
            }
        }
        assertThat(InProcess.run("lint", path).out())
                .contains("load the initial rows")
                .doesNotContain("gets the value");
    }

    @Test
    void theLongForkIsFoundWithAndWithoutTimes() throws Exception {
        for (boolean timed : new boolean[] {false, true}) {
            for (String path : withParquet(longFork(timed))) {
                InProcess auto = check("ser,si", path);
                assertThat(auto.exitCode()).as(path + auto).isEqualTo(3);
                assertThat(auto.out()).contains("VIOLATION  si").contains("LongFork");
                assertThat(check("si", path, "--initial", "implicit").word()).isEqualTo("PASS");
            }
        }
    }

    @Test
    void jsonStatesTheChoice() throws IOException {
        assertThat(check("ser", lostUpdate(), "--json").out())
                .contains(
                        "\"initial\":\"auto\",\"loaders\":{\"count\":1,\"first\":[\"s0#0\"],\"effect\":\"decisive\"}");
        assertThat(check("ser", lostUpdate(), "--json", "--initial", "implicit").out())
                .contains("\"initial\":\"implicit\",\"loaders\":{\"count\":0,\"first\":[],\"effect\":\"none\"}");
    }

    @Test
    void aChoiceThatCannotBeIsInvalid() throws IOException {
        for (String choice : new String[] {"1#0", "9#9"}) {
            InProcess wrong = check("ser", lostUpdate(), "--initial", choice);
            assertThat(wrong.exitCode()).as(wrong.toString()).isEqualTo(5);
            assertThat(wrong.err()).contains("--initial " + choice);
        }
        assertThat(check("ser", lostUpdate(), "--initial", "first").exitCode()).isEqualTo(2);
    }

    @Test
    void nearlyALoaderIsAWarningOfLintAndPass() throws IOException {
        String path = Files.writeString(folder.resolve("nearly.txt"), LOST_UPDATE + "r(1,0,3,3)\n")
                .toString();
        InProcess pass = check("ser", path);
        assertThat(pass.word()).isEqualTo("PASS");
        assertThat(pass.out())
                .contains("s0#0")
                .contains("writes only initial values, but")
                .contains("if it loads the initial rows, give --initial SESSION#INDEX");
        assertThat(check("ser", path, "--initial", "0#0").exitCode()).isEqualTo(3);
        assertThat(InProcess.run("lint", path).out()).contains("writes only initial values, but");
        assertThat(InProcess.run("lint", lostUpdate()).out()).contains("loads the initial rows");
    }

    @Test
    void verifyMakesTheSameChoice() throws IOException {
        String path = lostUpdate();
        Path runs = folder.resolve("runs");
        check("ser", path, "-o", runs.toString());
        assertThat(Files.readString(Faults.run(runs).resolve("report.html")))
                .contains("This depends on the initial rows: s0#0 loads them");
        InProcess verified = InProcess.run("verify", runs.toString());
        assertThat(verified.exitCode()).as(verified.toString()).isZero();
        assertThat(verified.out()).contains("loads the initial rows, before all others");
        Path run = Faults.run(runs);
        Path verdict = run.resolve("verdict.json");
        String forged = Files.readString(verdict).replace("\"initial\":\"auto\"", "\"initial\":\"implicit\"");
        Files.writeString(verdict, forged);
        InProcess rejected = InProcess.run("verify", run.toString(), path);
        assertThat(rejected.exitCode()).as(rejected.toString()).isEqualTo(3);
    }

    /**
     * With the choice implicit the check passes. Its certificate may have the loader at any place, so the choice auto
     * rejects it.
     */
    @Test
    void anOrderForOneChoiceIsNoneForAnother() throws IOException {
        String path = lostUpdate();
        Path runs = folder.resolve("runs");
        check("ser", path, "-o", runs.toString(), "--initial", "implicit");
        assertThat(InProcess.run("verify", runs.toString()).exitCode()).isZero();
        Path run = Faults.run(runs);
        Path verdict = run.resolve("verdict.json");
        Files.writeString(
                verdict, Files.readString(verdict).replace("\"initial\":\"implicit\"", "\"initial\":\"auto\""));
        InProcess rejected = InProcess.run("verify", run.toString(), path);
        assertThat(rejected.exitCode()).as(rejected.toString()).isEqualTo(3);
    }

    @Test
    @Tag("spark")
    void sparkMakesTheSameChoice() throws Exception {
        for (String path : copies(lostUpdate())) {
            InProcess embedded = check("ser,si,ra", path, "--json", "-q");
            InProcess spark = check("ser,si,ra", path, "--json", "-q", "--engine", "spark", "--master", "local[2]");
            // With Spark "windows" states why the driver decides.
            assertThat(Untimed.json(spark.out()).replaceAll(",\"windows\":\\{[^}]*\\}", ""))
                    .isEqualTo(Untimed.json(embedded.out()));
            assertThat(spark.exitCode()).isEqualTo(3);
        }
    }
}
