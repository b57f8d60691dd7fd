package org.polygraph.storage.format.parquet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.testkit.SplitMix;

/** Tables that Parquet's library wrote are read back, and damaged ones are refused or have the same rows. */
class NumberTableTest {
    private static final String NAME = "numbers";

    @TempDir
    private Path folder;

    /** Collects the rows, and requires that the header is the one that was written. */
    private static final class Rows implements NumberTable.Sink {
        private final List<long[]> rows = new ArrayList<>();
        private String text = "";
        private List<String> columns = List.of();
        private long count;

        @Override
        public void header(String found, List<String> names, long stated) {
            text = found;
            columns = names;
            count = stated;
        }

        @Override
        public void row(long[] row) {
            rows.add(row.clone());
        }
    }

    private static List<String> columns(int count) {
        List<String> columns = new ArrayList<>();
        for (int c = 0; c < count; c++) {
            columns.add("c" + c);
        }
        return columns;
    }

    private static List<long[]> rows(SplitMix random, int count, int columns) {
        List<long[]> rows = new ArrayList<>();
        int shift = random.nextInt(Long.SIZE);
        boolean ascends = random.chance(0.5);
        for (int i = 0; i < count; i++) {
            long[] row = new long[columns];
            for (int c = 0; c < columns; c++) {
                row[c] = ascends ? 3L * i + random.nextInt(3) : random.nextLong() >> shift;
            }
            rows.add(row);
        }
        return rows;
    }

    private Location write(List<long[]> rows, int columns, String text) throws IOException {
        Location file = Location.of(folder.resolve("table.parquet").toString());
        int[] next = {0};
        file.write(out -> NumberTable.write(out, NAME, text, columns(columns), row -> {
            if (next[0] == rows.size()) {
                return false;
            }
            System.arraycopy(rows.get(next[0]++), 0, row, 0, columns);
            return true;
        }));
        return file;
    }

    @Test
    void tablesAreReadBack() throws Exception {
        SplitMix random = new SplitMix(0x7ab1e);
        // A page has 20,000 rows, and 16,384 are decoded together.
        for (int count : new int[] {0, 1, 2, 127, 128, 129, 511, 512, 513, 16_384, 16_385, 20_001, 45_000}) {
            for (int columns = 1; columns <= 4; columns++) {
                List<long[]> rows = rows(random, count, columns);
                Location file = write(rows, columns, "text \u00e9 " + count);
                Rows read = new Rows();
                NumberTable.read(file, NAME, () -> false, read);
                assertThat(read.text).isEqualTo("text \u00e9 " + count);
                assertThat(read.columns).isEqualTo(columns(columns));
                assertThat(read.count).isEqualTo(count);
                assertThat(NumberTable.rows(file, NAME)).isEqualTo(count);
                assertThat(NumberTable.rows(file, "other")).isEqualTo(-1);
                assertThat(read.rows.toArray(long[][]::new)).isDeepEqualTo(rows.toArray(long[][]::new));
            }
        }
    }

    @Test
    void damagedTablesAreRefused() throws Exception {
        SplitMix random = new SplitMix(0xda3a6e);
        List<long[]> rows = rows(random, 300, 3);
        Location file = write(rows, 3, "a text");
        Path path = folder.resolve("table.parquet");
        byte[] bytes = Files.readAllBytes(path);
        int refused = 0;
        for (int i = 0; i < bytes.length; i++) {
            byte[] damaged = random.chance(0.2) ? Arrays.copyOf(bytes, i) : bytes.clone();
            if (damaged.length == bytes.length) {
                damaged[i] ^= (byte) (1 << random.nextInt(8));
            }
            Files.write(path, damaged);
            Rows read = new Rows();
            try {
                NumberTable.read(file, NAME, () -> false, read);
                // Not all bytes of the footer matter, but the pages have checksums.
                assertThat(read.rows.toArray(long[][]::new)).as("byte " + i).isDeepEqualTo(rows.toArray(long[][]::new));
            } catch (HistoryException e) {
                refused++;
            }
        }
        assertThat(refused).isGreaterThan(bytes.length / 2);
    }

    @Test
    void otherTablesAreNamed() throws Exception {
        Location file = write(List.of(new long[] {1}), 1, "a text");
        assertThatThrownBy(() -> NumberTable.read(file, "other", () -> false, new Rows()))
                .isInstanceOf(HistoryException.class)
                .hasMessageContaining("Parquet without the metadata entry \"other\"");
    }
}
