package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.application.EmbeddedChecker;
import org.polygraph.jobs.application.Engines;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.Check;
import org.polygraph.jobs.decision.Finding;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.model.BudgetException;

/** {@code check -l ser,si}: the history of a PATH is read once for several levels. */
class SeveralLevelsTest {
    private static final Path EXAMPLES = Command.ROOT.resolve("spark-jobs/examples");
    private static final String BANK = example("bank-serializable");
    private static final String SKEW = example("write-skew");
    private static final String LOST = example("lost-update");
    private static final String EMPTY = example("nothing-committed");

    private final Function<Check, Finding> embedded = new EmbeddedChecker();

    @TempDir
    private Path folder;

    private final List<IsolationLevel> checked = new ArrayList<>();
    private Function<Check, Finding> engine = embedded;
    private final Engines engines = new OnlyEmbedded(check -> {
        checked.add(check.request().level());
        return engine.apply(check);
    });
    private String out = "";
    private String err = "";

    private static String example(String name) {
        return EXAMPLES.resolve(name + ".jsonl").toString();
    }

    private int run(String... words) {
        InProcess run = InProcess.run(engines, words);
        out = run.out();
        err = run.err();
        return run.exitCode();
    }

    /** Status and level of each result line. */
    private List<String> results() {
        return out.lines()
                .filter(line -> !line.startsWith(" "))
                .map(line -> line.replaceFirst("^(\\w+)  ([\\w,]+)  .*", "$1 $2"))
                .toList();
    }

    private String lastLine() {
        List<String> lines = out.lines().toList();
        return lines.get(lines.size() - 1);
    }

    @Test
    void oneReasonIsGivenOnce() throws IOException {
        Path damaged = Files.writeString(folder.resolve("damaged.jsonl"), "{\"bad");
        assertThat(run("check", "-l", "ser,si,rc", damaged.toString())).isEqualTo(5);
        assertThat(results()).containsExactly("INVALID ser", "INVALID si", "INVALID rc");
        assertThat(out).doesNotContain("found the end of the file");
        assertThat(err.split("found the end of the file", -1)).hasSize(2);
    }

    // --- order, exit code, the strongest

    @Test
    void theStrongestComesFirstAndIsCheckedOnce() {
        assertThat(run("check", "-l", "rc,si,ser,cc,ra", BANK)).isZero();
        assertThat(results()).containsExactly("PASS ser", "PASS si", "PASS cc", "PASS ra", "PASS rc");
        assertThat(lastLine()).isEqualTo("  strongest of ser, si, cc, ra, rc that holds: ser");
        assertThat(checked).containsExactly(IsolationLevel.SER);
        assertThat(err).isEmpty();
    }

    @Test
    void eachPathHasItsStrongest() {
        assertThat(run("check", "-l", "SI, ser", SKEW, LOST, BANK)).isEqualTo(3);
        assertThat(results())
                .containsExactly("VIOLATION ser", "PASS si", "VIOLATION ser", "VIOLATION si", "PASS ser", "PASS si");
        assertThat(out.lines().filter(line -> line.startsWith("  strongest of ser, si that holds: ")))
                .extracting(line -> line.substring(line.lastIndexOf(' ') + 1))
                .containsExactly("si", "none", "ser");
    }

    @Test
    void aProblemOfSeveralLevelsIsExplainedOnce() {
        assertThat(run("check", "-l", "ser,si", LOST)).isEqualTo(3);
        assertThat(out.lines().filter(line -> line.startsWith("  LostUpdate")))
                .satisfiesExactly(first -> assertThat(first).contains("both read"), second -> assertThat(second)
                        .isEqualTo("  LostUpdate: explained at ser above"));
    }

    @Test
    void withTimesStrictLevelsHaveTheirPlace() throws IOException {
        // Sequential in real time, and the reader that started later missed the write.
        String stale = write("""
                {"session":0,"index":0,"start":1,"end":2,"status":"committed","ops":[{"op":"w","key":1,"value":2}]}
                {"session":1,"index":0,"start":5,"end":6,"status":"committed","ops":[{"op":"r","key":1,"value":null}]}
                """);
        assertThat(run("check", "-l", "si,ssi,ser,sser,rc", stale)).isEqualTo(3);
        assertThat(results()).containsExactly("VIOLATION sser", "PASS ser", "VIOLATION ssi", "PASS si", "PASS rc");
        assertThat(lastLine()).endsWith("holds: ser");
        assertThat(run("check", "-l", "si,ser", "--time", "strict", stale)).isEqualTo(3);
        assertThat(results()).containsExactly("VIOLATION sser", "VIOLATION ssi");
        assertThat(lastLine()).isEqualTo("  strongest of sser, ssi that holds: none");
    }

    private String write(String history) throws IOException {
        return Files.writeString(folder.resolve("history.jsonl"), history).toString();
    }

    @Test
    void aLevelThatCannotBeJudgedIsReportedOnceAndTheOthersAreJudged() {
        assertThat(run("check", "-l", "ser,si", EMPTY)).isEqualTo(5);
        assertThat(results()).containsExactly("INVALID ser", "INVALID si");
        assertThat(lastLine()).endsWith("holds: not known");
        assertThat(err).hasLineCount(1);
        String missing = folder.resolve("missing").toString();
        assertThat(run("check", "-l", "ser,si", missing, SKEW)).isEqualTo(6);
        assertThat(results()).containsExactly("ERROR ser,si", "VIOLATION ser", "PASS si");
        assertThat(err).hasLineCount(1);
        assertThat(run("check", "-l", "ser,sser", SKEW)).isEqualTo(5);
        assertThat(results()).containsExactly("INVALID sser", "VIOLATION ser");
    }

    @Test
    void jsonHasTheStrongestWhereSeveralAreAsked() {
        assertThat(run("check", "-l", "si,ser", "--json", SKEW, LOST)).isEqualTo(3);
        List<String> lines = out.lines().toList();
        assertThat(lines).hasSize(4);
        assertThat(lines.get(0)).contains("\"VIOLATION\",\"level\":\"ser\",\"strongest\":\"si\",");
        assertThat(lines.get(1)).contains("\"PASS\",\"level\":\"si\",\"strongest\":\"si\",");
        assertThat(lines.get(2)).contains("\"level\":\"ser\",\"strongest\":null,");
        assertThat(lines.get(3)).contains("\"level\":\"si\",\"strongest\":null,");
        run("check", "-l", "si", "--json", SKEW);
        assertThat(out).doesNotContain("strongest");
        run("check", "-l", "si", SKEW);
        assertThat(out).doesNotContain("strongest");
    }

    @Test
    void stdinIsReadOnce() throws IOException {
        InputStream before = System.in;
        String runs = folder.resolve("runs").toString();
        try {
            System.setIn(new ByteArrayInputStream(Files.readAllBytes(Path.of(SKEW))));
            assertThat(run("check", "-l", "ser,si", "-")).isEqualTo(3);
            System.setIn(new ByteArrayInputStream(Files.readAllBytes(Path.of(SKEW))));
            assertThat(run("check", "-l", "ser,si", "-o", runs, "-")).isEqualTo(3);
        } finally {
            System.setIn(before);
        }
        assertThat(results()).containsExactly("VIOLATION ser", "PASS si");
        assertThat(runs(runs)).hasSize(2);
    }

    @Test
    void explainCoversEachLevel() {
        assertThat(run("explain", "-l", "si,ser", SKEW)).isEqualTo(3);
        assertThat(results()).containsExactly("VIOLATION ser", "PASS si");
        assertThat(out).contains("\n  Expected\n");
        assertThat(lastLine()).isEqualTo("  strongest of ser, si that holds: si");
    }

    // --- runs

    private static List<String> runs(String folder) throws IOException {
        try (Stream<Path> runs = Files.list(Path.of(folder))) {
            return runs.map(run -> run.getFileName().toString())
                    .filter(name -> name.startsWith("run="))
                    .sorted()
                    .toList();
        }
    }

    @Test
    void runsAreThoseOfTheLevelsAlone() throws IOException {
        String together = folder.resolve("together").toString();
        String alone = folder.resolve("alone").toString();
        for (String path : List.of(BANK, SKEW)) {
            assertThat(run("check", "-l", "ser,si,cc,rc", "-o", together, path)).isIn(0, 3);
            for (String level : List.of("ser", "si", "cc", "rc")) {
                run("check", "-l", level, "-o", alone, path);
            }
        }
        assertThat(runs(together)).hasSize(8).isEqualTo(runs(alone));
        for (String run : runs(together)) {
            Path verdict = Path.of(together, run, "verdict.json");
            assertThat(verdict).content().doesNotContain("strongest").contains("\"verified\":true");
            assertThat(run("verify", verdict.getParent().toString()))
                    .as(out + err)
                    .isZero();
            assertThat(out).startsWith("VERIFIED");
        }
        // A check of one level finds its run of an earlier check of several levels, and the reverse.
        checked.clear();
        assertThat(run("check", "-l", "si", "-o", together, SKEW)).isZero();
        assertThat(run("check", "-l", "si,ser", "--json", "-o", alone, SKEW)).isEqualTo(3);
        assertThat(out.lines()).hasSize(2).allMatch(line -> line.contains("\"strongest\":\"si\""));
        assertThat(checked).isEmpty();
        assertThat(run("check", "-l", "ra,si,ser", "-o", alone, SKEW)).isEqualTo(3);
        assertThat(results()).containsExactly("VIOLATION ser", "PASS si", "PASS ra");
        assertThat(checked).containsExactly(IsolationLevel.RA);
        assertThat(lastLine()).endsWith("holds: si");
    }

    @Test
    void aRunThatCannotBeReadIsThatLevelsErrorOnly() throws IOException {
        String runs = folder.resolve("runs").toString();
        assertThat(run("check", "-l", "ser", "-o", runs, BANK)).isZero();
        Files.writeString(Path.of(runs, runs(runs).get(0), "verdict.json"), "{");
        assertThat(run("check", "-l", "ser,si", "-o", runs, BANK)).isEqualTo(6);
        assertThat(results()).containsExactly("ERROR ser", "PASS si");
        assertThat(lastLine()).endsWith("holds: not known");
    }

    // --- verdicts that one level implies for another

    @Test
    void aWeakerViolationDecidesWhatWasLeftOpen() {
        engine = check -> {
            if (check.request().level() != IsolationLevel.SI) {
                throw new BudgetException("tired");
            }
            return embedded.apply(check);
        };
        assertThat(run("check", "-l", "ser,si,cc", LOST)).isEqualTo(3);
        assertThat(results()).containsExactly("VIOLATION ser", "VIOLATION si", "UNKNOWN cc");
        assertThat(out).contains("LostUpdate");
        assertThat(lastLine()).endsWith("holds: not known");
        assertThat(run("check", "-l", "ser,si", SKEW)).isEqualTo(4);
        assertThat(results()).containsExactly("UNKNOWN ser", "PASS si");
        assertThat(lastLine()).endsWith("holds: not known");
    }

    @Test
    void verdictsThatContradictEachOtherAreABug() throws IOException {
        engine = check ->
                check.request().level() == IsolationLevel.SER ? new Finding.Choices(false) : embedded.apply(check);
        String runs = folder.resolve("runs").toString();
        for (int i = 0; i < 2; i++) {
            assertThat(run("check", "-l", "ser,si", "-o", runs, LOST)).isEqualTo(1);
            assertThat(results()).containsExactly("ERROR ser", "ERROR si");
            assertThat(err)
                    .isEqualTo(
                            "polygraph: " + LOST + ": internal error: ser passes and si, which it implies, does not\n");
            assertThat(lastLine()).endsWith("holds: not known");
        }
        // The same for a verdict of an earlier run.
        assertThat(run("check", "-l", "ser", "-o", runs, LOST)).isZero();
        checked.clear();
        assertThat(run("check", "-l", "ser,si", "-o", runs, LOST)).isEqualTo(1);
        assertThat(checked).containsExactly(IsolationLevel.SI);
        assertThat(out).startsWith("ERROR  ser  " + LOST + "  ").contains("\nERROR  si  " + LOST + "  ");
    }

    @Test
    void budgetsAreForAllLevelsTogether() {
        engine = check -> {
            while (!check.budget().exhausted()) {
                Thread.onSpinWait();
            }
            throw Budget.ended();
        };
        assertThat(run("check", "-l", "ser,si,rc", "--timeout", "500ms", BANK)).isEqualTo(4);
        assertThat(results()).containsExactly("UNKNOWN ser", "UNKNOWN si", "UNKNOWN rc");
        assertThat(out).contains("timeout of 500 ms ran out");
        assertThat(checked).containsExactly(IsolationLevel.SER);
    }

    // --- usage

    private void usage(String message, String... words) {
        assertThat(run(words)).as(String.join(" ", words)).isEqualTo(2);
        assertThat(err).contains(message).doesNotContain("\tat ");
        assertThat(out).isEmpty();
        assertThat(checked).isEmpty();
    }

    @Test
    void wrongLists() {
        usage("level ser is given twice in 'ser,si,SER'; give it once", "check", "-l", "ser,si,SER", BANK);
        usage(
                "unknown level 'sre'; did you mean ser? (levels: sser, ser, ssi, si, cc, ra, rc, lin)",
                "check",
                "-l",
                "si,sre",
                BANK);
        usage("a level is missing in 'ser,,si'; give levels with one comma", "check", "-l", "ser,,si", BANK);
        usage("a level is missing in 'ser,'", "check", "-l", "ser,", BANK);
        usage("unknown level 'linear'", "check", "-l", "ser,linear", BANK);
        usage(
                "--time strict makes level ser sser, which is asked for too; give one of them",
                "check",
                "-l",
                "ser,sser",
                "--time",
                "strict",
                BANK);
        usage("--time strict with level cc", "check", "-l", "ser,cc", "--time", "strict", BANK);
        usage("--time none with level sser", "check", "-l", "ser,sser", "--time", "none", BANK);
        usage("--proof names one file, for one level", "check", "-l", "ser,si", "--proof", "p", BANK);
    }
}
