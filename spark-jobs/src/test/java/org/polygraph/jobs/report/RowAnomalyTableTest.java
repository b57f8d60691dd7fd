package org.polygraph.jobs.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.application.EmbeddedChecker;
import org.polygraph.jobs.cli.InProcess;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Progress;
import org.polygraph.jobs.report.wording.Facts;
import org.polygraph.jobs.report.wording.Phenomenon;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.testkit.HistoryDsl;

/**
 * The table of docs/anomalies.md and its further rows in row-anomalies.txt: each history with an anomaly violates exactly
 * the levels of its row, with evidence that is verified, and the one without it violates none.
 */
class RowAnomalyTableTest {
    private static final Path MODULE = Path.of(System.getProperty("polygraph.root", ".."), "spark-jobs");
    private static final Pattern ROW = Pattern.compile(
            "\\| ([^|]+) \\| (?:item|predicate) \\| `([^|`]+)` \\| ([a-z0-9, ]+) \\| (\\w+) \\| `([^|`]+)` \\|");

    @TempDir
    private Path folder;

    /** The name of the violation at ser that was found last. */
    private String name = "";

    @Test
    void findsEachAnomalyAndRaisesNoFalseAlarm() throws Exception {
        int anomalies = 0;
        for (String line : lines()) {
            Matcher row = ROW.matcher(line);
            if (row.matches()) {
                anomalies++;
                assertThat(violated(row.group(2))).as(line).isEqualTo(row.group(3));
                assertThat(name).as(line).isEqualTo(row.group(4));
                assertThat(violated(row.group(5))).as(line).isEmpty();
            }
        }
        assertThat(anomalies).as("rows that the test reads").isEqualTo(41);
    }

    private static List<String> lines() throws IOException {
        List<String> lines = new ArrayList<>(Files.readAllLines(MODULE.resolve("docs/anomalies.md")));
        lines.addAll(Files.readAllLines(MODULE.resolve("src/test/resources/row-anomalies.txt")));
        return lines;
    }

    /** The names in the table. */
    static Set<String> names() throws IOException {
        Set<String> names = new TreeSet<>();
        for (String line : lines()) {
            Matcher row = ROW.matcher(line);
            if (row.matches()) {
                names.add(row.group(4));
            }
        }
        return names;
    }

    private String violated(String history) throws Exception {
        Path file = folder.resolve("history.jsonl");
        Files.writeString(file, HistoryDsl.lines(history));
        List<String> levels = new ArrayList<>();
        for (IsolationLevel level : List.of(IsolationLevel.SER, IsolationLevel.SI)) {
            Verdict verdict = new EmbeddedChecker()
                    .check(
                            HistoryReader.read(file.toString(), HistoryFormat.JSONL),
                            CheckRequest.of(level),
                            Progress.NONE,
                            Budget.unlimited());
            assertThat(verdict.status())
                    .as("%s at %s", history, level)
                    .isIn(Verdict.Status.PASS, Verdict.Status.VIOLATION);
            if (verdict.status() == Verdict.Status.VIOLATION) {
                Violation violation = verdict.violations().get(0);
                String label = violation.anomaly().label();
                name = level == IsolationLevel.SER ? label : name;
                assertThat(label).as("%s at %s", history, level).isEqualTo(name);
                String sentence = Phenomenon.of(violation, new Facts(Objects.requireNonNull(verdict.table())));
                assertThat(sentence).as(history).doesNotContain("key \"row ", "yes");
                levels.add(level.label());
            }
        }
        if (!levels.isEmpty()) {
            String runs = Files.createTempDirectory(folder, "runs").toString();
            InProcess check = InProcess.run("check", "-q", "-l", "ser,si", "-o", runs, file.toString());
            assertThat(check.exitCode()).as(history + check).isEqualTo(3);
            InProcess verify = InProcess.run("verify", runs);
            assertThat(verify.exitCode()).as(history + verify).isZero();
        }
        return String.join(", ", levels);
    }
}
