package org.polygraph.storage.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.format.parquet.NumberTable;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryTableBuilder;
import org.polygraph.storage.table.SourceFiles;
import org.polygraph.storage.testkit.SplitMix;

/** States of keys and values of every kind are changed, written and read back. */
class InitialStateFileTest {
    private static final long MEMORY = 1L << 30;

    @TempDir
    private Path folder;

    private Location file() throws IOException {
        return Location.of(folder.resolve("state.parquet").toString());
    }

    /** A history of one transaction that writes some keys. */
    private static HistoryTable writes(SplitMix random, int count, boolean onlyIntegers) throws HistoryException {
        HistoryTableBuilder builder = new HistoryTableBuilder(SourceFiles.Unit.LINE);
        builder.file("writes");
        builder.begin(0, 0, TransactionStatus.COMMITTED, 1);
        for (int i = 0; i < count; i++) {
            int key = onlyIntegers || random.chance(0.7)
                    ? builder.keys().id(random.chance(0.9) ? random.nextInt(count + 1) : random.nextLong())
                    : builder.keys().id("k" + random.nextInt(count + 1));
            long value = onlyIntegers || random.chance(0.6)
                    ? builder.values().code(random.nextLong() >> random.nextInt(Long.SIZE))
                    : random.chance(0.3)
                            ? ValueDictionary.NULL
                            : builder.values().code("v" + random.nextInt(5));
            builder.write(key, value);
        }
        builder.end();
        return builder.build();
    }

    private static void put(InitialState state, HistoryTable writes, Map<String, String> expected) {
        for (int o = 0; o < writes.operations(); o++) {
            state.put(writes, writes.key(o), writes.value(o));
            expected.put(writes.keys().label(writes.key(o)), writes.values().label(writes.value(o)));
        }
    }

    private static Map<String, String> labels(InitialState state) {
        Map<String, String> labels = new TreeMap<>();
        for (int key = state.known().nextSetBit(0);
                key >= 0;
                key = state.known().nextSetBit(key + 1)) {
            labels.put(state.keys().label(key), state.values().label(state.code(key)));
        }
        return labels;
    }

    @Test
    void statesAreReadBack() throws Exception {
        SplitMix random = new SplitMix(0x57a7e);
        int tables = 0;
        for (int i = 0; i < 120; i++) {
            boolean onlyIntegers = random.chance(0.5);
            Map<String, String> expected = new TreeMap<>();
            InitialState first = new InitialState();
            put(first, writes(random, random.nextInt(i % 10 == 0 ? 3_000 : 30), onlyIntegers), expected);
            Map<String, String> before = new TreeMap<>(expected);
            InitialState second = first.copy();
            put(second, writes(random, random.nextInt(30), onlyIntegers), expected);
            assertThat(labels(first)).isEqualTo(before);
            second.write(file());
            boolean isTable = NumberTable.rows(file(), "state") >= 0;
            assertThat(isTable)
                    .isEqualTo(expected.entrySet().stream()
                            .noneMatch(entry -> entry.getKey().startsWith("\"")
                                    || entry.getValue().startsWith("\"")
                                    || entry.getValue().equals("null")));
            tables += isTable ? 1 : 0;
            assertThat(InitialState.size(file())).isEqualTo(expected.size());
            assertThat(labels(InitialState.read(file(), () -> false, MEMORY))).isEqualTo(expected);
        }
        assertThat(tables).isBetween(50, 100);
    }

    private void write(List<String> columns, long... keys) throws IOException {
        int[] next = {0};
        file().write(out -> NumberTable.write(out, "state", "", columns, row -> {
            if (next[0] == keys.length) {
                return false;
            }
            row[0] = keys[next[0]++];
            return true;
        }));
    }

    @Test
    void otherTablesAreRefused() throws Exception {
        write(List.of("key", "value"), 1, 2, 1);
        assertThatThrownBy(() -> InitialState.read(file(), () -> false, MEMORY))
                .isInstanceOf(HistoryException.class)
                .hasMessageContaining("found a second value of key 1; expected each key once, with its value");
        write(List.of("key", "amount"), 1);
        assertThatThrownBy(() -> InitialState.read(file(), () -> false, MEMORY))
                .isInstanceOf(HistoryException.class)
                .hasMessageContaining("found the columns [key, amount]; expected the columns [key, value]");
    }

    @Test
    void budgetsAreKept() throws Exception {
        long[] keys = new long[40_000];
        Arrays.setAll(keys, i -> i);
        write(List.of("key", "value"), keys);
        assertThatThrownBy(() -> InitialState.read(file(), () -> false, 100_000))
                .isInstanceOf(BudgetException.class);
        assertThatThrownBy(() -> InitialState.read(file(), () -> true, MEMORY)).isInstanceOf(BudgetException.class);
    }
}
