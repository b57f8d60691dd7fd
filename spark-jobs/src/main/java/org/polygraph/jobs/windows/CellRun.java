package org.polygraph.jobs.windows;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntArrays;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.io.IOException;
import java.util.Arrays;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.WindowProblem;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.table.Operations;

/** Neighbouring cells in memory while windows in them are repaired. The work for a window is proportional to the window. */
final class CellRun {
    private static final long BYTES_PER_TRANSACTION = 300;
    private static final long BYTES_PER_OPERATION = 80;

    private final Cells cells;
    private final Cell all = new Cell();
    private final VisibleOperations visible;
    private final long initial;
    /** The transactions in their present order. */
    private final int[] order;
    /** By key: its number in the window that is repaired plus 1; 0 if it has none. */
    private final int[] numberOfKey;

    CellRun(Cells cells, byte[] initial) throws IOException {
        this.cells = cells;
        for (int c = cells.from(); c < cells.to(); c++) {
            cells.read(c, all);
        }
        this.initial = new BlockReader(initial).value(all.values());
        this.visible = new VisibleOperations(all);
        this.order = new int[all.size()];
        for (int t = 0; t < order.length; t++) {
            order[t] = t;
        }
        this.numberOfKey = new int[all.keys().size()];
    }

    /** Writes the cells with the transactions in the present order. */
    void write(Section.Output out) {
        int next = 0;
        for (int c = cells.from(); c < cells.to(); c++) {
            Cell.Output cell = all.new Output(out.block(c));
            for (long end = cells.first(c + 1) - cells.first(cells.from()); next < end; next++) {
                cell.write(order[next]);
            }
        }
    }

    /** A window. */
    final class Window {
        private final int from;
        /** Its transactions in their present order. */
        private final int[] present;
        /** By session and index, the transactions that count, or may count: their indexes in {@link #present}. */
        private final int[] members;

        /** Values at the borders: the key x 2 + the kind; and the value. */
        private final LongArrayList items = new LongArrayList();

        private final LongArrayList itemValues = new LongArrayList();
        private final ValueDictionary borderValues = new ValueDictionary();
        /** The number of its keys. */
        private int keys;

        Window(WindowStore.Range range) {
            long first = cells.first(cells.from());
            from = (int) (range.from() - first);
            present = Arrays.copyOfRange(order, from, (int) (range.to() - first));
            IntArrayList moving = new IntArrayList(present.length);
            for (int i = 0; i < present.length; i++) {
                if (isMember(present[i])) {
                    moving.add(i);
                }
            }
            members = moving.toIntArray();
            IntArrays.mergeSort(members, (i, j) -> {
                int a = present[i];
                int b = present[j];
                int bySession = Integer.compare(all.session(a), all.session(b));
                return bySession != 0 ? bySession : Long.compare(all.index(a), all.index(b));
            });
        }

        int members() {
            return members.length;
        }

        private boolean isMember(int t) {
            return all.isCounted(t) || all.isOptional(t);
        }

        private int member(int m) {
            return present[members[m]];
        }

        /** Takes the values at the borders that {@link BorderTask} found in a slice. */
        void border(byte[] block) {
            for (BlockReader in = new BlockReader(block); in.hasMore(); ) {
                int kind = in.count();
                items.add((long) in.key(all.keys()) << 1 | kind);
                itemValues.add(in.value(borderValues));
            }
        }

        /** Memory for its solution, about. */
        long bytes() {
            long operations = 0;
            for (int m = 0; m < members.length; m++) {
                operations += all.operationsEnd(member(m)) - all.firstOperation(member(m));
            }
            return BYTES_PER_TRANSACTION * members.length + BYTES_PER_OPERATION * operations;
        }

        /** Brings the members into an order in which their reads return the last write. @return whether there is one */
        boolean repair(boolean strict, Budget budget) {
            WindowProblem.Answer answer = problem(strict).solve(budget);
            if (!answer.holds()) {
                return false;
            }
            int next = 0;
            for (int event : answer.order()) {
                if (event < members.length) {
                    // Transactions that do not count keep their places.
                    while (!isMember(present[next])) {
                        next++;
                    }
                    order[from + next++] = member(event);
                }
            }
            for (int m = 0; m < members.length; m++) {
                if (all.isOptional(member(m))) {
                    all.count(member(m), answer.counted()[m]);
                }
            }
            return true;
        }

        private WindowProblem problem(boolean strict) {
            int[] starts = new int[members.length + 2];
            IntArrayList operations = new IntArrayList();
            LongArrayList codes = new LongArrayList();
            IntArrayList sessionStarts = new IntArrayList();
            boolean[] optional = new boolean[members.length];
            numberKeys();
            int[] byKey = itemsByKey();
            long[] left = left(byKey);
            Unexplained unexplained = strict ? null : new Unexplained(left);
            for (int m = 0; m < members.length; m++) {
                int t = member(m);
                optional[m] = all.isOptional(t);
                if (m == 0 || all.session(member(m - 1)) != all.session(t)) {
                    sessionStarts.add(m);
                }
                for (int o = all.firstOperation(t); o < all.operationsEnd(t); o++) {
                    if (visible.isVisible(o) && (all.isWrite(o) || unexplained == null || !unexplained.has(o, t))) {
                        operations.add(number(o) << 1 | (all.isWrite(o) ? 1 : 0));
                        codes.add(all.code(o));
                    }
                }
                starts[m + 1] = operations.size();
            }
            sessionStarts.add(members.length);
            for (int i : byKey) {
                if ((items.getLong(i) & 1) == BorderTask.RIGHT) {
                    operations.add(itemKey(i) << 1);
                    codes.add(code(itemValues.getLong(i)));
                }
            }
            starts[members.length + 1] = operations.size();
            forgetKeys();
            return new WindowProblem(
                    1,
                    sessionStarts.toIntArray(),
                    optional,
                    null,
                    new Operations(starts, operations.toIntArray(), codes.toLongArray(), null),
                    left,
                    presentOrder(),
                    0,
                    new int[0]);
        }

        /** The values at the borders by key and kind: codes must not depend on the slices of keys. */
        private int[] itemsByKey() {
            long[] sorted = new long[items.size()];
            for (int i = 0; i < sorted.length; i++) {
                sorted[i] = items.getLong(i) << Integer.SIZE - 1 | i;
            }
            Arrays.sort(sorted);
            int[] order = new int[sorted.length];
            for (int i = 0; i < order.length; i++) {
                order[i] = (int) sorted[i] & Integer.MAX_VALUE;
            }
            return order;
        }

        private int itemKey(int item) {
            return numberOfKey[(int) (items.getLong(item) >> 1)] - 1;
        }

        /** By number of a key: the value at the left border. */
        private long[] left(int[] byKey) {
            long[] left = new long[keys];
            Arrays.fill(left, initial);
            for (int i : byKey) {
                if ((items.getLong(i) & 1) == BorderTask.LEFT) {
                    left[itemKey(i)] = code(itemValues.getLong(i));
                }
            }
            return left;
        }

        private long code(long border) {
            ValueDictionary to = all.values();
            if (borderValues.isInteger(border)) {
                return to.code(borderValues.integer(border));
            }
            if (borderValues.isNull(border)) {
                return ValueDictionary.NULL;
            }
            String text = borderValues.text(border);
            return borderValues.isString(border) ? to.code(text) : to.opaque(text);
        }

        private int number(int operation) {
            return numberOfKey[all.key(operation)] - 1;
        }

        /** Numbers the keys of the transactions, and so those at the borders. */
        private void numberKeys() {
            for (int t : present) {
                for (int o = all.firstOperation(t); o < all.operationsEnd(t); o++) {
                    if (numberOfKey[all.key(o)] == 0) {
                        numberOfKey[all.key(o)] = ++keys;
                    }
                }
            }
        }

        private void forgetKeys() {
            for (int t : present) {
                for (int o = all.firstOperation(t); o < all.operationsEnd(t); o++) {
                    numberOfKey[all.key(o)] = 0;
                }
            }
        }

        /** By place the members, then the transaction that stands for what is behind the right border. */
        private int[] presentOrder() {
            int[] numbers = new int[present.length];
            for (int m = 0; m < members.length; m++) {
                numbers[members[m]] = m + 1;
            }
            int[] events = new int[members.length + 1];
            int count = 0;
            for (int number : numbers) {
                if (number > 0) {
                    events[count++] = number - 1;
                }
            }
            events[count] = members.length;
            return events;
        }

        /**
         * Reads of values that neither the left border has nor another transaction of the window writes. Only reads that are violated in the
         * present order are looked at, which are few.
         */
        private final class Unexplained {
            private static final int NONE = -1;
            private static final int SEVERAL = -2;

            private final long[] left;
            private final boolean[] isAsked = new boolean[keys];
            private final KeyValues asked = new KeyValues();
            /** By pair: the transaction that writes it, {@link #NONE} or {@link #SEVERAL}. */
            private final IntArrayList writers = new IntArrayList();

            Unexplained(long[] left) {
                this.left = left;
                long[] last = left.clone();
                for (int t : present) {
                    for (int o = all.firstOperation(t); isMember(t) && o < all.operationsEnd(t); o++) {
                        if (!visible.isVisible(o)) {
                            continue;
                        }
                        int key = number(o);
                        if (all.isWrite(o)) {
                            last[key] = all.code(o);
                        } else if (last[key] != all.code(o)) {
                            isAsked[key] = true;
                            asked.add(key, all.code(o));
                        }
                    }
                }
                writers.size(asked.size());
                Arrays.fill(writers.elements(), NONE);
                for (int t : present) {
                    for (int o = all.firstOperation(t); isMember(t) && o < all.operationsEnd(t); o++) {
                        if (all.isWrite(o) && visible.isVisible(o) && isAsked[number(o)]) {
                            wrote(asked.find(number(o), all.code(o)), t);
                        }
                    }
                }
            }

            private void wrote(int pair, int t) {
                if (pair >= 0 && writers.getInt(pair) != t) {
                    writers.set(pair, writers.getInt(pair) == NONE ? t : SEVERAL);
                }
            }

            boolean has(int read, int reader) {
                int key = number(read);
                int pair = isAsked[key] && left[key] != all.code(read) ? asked.find(key, all.code(read)) : -1;
                return pair >= 0 && (writers.getInt(pair) == NONE || writers.getInt(pair) == reader);
            }
        }
    }
}
