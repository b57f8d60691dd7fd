package org.polygraph.jobs.application;

import it.unimi.dsi.fastutil.ints.Int2IntOpenHashMap;
import it.unimi.dsi.fastutil.ints.Int2LongOpenHashMap;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntOpenHashSet;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Guarantee;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.WindowProblem;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.Operations;

/**
 * Another order of the events between two places of a witness. It explains the same reads and leads to the same values,
 * except for one key. The solver finds it, and it is replayed here. Transactions with only one event between the places
 * keep their order, and have only the operations of this event and of those behind it. Such an order is looked for
 * only at ser and si, where an order has to respect only reads, sessions and overlaps of writers.
 */
final class Rearrangement {
    /** How often a search may ask its budget whether to stop. A window of 500 events takes a few hundred. */
    private static final long LOOKS = 5_000;

    private static final int NONE = -1;

    private final HistoryTable table;
    private final int per;
    private final int[] order;
    private final int from;
    private final int to;
    private final Int2IntOpenHashMap places = new Int2IntOpenHashMap();
    /** By key: its value before the first place, if it is read there. */
    private final Int2LongOpenHashMap initial = new Int2LongOpenHashMap();
    /** By key that is written: its value behind the last place. */
    private final Int2LongOpenHashMap expected = new Int2LongOpenHashMap();

    /**
     * Prepares a search.
     *
     * @param order counted events by place
     * @param from the first place
     * @param to the place behind the last one
     */
    private Rearrangement(Witness witness, int[] order, int from, int to) {
        table = witness.table();
        per = witness.terms().guarantee().events();
        this.order = order;
        this.from = from;
        this.to = to;
        places.defaultReturnValue(NONE);
        for (int place = from; place < to; place++) {
            places.put(order[place], place - from);
        }
        for (int place = from; place < to; place++) {
            int t = order[place] / per;
            for (int o = table.firstOperation(t); isBegin(order[place]) && o < table.operationsEnd(t); o++) {
                if (isExternalRead(t, o) && !expected.containsKey(table.key(o))) {
                    initial.put(table.key(o), table.value(o));
                }
            }
            for (int o = table.firstOperation(t); isCommit(order[place]) && o < table.operationsEnd(t); o++) {
                if (table.isWrite(o)) {
                    expected.put(table.key(o), table.value(o));
                }
            }
        }
    }

    /** Whether orders at a level may be rearranged. */
    static boolean isPossible(Guarantee guarantee) {
        return guarantee == Guarantee.SER || guarantee == Guarantee.SI;
    }

    /**
     * Searches for an order of the events between two places after which a key has another value.
     *
     * @param order counted events by place
     * @param from the first place
     * @param to the place behind the last one
     * @return by place from the first one on: the old place of the event, less the first place; null if none is found
     */
    static int @Nullable [] of(Witness witness, int[] order, int from, int to, int key, long value, long memoryBytes) {
        Rearrangement search = new Rearrangement(witness, order, from, to);
        search.expected.put(key, value);
        int[] found;
        try {
            found = search.solve(Budget.starting(Long.MAX_VALUE, memoryBytes).ofLooks(LOOKS));
        } catch (BudgetException e) {
            return null;
        }
        return found != null && search.holds(found) ? found : null;
    }

    private boolean isBegin(int event) {
        return event % per == 0;
    }

    private boolean isCommit(int event) {
        return event % per == per - 1;
    }

    private int begin(int transaction) {
        return transaction * per;
    }

    private int commit(int transaction) {
        return transaction * per + per - 1;
    }

    private boolean isInside(int event) {
        return places.containsKey(event);
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
        IntArrayList members = new IntArrayList();
        IntArrayList others = new IntArrayList();
        for (int place = from; place < to; place++) {
            int t = order[place] / per;
            boolean isMember = isInside(begin(t)) && isInside(commit(t));
            if (!isMember || isBegin(order[place])) {
                (isMember ? members : others).add(t);
            }
        }
        // Ids ascend by session.
        members.sort(null);
        Problem problem = new Problem(members, others);
        WindowProblem.Answer answer = problem.made().solve(budget);
        if (!answer.holds()) {
            return null;
        }
        int[] found = new int[to - from];
        int count = 0;
        for (int event : answer.order()) {
            int old = problem.old(event);
            if (old != NONE) {
                found[count++] = old;
            }
        }
        return count == found.length ? found : null;
    }

    /** The problem for the solver. */
    private final class Problem {
        private final IntArrayList members;
        private final IntArrayList others;
        private final Int2IntOpenHashMap keys = new Int2IntOpenHashMap();
        private final IntArrayList byId = new IntArrayList();
        private final IntArrayList starts = new IntArrayList();
        private final IntArrayList operationKeys = new IntArrayList();
        private final LongArrayList values = new LongArrayList();

        Problem(IntArrayList members, IntArrayList others) {
            this.members = members;
            this.others = others;
        }

        WindowProblem made() {
            starts.add(0);
            for (int t : members) {
                add(t, true);
            }
            for (int t : others) {
                // What a transaction read before the first place does not change.
                add(t, isInside(begin(t)));
            }
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
            return new WindowProblem(
                    per,
                    sessionStarts(),
                    new boolean[members.size()],
                    null,
                    new Operations(starts.toIntArray(), operationKeys.toIntArray(), values.toLongArray(), null),
                    state,
                    events(),
                    Math.toIntExact(
                            others.intStream().filter(t -> !isInside(begin(t))).count()),
                    edges());
        }

        private void add(int t, boolean reads) {
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                if (table.isWrite(o) ? table.lastWrite(t, table.key(o)) == o : reads && isExternalRead(t, o)) {
                    add(table.key(o), table.isWrite(o), table.value(o));
                }
            }
            starts.add(values.size());
        }

        private void add(int key, boolean isWrite, long value) {
            int id = keys.computeIfAbsent(key, k -> byId.size());
            if (id == byId.size()) {
                byId.add(key);
            }
            operationKeys.add(Operations.pack(id, isWrite));
            values.add(value);
        }

        private int[] sessionStarts() {
            IntArrayList sessions = new IntArrayList();
            for (int i = 0; i < members.size(); i++) {
                if (i == 0 || table.sessionOf(members.getInt(i)) != table.sessionOf(members.getInt(i - 1))) {
                    sessions.add(i);
                }
            }
            sessions.add(members.size());
            return sessions.toIntArray();
        }

        /** The number of a transaction. */
        private int number(int t) {
            int member = Arrays.binarySearch(members.elements(), 0, members.size(), t);
            return member >= 0 ? member : members.size() + others.indexOf(t);
        }

        /** The old place of an event of the problem, less the first place; {@link #NONE} if the event is not between the places. */
        int old(int event) {
            int i = event / per;
            return i == members.size() + others.size()
                    ? NONE
                    : places.get(begin(i < members.size() ? members.getInt(i) : others.getInt(i - members.size()))
                            + event % per);
        }

        /**
         * All events in their present order: the snapshots before the first place, the events between the places, the
         * events of the transaction that reads the values behind the last place, and the commits behind that place.
         */
        private int[] events() {
            IntArrayList events = new IntArrayList();
            for (int i = 0; i < others.size(); i++) {
                if (!isInside(begin(others.getInt(i)))) {
                    events.add(begin(members.size() + i));
                }
            }
            for (int place = from; place < to; place++) {
                events.add(begin(number(order[place] / per)) + order[place] % per);
            }
            for (int i = 0; i < per; i++) {
                events.add(begin(members.size() + others.size()) + i);
            }
            for (int i = 0; i < others.size(); i++) {
                if (!isInside(commit(others.getInt(i)))) {
                    events.add(commit(members.size() + i));
                }
            }
            return events.toIntArray();
        }

        /** The order of sessions between members and others. */
        private int[] edges() {
            IntArrayList edges = new IntArrayList();
            for (int i = 0; i < members.size(); i++) {
                for (int j = 0; j < others.size(); j++) {
                    if (table.sessionOf(members.getInt(i)) == table.sessionOf(others.getInt(j))) {
                        int other = members.size() + j;
                        boolean isFirst = others.getInt(j) < members.getInt(i);
                        edges.add(commit(isFirst ? other : i));
                        edges.add(begin(isFirst ? i : other));
                    }
                }
            }
            return edges.toIntArray();
        }
    }

    /** Replays an order: sessions, reads, overlaps of writers, and the values behind the last place. */
    private boolean holds(int[] found) {
        Int2LongOpenHashMap current = new Int2LongOpenHashMap(initial);
        Int2IntOpenHashMap begun = new Int2IntOpenHashMap();
        Int2IntOpenHashMap written = new Int2IntOpenHashMap();
        Int2IntOpenHashMap latest = new Int2IntOpenHashMap();
        IntOpenHashSet open = new IntOpenHashSet();
        begun.defaultReturnValue(NONE);
        written.defaultReturnValue(NONE);
        latest.defaultReturnValue(NONE);
        for (int place = from; place < to; place++) {
            int t = order[place] / per;
            if (!isInside(begin(t))) {
                open.add(table.sessionOf(t));
            }
        }
        IntOpenHashSet seen = new IntOpenHashSet();
        for (int i = 0; i < found.length; i++) {
            int event = order[from + found[i]];
            int t = event / per;
            int session = table.sessionOf(t);
            if (!seen.add(event)) {
                return false;
            }
            if (isBegin(event)) {
                if (!open.add(session) || latest.get(session) >= t) {
                    return false;
                }
                begun.put(t, i);
                for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                    int key = table.key(o);
                    if (isExternalRead(t, o) && (!current.containsKey(key) || current.get(key) != table.value(o))) {
                        return false;
                    }
                }
            }
            if (isCommit(event)) {
                if (!open.remove(session) || latest.get(session) > t || overlaps(t, begun.get(t), written)) {
                    return false;
                }
                latest.put(session, t);
                for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                    if (table.isWrite(o)) {
                        current.put(table.key(o), table.value(o));
                        written.put(table.key(o), i);
                    }
                }
            }
        }
        for (int place = from; place < to; place++) {
            int t = order[place] / per;
            if (!isInside(commit(t)) && overlaps(t, begun.get(t), written)) {
                return false;
            }
        }
        for (int key : expected.keySet().toIntArray()) {
            if (!current.containsKey(key) || current.get(key) != expected.get(key)) {
                return false;
            }
        }
        return true;
    }

    /** Whether a key of a transaction was written since its snapshot. */
    private boolean overlaps(int t, int snapshot, Int2IntOpenHashMap written) {
        for (int o = table.firstOperation(t); per == 2 && o < table.operationsEnd(t); o++) {
            if (table.isWrite(o) && written.get(table.key(o)) > snapshot) {
                return true;
            }
        }
        return false;
    }
}
