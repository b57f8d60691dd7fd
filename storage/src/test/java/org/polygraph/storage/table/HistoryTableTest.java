package org.polygraph.storage.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;

class HistoryTableTest {
    @Test
    void bytesAreAsStated() throws Exception {
        for (boolean timed : new boolean[] {false, true}) {
            HistoryTable table = random(new Random(7), 1000, timed);
            long measured = arrayBytes(table);
            assertThat(table.arrayBytes()).isEqualTo(measured);
            long perTransaction = timed ? HistoryTable.BYTES_PER_TIMED_TRANSACTION : HistoryTable.BYTES_PER_TRANSACTION;
            assertThat(measured - 12L * table.sessions() - 8)
                    .isEqualTo(perTransaction * table.transactions()
                            + (long) HistoryTable.BYTES_PER_OPERATION * table.operations());
        }
    }

    /** The bytes of the arrays in an object and in its records. */
    private static long arrayBytes(Object holder) throws IllegalAccessException {
        long bytes = 0;
        for (Field field : holder.getClass().getDeclaredFields()) {
            field.setAccessible(true);
            Object value = field.get(holder);
            if (value instanceof Sessions || value instanceof Transactions) {
                bytes += arrayBytes(value);
            } else if (value != null && field.getType().isArray()) {
                bytes += (long) Array.getLength(value) * width(value.getClass());
            }
        }
        return bytes;
    }

    private static int width(Class<?> array) {
        return array == byte[].class ? 1 : array == int[].class ? 4 : 8;
    }

    private static HistoryTable random(Random random, int transactions, boolean timed) throws HistoryException {
        HistoryTableBuilder builder = new HistoryTableBuilder();
        builder.file("h");
        for (int t = 0; t < transactions; t++) {
            builder.begin(random.nextInt(5), t, TransactionStatus.ofCode((byte) random.nextInt(3)), t + 1);
            if (timed) {
                builder.times(t, t + 1);
            }
            for (int o = random.nextInt(5); o > 0; o--) {
                builder.write(builder.keys().id(random.nextInt(9)), o);
            }
            builder.end();
        }
        return builder.build();
    }

    @Test
    void findsTheFirstReadAndTheLastWriteOfAKey() throws Exception {
        HistoryTableBuilder builder = new HistoryTableBuilder();
        builder.file("h");
        int x = builder.keys().id("x");
        int y = builder.keys().id("y");
        builder.begin(0, 0, TransactionStatus.COMMITTED, 1);
        builder.write(x, 1);
        builder.read(y, 2);
        builder.end();
        builder.begin(0, 1, TransactionStatus.COMMITTED, 2);
        builder.read(x, 1);
        builder.insert(x, 3);
        builder.read(x, 3);
        builder.delete(x);
        builder.end();
        builder.begin(0, 2, TransactionStatus.COMMITTED, 3);
        builder.write(y, 4);
        builder.end();
        HistoryTable table = builder.build();
        assertThat(List.of(table.firstRead(0, x), table.firstRead(0, y), table.firstRead(1, x), table.firstRead(1, y)))
                .containsExactly(-1, 1, 2, -1);
        assertThat(List.of(table.lastWrite(0, x), table.lastWrite(0, y), table.lastWrite(1, x), table.lastWrite(1, y)))
                .containsExactly(0, -1, 5, -1);
        assertThat(List.of(table.lastWrite(1, x, 2), table.lastWrite(1, x, 3), table.lastWrite(1, x, 4)))
                .containsExactly(-1, -1, 3);
        assertThat(List.of(table.lastWrite(1, x, 5), table.lastWrite(1, x, 6), table.lastWrite(2, x, 7)))
                .containsExactly(3, 5, -1);
    }

    @Test
    void theBuilderStopsBeforeItsLimit() {
        HistoryTableBuilder builder = new HistoryTableBuilder();
        builder.limit(10 << 20);
        assertThatThrownBy(() -> {
                    for (int t = 0; t < 10_000_000; t++) {
                        builder.begin(0, t, TransactionStatus.COMMITTED, t);
                        builder.write(builder.keys().id(t), t);
                        builder.end();
                    }
                })
                .isInstanceOf(BudgetException.class)
                .hasMessageMatching(
                        "reading stopped at \\d+ transactions and \\d+ operations: the next step needs \\d+ MiB"
                                + " of 10 MiB of memory; " + BudgetException.MORE_MEMORY);
    }

    @Test
    void limitsBelowAMebibyteAreShown() {
        for (String[] each : new String[][] {{"867", "867 bytes"}, {"300000", "292 KiB"}}) {
            HistoryTableBuilder builder = new HistoryTableBuilder();
            builder.limit(Long.parseLong(each[0]));
            assertThatThrownBy(() -> builder.reserve(1 << 20))
                    .isInstanceOf(BudgetException.class)
                    .hasMessageMatching(".* needs 1 MiB of " + each[1] + " of memory; give more memory: --memory .*");
        }
    }

    @Test
    void valuesHaveOneCodeEachAndComeBack() {
        ValueDictionary values = new ValueDictionary();
        Random random = new Random(3);
        java.util.Map<Object, Long> codes = new java.util.HashMap<>();
        long[] edges = {0, 1, -1, 1L << 62, (1L << 62) + 1, -(1L << 62), -(1L << 62) - 1, Long.MIN_VALUE, Long.MAX_VALUE
        };
        for (int i = 0; i < 20_000; i++) {
            long number = random.nextInt(3) == 0 ? edges[random.nextInt(edges.length)] : random.nextLong();
            long small = random.nextInt(100);
            Object value;
            long code;
            switch (random.nextInt(4)) {
                case 0 -> {
                    value = number;
                    code = values.code(number);
                    assertThat(values.isInteger(code)).isTrue();
                    assertThat(values.integer(code)).isEqualTo(number);
                }
                case 1 -> {
                    value = "s" + small;
                    code = values.code("s" + small);
                    assertThat(values.isString(code)).isTrue();
                    assertThat(values.label(code)).isEqualTo("\"s" + small + "\"");
                }
                case 2 -> {
                    value = List.of("opaque", small);
                    code = values.opaque("s" + small);
                    assertThat(values.isString(code)).isFalse();
                    assertThat(values.label(code)).isEqualTo("s" + small);
                }
                default -> {
                    value = List.of(number, small);
                    code = values.version(number, small, -small);
                    assertThat(values.isInteger(code) || values.isNull(code) || values.isString(code))
                            .isFalse();
                    assertThat(values.label(code)).isEqualTo(-small + "@" + number + "." + small);
                }
            }
            Long before = codes.putIfAbsent(value, code);
            assertThat(code).isEqualTo(before == null ? code : before);
        }
        assertThat(new java.util.HashSet<>(codes.values()))
                .hasSize(codes.size())
                .doesNotContain(ValueDictionary.NULL);
    }

    /**
     * Expected sizes change nothing, whether they are right, too small or too large, and whether the input is in order
     * or not.
     */
    @Test
    void expectedSizesAreNoPromise() throws Exception {
        int transactions = 5_000;
        for (int operations : new int[] {0, 10, 40_000, 50_000, 65_536, 100_000, 400_000}) {
            for (boolean sorted : new boolean[] {true, false}) {
                HistoryTableBuilder builder = new HistoryTableBuilder();
                builder.expect(operations / 10, operations);
                for (int i = 0; i < transactions; i++) {
                    int t = sorted ? i : transactions - 1 - i;
                    builder.begin(t / 100, t % 100, TransactionStatus.COMMITTED, i);
                    int[] keys = new int[10];
                    long[] values = new long[12];
                    for (int o = 0; o < 10; o++) {
                        keys[o] = builder.keys().id(o) << 1 | (o & 1);
                        values[o + 2] = 10L * t + o;
                    }
                    builder.operations(keys, 0, values, 2, 10);
                    builder.end();
                }
                HistoryTable table = builder.build();
                assertThat(table.operations()).isEqualTo(10 * transactions);
                assertThat(table.writes()).isEqualTo(5 * transactions);
                for (int o = 0; o < table.operations(); o++) {
                    assertThat(table.value(o)).isEqualTo(o);
                }
                assertThat(table.firstOperation(transactions)).isEqualTo(10 * transactions);
            }
        }
    }
}
