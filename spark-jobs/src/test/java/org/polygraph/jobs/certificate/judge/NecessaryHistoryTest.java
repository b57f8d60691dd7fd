package org.polygraph.jobs.certificate.judge;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.certificate.format.Guarantee;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.jobs.decision.ConditionHistories;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.UnknownRows;
import org.polygraph.storage.testkit.SplitMix;
import org.polygraph.storage.testkit.SuiteScale;

/**
 * Compares two ways to find what holds for all possible rows of writes by a condition: that of a check and that of its
 * verification.
 */
class NecessaryHistoryTest {
    private static final long SEED = 0x2ead6;

    @TempDir
    private Path folder;

    @Test
    void isTheSameAsThatOfTheDecision() throws Exception {
        Terms terms = new Terms(Guarantee.SSER, 0, IndeterminateMode.MAYBE);
        int compared = 0;
        int derived = 0;
        for (int i = 0; i < SuiteScale.of(2_000); i++) {
            ConditionHistories history = ConditionHistories.withUnknownRows(new SplitMix(SplitMix.seedOf(SEED, i)));
            Path file = Files.writeString(folder.resolve("history.jsonl"), history.lines());
            HistoryTable read = HistoryReader.read(file.toString(), HistoryFormat.JSONL);
            HistoryTable table = i % 4 == 0 ? UnknownRows.withAborted(read) : read;
            UnknownRows unknown = table.unknownRows();
            if (unknown == null) {
                continue;
            }
            HistoryTable decided = Objects.requireNonNull(unknown.refinement(Long.MAX_VALUE, () -> false), "few rows")
                    .table();
            assertThat(decided).isNotNull();
            Set<String> keys = new TreeSet<>();
            for (int key = 0; key < decided.keys().size(); key++) {
                keys.add(NecessaryHistory.text(decided.keys(), key));
            }
            String what = "seed " + SEED + " #" + i + "\n" + history.lines();
            HistoryTable verified = NecessaryHistory.of(table, keys);
            assertThat(verified).as(what).isNotNull();
            assertThat(new Embedding(verified, decided, terms).foreign())
                    .as(what)
                    .isNull();
            assertThat(new Embedding(decided, verified, terms).foreign())
                    .as(what)
                    .isNull();
            assertThat(verified.operations()).as(what).isEqualTo(decided.operations());
            compared++;
            derived += decided.operations() - table.asRead().operations() > 0 ? 1 : 0;
        }
        System.out.println(compared + " compared, " + derived + " with more operations, seed " + SEED);
        assertThat(derived).isGreaterThan(compared / 4);
    }
}
