package org.polygraph.jobs.weak;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.polygraph.jobs.decision.Checks;
import org.polygraph.jobs.evidence.Implications;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.OracleCorpus;
import org.polygraph.storage.testkit.SuiteScale;

/**
 * Histories of real databases at RC, RA and CC: the verdicts are those of the corpus, or follow from a stronger level.
 * If neither determines them, they agree with each other.
 */
class CorpusWeakLevelsTest {
    private static final List<IsolationLevel> LEVELS = List.of(IsolationLevel.CC, IsolationLevel.RA, IsolationLevel.RC);
    /** Columns of the truth: history, sser, ser, strong_si, si, cc, ra, rc, anomalies. */
    private static final int FIRST_STRONG = 1;

    private static final int FIRST_WEAK = 5;

    @Test
    void realHistoriesAgree() throws IOException, HistoryException {
        agree(false);
    }

    /** All histories, also those with repeated values, whose sub-histories take minutes. */
    @Test
    @Tag("full")
    void allRealHistoriesAgree() throws IOException, HistoryException {
        agree(true);
    }

    private static void agree(boolean free) throws IOException, HistoryException {
        Path root = OracleCorpus.folder().orElse(null);
        if (root == null) {
            System.out.println("CorpusWeakLevelsTest: SKIPPED, no corpus at ../shared/corpus");
        }
        Assumptions.assumeTrue(root != null, "skipped: no corpus at ../shared/corpus");
        Path folder = root.resolve("real");
        int violations = 0;
        int implied = 0;
        int open = 0;
        for (String line : Files.readAllLines(folder.resolve("TRUTH.csv"))) {
            String[] fields = line.split(",", -1);
            boolean isLeftOut = SuiteScale.isReduced() && fields[0].endsWith("-large");
            if (isLeftOut
                    || fields[0].equals("history")
                    || fields[0].contains("-pred-")
                    || fields[0].contains("-append-")) {
                continue;
            }
            boolean strong = List.of(fields).subList(FIRST_STRONG, FIRST_WEAK).contains("accept");
            if (!free
                    && !strong
                    && String.join("", List.of(fields).subList(FIRST_WEAK, FIRST_WEAK + 3))
                            .isEmpty()) {
                continue;
            }
            long begin = System.nanoTime();
            Path file = Stream.of(".jsonl.gz", ".jsonl.zst")
                    .map(ending -> folder.resolve(fields[0] + ending))
                    .filter(Files::exists)
                    .findFirst()
                    .orElseThrow();
            HistoryTable table = HistoryReader.read(file.toString(), HistoryFormat.AUTO);
            List<Verdict.Status> found = new ArrayList<>();
            for (int i = 0; i < LEVELS.size(); i++) {
                IsolationLevel level = LEVELS.get(i);
                Verdict verdict = Checks.check(table, level);
                Verdict.Status status = verdict.status();
                found.add(status);
                String truth = fields[FIRST_WEAK + i];
                if (!truth.isEmpty()) {
                    assertThat(status)
                            .as("%s %s", file, level)
                            .isEqualTo(truth.equals("accept") ? Verdict.Status.PASS : Verdict.Status.VIOLATION);
                    violations++;
                } else if (strong) {
                    assertThat(status).as("%s %s", file, level).isEqualTo(Verdict.Status.PASS);
                    implied++;
                } else {
                    open++;
                }
                assertThat(verdict.violations().isEmpty())
                        .as("%s %s", file, level)
                        .isEqualTo(status != Verdict.Status.VIOLATION);
            }
            assertThat(Implications.contradiction(LEVELS, found))
                    .as("%s %s", file, found)
                    .isNull();
            System.out.println(fields[0] + " " + found + " " + (System.nanoTime() - begin) / 1_000_000 + " ms");
        }
        System.out.println("real histories at CC, RA, RC: " + violations + " as the corpus says, " + implied
                + " as a stronger level implies, " + open + " free");
        assertThat(violations).isGreaterThan(40);
        assertThat(implied).isGreaterThan(10);
    }
}
