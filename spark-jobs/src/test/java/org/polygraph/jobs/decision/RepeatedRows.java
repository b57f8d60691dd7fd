package org.polygraph.jobs.decision;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.polygraph.jobs.certificate.judge.BruteForce;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.format.HistoryWriter;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.Law;
import org.polygraph.storage.testkit.SimulatedHistory;
import org.polygraph.storage.testkit.SplitMix;
import org.polygraph.storage.testkit.TestFolders;

/** A result with two rows of one key is a violation of every level if its transaction committed, else nothing. */
final class RepeatedRows implements Law.Property<Example> {
    private static final Pattern ROW = Pattern.compile("(\"rows\":\\[(\\[\\d+),[^\\]]+\\])");
    private static final Pattern KEY = Pattern.compile("(\"keys\":\\[(\\d+))");
    private static final Pattern READ = Pattern.compile("(\"op\":\"r\",\"key\":\\d+,\"value\":[^}]+)");
    /** Marks the line of the result while the history is made. */
    private static final String MARK = "\u0001";

    private static final Pattern STATUS = Pattern.compile("\"status\":\"(\\w+)\"");

    @Override
    public void holds(Example history, SplitMix random, Law.Tally tally) throws Exception {
        String repeated = repeated(history.text(), random);
        if (repeated.isEmpty()) {
            return;
        }
        Matcher status = STATUS.matcher(
                repeated.lines().filter(line -> line.contains(MARK)).findFirst().orElseThrow());
        assertThat(status.find()).isTrue();
        String lines = repeated.replace(MARK, "");
        for (HistoryTable table : formats(lines)) {
            Set<IsolationLevel> levels = history.levels();
            levels.remove(IsolationLevel.LIN);
            for (IsolationLevel level : levels) {
                CheckRequest request = CheckRequest.of(level);
                HistoryTable judged = request.judged(table);
                String what = level + "\n" + lines;
                Verdict verdict = Checks.check(judged, request);
                if (status.group(1).equals("committed")) {
                    boolean isShown = verdict.violations().stream().anyMatch(v -> v.anomaly() == Anomaly.DUPLICATE_ROW);
                    // A row that is inserted twice may be shown instead.
                    assertThat(isShown || Boolean.FALSE.equals(history.holds(level, 0, true)))
                            .as(what)
                            .isTrue();
                    assertThat(verdict.status()).as(what).isEqualTo(Verdict.Status.VIOLATION);
                    assertThat(BruteForce.judge(judged, request.terms()))
                            .as(what)
                            .isEqualTo(BruteForce.Answer.VIOLATED);
                    tally.count(isShown ? "repeated" : "hidden");
                } else if (status.group(1).equals("aborted")) {
                    boolean holds = Boolean.TRUE.equals(history.holds(level, 0, true));
                    assertThat(verdict.status())
                            .as(what)
                            .isEqualTo(holds ? Verdict.Status.PASS : Verdict.Status.VIOLATION);
                    tally.count(holds ? "aborted, holds" : "aborted, violated");
                }
            }
        }
    }

    /** Repeats a row of one result, and marks its line; empty if there is none. */
    private static String repeated(String lines, SplitMix random) {
        Pattern pattern = random.nextInt(2) == 0 ? ROW : random.nextInt(2) == 0 ? KEY : READ;
        List<MatchResult> all = pattern.matcher(lines).results().toList();
        if (all.isEmpty()) {
            return "";
        }
        MatchResult one = all.get(random.nextInt(all.size()));
        String more =
                pattern == ROW ? "," + one.group(2) + ",2]" : pattern == KEY ? "," + one.group(2) : ",\"more\":[2]";
        return lines.substring(0, one.end()) + MARK + more + lines.substring(one.end());
    }

    /** The history as each format and each writer has it. */
    private static List<HistoryTable> formats(String lines) throws HistoryException, IOException {
        HistoryTable table = SimulatedHistory.read(lines);
        String written = RecordedPredicates.written(table);
        Path parquet = Files.createTempFile(TestFolders.root(), "rows", ".parquet");
        try {
            HistoryWriter.write(table.asRead(), parquet.toString(), HistoryFormat.PARQUET);
            List<HistoryTable> all = List.of(
                    table,
                    SimulatedHistory.read(written),
                    HistoryReader.read(parquet.toString(), HistoryFormat.PARQUET));
            for (HistoryTable each : all) {
                assertThat(RecordedPredicates.written(each)).as(lines).isEqualTo(written);
            }
            return all;
        } finally {
            Files.delete(parquet);
        }
    }
}
