package org.polygraph.jobs.decision;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.application.EmbeddedChecker;
import org.polygraph.jobs.certificate.judge.BruteForce;
import org.polygraph.jobs.cli.InProcess;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.format.HistoryWriter;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.SplitMix;
import org.polygraph.storage.testkit.SuiteScale;

/** Results with two rows of one key: a violation of every level if their transaction committed, else nothing. */
class RepeatedRowsTest {
    private static final Pattern ROW = Pattern.compile("(\"rows\":\\[(\\[\\d+),[^\\]]+\\])");
    private static final Pattern KEY = Pattern.compile("(\"keys\":\\[(\\d+))");
    private static final Pattern READ = Pattern.compile("(\"op\":\"r\",\"key\":\\d+,\"value\":[^}]+)");
    /** Marks the line of the result while the history is made. */
    private static final String MARK = "\u0001";

    private static final Pattern STATUS = Pattern.compile("\"status\":\"(\\w+)\"");

    @TempDir
    private Path folder;

    @Test
    void areViolationsOfCommittedTransactionsOnly() throws Exception {
        long seed = 0xd0b1e;
        int[] counts = new int[3];
        for (int i = 0; i < SuiteScale.of(1_000); i++) {
            SplitMix random = new SplitMix(SplitMix.seedOf(seed, i));
            ConditionHistories history = new ConditionHistories(random);
            String repeated = repeated(history.lines(), random);
            if (repeated.isEmpty()) {
                continue;
            }
            Matcher status = STATUS.matcher(repeated.lines()
                    .filter(line -> line.contains(MARK))
                    .findFirst()
                    .orElseThrow());
            assertThat(status.find()).isTrue();
            boolean isCommitted = status.group(1).equals("committed");
            String lines = repeated.replace(MARK, "");
            for (HistoryTable table : read(lines)) {
                for (IsolationLevel level : levels(isCommitted)) {
                    CheckRequest request = CheckRequest.of(level);
                    HistoryTable judged = request.judged(table);
                    String what = level + " seed " + seed + " #" + i + "\n" + lines;
                    Verdict verdict = new EmbeddedChecker().check(judged, request, Progress.NONE, Budget.unlimited());
                    if (isCommitted) {
                        assertThat(verdict.violations())
                                .as(what)
                                .extracting(Violation::anomaly)
                                .contains(Anomaly.DUPLICATE_ROW);
                        assertThat(BruteForce.judge(judged, request.terms()))
                                .as(what)
                                .isEqualTo(BruteForce.Answer.VIOLATED);
                        counts[0]++;
                    } else if (status.group(1).equals("aborted")) {
                        boolean holds = history.holds(level);
                        assertThat(verdict.status())
                                .as(what)
                                .isEqualTo(holds ? Verdict.Status.PASS : Verdict.Status.VIOLATION);
                        counts[holds ? 1 : 2]++;
                    }
                }
            }
        }
        System.out.println(
                counts[0] + " violations, without: " + counts[1] + " hold, " + counts[2] + " violated, seed " + seed);
        assertThat(counts[0]).isPositive();
        assertThat(counts[1]).isPositive();
    }

    private static List<IsolationLevel> levels(boolean isCommitted) {
        return isCommitted
                ? List.of(
                        IsolationLevel.SER, IsolationLevel.SI, IsolationLevel.CC, IsolationLevel.RA, IsolationLevel.RC)
                : List.of(IsolationLevel.SER, IsolationLevel.SI);
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
    private List<HistoryTable> read(String lines) throws Exception {
        Path file = Files.writeString(folder.resolve("history.jsonl"), lines);
        HistoryTable table = HistoryReader.read(file.toString(), HistoryFormat.JSONL);
        String written = written(table);
        Path again = Files.writeString(folder.resolve("again.jsonl"), written);
        String parquet = folder.resolve("history.parquet").toString();
        HistoryWriter.write(table.asRead(), parquet, HistoryFormat.PARQUET);
        List<HistoryTable> all = List.of(
                table,
                HistoryReader.read(again.toString(), HistoryFormat.JSONL),
                HistoryReader.read(parquet, HistoryFormat.PARQUET));
        for (HistoryTable each : all) {
            assertThat(written(each)).as(lines).isEqualTo(written);
        }
        return all;
    }

    private static String written(HistoryTable table) throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        HistoryWriter.writeJsonl(table.asRead(), out);
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void windowsAndTheClusterSayTheSame() throws Exception {
        String line = "{\"session\":%d,\"index\":0,\"status\":\"committed\",\"ops\":[{\"op\":%s}]}\n";
        Path file = Files.writeString(
                folder.resolve("register.jsonl"),
                line.formatted(0, "\"w\",\"key\":1,\"value\":5")
                        + line.formatted(1, "\"w\",\"key\":1,\"value\":6")
                        + line.formatted(2, "\"r\",\"more\":[6],\"key\":1,\"value\":5"));
        for (String[] how : new String[][] {{}, {"--window", "1"}, {"--engine", "spark"}}) {
            for (String level : List.of("ser", "rc")) {
                List<String> words = new ArrayList<>(List.of("check", "-l", level));
                words.addAll(List.of(how));
                words.add(file.toString());
                InProcess check = InProcess.run(words.toArray(new String[0]));
                assertThat(check.out())
                        .as("%s", check)
                        .startsWith("VIOLATION")
                        .contains(
                                "T1 read two rows of key 1 in one result: 5, which s0#0 wrote, and 6, which s1#0 wrote");
            }
        }
        InProcess lin = InProcess.run("check", "-l", "lin", file.toString());
        assertThat(lin.out()).startsWith("INVALID");
    }
}
