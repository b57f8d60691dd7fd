package org.polygraph.jobs.decision;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.application.EmbeddedChecker;
import org.polygraph.jobs.certificate.judge.SubHistoryProof;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.format.HistoryWriter;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistorySelection;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.OracleCorpus;

/** Every violation of the corpus has a sub-history that, written and read again, violates the same level. */
class CorpusSubHistoryTest {
    private static final List<IsolationLevel> LEVELS = List.of(IsolationLevel.SER, IsolationLevel.SI);
    private static final long TIMEOUT_NANOS = 60_000_000_000L;

    private static final List<Integer> SIZES = new ArrayList<>();
    private static final Map<String, Integer> NAMES = new TreeMap<>();
    private static final List<String> WITHOUT = new ArrayList<>();
    private static final List<String> LARGE = new ArrayList<>();

    @TempDir
    private Path folder;

    private static Path corpus() {
        Path folder = OracleCorpus.folder().orElse(null);
        Assumptions.assumeTrue(folder != null, "skipped: no corpus at ../shared/corpus");
        return folder;
    }

    @Test
    void someRealHistories() throws IOException, HistoryException {
        for (String name : List.of("maria-rr-mt-small", "pg-rr-mt-small", "maria-rr-mdev26642-small")) {
            file(corpus().resolve("real/" + name + ".jsonl.gz"));
        }
        file(corpus().resolve("cobra/anomaly-cock-blog"));
        file(corpus().resolve("plume/galera.txt"));
        folder(corpus().resolve("dbcop/known"), 40);
    }

    @Test
    @Tag("full")
    void allRealHistories() throws IOException, HistoryException {
        folder(corpus().resolve("real"), 1);
        folder(corpus().resolve("cobra"), 1);
        folder(corpus().resolve("plume"), 1);
        folder(corpus().resolve("dbcop/known"), 1);
        for (String set : List.of("anomaly-dgraph", "si-10k-20ops-0.3", "si-10k-20ops-0.5")) {
            file(corpus().resolve("dbcop/" + set + "/history.bincode.gz"));
        }
    }

    private void folder(Path parent, int every) throws IOException, HistoryException {
        List<Path> paths;
        try (Stream<Path> children = Files.list(parent)) {
            paths = children.sorted().toList();
        }
        for (int i = 0; i < paths.size(); i += every) {
            String name = paths.get(i).getFileName().toString();
            if (!name.startsWith("TRUTH") && !name.contains("-pred-") && !name.contains("-append-")) {
                file(paths.get(i));
            }
        }
    }

    private void file(Path path) throws IOException, HistoryException {
        shrink(
                HistoryReader.read(path.toString(), HistoryFormat.AUTO),
                path.getFileName().toString());
    }

    private void shrink(HistoryTable table, String name) throws IOException, HistoryException {
        for (IsolationLevel level : LEVELS) {
            CheckRequest request = CheckRequest.of(level);
            Verdict verdict = new EmbeddedChecker()
                    .check(
                            table,
                            request,
                            Progress.NONE,
                            Budget.starting(TIMEOUT_NANOS, Runtime.getRuntime().maxMemory()));
            boolean shown = false;
            for (Violation violation : verdict.violations()) {
                org.polygraph.partitioner.isolation.SubHistory minimal = violation.minimal();
                if (minimal != null) {
                    HistoryTable part = again(
                            HistorySelection.of(table, minimal.operations()).table());
                    String what = name + " " + level;
                    Verdict alone = Checks.check(part, request);
                    assertThat(alone.status()).as(what).isEqualTo(Verdict.Status.VIOLATION);
                    assertThat(SubHistoryProof.firstGap(table, part, request.terms()))
                            .as(what)
                            .isNull();
                    assertThat(minimal.minimal()).as(what).isTrue();
                    SIZES.add(part.transactions());
                    NAMES.merge(violation.anomaly().label(), 1, Integer::sum);
                    if (part.transactions() > 10) {
                        LARGE.add(what + " " + violation.anomaly().label() + " " + part.transactions());
                    }
                    shown = true;
                }
            }
            if (!verdict.violations().isEmpty() && !shown) {
                WITHOUT.add(name + " " + level);
            }
        }
    }

    /** Written as a file and read by the real reader. */
    private HistoryTable again(HistoryTable part) throws IOException, HistoryException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        HistoryWriter.writeJsonl(part, bytes);
        Path file = Files.write(folder.resolve("history.jsonl"), bytes.toByteArray());
        return HistoryReader.read(file.toString(), HistoryFormat.AUTO);
    }

    @AfterAll
    static void sizes() {
        if (!SIZES.isEmpty()) {
            int[] sorted = SIZES.stream().mapToInt(Integer::intValue).sorted().toArray();
            System.out.println(sorted.length + " violations of the corpus: sub-histories of "
                    + sorted[sorted.length / 2]
                    + " transactions in the median, " + sorted[sorted.length - 1] + " at most; "
                    + Arrays.stream(sorted).filter(n -> n > 4).count() + " of more than 4; " + NAMES + "; large "
                    + LARGE);
            assertThat(sorted[sorted.length / 2]).isLessThanOrEqualTo(4);
            assertThat(WITHOUT).isEmpty();
        }
    }
}
