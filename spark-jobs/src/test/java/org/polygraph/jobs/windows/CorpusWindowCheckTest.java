package org.polygraph.jobs.windows;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.verdict.Counts;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.format.HistoryWriter;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.OracleCorpus;
import org.polygraph.storage.testkit.SuiteScale;

/**
 * Histories of the corpus by windows of files of several sizes: where windows decide, the verdict is that of the whole-history way. At the scale
 * of 10 or more all histories are tried; below, a share of the small ones. A table shows how many needed windows that grow.
 */
class CorpusWindowCheckTest {
    private static final int ALL = SuiteScale.of(20);
    private static final int SMALL = 2_000;

    @TempDir
    private Path folder;

    /** By set of histories, level and size of the window. */
    private final Map<String, long[]> rows = new TreeMap<>();

    /** By reason: how often windows do not decide. */
    private final Map<String, Integer> reasons = new TreeMap<>();

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
        read("real", corpus.resolve("real"), ".gz");
        read("real", corpus.resolve("real"), ".zst");
        System.out.println(
                "| histories | level | window | decided | violated | with growth | largest set | read whole | ms whole | ms |");
        rows.forEach((row, n) -> System.out.printf(
                "| %s | %d | %d | %d | %d | %d | %d | %d |%n",
                row, n[0], n[1], n[2], n[3], n[4], n[5] / 1_000_000, n[6] / 1_000_000));
        System.out.println("read whole: " + reasons);
        assertThat(rows).isNotEmpty();
    }

    private void read(String set, Path of, String ending) throws IOException, HistoryException {
        try (Stream<Path> paths = Files.list(of)) {
            for (Path file : paths.sorted().toList()) {
                if (file.toString().endsWith(ending) && (ALL >= 200 || Files.size(file) < 100_000)) {
                    decide(set, file.toString(), HistoryReader.read(file.toString(), HistoryFormat.AUTO));
                }
            }
        }
    }

    private void decide(String set, String name, HistoryTable history) throws IOException, HistoryException {
        boolean tried = ALL >= 200 || (name.hashCode() & 1_023) < ALL && history.transactions() < SMALL;
        if (!tried
                || Counts.of(history).transactionsCommitted() == 0
                || history.predicates() != null
                || history.hasRows()) {
            return;
        }
        String file = folder.resolve("history.jsonl").toString();
        HistoryWriter.write(history, file, HistoryFormat.JSONL);
        HistoryTable read = HistoryReader.read(file, HistoryFormat.AUTO);
        for (IsolationLevel level : FileWindows.LEVELS) {
            TimeMode mode = level.realTime() ? TimeMode.STRICT : TimeMode.HINT;
            CheckRequest request = new CheckRequest(level, mode, 0, IndeterminateMode.MAYBE);
            if (level.realTime() && history.starts() == null) {
                continue;
            }
            long start = System.nanoTime();
            Verdict.Status whole = FileWindows.whole(read, request);
            long wholeNanos = System.nanoTime() - start;
            for (int window : new int[] {4, 50, 500, 5_000}) {
                long[] row = rows.computeIfAbsent(set + " | " + level.label() + " | " + window, key -> new long[7]);
                row[5] += wholeNanos;
                start = System.nanoTime();
                decide(name + " " + level + " window " + window, file, request, window, whole, row);
                row[6] += System.nanoTime() - start;
            }
        }
    }

    private void decide(String what, String file, CheckRequest request, int window, Verdict.Status whole, long[] row)
            throws IOException, HistoryException {
        try (LocalWorkers workers = FileWindows.workers()) {
            WindowCheck check = FileWindows.check(workers, file, 1 << 20, WindowSettings.of(window), request);
            WindowCheck.Outcome outcome = check.run(true, false);
            if (outcome == WindowCheck.Outcome.OPEN) {
                row[4]++;
                reasons.merge(request.level().label() + " " + check.reason().replaceAll("\\d+", "N"), 1, Integer::sum);
                return;
            }
            assertThat(outcome == WindowCheck.Outcome.ORDERED).as(what).isEqualTo(whole == Verdict.Status.PASS);
            row[0]++;
            row[1] += outcome == WindowCheck.Outcome.VIOLATED ? 1 : 0;
            row[2] += check.windows().grown() > 0 ? 1 : 0;
            row[3] = Math.max(row[3], check.windows().largest());
        }
    }
}
