package org.polygraph.partitioner.sliced;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.polygraph.partitioner.index.CommitStatus;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.index.VersionIndex;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.HistoryDsl;
import org.polygraph.storage.testkit.HistoryGenerator;
import org.polygraph.storage.testkit.InjectedAnomaly;
import org.polygraph.storage.testkit.TinyHistories;

/** An index that is merged from slices equals the index of the whole, array by array. */
class SlicedIndexingTest {
    private static final long SEED = 0x51ce5;
    private static final List<HistoryGenerator.Isolation> ISOLATIONS = List.of(
            HistoryGenerator.Isolation.SERIAL,
            HistoryGenerator.Isolation.OPTIMISTIC,
            HistoryGenerator.Isolation.SNAPSHOT,
            HistoryGenerator.Isolation.READ_COMMITTED,
            HistoryGenerator.Isolation.RANDOM);

    @Test
    void tinyHistories() {
        TinyHistories stream = new TinyHistories(SEED);
        Random random = new Random(SEED);
        int refuted = 0;
        for (int i = 0; i < 4_000; i++) {
            refuted += same(stream.at(i), random, "seed " + stream.seedOf(i)) ? 0 : 1;
        }
        assertThat(refuted).isBetween(100, 3_900);
    }

    @Test
    void largerHistories() {
        Random random = new Random(SEED);
        for (int i = 0; i < 60; i++) {
            HistoryGenerator generator = HistoryGenerator.withSeed(SEED + i)
                    .sessions((i % 11 == 0 ? 2 : 1) + random.nextInt(7))
                    .transactions(2_000)
                    .operations(1, i % 10 == 0 ? 60 : 9)
                    .keys(1 + random.nextInt(1_500))
                    .abortedShare(i % 3 == 0 ? 0.1 : 0)
                    .indeterminateShare(i % 4 == 0 ? 0.05 : 0)
                    .repeatedValues(i % 2, 1 + random.nextInt(20), i % 5 == 0 ? 0.5 : 0)
                    .isolation(ISOLATIONS.get(i % ISOLATIONS.size()));
            if (i % 7 == 0) {
                generator.inject(InjectedAnomaly.THIN_AIR_READ, 30).inject(InjectedAnomaly.FUTURE_READ, 3);
            }
            if (i % 11 == 0) {
                generator.inject(InjectedAnomaly.OWN_WRITE_MISS, 20);
            }
            same(generator.generate(), random, "seed " + (SEED + i));
        }
    }

    @Test
    void noTransactionDealtToASliceStillHasItsKeys() {
        HistoryTable history = HistoryDsl.parse("init 0; !w(0,1) w(1,1) w(2,1); r(1,0)");
        same(history, new Random(SEED), "dsl");
    }

    /** @return whether there is an index */
    private static boolean same(HistoryTable table, Random random, String name) {
        for (IndexedHistory.Indeterminate mode : IndexedHistory.Indeterminate.values()) {
            IndexedHistory expected = IndexedHistory.of(table, mode);
            KeySlices slices = slices(table, random);
            IndexedHistory actual = sliced(table, mode, slices, 1 + random.nextInt(200));
            assertThat(actual.violations()).as(name).isEqualTo(expected.violations());
            assertThat(actual.commitStatus().states())
                    .as(name)
                    .isEqualTo(expected.commitStatus().states());
            assertThat(actual.sessionOf()).as(name).isEqualTo(expected.sessionOf());
            if (expected.violations().isEmpty()) {
                equal(actual.versions(), expected.versions(), name);
                equal(cutAndMerged(expected, slices), expected.versions(), name);
            }
        }
        return IndexedHistory.of(table, IndexedHistory.Indeterminate.MAYBE)
                .violations()
                .isEmpty();
    }

    /** In half of the cases some keys are split, or all. */
    static KeySlices slices(HistoryTable table, Random random) {
        int keys = table.keys().size();
        double share = Math.max(0, random.nextDouble() * 3 - 1.5);
        int[] split = IntStream.range(0, keys)
                .filter(k -> random.nextDouble() < share)
                .toArray();
        int[] windows = Arrays.stream(split).map(k -> 1 + random.nextInt(5)).toArray();
        return new KeySlices(keys, 1 + random.nextInt(9), split, windows);
    }

    /** The index is restored, as if another process had left it. */
    private static VersionIndex cutAndMerged(IndexedHistory history, KeySlices slices) {
        List<byte[]> written = new ArrayList<>();
        for (int s = 0; s < slices.slices(); s++) {
            written.add(IndexSlice.of(slices, s, history.versions()).toBytes());
        }
        SliceMerge merge = SlicedIndexing.of(history.table(), IndexedHistory.Indeterminate.ABORT, slices)
                .merge(written.stream().map(IndexSlice::sizes).toList());
        written.forEach(merge::add);
        return merge.result().versions();
    }

    private static IndexedHistory sliced(
            HistoryTable table, IndexedHistory.Indeterminate mode, KeySlices keySlices, int transactionsPerDeal) {
        int slices = keySlices.slices();
        SlicedIndexing indexing = SlicedIndexing.of(table, mode, keySlices);
        IndexedHistory known = indexing.known();
        if (known != null) {
            return known;
        }
        List<List<byte[]>> blocks = new ArrayList<>();
        for (int s = 0; s < slices; s++) {
            blocks.add(new ArrayList<>());
        }
        SliceDealer dealer = new SliceDealer(indexing.slices());
        for (int t = 0; t < table.transactions(); t++) {
            if (indexing.commitStatus().of(t) != CommitStatus.DROPPED) {
                int from = table.firstOperation(t);
                int to = table.operationsEnd(t);
                dealer.add(
                        t,
                        Arrays.copyOfRange(table.operationKeys(), from, to),
                        Arrays.copyOfRange(table.operationValues(), from, to));
            }
            if (!dealer.isEmpty() && (t % transactionsPerDeal == 0 || t == table.transactions() - 1)) {
                byte[][] dealt = dealer.deal();
                for (int s = 0; s < slices; s++) {
                    if (dealt[s] != null) {
                        blocks.get(s).add(dealt[s]);
                    }
                }
            }
        }
        List<byte[]> written = new ArrayList<>();
        for (int s = 0; s < slices; s++) {
            if (!blocks.get(s).isEmpty()) {
                written.add(IndexSlice.of(
                                indexing.slices(),
                                s,
                                blocks.get(s),
                                table.sessionStarts(),
                                indexing.commitStatus().states(),
                                table.initialValue())
                        .toBytes());
            }
        }
        Collections.shuffle(written, new Random(slices));
        SliceMerge merge =
                indexing.merge(written.stream().map(IndexSlice::sizes).toList());
        if (merge.known() != null) {
            return merge.known();
        }
        long bytes = 0;
        for (int s = 0; s < slices; s++) {
            bytes += merge.bytesOf(s);
        }
        assertThat(bytes).isEqualTo(written.stream().mapToLong(p -> p.length).sum());
        written.forEach(merge::add);
        return merge.result();
    }

    @Test
    void missingAndRepeatedSlicesAreReported() {
        HistoryTable table = HistoryDsl.parse("init 0; w(0,1) w(1,1) w(2,1); r(1,0)");
        SlicedIndexing indexing = SlicedIndexing.of(table, IndexedHistory.Indeterminate.MAYBE, new KeySlices(3, 2));
        VersionIndex whole =
                IndexedHistory.of(table, IndexedHistory.Indeterminate.MAYBE).versions();
        byte[] first = IndexSlice.of(indexing.slices(), 0, whole).toBytes();
        byte[] second = IndexSlice.of(indexing.slices(), 1, whole).toBytes();
        SliceMerge merge = indexing.merge(List.of(IndexSlice.sizes(first), IndexSlice.sizes(second)));
        merge.add(second);
        assertThatThrownBy(merge::result)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("slice 0 is missing");
        assertThatThrownBy(() -> merge.add(second)).isInstanceOf(IllegalStateException.class);
        merge.add(first);
        equal(merge.result().versions(), whole, "both");
        assertThatThrownBy(() -> indexing.merge(List.of(first, first))).isInstanceOf(IllegalStateException.class);
    }

    private static void equal(VersionIndex actual, VersionIndex expected, String name) {
        assertThat(actual.writerStarts()).as(name).isEqualTo(expected.writerStarts());
        assertThat(actual.writerTransactions()).as(name).isEqualTo(expected.writerTransactions());
        assertThat(actual.writerClasses()).as(name).isEqualTo(expected.writerClasses());
        assertThat(actual.readerStarts()).as(name).isEqualTo(expected.readerStarts());
        assertThat(actual.readerTransactions()).as(name).isEqualTo(expected.readerTransactions());
        assertThat(actual.readerClasses()).as(name).isEqualTo(expected.readerClasses());
        assertThat(actual.slotStarts()).as(name).isEqualTo(expected.slotStarts());
        assertThat(actual.classLinks()).as(name).isEqualTo(expected.classLinks());
        assertThat(actual.initialWriters()).as(name).isEqualTo(expected.initialWriters());
        assertThat(actual.ambiguous()).as(name).isEqualTo(expected.ambiguous());
    }
}
