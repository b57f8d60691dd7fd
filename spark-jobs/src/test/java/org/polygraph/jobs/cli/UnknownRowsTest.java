package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.application.EmbeddedChecker;
import org.polygraph.jobs.decision.Check;
import org.polygraph.jobs.decision.Finding;
import org.polygraph.jobs.verdict.Certificate;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.testkit.HistoryDsl;
import org.polygraph.storage.testkit.SimulatedHistory;
import org.polygraph.storage.testkit.Simulator;
import org.polygraph.storage.testkit.SplitMix;
import org.polygraph.storage.testkit.SuiteScale;

/** Writes by a condition whose rows are not recorded. */
class UnknownRowsTest {
    @TempDir
    private Path folder;

    private String file(String lines) throws IOException {
        return Files.writeString(folder.resolve("history.jsonl"), lines).toString();
    }

    /**
     * Every order of events, every outcome and every version of each row is tried, with the rows that match in it. No
     * transaction loads the initial rows, even if it only inserts initial values.
     */
    @Test
    void noVerdictIsWrong() throws IOException {
        long seed = 0x0b5c;
        List<String> levels = List.of("ser", "si", "ser", "si", "sser", "ssi", "cc", "ra", "rc");
        Map<String, Integer> counts = new TreeMap<>();
        for (int i = 0; i < SuiteScale.of(1_200); i++) {
            SimulatedHistory history = Simulator.unknownRows(SplitMix.seedOf(seed, i));
            IsolationLevel level =
                    IsolationLevel.ofLabel(levels.get(i % levels.size())).orElseThrow();
            if (level.realTime() && !history.isTimed()) {
                continue;
            }
            String path = file(history.json());
            String runs = folder.resolve("runs-" + i).toString();
            InProcess check =
                    InProcess.run("check", "-q", "--initial", "implicit", "-l", level.label(), "-o", runs, path);
            boolean holds = history.holds(level.name());
            String what = level + " seed " + seed + " #" + i + " " + history.json() + check;
            assertThat(check.word()).as(what).isNotIn("ERROR", holds ? "VIOLATION" : "PASS");
            boolean isVacuous = check.word().equals("INVALID") && check.err().contains("vacuous");
            if (level.isAxiom() && !isVacuous && history.holds(IsolationLevel.SI.name())) {
                assertThat(check.word()).as(what).isEqualTo("PASS");
            }
            if (check.word().equals("PASS") || check.word().equals("VIOLATION")) {
                InProcess verify =
                        InProcess.run("verify", Faults.run(Path.of(runs)).toString(), path);
                assertThat(verify.word()).as(what + verify).isNotEqualTo("REJECTED");
                counts.merge("verify " + verify.word(), 1, Integer::sum);
            }
            // An unknown outcome that a guess takes as committed bounds others in real time.
            String where = level.realTime() ? " in real time" : level.isAxiom() ? " at commits" : "";
            counts.merge(check.word() + (holds ? " holds" : " violated") + where, 1, Integer::sum);
        }
        System.out.println(counts + ", seed " + seed);
        assertThat(counts).containsKeys("PASS holds", "VIOLATION violated", "PASS holds at commits", "verify VERIFIED");
        // The search tries none or all of the outcomes that no value shows, and a few histories need some of them.
        assertThat(counts.getOrDefault("UNKNOWN holds", 0)).isLessThanOrEqualTo(1 + counts.get("PASS holds") / 1_000);
        assertThat(counts.get("VIOLATION violated")).isGreaterThan(2 * counts.get("UNKNOWN violated"));
    }

    /** Histories of a correct store, too large to try all choices, without the keys of its writes by a condition. */
    @Test
    void anOrderIsFoundByReplay() throws IOException {
        for (String level : List.of("ser", "si").subList(0, SuiteScale.of(2, 1))) {
            decides(level, "-l", level, "--inserts", "0.3", "--deletes", "0.3");
            decides(level, "-l", level, "--no-time");
            if (SuiteScale.isReduced()) {
                continue;
            }
            decides(level, "-l", level.equals("ser") ? "sser,ser,si" : "ssi,si");
            decides(level, "-l", level, "--aborted", "0.1");
        }
    }

    /** @param words the levels, and options of the generator */
    private void decides(String level, String... words) throws IOException {
        String options =
                "-l " + level + " --transactions 150 --keys 60 --operations 3 --predicates 0.6 --selectivity 8 ";
        String path = generated(options + String.join(" ", List.of(words).subList(2, words.length)));
        Path runs = folder.resolve("found-" + level + words.length + words[words.length - 1]);
        InProcess check = InProcess.run("check", "-q", words[0], words[1], "-o", runs.toString(), path);
        assertThat(check.exitCode()).as(String.join(" ", words) + check).isZero();
        assertThat(InProcess.run("verify", Faults.run(runs).toString(), path).word())
                .isEqualTo("VERIFIED");
    }

    /** A history of a correct store without the keys of its writes by a condition. */
    private String generated(String options) throws IOException {
        Path path = folder.resolve("generated.jsonl");
        InProcess generated = InProcess.of("generate -q --overwrite -o " + path + " " + options.strip());
        assertThat(generated.exitCode()).as(generated.toString()).isZero();
        String recorded = Files.readString(path).replace("\"keys\":[]", "\"count\":0");
        return Files.writeString(path, recorded.replaceAll(",\"keys\":\\[[^]]*]", ""))
                .toString();
    }

    /** What violates ser violates sser, also if the budget of sser ended. */
    @Test
    void aViolationIsOneOfStrongerLevels() throws IOException {
        // Two queries that find no row, each of which the other transaction writes. An open write could not explain it.
        String rows = IntStream.rangeClosed(1, 40).mapToObj(key -> key + "=5").collect(Collectors.joining(" "));
        String path = file(HistoryDsl.lines("init null " + rows + " 41=6 51=1; @1..9 pw(5..5=7,?); "
                + "@1..9 pr(200..200) w(41,300); @1..9 pr(300..300) w(51,200); @1..9 pd(8..8,?)"));
        Function<Check, Finding> tired = new Function<>() {
            private int checksAtSer;

            @Override
            public Finding apply(Check check) {
                if (check.request().level() == IsolationLevel.SSER && checksAtSer < 2) {
                    throw new BudgetException("tired");
                }
                checksAtSer += check.request().level() == IsolationLevel.SER ? 1 : 0;
                return new EmbeddedChecker().apply(check);
            }
        };
        InProcess check = InProcess.run(new OnlyEmbedded(tired), "check", "-q", "-l", "sser,ser", path);
        assertThat(check.out()).as(check.toString()).contains("VIOLATION  sser", "VIOLATION  ser");
    }

    /** A guess is violated whenever its time ends. */
    @Test
    void noGuessIsAViolation() throws IOException {
        String path = generated("-l ser --transactions 300 --keys 100 --operations 3 --predicates 0.5 --selectivity 8"
                + " --no-time --inserts 0.3 --deletes 0.3");
        Files.writeString(Path.of(path), Files.readString(Path.of(path)).replaceAll(",\"count\":[0-9]+", ""));
        for (int millis = 50; millis <= 1_250; millis += SuiteScale.isReduced() ? 600 : 200) {
            InProcess check = InProcess.run("check", "-q", "-l", "ser,si", "--timeout", millis + "ms", path);
            assertThat(check.out()).as(check.toString()).doesNotContain("VIOLATION");
        }
    }

    /** A guess is found to be violated when the time has ended, which shows nothing of the history. */
    @Test
    void noGuessIsAViolationAtTheEndOfTime() throws IOException {
        String path = file(HistoryDsl.lines("init null 1=5 2=5; pd(5..5,?2)"));
        Function<Check, Finding> late = new Function<>() {
            private int checks;

            @Override
            public Finding apply(Check check) {
                if (checks++ > 0) {
                    check.budget().cancel();
                }
                return new Finding.Violated(
                        List.of(new Violation(Anomaly.ABORTED_READ, List.of(0), List.of(0), List.of(), "of a guess")),
                        List.of(),
                        1,
                        new Certificate("cycle", null, false));
            }
        };
        InProcess check = InProcess.run(new OnlyEmbedded(late), "check", "-q", "-l", "si", path);
        assertThat(check.word()).as(check.toString()).isEqualTo("UNKNOWN");
    }
}
