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
import org.polygraph.jobs.decision.Checks;
import org.polygraph.jobs.verdict.Counts;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.jobs.verdict.WindowCounts;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.analysis.InitialChoice;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.format.HistoryWriter;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.OracleCorpus;
import org.polygraph.storage.testkit.SuiteScale;

/**
 * Histories of the corpus by windows of several sizes: where windows decide, the verdict is that of the whole-history
 * way. At the scale of 10 or more all histories are tried, which takes hours; below, a share of the small ones. A table
 * shows how many needed windows that grow.
 */
class CorpusWindowsTest {
    /** Of 65,536 histories, so many are tried. */
    private static final int TRIED = SuiteScale.of(500, 100);

    private static final int ALL = 20_000;
    private static final int SMALL = 2_000;
    private static final int[] WINDOWS = {4, 50, 500, 5_000};

    @TempDir
    private Path folder;

    /** By set of histories, level and size of the window. */
    private final Map<String, long[]> rows = new TreeMap<>();

    /** By reason: how often windows of files do not decide. */
    private final Map<String, Integer> reasons = new TreeMap<>();

    @Test
    void noVerdictDiffers() throws IOException, HistoryException {
        Path corpus = OracleCorpus.folder().orElse(null);
        Assumptions.assumeTrue(corpus != null, "skipped: no corpus at ../shared/corpus");
        for (String file : List.of(OracleCorpus.HISTORIES, OracleCorpus.UNKNOWN, OracleCorpus.GOLDEN)) {
            for (OracleCorpus.Entry entry : OracleCorpus.read(corpus.resolve(file))) {
                if (isTried(entry.name())) {
                    decide("oracle", entry.name(), entry.history());
                }
            }
        }
        read("dbcop known", corpus.resolve("dbcop/known"), ".bincode.gz");
        for (Path set : children(corpus.resolve("dbcop"))) {
            if (!set.endsWith("known")) {
                read("dbcop", set, "history.bincode.gz");
            }
        }
        for (Path set : children(corpus.resolve("cobra"))) {
            if (isTried(name(set))) {
                decide("cobra", name(set), HistoryReader.read(set.toString(), HistoryFormat.AUTO));
            }
        }
        read("plume", corpus.resolve("plume"), "");
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

    private static List<Path> children(Path folder) throws IOException {
        try (Stream<Path> paths = Files.list(folder)) {
            return paths.sorted().toList();
        }
    }

    private void read(String set, Path of, String ending) throws IOException, HistoryException {
        for (Path file : children(of)) {
            // Histories whose predicates lack their keys are decided as a whole.
            if (isTried(name(file))
                    && file.toString().endsWith(ending)
                    && !file.toString().contains("maria-rr-pred-small")
                    && Files.isRegularFile(file)
                    && (TRIED >= ALL || Files.size(file) < 100_000)) {
                decide(set, name(file), HistoryReader.read(file.toString(), HistoryFormat.AUTO));
            }
        }
    }

    /** The last two names of a path, which are the same on every machine. */
    private static String name(Path path) {
        return path.getParent().getFileName() + "/" + path.getFileName();
    }

    private static boolean isTried(String name) {
        return TRIED >= ALL || (name.hashCode() & 65_535) < TRIED;
    }

    private static boolean isTried(HistoryTable history) {
        return (TRIED >= ALL || history.transactions() < SMALL)
                && Counts.of(history).transactionsCommitted() > 0
                && history.predicates() == null
                && !history.hasRows();
    }

    private static CheckRequest request(IsolationLevel level) {
        return new CheckRequest(level, level.realTime() ? TimeMode.STRICT : TimeMode.HINT, 0, IndeterminateMode.MAYBE);
    }

    private long[] row(String set, IsolationLevel level, int window) {
        return rows.computeIfAbsent(set + " | " + level.label() + " | " + window, key -> new long[7]);
    }

    private void decide(String set, String name, HistoryTable history) throws IOException, HistoryException {
        if (!isTried(history)) {
            return;
        }
        String file = folder.resolve("history.jsonl").toString();
        HistoryWriter.write(history, file, HistoryFormat.JSONL);
        HistoryTable read = HistoryReader.read(file, HistoryFormat.AUTO);
        for (IsolationLevel level : FileWindows.LEVELS) {
            CheckRequest request = request(level);
            if (level.realTime() && history.starts() == null) {
                continue;
            }
            long start = System.nanoTime();
            Verdict.Status whole = Checks.status(read, request);
            long wholeNanos = System.nanoTime() - start;
            for (int window : WINDOWS) {
                long[] row = row(set, level, window);
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
            WindowCheck.Ending outcome = check.run(true, InitialChoice.IMPLICIT);
            if (outcome == WindowCheck.Ending.OPEN) {
                row[4]++;
                reasons.merge(request.level().label() + " " + check.reason().replaceAll("\\d+", "N"), 1, Integer::sum);
                return;
            }
            assertThat(outcome == WindowCheck.Ending.ORDERED).as(what).isEqualTo(whole == Verdict.Status.PASS);
            count(row, outcome == WindowCheck.Ending.VIOLATED, check.windows());
        }
    }

    private static void count(long[] row, boolean isViolated, WindowCounts windows) {
        row[0]++;
        row[1] += isViolated ? 1 : 0;
        row[2] += windows.grown() > 0 ? 1 : 0;
        row[3] = Math.max(row[3], windows.largest());
    }
}
