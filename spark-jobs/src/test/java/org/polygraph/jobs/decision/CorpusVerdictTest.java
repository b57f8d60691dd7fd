package org.polygraph.jobs.decision;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.polygraph.jobs.application.EmbeddedChecker;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.OracleCorpus;
import org.polygraph.storage.testkit.SuiteScale;

/** Every history of the corpus whose verdict is known: the tiny ones at all levels, the others at SER and SI. */
class CorpusVerdictTest {
    private static final List<IsolationLevel> LEVELS = List.of(IsolationLevel.SER, IsolationLevel.SI);
    private static final long TIMEOUT_NANOS = 120_000_000_000L;

    /** Those that take longest, two thirds of the time of all. */
    private static final List<String> LARGEST = List.of("pg-ser-gt-large", "pg-rr-pred-medium");

    private static Path corpus() {
        Path folder = OracleCorpus.folder().orElse(null);
        Assumptions.assumeTrue(folder != null, "skipped: no corpus at ../shared/corpus");
        return folder;
    }

    private static HistoryTable read(Path path) throws HistoryException, IOException {
        return HistoryReader.read(path.toString(), HistoryFormat.AUTO);
    }

    private static Verdict check(HistoryTable table, IsolationLevel level) {
        return new EmbeddedChecker()
                .check(
                        table,
                        CheckRequest.of(level),
                        Progress.NONE,
                        Budget.starting(TIMEOUT_NANOS, Runtime.getRuntime().maxMemory()));
    }

    private static Verdict.Status expected(String word) {
        return word.equals("accept") ? Verdict.Status.PASS : Verdict.Status.VIOLATION;
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
                    assertThat(check(table, LEVELS.get(i)).status())
                            .as("%s %s", fields[0], LEVELS.get(i))
                            .isEqualTo(expected(fields[i + 1]));
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
                assertThat(check(table, LEVELS.get(i)).status())
                        .as("%s %s", each.getKey(), LEVELS.get(i))
                        .isEqualTo(expected(each.getValue().split(",", -1)[i]));
            }
        }
    }

    @Test
    void realHistoriesAgree() throws IOException, HistoryException {
        Path folder = corpus().resolve("real");
        int judged = 0;
        for (String line : Files.readAllLines(folder.resolve("TRUTH.csv"))) {
            String[] fields = line.split(",", -1);
            if (fields[0].equals("history") || (SuiteScale.isReduced() && LARGEST.contains(fields[0]))) {
                continue;
            }
            Path file = Stream.of(".jsonl.gz", ".jsonl.zst")
                    .map(ending -> folder.resolve(fields[0] + ending))
                    .filter(Files::exists)
                    .findFirst()
                    .orElseThrow();
            if (fields[0].contains("-pred-")) {
                // The table has no verdicts of these, so the databases' promises are expected: the queries show the
                // write skew
                // of repeatable read, and what read committed does not repeat.
                fields[2] = fields[0].startsWith("pg-ser") ? "accept" : "reject";
                // Repeatable read of MariaDB does not prevent lost updates. Its updates do not name their rows.
                boolean isSnapshot = !fields[0].startsWith("pg-rc") && !fields[0].startsWith("maria-rr");
                fields[4] = isSnapshot ? "accept" : "reject";
            }
            boolean ownWriteMissed = fields[0].startsWith("maria-rr-mdev26642");
            HistoryTable table = read(file);
            for (int i = 0; i < 2; i++) {
                String truth = ownWriteMissed ? "reject" : fields[i == 0 ? 2 : 4];
                if (!truth.isEmpty()) {
                    Verdict verdict = check(table, LEVELS.get(i));
                    assertThat(verdict.status())
                            .as("%s %s", file, LEVELS.get(i))
                            .isEqualTo(expected(truth));
                    if (ownWriteMissed) {
                        assertThat(verdict.violations())
                                .isNotEmpty()
                                .allMatch(v -> v.anomaly() == Anomaly.NOT_MY_OWN_WRITE);
                    }
                    judged++;
                }
            }
        }
        assertThat(judged).isGreaterThan(30);
    }

    @Test
    @Tag("full")
    void realHistoriesAgreeInEveryModeOfTime() throws IOException, HistoryException {
        Path folder = corpus().resolve("real");
        IsolationLevel[] levels = {IsolationLevel.SSER, IsolationLevel.SER, IsolationLevel.SSI, IsolationLevel.SI};
        int judged = 0;
        for (String line : Files.readAllLines(folder.resolve("TRUTH.csv"))) {
            String[] fields = line.split(",", -1);
            if (fields[0].equals("history") || fields[0].contains("-pred-")) {
                continue;
            }
            Path file = Stream.of(".jsonl.gz", ".jsonl.zst")
                    .map(ending -> folder.resolve(fields[0] + ending))
                    .filter(Files::exists)
                    .findFirst()
                    .orElseThrow();
            for (int i = 0; i < levels.length; i++) {
                if (fields[1 + i].isEmpty()) {
                    continue;
                }
                TimeMode mode = levels[i].realTime() ? TimeMode.STRICT : TimeMode.HINT;
                Verdict verdict =
                        Checks.check(read(file), new CheckRequest(levels[i], mode, 0, IndeterminateMode.MAYBE));
                assertThat(verdict.status()).as("%s %s", file, levels[i]).isEqualTo(expected(fields[1 + i]));
                judged++;
            }
        }
        System.out.println(judged + " verdicts of real histories by hint and in real time");
        assertThat(judged).isGreaterThan(40);
    }

    private static List<Path> children(Path folder) throws IOException {
        try (Stream<Path> paths = Files.list(folder)) {
            return new ArrayList<>(paths.sorted().toList());
        }
    }
}
