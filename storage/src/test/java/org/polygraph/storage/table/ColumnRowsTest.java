package org.polygraph.storage.table;

import static org.assertj.core.api.Assertions.assertThat;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntOpenHashSet;
import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.polygraph.storage.dictionary.ValueDictionary;

/** Compares the rows that a search finds and counts with those of a scan of all rows. */
class ColumnRowsTest {
    private static final int ROWS = 50;

    private final ValueDictionary values = new ValueDictionary();

    @Test
    void aSearchFindsAndCountsTheRowsThatSatisfyATerm() {
        // The last of these has lists of several integers.
        for (int integers : new int[] {0, 1, 40, 20_000}) {
            SplittableRandom random = new SplittableRandom(integers);
            long[] codes = new long[integers + 2];
            for (int i = 0; i < integers; i++) {
                codes[i] = values.code(3L * i - integers);
            }
            codes[integers] = values.code("x");
            codes[integers + 1] = ValueDictionary.NULL;
            for (int round = 0; round < 20; round++) {
                compare(codes, random);
            }
        }
    }

    private void compare(long[] codes, SplittableRandom random) {
        RowColumns all = new RowColumns();
        int column = all.column("v");
        for (long code : codes) {
            all.add(column, code);
            all.end();
        }
        int lacks = all.end();
        ColumnRows rows = new ColumnRows(values, new LongOpenHashSet(codes), ROWS);
        int[] columns = new int[ROWS];
        Arrays.fill(columns, lacks);
        for (int step = 0; step < 200; step++) {
            int row = random.nextInt(ROWS);
            columns[row] = random.nextInt(codes.length + 1);
            rows.move(row, columns[row] == lacks ? ColumnRows.NONE : rows.placeOf(codes[columns[row]]));
            long low = random.nextLong(-codes.length - 3L, 2L * codes.length + 3);
            long high = random.nextInt(10) == 0 ? Long.MAX_VALUE : low + random.nextInt(-2, 2 * codes.length);
            Condition.Term bounds = new Condition.Term(column, low, high, null);
            IntOpenHashSet within = satisfying(all, columns, bounds);
            assertThat(rows.count(rows.from(bounds), rows.to(bounds))).isEqualTo(within.size());
            assertThat(found(rows, bounds)).containsAll(within);
            long[] any = {random(codes, random), values.code(1_000_000), random(codes, random), random(codes, random)};
            Condition.Term set = new Condition.Term(column, 0, 0, any);
            assertThat(found(rows, set)).containsAll(satisfying(all, columns, set));
        }
    }

    private static long random(long[] codes, SplittableRandom random) {
        return codes[random.nextInt(codes.length)];
    }

    private IntOpenHashSet satisfying(RowColumns all, int[] columns, Condition.Term term) {
        Condition condition = new Condition(List.of(term), "");
        IntOpenHashSet rows = new IntOpenHashSet();
        for (int row = 0; row < ROWS; row++) {
            if (condition.matches(values, all, 0, columns[row])) {
                rows.add(row);
            }
        }
        return rows;
    }

    private static IntOpenHashSet found(ColumnRows rows, Condition.Term term) {
        IntArrayList found = new IntArrayList();
        rows.collect(term, found);
        IntOpenHashSet once = new IntOpenHashSet(found);
        assertThat(once.size()).as("rows without those found twice").isEqualTo(found.size());
        return once;
    }
}
