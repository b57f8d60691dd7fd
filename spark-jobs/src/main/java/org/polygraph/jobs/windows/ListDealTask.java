package org.polygraph.jobs.windows;

import it.unimi.dsi.fastutil.longs.LongAVLTreeSet;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import it.unimi.dsi.fastutil.longs.LongArrays;
import java.io.IOException;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.storage.dictionary.KeyDictionary;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.format.pieces.Piece;
import org.polygraph.storage.lists.ListCodes;
import org.polygraph.storage.lists.ListReads;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.model.WholeHistoryException;
import org.polygraph.storage.table.HistoryRows;
import org.polygraph.storage.table.Operations;

/**
 * Deals what a piece of the input shows of each key to slices of keys: how it is used, the elements that are appended to it, and the longest
 * list of it that was read. Result: why the piece cannot be decided by windows, or an empty text; then the section with a block for each
 * slice, which {@link ListOrderTask} reads.
 *
 * <p>The lists of a key that committed transactions of the piece read have to be prefixes of the longest one, which
 * then has all that they show. Each list that a transaction of unknown outcome read is added, because it may not count.
 */
record ListDealTask(Piece piece, int number, int slices, Section.Files files) implements Task<ListOrders.Part> {
    /** How a key is used: as a list; with other values; by reads of null, which may be of either. */
    static final int LIST = 1;

    static final int PLAIN = 2;
    static final int ABSENT = 4;

    @Override
    public ListOrders.Part run(Budget budget) throws IOException {
        try {
            HistoryRows rows = piece.read(budget::exhausted, budget.bytes());
            Longest longest = new Longest(rows);
            String problem = longest.contradicts ? ListOrders.CONTRADICTION : doubt(rows);
            return new ListOrders.Part(problem, problem.isEmpty() ? deal(rows, longest) : null);
        } catch (HistoryException | WholeHistoryException e) {
            return new ListOrders.Part(Survey.UNREADABLE, null);
        } catch (BudgetException e) {
            budget.require();
            return new ListOrders.Part(Survey.TOO_LARGE, null);
        }
    }

    private Section deal(HistoryRows rows, Longest longest) throws IOException {
        KeyDictionary keys = rows.keys();
        Appends appends = new Appends(rows);
        long[] open = openReads(rows);
        int nextOpen = 0;
        Section.Output out = new Section.Output(0, slices);
        for (int key = 0; key < keys.size(); key++) {
            BlockWriter block = out.block(DealTask.slice(keys, key, slices));
            block.key(keys, key).unsigned(appends.uses(key)).unsigned(appends.count(key));
            for (int i = 0; i < appends.count(key); i++) {
                block.value(rows.values(), rows.operations().values()[appends.operation(key, i)]);
            }
            longest.write(longest.of(key), block);
            int from = nextOpen;
            while (nextOpen < open.length && open[nextOpen] >>> Integer.SIZE == key) {
                nextOpen++;
            }
            block.unsigned(nextOpen - from);
            for (int i = from; i < nextOpen; i++) {
                longest.write((int) open[i], block);
            }
        }
        return out.write(files, number);
    }

    /** The appends of a piece by key, in the order of the input, and how keys are used. */
    static final class Appends {
        private final byte[] uses;
        /** By key: its first place in {@link #operations}; and the number of appends. */
        private final int[] starts;

        private final int[] operations;

        Appends(HistoryRows rows) {
            int keyCount = rows.keys().size();
            uses = new byte[keyCount];
            starts = new int[keyCount + 1];
            long[] values = rows.operations().values();
            int[] keys = rows.operations().keys();
            for (int o = 0; o < values.length; o++) {
                int key = Operations.key(keys[o]);
                if (rows.operations().isAppend(o)) {
                    uses[key] |= LIST;
                    starts[key + 1]++;
                } else if (ListCodes.isRead(values[o])) {
                    uses[key] |= LIST;
                } else {
                    boolean isAbsent = values[o] == ValueDictionary.NULL && !Operations.isWrite(keys[o]);
                    uses[key] |= isAbsent ? ABSENT : PLAIN;
                }
            }
            for (int key = 0; key < keyCount; key++) {
                starts[key + 1] += starts[key];
            }
            operations = new int[starts[keyCount]];
            int[] next = starts.clone();
            for (int o = 0; o < values.length; o++) {
                if (rows.operations().isAppend(o)) {
                    operations[next[Operations.key(keys[o])]++] = o;
                }
            }
        }

        int uses(int key) {
            return uses[key];
        }

        int count(int key) {
            return starts[key + 1] - starts[key];
        }

        int operation(int key, int i) {
            return operations[starts[key] + i];
        }
    }

    /**
     * The lists that transactions of unknown outcome read: key x 2^32 + list, ascending and each once; without the empty list.
     */
    static long[] openReads(HistoryRows rows) {
        LongArrayList open = new LongArrayList();
        int[] starts = rows.operations().starts();
        for (int t = 0; t < rows.transactions().size(); t++) {
            for (int o = starts[t]; isOpen(rows, t) && o < starts[t + 1]; o++) {
                long read = openRead(rows, o);
                if ((int) read > 0) {
                    open.add(read);
                }
            }
        }
        return new LongAVLTreeSet(open).toLongArray();
    }

    /** Key x 2^32 + the list that an operation read; 0 in place of the list if it read none. */
    static long openRead(HistoryRows rows, int o) {
        long code = rows.operations().values()[o];
        int list = ListCodes.isRead(code) ? ListCodes.list(code) : 0;
        return (long) Operations.key(rows.operations().keys()[o]) << Integer.SIZE | list;
    }

    static boolean isOpen(HistoryRows rows, int t) {
        return rows.transactions().statuses()[t] == TransactionStatus.INDETERMINATE.code();
    }

    /**
     * Why windows do not decide a piece in which a transaction of unknown outcome reads lists and writes other values:
     * a read of such a value could show that it committed, and then its reads of lists would count. Empty if none does.
     */
    private static String doubt(HistoryRows rows) {
        int[] starts = rows.operations().starts();
        for (int t = 0; rows.lists() != null && t < rows.transactions().size(); t++) {
            boolean reads = false;
            boolean writes = false;
            for (int o = starts[t]; isOpen(rows, t) && o < starts[t + 1]; o++) {
                reads |= ListCodes.isRead(rows.operations().values()[o]);
                writes |= Operations.isWrite(rows.operations().keys()[o])
                        && !rows.operations().isAppend(o);
            }
            if (reads && writes) {
                return "a transaction of unknown outcome reads lists and writes other values";
            }
        }
        return "";
    }

    /** The longest list of each key that committed transactions read. */
    static final class Longest {
        private static final int NONE = 0;

        private final HistoryRows rows;
        private final @Nullable ListReads lists;
        /** By key: its longest list. */
        private final int[] longest;
        /** Whether a list is no prefix of the longest one of its key. */
        boolean contradicts;

        Longest(HistoryRows rows) {
            this.rows = rows;
            this.lists = rows.lists();
            this.longest = new int[rows.keys().size()];
            if (lists != null) {
                find(lists, read(lists));
            }
        }

        /** The lists that were read, and all their prefixes. */
        private BitSet read(ListReads all) {
            BitSet read = new BitSet(all.before().length);
            int[] starts = rows.operations().starts();
            for (int t = 0; t < rows.transactions().size(); t++) {
                boolean counts = rows.transactions().statuses()[t] == TransactionStatus.COMMITTED.code();
                for (int o = starts[t]; counts && o < starts[t + 1]; o++) {
                    long code = rows.operations().values()[o];
                    int each = ListCodes.isRead(code) ? ListCodes.list(code) : NONE;
                    while (each > NONE && !read.get(each)) {
                        read.set(each);
                        each = all.before()[each];
                    }
                }
            }
            return read;
        }

        private void find(ListReads all, BitSet read) {
            int n = all.before().length;
            // By list: the one with one more element. By key: the one with one element. Equal lists may have several
            // numbers.
            int[] next = new int[n];
            int[] first = new int[longest.length];
            int[] same = new int[n];
            int[] lengths = new int[n];
            int[] keyOf = new int[n];
            for (int list = read.nextSetBit(1); list > NONE; list = read.nextSetBit(list + 1)) {
                int before = all.before()[list];
                boolean isFirst = before < 0;
                int key = isFirst ? ~before : keyOf[before];
                keyOf[list] = key;
                lengths[list] = isFirst ? 1 : lengths[before] + 1;
                int known = isFirst ? first[key] : next[same[before]];
                same[list] = known == NONE ? list : known;
                if (known != NONE) {
                    contradicts |= all.elements()[known] != all.elements()[list];
                } else if (isFirst) {
                    first[key] = list;
                } else {
                    next[same[before]] = list;
                }
                if (lengths[list] > lengths[longest[key]]) {
                    longest[key] = list;
                }
            }
        }

        int of(int key) {
            return longest[key];
        }

        /** The elements of a list. */
        LongArrayList elements(int list) {
            LongArrayList elements = new LongArrayList();
            for (int each = list; each > NONE && lists != null; each = lists.before()[each]) {
                elements.add(lists.elements()[each]);
            }
            LongArrays.reverse(elements.elements(), 0, elements.size());
            return elements;
        }

        void write(int list, BlockWriter out) {
            LongArrayList elements = elements(list);
            out.unsigned(elements.size());
            for (long element : elements) {
                out.value(rows.values(), element);
            }
        }
    }
}
