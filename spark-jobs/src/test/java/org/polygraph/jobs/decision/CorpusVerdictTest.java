package org.polygraph.jobs.decision;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.polygraph.jobs.application.EmbeddedChecker;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.OracleCorpus;
import org.polygraph.storage.testkit.SuiteScale;

/** Every history of the corpus whose verdict is known. The law "oracle" has the tiny ones. */
class CorpusVerdictTest {
    private static final List<IsolationLevel> LEVELS = List.of(IsolationLevel.SER, IsolationLevel.SI);
    private static final ShownVerdicts SHOWN = new ShownVerdicts();
    private static final long TIMEOUT_NANOS = 120_000_000_000L;

    /** Those that take longest, two thirds of the time of all. */
    private static final String LARGEST = "pg-ser-gt-large|pg-rr-pred-medium";

    /** A reduced run has the larger ones of one database level only. */
    private static final String LARGER = LARGEST + "|-r[cr]-.*-medium";

    private static Path corpus() {
        Path folder = OracleCorpus.folder().orElse(null);
        Assumptions.assumeTrue(folder != null, "skipped: no corpus at ../shared/corpus");
        return folder;
    }

    private static HistoryTable read(Path path) throws HistoryException, IOException {
        return HistoryReader.read(path.toString(), HistoryFormat.AUTO);
    }

    /** The verdict, which the evidence shows. */
    private static Verdict judge(HistoryTable table, IsolationLevel level, String truth, Object name) {
        String what = name + " " + level;
        CheckRequest request = CheckRequest.of(level);
        Budget budget = Budget.starting(TIMEOUT_NANOS, Runtime.getRuntime().maxMemory());
        Verdict verdict = new EmbeddedChecker().check(table, request, Progress.NONE, budget);
        assertThat(verdict.status())
                .as(what)
                .isEqualTo(truth.equals("accept") ? Verdict.Status.PASS : Verdict.Status.VIOLATION);
        SHOWN.isShown(verdict, table, request, what);
        return verdict;
    }

    @Test
    void knownDbcopHistoriesAgree() throws IOException, HistoryException {
        Path folder = corpus().resolve("dbcop/known");
        int[] judged = new int[2];
        for (String line : Files.readAllLines(folder.resolve("TRUTH.csv")).subList(1, 508)) {
            String[] fields = line.split(",", -1);
            HistoryTable table = read(folder.resolve(fields[0]));
            for (int i = 0; i < 2; i++) {
                if (!fields[i + 1].isEmpty()) {
                    judge(table, LEVELS.get(i), fields[i + 1], fields[0]);
                    judged[i]++;
                }
            }
        }
        assertThat(judged).containsExactly(507, 252);
    }

    @Test
    void largerHistoriesAgree() throws IOException, HistoryException {
        Map<Path, String> truths = new LinkedHashMap<>();
        Path root = corpus();
        for (Path set : children(root.resolve("dbcop"))) {
            String name = set.getFileName().toString();
            String truth = name.startsWith("anomaly")
                    ? "reject,reject"
                    : name.equals("si-10k-20ops-0.3") || name.equals("si-10k-20ops-0.5")
                            ? "reject,accept"
                            : "accept,accept";
            if (!name.equals("known")) {
                truths.put(set.resolve("history.bincode.gz"), truth);
            }
        }
        for (Path set : children(root.resolve("cobra"))) {
            String name = set.getFileName().toString();
            String truth = !name.startsWith("anomaly")
                    ? "accept,accept"
                    : name.equals("anomaly-cock-G2") ? "reject,accept" : "reject,reject";
            truths.put(set, truth);
        }
        for (Path file : children(root.resolve("plume"))) {
            truths.put(file, "reject,reject");
        }
        assertThat(truths).hasSizeGreaterThan(25);
        for (Map.Entry<Path, String> each : truths.entrySet()) {
            HistoryTable table = read(each.getKey());
            for (int i = 0; i < 2; i++) {
                judge(table, LEVELS.get(i), each.getValue().split(",", -1)[i], each.getKey());
            }
        }
    }

    @Test
    void realHistoriesAgree() throws IOException, HistoryException {
        Set<IsolationLevel> weak = EnumSet.of(IsolationLevel.CC, IsolationLevel.RA, IsolationLevel.RC);
        assertThat(real(EnumSet.copyOf(LEVELS), SuiteScale.isReduced() ? LARGER : LARGEST)
                        + real(weak, SuiteScale.isReduced() ? "-medium|-large" : "-large"))
                .isGreaterThan(80);
    }

    @Test
    @Tag("full")
    void allRealHistoriesAgree() throws IOException, HistoryException {
        Set<IsolationLevel> levels = EnumSet.range(IsolationLevel.SSER, IsolationLevel.RC);
        levels.remove(IsolationLevel.PC);
        assertThat(real(levels, "none")).isGreaterThan(120);
    }

    /**
     * @param without a pattern of those that are left out
     * @return the number of verdicts
     */
    private static int real(Set<IsolationLevel> levels, String without) throws IOException, HistoryException {
        Path folder = corpus().resolve("real");
        List<String> lines = Files.readAllLines(folder.resolve("TRUTH.csv"));
        List<String> columns = List.of(lines.get(0).split(",", -1));
        int judged = 0;
        for (String line : lines.subList(1, lines.size())) {
            String[] fields = line.split(",", -1);
            if (Pattern.compile(without).matcher(fields[0]).find()) {
                continue;
            }
            Path file = Stream.of(".jsonl.gz", ".jsonl.zst")
                    .map(ending -> folder.resolve(fields[0] + ending))
                    .filter(Files::exists)
                    .findFirst()
                    .orElseThrow();
            HistoryTable table = read(file);
            for (IsolationLevel level : levels) {
                String column = level == IsolationLevel.SSI ? "strong_si" : level.label();
                String truth = truth(fields, level, fields[columns.indexOf(column)]);
                if (!truth.isEmpty()) {
                    Verdict verdict = judge(table, level, truth, file);
                    if (hasMissedOwnWrite(fields[0]) && !level.isAxiom()) {
                        assertThat(verdict.violations()).allMatch(v -> v.anomaly() == Anomaly.NOT_MY_OWN_WRITE);
                    }
                    judged++;
                }
            }
        }
        return judged;
    }

    private static boolean hasMissedOwnWrite(String name) {
        return name.startsWith("maria-rr-mdev26642");
    }

    /** What the table says, or what follows from it or from what the database promises; empty if nothing does. */
    private static String truth(String[] fields, IsolationLevel level, String given) {
        String name = fields[0];
        if (hasMissedOwnWrite(name) && LEVELS.contains(level)) {
            return "reject";
        }
        if (name.contains("-pred-")) {
            // The queries show the write skew of repeatable read, and what read committed does not repeat. Repeatable
            // read of
            // MariaDB does not prevent lost updates. Its updates do not name their rows.
            boolean isSnapshot = !name.startsWith("pg-rc") && !name.startsWith("maria-rr");
            boolean isAccepted = level == IsolationLevel.SER ? name.startsWith("pg-ser") : isSnapshot;
            return !LEVELS.contains(level) ? "" : isAccepted ? "accept" : "reject";
        }
        boolean isImplied = level.isAxiom()
                && given.isEmpty()
                && !name.contains("-append-")
                && List.of(fields).subList(1, 5).contains("accept");
        return isImplied ? "accept" : given;
    }

    private static List<Path> children(Path folder) throws IOException {
        try (Stream<Path> paths = Files.list(folder)) {
            return new ArrayList<>(paths.sorted().toList());
        }
    }
}
