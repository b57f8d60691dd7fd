package org.polygraph.jobs.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
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

/**
 * docs/row-anomalies.md: each history with an anomaly violates exactly the levels of its row, with evidence that is
 * verified, and the one without it violates none.
 */
class RowAnomalyTableTest {
    private static final Path TABLE =
            Path.of(System.getProperty("polygraph.root", ".."), "spark-jobs/docs/row-anomalies.md");
    private static final Pattern ROW = Pattern.compile(
            "\\| ([^|]+) \\| (?:item|predicate) \\| `([^|`]+)` \\| ([a-z, ]+) \\| (\\w+) \\| `([^|`]+)` \\|");
    private static final Pattern OPERATION = Pattern.compile("([a-z]+)\\(([^)]*)\\)");

    @TempDir
    private Path folder;

    /** The name of the violation at ser that was found last. */
    private String name = "";

    private String last = "";

    @Test
    void findsEachAnomalyAndRaisesNoFalseAlarm() throws Exception {
        int anomalies = 0;
        for (String line : Files.readAllLines(TABLE)) {
            Matcher row = ROW.matcher(line);
            if (row.matches()) {
                anomalies++;
                assertThat(violated(row.group(2))).as(line).isEqualTo(row.group(3));
                assertThat(name).as(line).isEqualTo(row.group(4));
                assertThat(violated(row.group(5))).as(line).isEmpty();
            }
        }
        assertThat(anomalies).as("rows that the test reads").isEqualTo(40);
    }

    @Test
    void sentencesStateWhatQueriesFound() throws Exception {
        assertThat(sentence("init 5; s0: d(x); s1: pr(1..9,x=5) pr(1..9)"))
                .isEqualTo(
                        "s1#0 read 5 from key \"x\", which s0#0 deleted, but it also found no row \"x\" between 1 and 9,"
                                + " which s0#0 deleted");
        assertThat(sentence("init 5; s0: pr(1..9); s1: r(x,5)"))
                .isEqualTo("s0#0 found no row \"x\" between 1 and 9, but every version of the row matches");
        assertThat(sentence("s0: i(x,50); s1: pr(1..9,x=50)"))
                .isEqualTo("s1#0 found row \"x\" between 1 and 9, but no version of the row matches");
        assertThat(sentence("s0: i(x,5); s1: pr(1..9) pr(1..9,x=5)"))
                .isEqualTo(
                        "s1#0 found no row \"x\" between 1 and 9, which s0#0 inserted, but it also read 5 from key \"x\","
                                + " which s0#0 inserted");
    }

    private String sentence(String history) throws Exception {
        violated(history);
        return last;
    }

    /** The names in the table. */
    static Set<String> names() throws IOException {
        Set<String> names = new TreeSet<>();
        for (String line : Files.readAllLines(TABLE)) {
            Matcher row = ROW.matcher(line);
            if (row.matches()) {
                names.add(row.group(4));
            }
        }
        return names;
    }

    private String violated(String history) throws Exception {
        Path file = folder.resolve("history.jsonl");
        Files.writeString(file, lines(history));
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
                last = level == IsolationLevel.SER ? sentence : last;
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

    private static String lines(String history) {
        String initial = "null";
        StringBuilder lines = new StringBuilder();
        Map<Character, Integer> indexes = new HashMap<>();
        for (String each : history.split("; ")) {
            if (each.startsWith("init ")) {
                initial = each.substring(5);
                continue;
            }
            boolean isAborted = each.startsWith("!");
            char session = each.charAt(isAborted ? 2 : 1);
            List<String> operations = OPERATION
                    .matcher(each)
                    .results()
                    .map(RowAnomalyTableTest::operation)
                    .toList();
            lines.append("{\"session\":" + session + ",\"index\":" + (indexes.merge(session, 1, Integer::sum) - 1)
                    + ",\"status\":\"" + (isAborted ? "aborted" : "committed") + "\",\"ops\":" + operations + "}\n");
        }
        return "{\"format\":\"history\",\"version\":1,\"initial\":{\"value\":" + initial + "}}\n" + lines;
    }

    private static String operation(MatchResult operation) {
        String op = operation.group(1);
        String[] fields = operation.group(2).split(",");
        String start = "{\"op\":\"" + op + "\",";
        if (!op.startsWith("p")) {
            String value = op.equals("d") ? "" : ",\"value\":" + (fields[1].equals("_") ? "null" : fields[1]);
            return start + "\"key\":\"" + fields[0] + "\"" + value + "}";
        }
        String[] bounds = fields[0].split("\\.\\.|=");
        List<String> rows = new ArrayList<>();
        for (String row : List.of(fields).subList(1, fields.length)) {
            String[] pair = row.split("=");
            rows.add(op.equals("pr") ? "[\"" + pair[0] + "\"," + pair[1] + "]" : "\"" + row + "\"");
        }
        return start + "\"lo\":" + bounds[0] + ",\"hi\":" + bounds[1]
                + (op.equals("pw") ? ",\"value\":" + bounds[2] : "")
                + (op.equals("pr") ? ",\"rows\":" : ",\"keys\":") + rows + "}";
    }
}
