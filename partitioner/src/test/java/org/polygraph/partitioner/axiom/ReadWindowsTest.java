package org.polygraph.partitioner.axiom;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.index.ReadsFrom;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.sliced.KeySlices;
import org.polygraph.partitioner.sliced.SourceSlices;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.HistoryDsl;
import org.polygraph.storage.testkit.HistoryGenerator;
import org.polygraph.storage.testkit.SuiteScale;
import org.polygraph.storage.testkit.TinyHistories;

/** Compares sources by slices of keys, and edges by windows of transactions, with those of the whole history. */
class ReadWindowsTest {
    private static final long SEED = 0x4ea2;

    private static ReadsFrom sliced(HistoryTable table, IsolationLevel level, int slices, Random random)
            throws IOException {
        // In half of the cases every key with two operations is split by value.
        KeySlices keys = KeySlices.of(table, slices, slices % 2 == 0 ? Integer.MAX_VALUE : 1, 1 + random.nextInt(5));
        SourceSlices work = new SourceSlices(table, IndexedHistory.Indeterminate.MAYBE, level, keys);
        ReadsFrom known = work.known();
        if (known != null) {
            return known;
        }
        ByteBuffer[] files = new ByteBuffer[keys.slices()];
        work.deal(slice -> {
            if (files[slice] == null) {
                files[slice] = ByteBuffer.allocate(8 + SourceSlices.ROW_BYTES * table.operations())
                        .putInt(slice)
                        .putInt(keys.keysOf(slice));
            }
            return files[slice];
        });
        List<byte[]> found = new ArrayList<>();
        for (ByteBuffer file : files) {
            if (file != null) {
                found.add(SourceSlices.find(Arrays.copyOf(file.array(), file.position())));
            }
        }
        Collections.shuffle(found, random);
        return work.merge(found);
    }

    private static List<String> edges(KnownGraph graph) {
        List<String> edges = new ArrayList<>();
        for (int e = 0; e < graph.edges(); e++) {
            edges.add(graph.from(e) + ">" + graph.to(e) + "@" + graph.round(e));
        }
        return edges;
    }

    private static KnownGraph graph(ReadsFrom reads, IsolationLevel level) {
        return CommitOrder.of(reads, level, IndexedHistory.Indeterminate.MAYBE).graph();
    }

    private static void assertSame(HistoryTable table, int pieces, Random random, String what) throws IOException {
        for (IsolationLevel level : List.of(IsolationLevel.RC, IsolationLevel.RA, IsolationLevel.CC)) {
            String as = what + " at " + level + " in " + pieces;
            ReadsFrom expected = ReadsFrom.of(table, IndexedHistory.Indeterminate.MAYBE, level);
            ReadsFrom actual = sliced(table, level, pieces, random);
            assertThat(actual.sources()).as(as).isEqualTo(expected.sources());
            assertThat(actual.open()).as(as).isEqualTo(expected.open());
            assertThat(actual.violations()).as(as).isEqualTo(expected.violations());
            if (level == IsolationLevel.CC || !expected.violations().isEmpty()) {
                continue;
            }
            ReadAxiom whole = new ReadAxiom(expected, level);
            KnownGraph inOne = graph(expected, level);
            Axiom.Conflict conflict = whole.infer(inOne, () -> false);
            ReadWindows windows = new ReadWindows(expected, level, pieces, (arrays, borders) -> {
                List<byte[]> found = new ArrayList<>();
                for (int i = 0; i + 1 < borders.length; i++) {
                    found.add(ReadWindows.infer(arrays, level, borders[i], borders[i + 1], () -> false));
                }
                Collections.shuffle(found, random);
                return found;
            });
            KnownGraph inPieces = graph(expected, level);
            assertThat(windows.infer(inPieces, () -> false)).as(as).isEqualTo(conflict);
            assertThat(edges(inPieces)).as(as).isEqualTo(edges(inOne));
        }
    }

    @Test
    void tinyHistories() throws IOException {
        TinyHistories stream = new TinyHistories(SEED);
        Random random = new Random(SEED);
        for (int i = 0; i < SuiteScale.of(5_000); i++) {
            HistoryTable table = stream.at(i);
            assertSame(table, 1 + i % 5, random, HistoryDsl.print(table) + " seed " + stream.seedOf(i));
        }
    }

    @Test
    void generatedHistories() throws IOException {
        Random random = new Random(SEED);
        HistoryGenerator.Isolation[] isolations = HistoryGenerator.Isolation.values();
        for (int i = 0; i < SuiteScale.of(100); i++) {
            HistoryGenerator generator = HistoryGenerator.withSeed(SEED + i)
                    .sessions(1 + random.nextInt(20))
                    .transactions(200)
                    .operations(1, i % 3 == 0 ? 70 : 9)
                    .keys(3 + random.nextInt(100))
                    .isolation(isolations[i % isolations.length]);
            if (i % 4 == 1) {
                generator.repeatedValues(1, 4, 0.4).indeterminateShare(0.1);
            }
            assertSame(generator.generate(), 1 + random.nextInt(64), random, "seed " + (SEED + i));
        }
    }

    /** The level must not hold because a window was not examined. */
    @Test
    void missingSlicesAndRangesAreBugs() {
        HistoryTable table = HistoryDsl.parse("init 0; w(0,1); r(0,1)");
        KeySlices keys = new KeySlices(table.keys().size(), 1);
        SourceSlices work = new SourceSlices(table, IndexedHistory.Indeterminate.MAYBE, IsolationLevel.RC, keys);
        assertThatThrownBy(() -> work.merge(List.of()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("slice 0");
        ReadsFrom reads = ReadsFrom.of(table, IndexedHistory.Indeterminate.MAYBE, IsolationLevel.RC);
        ReadWindows windows = new ReadWindows(reads, IsolationLevel.RC, 1, (arrays, borders) -> List.of());
        assertThatThrownBy(() -> windows.infer(graph(reads, IsolationLevel.RC), () -> false))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("from 0 on");
    }
}
