package org.polygraph.jobs.application;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import it.unimi.dsi.fastutil.longs.Long2LongMap;
import it.unimi.dsi.fastutil.longs.Long2LongOpenHashMap;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryWriter;
import org.polygraph.storage.format.parquet.NumberTable;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.StoppedException;
import org.polygraph.storage.testkit.HistoryDsl;

/** Files of a seam that have right checksums and wrong contents. */
class SeamFilesTest {
    private static final long MEMORY = 1L << 30;

    @TempDir
    private Path folder;

    private Location file(String name) throws IOException {
        return Location.of(folder.resolve(name).toString());
    }

    /** Writes a table of session ends with the fields of another one. */
    private Location withRows(String text, long[]... rows) throws IOException {
        Location file = file("forged.parquet");
        Iterator<long[]> next = List.of(rows).iterator();
        file.write(out -> NumberTable.write(out, "seam", text, List.of("session", "index"), row -> {
            if (!next.hasNext()) {
                return false;
            }
            System.arraycopy(next.next(), 0, row, 0, 2);
            return true;
        }));
        return file;
    }

    @Test
    void sessionsAscendAndFieldsAreCheckedFirst() throws Exception {
        Long2LongMap last = new Long2LongOpenHashMap(Map.of(1L, 5L, -2L, 7L, 3L, 0L));
        Location file = file("seam.parquet");
        new SessionEnds(Map.of("parts", "1"), last).write(file, "seam");
        assertThat(SessionEnds.read(file, "seam", () -> false).last()).isEqualTo(last);
        assertThatThrownBy(() -> SessionEnds.read(file, "seam", () -> true)).isInstanceOf(StoppedException.class);

        String[] text = new String[1];
        NumberTable.read(file, "seam", () -> false, new NumberTable.Sink() {
            @Override
            public void header(String found, List<String> columns, long rows) {
                text[0] = found;
            }

            @Override
            public void row(long[] row) {}
        });
        Location same = withRows(text[0], new long[] {1, 5}, new long[] {2, 5});
        assertThat(SessionEnds.read(same, "seam", () -> false).last()).hasSize(2);
        Location repeated = withRows(text[0], new long[] {1, 5}, new long[] {1, 5});
        assertThatThrownBy(() -> SessionEnds.read(repeated, "seam", () -> false))
                .isInstanceOf(HistoryException.class)
                .hasMessageContaining("a damaged seam");
        // The rows would take too long, and are not read.
        Location changed = withRows(text[0].replace("\"1\"", "\"2\""), new long[] {1, 5});
        assertThatThrownBy(() -> SessionEnds.read(changed, "seam", () -> true))
                .isInstanceOf(HistoryException.class)
                .hasMessageContaining("a damaged seam");
    }

    @Test
    void exchangesAreWritesWithWindows() throws Exception {
        int refused = 0;
        for (String history : List.of(
                "s0: @1..2 w(x,1) | @2..2 (); s1: @2..5 w(y,1)",
                "s0: @1..2 w(x,1) | @3..3 (); s1: @2..5 w(y,1)",
                "s0: @1..2 w(x,1) | @1..2 w(y,1)",
                "s0: w(x,1); s1: w(y,1)",
                "s0: @1..2 w(x,1); s1: w(y,1)",
                "s0: @1..2 w(x,1) w(y,1)",
                "s0: @1..2 r(x,1)")) {
            Location file = file("exchanges.parquet");
            HistoryWriter.write(HistoryDsl.parse(history), file.name(), HistoryFormat.PARQUET);
            try {
                assertThat(Exchanges.read(file, () -> false, MEMORY).sessions()).isEqualTo(2);
            } catch (HistoryException e) {
                assertThat(e).hasMessageContaining("exchanges.parquet: found a damaged seam");
                refused++;
            }
        }
        assertThat(refused).isEqualTo(6);
    }

    @Test
    void longTablesEndWithTheTime() throws Exception {
        Location run = Location.of(folder.toString());
        new Writes("input", new long[] {1, 1, 2}).write(run);
        assertThat(Writes.read(run, () -> false).hashes()).containsExactly(1, 1, 2);
        assertThatThrownBy(() -> Writes.read(run, () -> true)).isInstanceOf(StoppedException.class);
    }
}
