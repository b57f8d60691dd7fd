package org.polygraph.jobs.decision;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.polygraph.jobs.application.EmbeddedChecker;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.certificate.replay.Replay;
import org.polygraph.jobs.verdict.Counts;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.jobs.verdict.WindowCounts;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.OracleCorpus;
import org.polygraph.storage.testkit.SuiteScale;

/**
 * Histories of the corpus by windows of several sizes: the verdict is that of the whole-history way, and an order
 * replays. At the scale of 10 or more all histories are tried, which takes hours; below, a share of the small ones. A
 * table shows how many needed sets that grow.
 */
class CorpusWindowsTest {
    private static final int ALL = SuiteScale.of(100);
    private static final int SMALL = 2_000;
    private static final List<IsolationLevel> LEVELS =
            List.of(IsolationLevel.SER, IsolationLevel.SI, IsolationLevel.SSER, IsolationLevel.SSI);

    /** By set of histories, level and size of the window. */
    private final Map<String, long[]> rows = new TreeMap<>();

    private int seen;

    @Test
    void noVerdictDiffers() throws IOException, HistoryException {
        Path corpus = OracleCorpus.folder().orElse(null);
        Assumptions.assumeTrue(corpus != null, "skipped: no corpus at ../shared/corpus");
        for (String file : List.of(OracleCorpus.HISTORIES, OracleCorpus.UNKNOWN, OracleCorpus.GOLDEN)) {
            for (OracleCorpus.Entry entry : OracleCorpus.read(corpus.resolve(file))) {
                decide("oracle", entry.name(), entry.history());
            }
        }
        read("dbcop known", corpus.resolve("dbcop/known"), ".bincode.gz");
        for (Path set : children(corpus.resolve("dbcop"))) {
            if (!set.endsWith("known")) {
                read("dbcop", set, "history.bincode.gz");
            }
        }
        for (Path set : children(corpus.resolve("cobra"))) {
            decide("cobra", set.toString(), HistoryReader.read(set.toString(), HistoryFormat.AUTO));
        }
        read("plume", corpus.resolve("plume"), "");
        read("real", corpus.resolve("real"), ".gz");
        read("real", corpus.resolve("real"), ".zst");
        System.out.println(
                "| histories | level | window | decided | violated | with growth | largest set | ms whole | ms |");
        rows.forEach((row, n) -> System.out.printf(
                "| %s | %d | %d | %d | %d | %d | %d |%n",
                row, n[0], n[1], n[2], n[3], n[4] / 1_000_000, n[5] / 1_000_000));
        assertThat(seen).isPositive();
    }

    private void read(String set, Path folder, String ending) throws IOException, HistoryException {
        for (Path file : children(folder)) {
            // Histories whose predicates lack their keys are decided as a whole.
            if (file.toString().endsWith(ending)
                    && !file.toString().contains("maria-rr-pred-small")
                    && Files.isRegularFile(file)) {
                if (ALL >= 1_000 || Files.size(file) < 100_000) {
                    decide(set, file.toString(), HistoryReader.read(file.toString(), HistoryFormat.AUTO));
                }
            }
        }
    }

    private static List<Path> children(Path folder) throws IOException {
        try (Stream<Path> paths = Files.list(folder)) {
            return paths.sorted().toList();
        }
    }

    private void decide(String set, String name, HistoryTable history) {
        boolean tried = ALL >= 1_000 || (name.hashCode() & 1_023) < ALL && history.transactions() < SMALL;
        if (!tried || Counts.of(history).transactionsCommitted() == 0 || history.predicates() != null) {
            return;
        }
        for (IsolationLevel level : LEVELS) {
            TimeMode mode = level.realTime() ? TimeMode.STRICT : TimeMode.HINT;
            CheckRequest request = new CheckRequest(level, mode, 0, IndeterminateMode.MAYBE);
            if ((level.realTime() && history.starts() == null)
                    || WindowedDecision.unsupported(history, request) != null) {
                continue;
            }
            seen++;
            long start = System.nanoTime();
            Verdict whole = new EmbeddedChecker().check(history, request, Progress.NONE, Budget.unlimited());
            long wholeNanos = System.nanoTime() - start;
            for (int window : new int[] {4, 50, 500, 5_000}) {
                start = System.nanoTime();
                Check check = new Check(history, request, Progress.NONE, Budget.unlimited(), Checkpoints.NONE);
                Finding found = WindowedDecision.of(check, Tuning.DEFAULT, window);
                long nanos = System.nanoTime() - start;
                assertThat(found instanceof Finding.Order)
                        .as("%s %s window %s", name, level, window)
                        .isEqualTo(whole.status() == Verdict.Status.PASS);
                if (found instanceof Finding.Order order) {
                    assertThat(Replay.of(order.witness()).discrepancy())
                            .as(name)
                            .isNull();
                }
                WindowCounts counts = Objects.requireNonNull(check.windows());
                if (nanos > 5_000_000_000L) {
                    System.out.println(name + " " + level + " window " + window + ": " + nanos / 1_000_000
                            + " ms, whole " + wholeNanos / 1_000_000 + " ms, " + counts);
                }
                long[] row = rows.computeIfAbsent(set + " | " + level.label() + " | " + window, key -> new long[6]);
                row[0]++;
                row[1] += found instanceof Finding.Order ? 0 : 1;
                row[2] += counts.grown() > 0 ? 1 : 0;
                row[3] = Math.max(row[3], counts.largest());
                row[4] += wholeNanos;
                row[5] += nanos;
            }
        }
    }
}
