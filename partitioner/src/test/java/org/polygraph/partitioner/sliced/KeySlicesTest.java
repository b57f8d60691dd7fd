package org.polygraph.partitioner.sliced;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.HistoryGenerator;

class KeySlicesTest {
    private static final long SEED = 0x5cee;

    @Test
    void everyKeyIsFoundAgain() {
        Random random = new Random(SEED);
        HistoryTable table = HistoryGenerator.withSeed(SEED).keys(40).generate();
        for (int i = 0; i < 200; i++) {
            KeySlices slices = SlicedIndexingTest.slices(table, random);
            int[] windows = new int[slices.keys()];
            for (int s = 0; s < slices.slices(); s++) {
                for (int local = 0; local < slices.keysOf(s); local++) {
                    int key = slices.keyOf(s, local);
                    if (slices.isOfSplitKey(s)) {
                        assertThat(slices.splitKeys()[slices.placeOf(s)]).isEqualTo(key);
                        windows[key]++;
                    } else if (!slices.isSplit(key)) {
                        assertThat(slices.sliceOf(key)).isEqualTo(s);
                        assertThat(slices.localOf(key)).isEqualTo(local);
                    }
                }
            }
            for (int key = 0; key < windows.length; key++) {
                assertThat(windows[key] > 0).isEqualTo(slices.isSplit(key));
                int slice = slices.sliceOf(key, random.nextLong());
                assertThat(slices.keyOf(slice, slices.localOf(key))).isEqualTo(key);
                assertThat(slices.isOfSplitKey(slice)).isEqualTo(slices.isSplit(key));
            }
        }
    }

    /** Half of all operations are of one key; its slices are as large as others. */
    @Test
    void aHotKeyIsCutEvenly() {
        HistoryTable table = HistoryGenerator.withSeed(SEED)
                .transactions(10_000)
                .operations(8)
                .keys(1_000)
                .hotspot(0.001, 0.5)
                .generate();
        int perPart = 5_000;
        KeySlices slices = KeySlices.of(table, table.operations() / perPart, 2 * perPart, perPart);
        assertThat(slices.splitKeys()).hasSize(1);
        int[] operations = new int[slices.slices()];
        for (int o = 0; o < table.operations(); o++) {
            operations[slices.sliceOf(table.key(o), table.value(o))]++;
        }
        assertThat(operations).hasSizeBetween(20, 30);
        for (int each : operations) {
            assertThat(each).isBetween(1, perPart * 3 / 2);
        }
        assertThat(KeySlices.of(table, 7, table.operations(), perPart).splitKeys())
                .isEmpty();
    }

    @Test
    void aCutKeyHasNoSliceOfItsOwn() {
        KeySlices slices = new KeySlices(3, 2, new int[] {1}, new int[] {2});
        assertThat(slices.slices()).isEqualTo(4);
        assertThatThrownBy(() -> slices.sliceOf(1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new KeySlices(3, 0)).isInstanceOf(IllegalArgumentException.class);
    }
}
