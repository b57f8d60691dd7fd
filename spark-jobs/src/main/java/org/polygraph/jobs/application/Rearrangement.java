package org.polygraph.jobs.application;

import it.unimi.dsi.fastutil.ints.Int2IntOpenHashMap;
import it.unimi.dsi.fastutil.ints.Int2LongOpenHashMap;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Guarantee;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.WindowProblem;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.Operations;

/**
 * Another serial order of the transactions between two places of a witness. It explains the same reads and leads to the
 * same values, except for one key. The solver finds it, and it is replayed here. Such an order is looked for only at
 * ser, where it has to respect only reads and sessions. At si, parts are decided as fast without it.
 */
final class Rearrangement {
    /** How often a search may ask its budget whether to stop. A window of 500 events takes a few hundred. */
    private static final long LOOKS = 5_000;

    private static final int NONE = -1;

    private final HistoryTable table;
    /** The transactions between the places, in their present order. */
    private final int[] present;
    /** By key: its value before the first place, if it is read there. */
    private final Int2LongOpenHashMap initial = new Int2LongOpenHashMap();
    /** By key that is written: its value behind the last place. */
    private final Int2LongOpenHashMap expected = new Int2LongOpenHashMap();

    private Rearrangement(HistoryTable table, int[] present) {
        this.table = table;
        this.present = present;
        for (int t : present) {
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                if (isExternalRead(t, o) && !expected.containsKey(table.key(o))) {
                    initial.put(table.key(o), table.value(o));
                }
            }
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                if (table.isWrite(o)) {
                    expected.put(table.key(o), table.value(o));
                }
            }
        }
    }

    /** Whether orders at a level may be rearranged. */
    static boolean isPossible(Guarantee guarantee) {
        return guarantee == Guarantee.SER;
    }

    /**
     * Searches for an order of the transactions between two places after which a key has another value.
     *
     * @param order counted transactions by place
     * @param from the first place
     * @param to the place behind the last one
     * @return by place from the first one on: the old place of the transaction, less the first place; null if none is
     *     found
     */
    static int @Nullable [] of(Witness witness, int[] order, int from, int to, int key, long value, long memoryBytes) {
        Rearrangement search = new Rearrangement(witness.table(), Arrays.copyOfRange(order, from, to));
        search.expected.put(key, value);
        int[] found;
        try {
            found = search.solve(Budget.starting(Long.MAX_VALUE, memoryBytes).ofLooks(LOOKS));
        } catch (BudgetException e) {
            return null;
        }
        return found != null && search.holds(found) ? found : null;
    }

    /** Whether an operation is a read, and no earlier operation of its transaction is on its key. */
    private boolean isExternalRead(int t, int operation) {
        int first = table.firstOperation(t);
        while (table.key(first) != table.key(operation)) {
            first++;
        }
        return first == operation && !table.isWrite(operation);
    }

    private int @Nullable [] solve(Budget budget) {
        // Ids ascend by session.
        int[] members = present.clone();
        Arrays.sort(members);
        WindowProblem.Answer answer = new Problem().of(members).solve(budget);
        if (!answer.holds()) {
            return null;
        }
        Int2IntOpenHashMap places = new Int2IntOpenHashMap();
        for (int place = 0; place < present.length; place++) {
            places.put(present[place], place);
        }
        return Arrays.stream(answer.order())
                .filter(member -> member < members.length)
                .map(member -> places.get(members[member]))
                .toArray();
    }

    /**
     * The problem for the solver. The transactions are its members, and one behind them reads the values that are
     * expected.
     */
    private final class Problem {
        private final Int2IntOpenHashMap keys = new Int2IntOpenHashMap();
        private final IntArrayList byId = new IntArrayList();
        private final IntArrayList starts = new IntArrayList();
        private final IntArrayList operationKeys = new IntArrayList();
        private final LongArrayList values = new LongArrayList();

        WindowProblem of(int[] members) {
            IntArrayList sessions = new IntArrayList();
            for (int i = 0; i < members.length; i++) {
                if (i == 0 || table.sessionOf(members[i]) != table.sessionOf(members[i - 1])) {
                    sessions.add(i);
                }
                starts.add(values.size());
                add(members[i]);
            }
            sessions.add(members.length);
            starts.add(values.size());
            for (int key : expected.keySet().toIntArray()) {
                add(key, false, expected.get(key));
            }
            starts.add(values.size());
            long none = Long.MIN_VALUE;
            for (long value : values) {
                none = Math.max(none, value);
            }
            long[] state = new long[byId.size()];
            for (int id = 0; id < state.length; id++) {
                // A value that is not read may be any number that differs from the others.
                state[id] = initial.getOrDefault(byId.getInt(id), none + 1);
            }
            IntStream numbers = Arrays.stream(present).map(t -> Arrays.binarySearch(members, t));
            return new WindowProblem(
                    1,
                    sessions.toIntArray(),
                    new boolean[members.length],
                    null,
                    new Operations(starts.toIntArray(), operationKeys.toIntArray(), values.toLongArray(), null),
                    state,
                    IntStream.concat(numbers, IntStream.of(members.length)).toArray(),
                    0,
                    new int[0]);
        }

        private void add(int t) {
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                if (table.isWrite(o) ? table.lastWrite(t, table.key(o)) == o : isExternalRead(t, o)) {
                    add(table.key(o), table.isWrite(o), table.value(o));
                }
            }
        }

        private void add(int key, boolean isWrite, long value) {
            int id = keys.computeIfAbsent(key, k -> byId.size());
            if (id == byId.size()) {
                byId.add(key);
            }
            operationKeys.add(Operations.pack(id, isWrite));
            values.add(value);
        }
    }

    /** Replays an order: sessions, reads, and the values behind the last place. */
    private boolean holds(int[] found) {
        Int2LongOpenHashMap current = new Int2LongOpenHashMap(initial);
        Int2IntOpenHashMap latest = new Int2IntOpenHashMap();
        latest.defaultReturnValue(NONE);
        for (int old : found) {
            int t = present[old];
            if (latest.put(table.sessionOf(t), t) >= t) {
                return false;
            }
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                int key = table.key(o);
                if (isExternalRead(t, o) && (!current.containsKey(key) || current.get(key) != table.value(o))) {
                    return false;
                }
            }
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                if (table.isWrite(o)) {
                    current.put(table.key(o), table.value(o));
                }
            }
        }
        return found.length == present.length
                && expected.int2LongEntrySet().stream()
                        .allMatch(each -> current.containsKey(each.getIntKey())
                                && current.get(each.getIntKey()) == each.getLongValue());
    }
}
