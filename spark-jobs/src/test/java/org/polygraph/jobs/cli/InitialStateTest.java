package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.application.EmbeddedChecker;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Progress;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.format.HistoryWriter;
import org.polygraph.storage.format.InitialState;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.HistoryDsl;
import org.polygraph.storage.testkit.SplitMix;
import org.polygraph.storage.testkit.SuiteScale;
import org.polygraph.storage.testkit.TinyHistories;

/**
 * Initial values of single keys. If a key's initial value and another value change places, in its operations and in the
 * state, every verdict has to stay the same.
 */
class InitialStateTest {
    private static final long SEED = 0x57a7e;
    private static final Pattern OPERATION = Pattern.compile("([rw])\\((\\w+),(\\w+)\\)");

    @TempDir
    private Path folder;

    /** A history and the state before it; by key, as JSON. */
    private record Moved(HistoryTable history, TreeMap<String, Long> state) {}

    private static Moved moved(HistoryTable history, SplitMix random) {
        String initial = history.values().label(history.initialValue());
        TreeMap<String, Long> state = new TreeMap<>();
        String text = OPERATION
                .matcher(HistoryDsl.print(history))
                .replaceAll(operation -> swapped(operation, initial, state, random));
        return new Moved(HistoryDsl.parse(text), state);
    }

    private static String swapped(MatchResult operation, String initial, TreeMap<String, Long> state, SplitMix random) {
        String key = operation.group(2);
        String value = operation.group(3);
        String own = Long.toString(state.computeIfAbsent(key, k -> (long) random.between(1, 4)));
        String other = value.equals(initial) ? own : value.equals(own) ? initial : value;
        return operation.group(1) + "(" + key + "," + other + ")";
    }

    private Path file(TreeMap<String, Long> state) throws IOException {
        List<String> lines = new ArrayList<>();
        state.forEach((key, value) -> lines.add("{\"key\":" + json(key) + ",\"value\":" + value + "}"));
        return Files.write(folder.resolve("state.jsonl"), lines);
    }

    private static String json(String key) {
        return key.matches("\\d+") ? key : '"' + key + '"';
    }

    private static Verdict.Status status(EmbeddedChecker checker, HistoryTable history, IsolationLevel level) {
        TimeMode time = level.realTime() ? TimeMode.STRICT : TimeMode.HINT;
        CheckRequest request = new CheckRequest(level, time, 0, IndeterminateMode.MAYBE);
        return checker.check(history, request, Progress.NONE, Budget.unlimited())
                .status();
    }

    @Test
    void verdictsStayTheSame() throws Exception {
        TinyHistories histories = new TinyHistories(SEED);
        List<IsolationLevel> levels = List.of(
                IsolationLevel.SSER,
                IsolationLevel.SER,
                IsolationLevel.SI,
                IsolationLevel.CC,
                IsolationLevel.RA,
                IsolationLevel.RC);
        int violations = 0;
        for (int i = 0; i < SuiteScale.of(3_000); i++) {
            HistoryTable history = histories.at(i);
            Moved moved = moved(history, new SplitMix(histories.seedOf(i)));
            HistoryTable after = InitialState.read(Location.of(file(moved.state).toString()), () -> false, 1 << 30)
                    .applied(moved.history);
            IsolationLevel level = levels.get(i % levels.size());
            if (level == IsolationLevel.SSER && (history.starts() == null || history.ends() == null)) {
                level = IsolationLevel.SER;
            }
            Verdict.Status expected = status(new EmbeddedChecker(), history, level);
            String name = HistoryDsl.print(moved.history) + " after " + moved.state + " " + level + " seed "
                    + histories.seedOf(i);
            assertThat(status(new EmbeddedChecker(), after, level)).as(name).isEqualTo(expected);
            violations += expected == Verdict.Status.VIOLATION ? 1 : 0;
        }
        System.out.println(violations + " violations, seed " + SEED);
        assertThat(violations).isPositive();
    }

    /**
     * Runs are verified, their sub-histories are histories with the same verdict, and the state is part of the run's
     * id.
     */
    @Test
    void runsKnowTheirState() throws Exception {
        TinyHistories histories = new TinyHistories(SEED + 1);
        String runs = folder.resolve("runs").toString();
        for (int i = 0; i < SuiteScale.of(150); i++) {
            Moved moved = moved(histories.at(i), new SplitMix(histories.seedOf(i)));
            Path path = folder.resolve("history.jsonl");
            HistoryWriter.write(moved.history, path.toString(), HistoryFormat.JSONL);
            String state = file(moved.state).toString();
            String level = List.of("ser", "si", "cc").get(i % 3);
            InProcess check = InProcess.of("check -q -l " + level + " --initial-state " + state + " -o " + runs
                    + " --initial implicit " + path);
            String name = HistoryDsl.print(moved.history) + " after " + moved.state + " " + level + "\n" + check;
            if (check.err().contains("none of them committed")) {
                continue;
            }
            assertThat(check.exitCode()).as(name).isIn(0, 3);
            String run = check.out()
                    .lines()
                    .filter(line -> line.startsWith("  run: "))
                    .findFirst()
                    .orElseThrow()
                    .substring(7);
            assertThat(InProcess.run("verify", run).exitCode()).as(name).isZero();
            assertThat(Files.readString(Path.of(run, "verdict.json"))).contains("\"initial_state\":{\"path\":");
            Path minimal = Path.of(run, "violations", "000", "history.jsonl");
            if (Files.exists(minimal)) {
                assertThat(HistoryReader.read(minimal.toString(), HistoryFormat.JSONL)
                                .transactions())
                        .isPositive();
                assertThat(InProcess.run("check", "-q", "-l", level, minimal.toString())
                                .exitCode())
                        .as(name)
                        .isEqualTo(3);
            }
            Files.writeString(Path.of(state), "{\"key\":\"other\",\"value\":\"s\"}\n");
            assertThat(InProcess.run("verify", run).exitCode()).as(name).isEqualTo(6);
        }
    }
}
