package org.polygraph.storage.format;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.SuiteScale;

/** Every file of the corpus is read, or refused with the expected message. */
class CorpusTest {
    @Test
    void everyRealHistoryIsReadOrItsOperationNamed() throws Exception {
        int read = 0;
        for (Path path : Corpus.list("real")) {
            String name = path.getFileName().toString();
            if (name.endsWith(".csv") || (SuiteScale.isReduced() && !name.matches(".*-(small|deterministic)\\..*"))) {
                continue;
            }
            HistoryTable table = HistoryReader.read(path.toString(), HistoryFormat.AUTO);
            assertThat(table.transactions()).as(name).isEqualTo(lines(path) - 1);
            assertThat(table.sessions()).as(name).isBetween(1, 64);
            assertThat(table.starts()).as(name).isNotNull();
            assertThat(table.metadata()).as(name).containsKeys("database", "isolation", "workload");
            boolean hasLists = name.contains("-append-");
            assertThat(table.values().hasLists()).as(name).isEqualTo(hasLists);
            assertThat(table.initialValue())
                    .as(name)
                    .isEqualTo(hasLists ? ValueDictionary.NULL : table.values().code(0));
            read++;
        }
        assertThat(read).isGreaterThanOrEqualTo(30);
    }

    private static long lines(Path path) throws IOException {
        byte[] content = TestFiles.decompressed(path);
        long lines = 0;
        for (byte b : content) {
            lines += b == '\n' ? 1 : 0;
        }
        return lines;
    }

    @Test
    void everyDbcopHistoryIsRead() throws Exception {
        int read = 0;
        int step = SuiteScale.isReduced() ? 10 : 1;
        for (Path path : Corpus.list("dbcop/known")) {
            if (path.toString().endsWith(".gz") && read++ % step == 0) {
                HistoryTable table = HistoryReader.read(path.toString(), HistoryFormat.AUTO);
                assertThat(table.transactions()).as(path.toString()).isPositive();
                assertThat(table.operations()).as(path.toString()).isPositive();
            }
        }
        assertThat(read).isGreaterThanOrEqualTo(500);
        for (Path folder : Corpus.list("dbcop")) {
            boolean isLeftOut = SuiteScale.isReduced() && folder.toString().endsWith("-10k");
            if (Files.isDirectory(folder) && !folder.endsWith("known") && !isLeftOut) {
                HistoryTable table = HistoryReader.read(folder.toString(), HistoryFormat.AUTO);
                assertThat(table.transactions()).as(folder.toString()).isGreaterThan(100);
                if (folder.getFileName().toString().endsWith("-10k")) {
                    assertThat(table.transactions()).as(folder.toString()).isBetween(9_000, 11_000);
                }
            }
        }
    }

    @Test
    void everyCobraHistoryIsReadAndItsReadsFindTheirWriters() throws Exception {
        for (Path folder : Corpus.list("cobra")) {
            String name = folder.getFileName().toString();
            HistoryTable table = HistoryReader.read(folder.toString(), HistoryFormat.AUTO);
            assertThat(table.sessions()).as(name).isBetween(1, 64);
            assertThat(readsWithoutWriter(table)).as(name).isEqualTo(name.equals("anomaly-cock-blog") ? 8 : 0);
            for (int t = 0; t < table.transactions(); t++) {
                assertThat(table.status(t)).isEqualTo(TransactionStatus.COMMITTED);
            }
        }
    }

    private static int readsWithoutWriter(HistoryTable table) {
        record Version(int key, long value) {}
        java.util.Set<Version> written = new java.util.HashSet<>();
        int[] keys = table.operationKeys();
        for (int o = 0; o < keys.length; o++) {
            if ((keys[o] & 1) != 0) {
                written.add(new Version(keys[o] >>> 1, table.value(o)));
            }
        }
        int without = 0;
        for (int o = 0; o < keys.length; o++) {
            long value = table.value(o);
            if ((keys[o] & 1) == 0
                    && value != table.initialValue()
                    && !written.contains(new Version(keys[o] >>> 1, value))) {
                without++;
            }
        }
        return without;
    }

    @Test
    void cobraCountsAreThoseOfTheLogs() throws Exception {
        HistoryTable table =
                HistoryReader.read(Corpus.root().resolve("cobra/tpcc-10k").toString(), HistoryFormat.COBRA);
        assertThat(table.transactions()).isEqualTo(13_870);
        assertThat(table.operations()).isEqualTo(256_711 + 63_506);
        assertThat(table.keys().size()).isEqualTo(78_703);
        assertThat(table.sessionLabel(0)).isEqualTo(10);
    }

    @Test
    void bothPlumeHistoriesAreRead() throws Exception {
        HistoryTable galera =
                HistoryReader.read(Corpus.root().resolve("plume/galera.txt").toString(), HistoryFormat.AUTO);
        assertThat(List.of(galera.sessions(), galera.transactions(), galera.operations()))
                .containsExactly(2, 7, 14);
        HistoryTable yugabyte =
                HistoryReader.read(Corpus.root().resolve("plume/yugabyte.txt").toString(), HistoryFormat.AUTO);
        assertThat(List.of(yugabyte.sessions(), yugabyte.transactions(), yugabyte.operations()))
                .containsExactly(2, 20, 200);
    }

    @Test
    void realAndCobraHistoriesSurviveBothWriters(@org.junit.jupiter.api.io.TempDir Path folder) throws Exception {
        try (Stream<String> names = Stream.of(
                "real/pg-rr-chaos-small.jsonl.gz", "cobra/rubis-10k", "cobra/byvalue-rubis-10k", "plume/galera.txt")) {
            for (String name : (Iterable<String>) names::iterator) {
                HistoryTable table =
                        HistoryReader.read(Corpus.root().resolve(name).toString(), HistoryFormat.AUTO);
                List<String> expected = TableText.rows(table);
                String jsonl = folder.resolve("h.jsonl.zst").toString();
                HistoryWriter.write(table, jsonl, HistoryFormat.JSONL);
                assertThat(TableText.rows(HistoryReader.read(jsonl, HistoryFormat.AUTO)))
                        .as(name)
                        .isEqualTo(expected);
                String parquet = folder.resolve("h.parquet").toString();
                HistoryWriter.write(table, parquet, HistoryFormat.PARQUET);
                assertThat(TableText.rows(HistoryReader.read(parquet, HistoryFormat.AUTO)))
                        .as(name)
                        .isEqualTo(expected);
            }
        }
    }
}
