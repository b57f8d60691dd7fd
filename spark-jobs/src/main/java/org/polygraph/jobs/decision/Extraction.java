package org.polygraph.jobs.decision;

import it.unimi.dsi.fastutil.ints.Int2IntOpenHashMap;
import it.unimi.dsi.fastutil.ints.Int2ObjectOpenHashMap;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntOpenHashSet;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import it.unimi.dsi.fastutil.longs.LongArrays;
import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.Operations;

/**
 * Takes a {@link WindowProblem} out of a history with places.
 *
 * <p>A frozen transaction with a violated write is repaired by another set, so its overlap with other writers must not
 * make this problem unsolvable. It becomes two transactions: one with its reads at its snapshot, one with its writes
 * whose snapshot is right before its commit. Transactions that commit between its snapshot and its commit may then
 * overlap it. Only this transaction gets more violated writes.
 */
final class Extraction {
    /** Places within a quarter of the distance between the borders are near a border. */
    private static final int NEAR = 4;

    private final PlacedHistory placed;
    private final HistoryTable table;
    private final MovingSet set;
    private final Borders borders;
    private final @Nullable Intervals time;
    private final int[] moving;
    private final int from;
    private final int to;
    private final int per;

    private final IntArrayList starts = new IntArrayList();
    private final IntArrayList operationKeys = new IntArrayList();
    private final LongArrayList values = new LongArrayList();
    /** By number of frozen transaction: its id in the history. */
    private final IntArrayList frozen = new IntArrayList();
    /** By event of a frozen transaction: its place, or -1 if it is no event of the history. */
    private final IntArrayList places = new IntArrayList();
    /** Events by place: the place, times four, plus a number that orders what has one place; and the event. */
    private final LongArrayList sequence = new LongArrayList();
    /** By id: the frozen transaction with that snapshot, and the one with that commit. They differ if it became two. */
    private final Int2IntOpenHashMap snapshots = new Int2IntOpenHashMap();

    private final Int2IntOpenHashMap commits = new Int2IntOpenHashMap();
    /** By key: the values that are written between the borders, of keys that were looked for. */
    private final Int2ObjectOpenHashMap<LongOpenHashSet> written = new Int2ObjectOpenHashMap<>();

    Extraction(PlacedHistory placed, MovingSet set, Borders borders, @Nullable Intervals time) {
        this.placed = placed;
        this.table = placed.table();
        this.set = set;
        this.borders = borders;
        this.time = time;
        this.moving = set.transactions();
        this.from = set.from();
        this.to = set.to();
        this.per = placed.eventsPerTransaction();
        starts.add(0);
    }

    /** The transaction of the history that a frozen one is. */
    int transaction(int number) {
        return frozen.getInt(number - moving.length);
    }

    /** The place of an event of a frozen transaction; -1 if it is no event of the history. */
    int place(int event) {
        int i = event - moving.length * per;
        return i < places.size() ? places.getInt(i) : to;
    }

    WindowProblem problem() {
        IntArrayList sessions = new IntArrayList();
        boolean[] optional = new boolean[moving.length];
        for (int i = 0; i < moving.length; i++) {
            int t = moving[i];
            optional[i] = placed.isOptional(t);
            if (i == 0 || table.sessionOf(t) != table.sessionOf(moving[i - 1])) {
                sessions.add(i);
            }
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                if (placed.isVisible(o) && (borders == Borders.STRICT || table.isWrite(o) || isExplainable(o))) {
                    add(o);
                }
            }
            starts.add(values.size());
            for (int event = 0; event < per; event++) {
                sequence.add(4L * placed.place(placed.begin(t) + event) + 1);
                sequence.add((long) i * per + event);
            }
        }
        sessions.add(moving.length);
        IntArrayList precedence = precedence();
        addFrozen(precedence);
        addExpected();
        long[] initial = new long[set.keys().size()];
        for (int id = 0; id < initial.length; id++) {
            initial[id] = placed.valueAt(set.keys().getInt(id), from);
        }
        int before = 0;
        int[] events = new int[sequence.size() / 2];
        for (int i = 0; i < events.length; i++) {
            events[i] = (int) sequence.getLong(2 * i + 1);
            before += sequence.getLong(2 * i) < 4L * from ? 1 : 0;
        }
        return new WindowProblem(
                per,
                sessions.toIntArray(),
                optional,
                times(),
                new Operations(starts.toIntArray(), operationKeys.toIntArray(), values.toLongArray(), null),
                initial,
                events,
                before,
                edges(precedence));
    }

    private WindowProblem.@Nullable Times times() {
        Intervals all = time;
        if (all == null) {
            return null;
        }
        long[] memberStarts = new long[moving.length];
        long[] memberEnds = new long[moving.length];
        for (int i = 0; i < moving.length; i++) {
            memberStarts[i] = all.starts()[moving[i]];
            // In the problem a transaction of unknown outcome that counts is a committed one.
            long end = all.end(moving[i]);
            memberEnds[i] = end == Long.MAX_VALUE ? HistoryTable.NO_TIME : end;
        }
        return new WindowProblem.Times(memberStarts, memberEnds, all.skewNanos());
    }

    private void add(int operation) {
        add(set.keyId(table.key(operation)), table.isWrite(operation), table.value(operation));
    }

    private void add(int keyId, boolean isWrite, long value) {
        operationKeys.add(keyId << 1 | (isWrite ? 1 : 0));
        values.add(value);
    }

    /**
     * Whether a read returns a value that is written between the borders or, if the left border counts for its key, the
     * value there.
     */
    private boolean isExplainable(int read) {
        int key = table.key(read);
        long value = table.value(read);
        if (values(key).contains(value)) {
            return true;
        }
        if (borders == Borders.NONE || placed.valueAt(key, from) != value) {
            return false;
        }
        return borders == Borders.FIRM || !isNear(from, placed.writeBefore(key, from), placed.writeFrom(key, from));
    }

    /** The values of a key that are written between the borders. */
    private LongOpenHashSet values(int key) {
        LongOpenHashSet known = written.get(key);
        if (known == null) {
            known = new LongOpenHashSet();
            written.put(key, known);
            int end = placed.firstOf(key + 1);
            for (int i = placed.indexAt(key, from); i < end && placed.placeOf(placed.operation(i)) < to; i++) {
                if (table.isWrite(placed.operation(i))) {
                    known.add(table.value(placed.operation(i)));
                }
            }
        }
        return known;
    }

    /**
     * Pairs of transactions of which the first precedes the second in the order of their sessions or in real time, one
     * of them a member, the other frozen with an event between the borders that binds the member.
     */
    private IntArrayList precedence() {
        IntArrayList pairs = new IntArrayList();
        for (int t : moving) {
            addPair(pairs, neighbour(t, -1), t);
            addPair(pairs, t, neighbour(t, 1));
        }
        if (time != null) {
            IntArrayList others = new IntArrayList();
            for (int place = from; place < to; place++) {
                int event = placed.atPlace(place);
                int t = placed.transaction(event);
                boolean isFirst = event == placed.begin(t) || placed.beginPlace(t) < from;
                if (isFirst && placed.isActive(t) && !set.contains(t)) {
                    others.add(t);
                }
            }
            int[] before = time.lastBefore(placed, moving, others, from, to);
            int[] behind = time.firstBehind(placed, moving, others, from, to);
            for (int i = 0; i < moving.length; i++) {
                addPair(pairs, before[i], moving[i]);
                addPair(pairs, moving[i], behind[i]);
            }
        }
        return pairs;
    }

    private void addPair(IntArrayList pairs, int first, int second) {
        if (first < 0 || second < 0 || set.contains(first) == set.contains(second)) {
            return;
        }
        int place = set.contains(first) ? placed.beginPlace(second) : placed.commitPlace(first);
        if (place >= from && place < to) {
            pairs.add(first);
            pairs.add(second);
        }
    }

    /** The next or previous active transaction of a session, or -1. */
    private int neighbour(int transaction, int step) {
        int session = table.sessionOf(transaction);
        int t = transaction + step;
        while (t >= table.firstTransaction(session) && t < table.transactionsEnd(session)) {
            if (placed.isActive(t)) {
                return t;
            }
            t += step;
        }
        return -1;
    }

    /** Pairs of events for pairs of transactions: the commit of the first precedes the snapshot of the second. */
    private int[] edges(IntArrayList precedence) {
        IntArrayList edges = new IntArrayList();
        for (int i = 0; i < precedence.size(); i += 2) {
            int first = precedence.getInt(i);
            int second = precedence.getInt(i + 1);
            int member = Arrays.binarySearch(moving, set.contains(first) ? first : second);
            int firstNumber = set.contains(first) ? member : commits.get(first);
            int secondNumber = set.contains(first) ? snapshots.get(second) : member;
            edges.add(firstNumber * per + per - 1);
            edges.add(secondNumber * per);
        }
        return edges.toIntArray();
    }

    /** The frozen transactions between the borders that have operations on keys of M, or precede or follow members. */
    private void addFrozen(IntArrayList precedence) {
        IntOpenHashSet seen = new IntOpenHashSet();
        LongArrayList operations = new LongArrayList();
        for (int id = 0; id < set.keys().size(); id++) {
            int key = set.keys().getInt(id);
            int end = placed.firstOf(key + 1);
            for (int i = placed.indexAt(key, from); i < end && placed.placeOf(placed.operation(i)) < to; i++) {
                int o = placed.operation(i);
                int t = placed.transactionOf(o);
                if (!set.contains(t) && placed.isCounted(t) && (table.isWrite(o) || !placed.isViolated(o))) {
                    operations.add((long) t << 32 | o);
                }
            }
            // Of the writes behind the border only the first may have an earlier snapshot and not be violated.
            int behind = per == 1 ? -1 : placed.writeFrom(key, to);
            if (behind >= 0) {
                int t = placed.transactionOf(behind);
                if (placed.beginPlace(t) < to && !placed.hasViolatedWrite(t)) {
                    operations.add((long) t << 32 | behind);
                }
            }
        }
        operations.sort(null);
        for (int i = 0; i < operations.size(); ) {
            int t = (int) (operations.getLong(i) >>> 32);
            int end = i;
            while (end < operations.size() && (int) (operations.getLong(end) >>> 32) == t) {
                end++;
            }
            seen.add(t);
            addFrozen(t, operations, i, end);
            i = end;
        }
        for (int t : precedence) {
            if (!set.contains(t) && seen.add(t)) {
                addFrozen(t, operations, 0, 0);
            }
        }
        addBehind();
        sortSequence();
    }

    private void addFrozen(int t, LongArrayList operations, int first, int end) {
        boolean split = placed.hasViolatedWrite(t);
        int number = moving.length + frozen.size();
        for (int i = first; i < end; i++) {
            int o = (int) operations.getLong(i);
            if (!split || !table.isWrite(o)) {
                add(o);
            }
        }
        addFrozenEnd(t);
        snapshots.put(t, number);
        commits.put(t, number);
        if (per == 1) {
            addEvent(number, placed.beginPlace(t), 1, true);
            return;
        }
        addEvent(2 * number, placed.beginPlace(t), 1, true);
        if (!split) {
            addEvent(2 * number + 1, placed.commitPlace(t), 1, true);
            return;
        }
        addEvent(2 * number + 1, placed.beginPlace(t), 2, false);
        for (int i = first; i < end; i++) {
            int o = (int) operations.getLong(i);
            if (table.isWrite(o)) {
                add(o);
            }
        }
        addFrozenEnd(t);
        commits.put(t, number + 1);
        addEvent(2 * number + 2, placed.commitPlace(t), 0, false);
        addEvent(2 * number + 3, placed.commitPlace(t), 1, true);
    }

    private void addFrozenEnd(int t) {
        starts.add(values.size());
        frozen.add(t);
    }

    private void addEvent(int event, int place, int rank, boolean isReal) {
        sequence.add(4L * place + rank);
        sequence.add(event);
        places.add(isReal ? place : -1);
    }

    /** The events of the last transaction, which represents everything behind the right border. */
    private void addBehind() {
        int number = moving.length + frozen.size();
        for (int i = 0; i < per; i++) {
            sequence.add(4L * to - 1);
            sequence.add((long) number * per + i);
        }
    }

    private void sortSequence() {
        int[] order = new int[sequence.size() / 2];
        long[] keys = new long[order.length];
        for (int i = 0; i < order.length; i++) {
            order[i] = i;
            keys[i] = sequence.getLong(2 * i);
        }
        LongArrays.radixSortIndirect(order, keys, true);
        LongArrayList sorted = new LongArrayList(sequence.size());
        for (int i : order) {
            sorted.add(sequence.getLong(2 * i));
            sorted.add(sequence.getLong(2 * i + 1));
        }
        sequence.clear();
        sequence.addAll(sorted);
    }

    /** The value of each key that is read behind the last place, before the key is written there. */
    private void addExpected() {
        for (int id = 0; borders != Borders.NONE && id < set.keys().size(); id++) {
            int key = set.keys().getInt(id);
            int last = placed.writeBefore(key, to);
            if (borders != Borders.RELAXED || !isNear(to, last, placed.writeFrom(key, to))) {
                long value = last < 0 ? table.initialValue(key) : table.value(last);
                if (isReadBehind(key, value)) {
                    add(id, false, value);
                }
            }
        }
        starts.add(values.size());
    }

    /** Whether the last write before a border, or the first behind it, is near. */
    private boolean isNear(int border, int last, int next) {
        int near = (to - from) / NEAR;
        return (last >= 0 && placed.placeOf(last) >= border - near)
                || (next >= 0 && placed.placeOf(next) < border + near);
    }

    private boolean isReadBehind(int key, long value) {
        for (int i = placed.indexAt(key, to); i < placed.firstOf(key + 1); i++) {
            int o = placed.operation(i);
            if (placed.isCountedWrite(o)) {
                return false;
            }
            if (!table.isWrite(o) && placed.isCounted(placed.transactionOf(o)) && table.value(o) == value) {
                return true;
            }
        }
        return false;
    }
}
