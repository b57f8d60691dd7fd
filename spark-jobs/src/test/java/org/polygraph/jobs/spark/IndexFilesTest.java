package org.polygraph.jobs.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.index.VersionIndex;
import org.polygraph.partitioner.sliced.IndexSlice;
import org.polygraph.partitioner.sliced.KeySlices;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.HistoryGenerator;

/** An index that tasks read from files: complete, missing and damaged files. */
@Tag("spark")
class IndexFilesTest {
    private static final int SLICES = 4;
    private static final HistoryTable TABLE = HistoryGenerator.withSeed(0x1d8)
            .transactions(500)
            .keys(60)
            .hotspot(1.0 / 60, 0.5)
            .generate();
    private static final VersionIndex VERSIONS =
            IndexedHistory.of(TABLE, IndexedHistory.Indeterminate.MAYBE).versions();
    private static final KeySlices CUT = KeySlices.of(TABLE, SLICES, TABLE.operations() / 4, TABLE.operations() / 8);

    private static SparkSession spark;

    @TempDir
    private java.nio.file.Path folder;

    @BeforeAll
    static void start() {
        spark = new LazySession("local[2]").get();
    }

    private IndexFiles files() throws IOException {
        return new IndexFiles(new Path(folder.toUri()), new Configuration());
    }

    private static Map<Integer, byte[]> rows(IndexFiles files) throws IOException {
        Map<Integer, byte[]> rows = new TreeMap<>();
        for (byte[] row : files.rows(spark).collectAsList()) {
            assertThat(rows.put(IndexSlice.slice(row), row)).isNull();
        }
        return rows;
    }

    @Test
    void slicesArriveAsTheyWere() throws IOException {
        assertThat(CUT.splitKeys()).hasSize(1);
        try (IndexFiles files = files()) {
            files.write(CUT, VERSIONS, () -> false);
            Map<Integer, byte[]> rows = rows(files);
            assertThat(rows).hasSize(CUT.slices());
            rows.forEach((slice, row) -> assertThat(row)
                    .isEqualTo(IndexSlice.of(CUT, slice, VERSIONS).toBytes()));
        }
        assertThat(folder).isEmptyDirectory();
    }

    /** The folder's name has the characters of Hadoop's patterns. */
    @Test
    void aFolderMayBeCalledAnything() throws IOException {
        java.nio.file.Path odd = Files.createDirectory(folder.resolve("a b[1]{c,d}*?e%20"));
        try (IndexFiles files = new IndexFiles(new Path(odd.toUri()), new Configuration())) {
            files.write(CUT, VERSIONS, () -> false);
            assertThat(rows(files)).hasSize(CUT.slices());
        }
        assertThat(odd).isEmptyDirectory();
    }

    /** Only the chosen slices have checksums, because each task receives all of them. */
    @Test
    void someSlicesAreFilesFromZeroOn() throws IOException {
        KeySlices each = new KeySlices(CUT.keys(), CUT.keys());
        int hot = CUT.splitKeys()[0];
        int other = hot == 0 ? 1 : 0;
        try (IndexFiles files = files()) {
            files.write(each, new int[] {hot, other}, VERSIONS, () -> false);
            assertThat(rows(files).keySet()).containsExactlyInAnyOrder(hot, other);
            assertThat(names()).containsExactlyInAnyOrder("slice-0", "slice-1");
        }
    }

    /** If the budget ends, the remaining files are not written; those written before are complete. */
    @Test
    void nothingIsMadeAfterTheEnd() throws IOException {
        int[] asked = {0};
        try (IndexFiles files = files()) {
            files.write(CUT, VERSIONS, () -> ++asked[0] > 2);
            assertThat(rows(files).keySet()).containsExactly(0, 1);
        }
        try (IndexFiles files = files()) {
            files.write(CUT, VERSIONS, () -> true);
            assertThat(rows(files)).isEmpty();
        }
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void whatIsNotWhatWasWrittenIsAnError() throws IOException {
        for (boolean removed : new boolean[] {false, true}) {
            try (IndexFiles files = files()) {
                files.write(CUT, VERSIONS, () -> false);
                try (Stream<java.nio.file.Path> all = Files.walk(folder)) {
                    java.nio.file.Path harmed = all.filter(file -> file.endsWith("slice-2"))
                            .findFirst()
                            .orElseThrow();
                    // Hadoop's own checksum is deleted too, because an object store has none.
                    Files.deleteIfExists(harmed.resolveSibling(".slice-2.crc"));
                    if (removed) {
                        Files.delete(harmed);
                    } else {
                        byte[] bytes = Files.readAllBytes(harmed);
                        bytes[bytes.length / 2] ^= 4;
                        Files.write(harmed, bytes);
                    }
                }
                assertThatThrownBy(() -> rows(files))
                        .hasStackTraceContaining(removed ? "something else removes files there" : "it was damaged");
            }
        }
    }

    private List<String> names() throws IOException {
        try (Stream<java.nio.file.Path> all = Files.walk(folder)) {
            return all.map(file -> file.getFileName().toString())
                    .filter(name -> name.startsWith("slice-"))
                    .toList();
        }
    }
}
