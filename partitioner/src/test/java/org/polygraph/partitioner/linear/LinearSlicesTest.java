package org.polygraph.partitioner.linear;

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
import org.polygraph.partitioner.sliced.KeySlices;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.HistoryDsl;

/** Compares orders of keys by slices with those of the whole history. */
class LinearSlicesTest {
    private static final long SEED = 0x11a5;

    private static List<byte[]> ordered(LinearSlices work, HistoryTable table, KeySlices keys) throws IOException {
        ByteBuffer[] files = new ByteBuffer[keys.slices()];
        work.deal(slice -> {
            if (files[slice] == null) {
                files[slice] = ByteBuffer.allocate(8 + LinearSlices.ROW_BYTES * table.transactions())
                        .putInt(slice)
                        .putInt(keys.keysOf(slice));
            }
            return files[slice];
        });
        List<byte[]> rows = new ArrayList<>();
        for (ByteBuffer file : files) {
            if (file != null) {
                rows.add(LinearSlices.order(
                        Arrays.copyOf(file.array(), file.position()), table.initialValue(), () -> false));
            }
        }
        return rows;
    }

    private static String text(KeyOrders orders) {
        StringBuilder text = new StringBuilder().append(orders.hasUniqueValues());
        for (int k = 0; k < orders.keys(); k++) {
            text.append('\n').append(orders.result(k));
            for (int i = 0; i < orders.count(k); i++) {
                text.append(' ').append(orders.transaction(orders.first(k) + i));
            }
        }
        return text.toString();
    }

    /** Reads, writes and compare-and-sets on some keys. Most read a recent value, so that all results occur. */
    private static HistoryTable random(Random random) {
        int keys = 1 + random.nextInt(20);
        int[] current = new int[keys];
        boolean unique = random.nextBoolean();
        StringBuilder text = new StringBuilder("init 0");
        int n = 1 + random.nextInt(60);
        for (int i = 1; i <= n; i++) {
            int key = random.nextInt(keys);
            int value = unique ? i : random.nextInt(3);
            int read = random.nextInt(25) == 0 ? random.nextInt(n) : current[key];
            text.append("; s").append(i).append(": @").append(10 * i - random.nextInt(15) + 20);
            text.append("..").append(10 * i + random.nextInt(15) + 20).append(' ');
            String what = random.nextInt(10) == 0 ? "?" : "";
            switch (random.nextInt(3)) {
                case 0 -> text.append("r(").append(key).append(',').append(read).append(')');
                case 1 ->
                    text.append(what)
                            .append("w(")
                            .append(key)
                            .append(',')
                            .append(value)
                            .append(')');
                default ->
                    text.append("r(")
                            .append(key)
                            .append(',')
                            .append(read)
                            .append(") w(")
                            .append(key)
                            .append(',')
                            .append(value)
                            .append(')');
            }
            if (text.charAt(text.length() - 1) == ')' && text.lastIndexOf("w(") > text.lastIndexOf(";")) {
                current[key] = value;
            }
        }
        return HistoryDsl.parse(text.toString());
    }

    @Test
    void equalTheWhole() throws IOException {
        Random random = new Random(SEED);
        int violated = 0;
        int ordered = 0;
        for (int i = 0; i < 3_000; i++) {
            HistoryTable table = random(random);
            long skew = random.nextInt(3);
            boolean maybe = random.nextBoolean();
            KeySlices keys = new KeySlices(table.keys().size(), 1 + random.nextInt(30));
            KeyOrders expected = KeyOrders.of(table, skew, maybe, () -> false);
            LinearSlices work = new LinearSlices(table, skew, maybe, keys);
            List<byte[]> rows = ordered(work, table, keys);
            Collections.shuffle(rows, random);
            assertThat(text(work.merge(rows)))
                    .as("seed %d #%d in %d: %s", SEED, i, keys.slices(), HistoryDsl.print(table))
                    .isEqualTo(text(expected));
            boolean all = true;
            for (int k = 0; k < expected.keys(); k++) {
                all &= expected.isOrdered(k);
            }
            ordered += all ? 1 : 0;
            violated += all ? 0 : 1;
        }
        System.out.println("3000 histories from seed " + SEED + ": ordered " + ordered + ", violated " + violated);
        assertThat(ordered).isGreaterThan(300);
        assertThat(violated).isGreaterThan(300);
    }

    /** The level must not hold because a slice was not examined. */
    @Test
    void missingAndRepeatedSlicesAreBugs() throws IOException {
        HistoryTable table = HistoryDsl.parse("init 0; s0: @0..1 w(x,1); s1: @2..3 w(y,1)");
        KeySlices keys = new KeySlices(2, 2);
        LinearSlices work = new LinearSlices(table, 0, true, keys);
        List<byte[]> rows = ordered(work, table, keys);
        assertThatThrownBy(() -> work.merge(rows.subList(0, 1)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("of slice 1 0 operations were ordered, not 1");
        assertThatThrownBy(() -> work.merge(List.of(rows.get(0), rows.get(1), rows.get(1))))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("of slice 1 2 operations were ordered, not 1");
    }
}
