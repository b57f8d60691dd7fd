package org.polygraph.jobs.windows;

import it.unimi.dsi.fastutil.ints.Int2LongOpenHashMap;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntArrays;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.WindowProblem;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.table.Operations;

/**
 * Repairs some windows: gives the transactions of each an order in which its reads return the last write and the values at its right
 * border are those that are read behind it. Result: for each window whether it is repaired, not, or too large; then the section
 * with the cells of those that are.
 *
 * @param windows neighbouring windows, ascending by cell
 * @param numbers by window: its number in {@code borders}
 * @param borders sections that {@link BorderTask}s wrote
 * @param strict whether reads have to be explained that no write in the window can explain
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record WindowTask(
        ArrayList<Cells> windows,
        int[] numbers,
        ArrayList<Section> borders,
        byte[] initial,
        boolean strict,
        String folder,
        String name)
        implements Task {
    private static final long serialVersionUID = 1L;

    private static final long BYTES_PER_TRANSACTION = 300;
    private static final long BYTES_PER_OPERATION = 80;

    static final int REPAIRED = 0;
    static final int FAILED = 1;
    static final int TOO_LARGE = 2;

    @Override
    public byte[] run(Budget budget) throws IOException {
        BlockWriter result = new BlockWriter();
        int from = windows.get(0).from();
        Section.Output out =
                new Section.Output(from, windows.get(windows.size() - 1).to() - from);
        for (int w = 0; w < windows.size(); w++) {
            Window window = new Window(windows.get(w), initial, strict);
            List<byte[]> blocks = new ArrayList<>();
            for (Section border : borders) {
                blocks.add(border.block(numbers[w]));
            }
            window.readBorders(blocks);
            int[] order;
            try {
                budget.require(0, window.bytes(), "a window of " + window.members.length + " transactions");
                order = window.order(budget);
            } catch (BudgetException e) {
                budget.require();
                result.unsigned(TOO_LARGE);
                continue;
            }
            result.unsigned(order == null ? FAILED : REPAIRED);
            if (order != null) {
                window.write(order, out);
            }
        }
        Section.write(result, out.write(folder, name + "-" + from));
        return result.toBytes();
    }

    /** A value at a border. */
    private record Item(int kind, int key, long value) {}

    /** A window and its problem. */
    private static final class Window {
        private final Cells cells;
        private final Cell all = new Cell();
        private final boolean strict;
        private final long initial;
        /** By key: the value at the left border, if it is not the initial one. */
        private final Int2LongOpenHashMap left = new Int2LongOpenHashMap();
        /** Keys and values that are read behind the right border. */
        private final IntArrayList expectedKeys = new IntArrayList();

        private final LongArrayList expectedValues = new LongArrayList();
        /** Transactions that count, or may count, by session and index. */
        private final int[] members;

        Window(Cells cells, byte[] initial, boolean strict) throws IOException {
            this.cells = cells;
            this.strict = strict;
            for (int c = cells.from(); c < cells.to(); c++) {
                cells.read(c, all);
            }
            this.initial = new BlockReader(initial).value(all.values());
            IntArrayList moving = new IntArrayList();
            for (int t = 0; t < all.size(); t++) {
                if (all.isCounted(t) || all.isOptional(t)) {
                    moving.add(t);
                }
            }
            members = moving.toIntArray();
            IntArrays.mergeSort(members, (a, b) -> {
                int bySession = Integer.compare(all.session(a), all.session(b));
                return bySession != 0 ? bySession : Long.compare(all.index(a), all.index(b));
            });
        }

        /** Reads blocks, one of a slice, in any order. */
        void readBorders(List<byte[]> blocks) {
            List<Item> items = new ArrayList<>();
            ValueDictionary values = new ValueDictionary();
            for (byte[] block : blocks) {
                for (BlockReader in = new BlockReader(block); in.hasMore(); ) {
                    items.add(new Item(in.count(), in.key(all.keys()), in.value(values)));
                }
            }
            // Codes of values must not depend on the slices of keys.
            items.sort(Comparator.comparingInt(Item::key).thenComparingInt(Item::kind));
            for (Item item : items) {
                byte[] label = new BlockWriter().value(values, item.value).toBytes();
                long value = new BlockReader(label).value(all.values());
                if (item.kind == BorderTask.LEFT) {
                    left.put(item.key, value);
                } else {
                    expectedKeys.add(item.key);
                    expectedValues.add(value);
                }
            }
        }

        /** Memory for its solution, about. */
        long bytes() {
            return BYTES_PER_TRANSACTION * members.length + BYTES_PER_OPERATION * all.operations();
        }

        /** The members in a new order; null if there is none. */
        int @Nullable [] order(Budget budget) {
            WindowProblem.Answer answer = problem().solve(budget);
            if (!answer.holds()) {
                return null;
            }
            int[] order = new int[members.length];
            int count = 0;
            for (int event : answer.order()) {
                if (event < members.length) {
                    order[count++] = members[event];
                }
            }
            for (int m = 0; m < members.length; m++) {
                if (all.isOptional(members[m])) {
                    all.count(members[m], answer.counted()[m]);
                }
            }
            return order;
        }

        private WindowProblem problem() {
            VisibleOperations visible = new VisibleOperations(all);
            KeyValues written = new KeyValues();
            IntArrayList writers = new IntArrayList();
            for (int t : members) {
                for (int o = all.firstOperation(t); !strict && o < all.operationsEnd(t); o++) {
                    if (all.isWrite(o) && visible.isVisible(o)) {
                        int pair = written.add(all.key(o), all.code(o));
                        if (pair == writers.size()) {
                            writers.add(t);
                        } else if (writers.getInt(pair) != t) {
                            writers.set(pair, -1);
                        }
                    }
                }
            }
            IntArrayList starts = new IntArrayList();
            IntArrayList operations = new IntArrayList();
            LongArrayList codes = new LongArrayList();
            IntArrayList sessionStarts = new IntArrayList();
            boolean[] optional = new boolean[members.length];
            starts.add(0);
            for (int m = 0; m < members.length; m++) {
                int t = members[m];
                optional[m] = all.isOptional(t);
                if (m == 0 || all.session(members[m - 1]) != all.session(t)) {
                    sessionStarts.add(m);
                }
                for (int o = all.firstOperation(t); o < all.operationsEnd(t); o++) {
                    if (visible.isVisible(o) && (strict || all.isWrite(o) || isExplainable(o, t, written, writers))) {
                        operations.add(all.key(o) << 1 | (all.isWrite(o) ? 1 : 0));
                        codes.add(all.code(o));
                    }
                }
                starts.add(operations.size());
            }
            sessionStarts.add(members.length);
            for (int i = 0; i < expectedKeys.size(); i++) {
                operations.add(expectedKeys.getInt(i) << 1);
                codes.add(expectedValues.getLong(i));
            }
            starts.add(operations.size());
            long[] initialValues = new long[all.keys().size()];
            for (int key = 0; key < initialValues.length; key++) {
                initialValues[key] = left.getOrDefault(key, initial);
            }
            return new WindowProblem(
                    1,
                    sessionStarts.toIntArray(),
                    optional,
                    null,
                    new Operations(starts.toIntArray(), operations.toIntArray(), codes.toLongArray(), null),
                    initialValues,
                    presentOrder(),
                    0,
                    new int[0]);
        }

        /** By place the members, then the transaction that stands for what is behind the right border. */
        private int[] presentOrder() {
            int[] numbers = new int[all.size()];
            for (int m = 0; m < members.length; m++) {
                numbers[members[m]] = m + 1;
            }
            int[] order = new int[members.length + 1];
            int count = 0;
            for (int number : numbers) {
                if (number > 0) {
                    order[count++] = number - 1;
                }
            }
            order[count] = members.length;
            return order;
        }

        /** Whether a read returns the value at the left border, or one that another transaction of the window writes. */
        private boolean isExplainable(int read, int reader, KeyValues written, IntArrayList writers) {
            if (left.getOrDefault(all.key(read), initial) == all.code(read)) {
                return true;
            }
            int pair = written.find(all.key(read), all.code(read));
            return pair >= 0 && writers.getInt(pair) != reader;
        }

        /** Writes the cells with the members in an order; the other transactions keep their places. */
        void write(int[] order, Section.Output out) {
            int next = 0;
            int t = 0;
            for (int c = cells.from(); c < cells.to(); c++) {
                Cell.Output cell = all.new Output(out.block(c));
                long end = cells.first(c + 1) - cells.first(cells.from());
                for (; t < end; t++) {
                    boolean isMember = all.isOptional(t) || all.isCounted(t);
                    cell.write(isMember ? order[next++] : t);
                }
            }
        }
    }

    static List<Integer> results(BlockReader in, int windows) {
        List<Integer> results = new ArrayList<>();
        for (int i = 0; i < windows; i++) {
            results.add(in.count());
        }
        return results;
    }
}
