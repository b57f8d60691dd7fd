package org.polygraph.jobs.certificate.replay;

import java.util.Arrays;
import org.polygraph.jobs.certificate.format.Guarantee;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.storage.table.HistoryTable;

/**
 * Replays RC, RA or CC where an order is nearly serial: transactions are gone through as they commit, and a read that returns
 * the last write keeps every axiom, for all that it sees of the key commits no later. Only reads of something older are looked
 * at by definition: whether a writer of the key that commits in between is seen, which under CC is a search backwards
 * as far as the first such writer.
 *
 * <p>That a read returns the last write takes values alone. Who wrote it is found where it is asked: for the few transactions
 * that read something older, under CC and for {@link #sources} for all.
 *
 * <p>Says that an order holds, or nothing: {@link AxiomReplay} judges those with more such reads than {@value #FEW} and one in
 * {@value #SHARE}, or with a discrepancy. Where values repeat, a read of the last write is taken to be of that one, and one of
 * something else of the writer for which less is out of order.
 *
 * <p>Time: linear, and for each read of something older what lies between. Memory: 16 bytes a key, and where sources of all
 * are asked 4 an operation and 4 a transaction.
 */
final class LastWriteReplay {
    private static final int FEW = 1_000;
    private static final int SHARE = 64;
    /** Of searches, beside one an operation: beyond, the other replay is cheaper. */
    private static final int STEPS = 1 << 20;

    private static final int NOBODY = -1;
    private static final int NONE = SourcesByValue.NONE;
    private static final int INITIAL = SourcesByValue.INITIAL;

    private final HistoryTable table;
    private final Guarantee promise;
    private final boolean[] counted;
    private final int[] position;
    private final int[] starts;
    private final int[] keys;
    private final long[] values;
    /** By operation of transactions that count: whom it read from; empty until that is asked for. */
    private int[] sources = new int[0];

    private final int[] used;
    private int[] order = new int[0];

    // Reads of something older: the operation, its transaction, whom it read from, the place of the first writer in
    // between.
    private int[] older = new int[16];
    private int[] readers = new int[16];
    private int[] from = new int[0];
    private int[] between = new int[0];
    /** The first that has the value and commits later than the reader; until that is chosen, {@link #from} commits before. */
    private int[] after = new int[0];

    private int count;

    // All reads of these transactions that are not of own writes: the operation, its transaction, whom it read from.
    private int[] asked = new int[16];
    private int[] askers = new int[16];
    private int[] askedFrom = new int[0];
    private int askedCount;

    private int[] stack = new int[64];
    private int depth;
    private boolean hasSources;
    /** Whether a read returned what commits only later. */
    private boolean hasLater;

    private long steps;

    LastWriteReplay(Witness witness) {
        this(witness, new int[0]);
    }

    /** @param used sources of an attempt before, whose array is taken for those of this one; or empty */
    LastWriteReplay(Witness witness, int[] used) {
        this.used = used;
        table = witness.table();
        promise = witness.terms().promise();
        counted = witness.counted();
        position = witness.position();
        starts = table.operationStarts();
        keys = table.operationKeys();
        values = table.operationValues();
        steps = (long) STEPS + values.length;
    }

    /** @param order the counted transactions as they commit, and negative numbers; false says nothing */
    boolean holds(int[] order) {
        this.order = order;
        hasSources = goThrough() && (count == 0 || findSources());
        return hasSources && !hasLater && (count == 0 || isNoneStale());
    }

    /** What an order that holds shows. */
    Replay.Result result() {
        int[] writers = new int[table.keys().size()];
        Arrays.fill(writers, NOBODY);
        int transactions = 0;
        long reads = 0;
        long ownReads = 0;
        long writes = 0;
        for (int t : order) {
            if (t < 0) {
                continue;
            }
            transactions++;
            for (int o = starts[t]; o < starts[t + 1]; o++) {
                int key = keys[o] >>> 1;
                if ((keys[o] & 1) == 1) {
                    writes++;
                    writers[key] = t;
                } else {
                    reads++;
                    ownReads += writers[key] == t ? 1 : 0;
                }
            }
        }
        return new Replay.Result(null, transactions, reads, ownReads, writes);
    }

    /** By operation of transactions that count: whom it read from, or INITIAL or NONE; empty where that was not found. */
    int[] sources() {
        if (!hasSources || sources.length > 0) {
            return sources;
        }
        sources = used.length == keys.length ? used : new int[keys.length];
        int[] writers = new int[table.keys().size()];
        Arrays.fill(writers, INITIAL);
        for (int t : order) {
            if (t >= 0) {
                note(t, keys, starts[t], starts[t + 1], writers, sources);
            }
        }
        for (int i = 0; i < count; i++) {
            sources[older[i]] = from[i];
        }
        return sources;
    }

    /** Notes whom a transaction's operations read from: whoever wrote last, unless it is itself. */
    private static void note(int t, int[] keys, int begin, int end, int[] writers, int[] sources) {
        for (int o = begin; o < end; o++) {
            int key = keys[o] >>> 1;
            int before = writers[key];
            // Itself where it writes. Half are writes, which no branch would foresee: all do the same.
            int writer = before ^ (before ^ t) & -(keys[o] & 1);
            writers[key] = writer;
            sources[o] = writer == t ? NONE : writer;
        }
    }

    /** Where {@link #sources} are known: transactions that read what commits only later. */
    int[] early() {
        int[] early = new int[hasSources ? count : 0];
        int n = 0;
        for (int i = 0; i < early.length; i++) {
            if (isLater(i)) {
                early[n++] = readers[i];
            }
        }
        return Arrays.copyOf(early, n);
    }

    /**
     * After an order that did not hold: a, b, c, d of transactions; with a before b, or else c before d, fewer reads would return
     * something older. Of the writer in between and its neighbours, source and reader, the nearer one is likely on the wrong
     * side. Empty where that is not what is wrong; sources that commit later are left to {@link #early}.
     */
    int[] turned() {
        int[] pairs = new int[hasSources ? 4 * count : 0];
        int n = 0;
        for (int i = 0; 4 * i < pairs.length; i++) {
            if (isLater(i)) {
                continue;
            }
            int writer = order[between[i]];
            boolean hasSource = from[i] >= 0 && table.sessionOf(from[i]) != table.sessionOf(writer);
            boolean isSource = hasSource && between[i] - position[from[i]] < position[readers[i]] - between[i];
            int reader = n + (isSource ? 2 : 0);
            pairs[reader] = readers[i];
            pairs[reader + 1] = writer;
            int source = n + (isSource ? 0 : 2);
            pairs[source] = hasSource ? writer : NOBODY;
            pairs[source + 1] = hasSource ? from[i] : NOBODY;
            n += 4;
        }
        return Arrays.copyOf(pairs, n);
    }

    private boolean goThrough() {
        long[] current = new long[table.keys().size()];
        Arrays.fill(current, table.initialValue());
        for (int t : order) {
            int begin = t < 0 ? 0 : starts[t];
            int end = t < 0 ? 0 : starts[t + 1];
            int o = differing(keys, values, begin, end, current);
            while (o < end) {
                if (!defer(o, t)) {
                    return false;
                }
                o = differing(keys, values, o + 1, end, current);
            }
        }
        return true;
    }

    /**
     * Replays the operations [begin, end) as far as a read that does not return the last write. As nobody runs beside a
     * transaction, what it writes is the last write at once.
     */
    private static int differing(int[] keys, long[] values, int begin, int end, long[] current) {
        for (int o = begin; o < end; o++) {
            int key = keys[o] >>> 1;
            long value = values[o];
            // A write has nothing to return. Half are writes, which no branch would foresee: all do the same.
            if (((current[key] ^ value) & (keys[o] & 1L) - 1) != 0) {
                return o;
            }
            current[key] = value;
        }
        return end;
    }

    /** Leaves a read for later; false where it should have returned an own write, or they are too many. */
    private boolean defer(int operation, int t) {
        if (count > FEW + values.length / SHARE || writes(starts[t], operation, keys[operation] | 1)) {
            return false;
        }
        if (count == older.length) {
            older = Arrays.copyOf(older, 2 * count);
            readers = Arrays.copyOf(readers, 2 * count);
        }
        older[count] = operation;
        readers[count++] = t;
        return steps >= 0;
    }

    /** Whether one of the operations [begin, end) is that write. */
    private boolean writes(int begin, int end, int write) {
        steps -= end - begin;
        for (int o = begin; o < end; o++) {
            if (keys[o] == write) {
                return true;
            }
        }
        return false;
    }

    /** Whom the deferred reads read from, and what commits in between; whether each has a source, be it later. */
    private boolean findSources() {
        from = new int[count];
        between = new int[count];
        after = new int[count];
        Arrays.fill(after, NONE);
        Arrays.fill(between, Integer.MAX_VALUE);
        for (int i = 0; i < count; i++) {
            from[i] = values[older[i]] == table.initialValue() ? INITIAL : NONE;
        }
        WritesOfKeys writes = new WritesOfKeys(table, counted, older, count);
        for (int w = 0; w < writes.size(); w++) {
            for (int i = writes.lastRead(w); i >= 0; i = writes.previousRead(i)) {
                if (steps-- < 0) {
                    return false;
                }
                match(i, writes.writer(w), writes.operation(w));
            }
        }
        for (int w = 0; w < writes.size(); w++) {
            for (int i = writes.lastRead(w); i >= 0; i = writes.previousRead(i)) {
                if (steps-- < 0) {
                    return false;
                }
                note(i, writes.writer(w));
            }
        }
        for (int i = 0; i < count; i++) {
            if (after[i] != NONE && (from[i] == NONE || isLaterLikely(i))) {
                from[i] = after[i];
            }
            // A read of something older has a writer in between, else it would be the last write.
            if (from[i] == NONE || (!isLater(i) && between[i] == Integer.MAX_VALUE)) {
                return false;
            }
            hasLater |= isLater(i);
        }
        return true;
    }

    /** A write of the key, which may be the source of the read. */
    private void match(int i, int t, int o) {
        if (values[o] != values[older[i]] || t == readers[i]) {
            return;
        }
        for (int later = o + 1; later < starts[t + 1]; later++) {
            if (keys[later] == keys[o]) {
                return;
            }
        }
        boolean isBefore = position[t] < position[readers[i]];
        int[] nearest = isBefore ? from : after;
        if (nearest[i] == NONE || isBefore == position[t] > place(nearest[i])) {
            nearest[i] = t;
        }
    }

    /**
     * Whether the writer that commits later is less out of order than the one that commits before, whose value was overwritten: of
     * that, the source or the reader is on the wrong side.
     */
    private boolean isLaterLikely(int i) {
        int reader = position[readers[i]];
        int passed = reader - between[i];
        if (from[i] != INITIAL) {
            passed = Math.min(passed, between[i] - position[from[i]]);
        }
        return position[after[i]] - reader < passed;
    }

    /** Once sources that commit before are known, a writer of the key. */
    private void note(int i, int t) {
        if (from[i] != NONE && position[t] > place(from[i]) && position[t] < position[readers[i]]) {
            between[i] = Math.min(between[i], position[t]);
        }
    }

    private boolean isLater(int i) {
        return place(from[i]) >= position[readers[i]];
    }

    private int place(int source) {
        return source == INITIAL ? NOBODY : position[source];
    }

    private boolean isNoneStale() {
        if (promise == Guarantee.CC) {
            int[] seenBy = new int[counted.length];
            for (int i = 0; i < count; i++) {
                if (isReached(i, sources(), seenBy) || steps < 0) {
                    return false;
                }
            }
            return true;
        }
        if (!findAsked()) {
            return false;
        }
        for (int i = 0, first = 0; i < count; i++) {
            while (askers[first] != readers[i]) {
                first++;
            }
            boolean isStale = promise == Guarantee.RC
                    ? seesSource(i, first, older[i])
                    : seesSource(i, first, starts[readers[i] + 1]) || ranBefore(i);
            if (isStale || steps < 0) {
                return false;
            }
        }
        return true;
    }

    /** Whom the transactions with a deferred read read from, all their reads; false where that takes too long. */
    private boolean findAsked() {
        for (int i = 0; i < count; i++) {
            if (i == 0 || readers[i] != readers[i - 1]) {
                ask(readers[i]);
            }
            if (steps < 0) {
                return false;
            }
        }
        askedFrom = new int[askedCount];
        Arrays.fill(askedFrom, INITIAL);
        WritesOfKeys writes = new WritesOfKeys(table, counted, asked, askedCount);
        for (int w = 0; w < writes.size(); w++) {
            int place = position[writes.writer(w)];
            for (int a = writes.lastRead(w); a >= 0; a = writes.previousRead(a)) {
                if (steps-- < 0) {
                    return false;
                }
                if (place < position[askers[a]] && place > place(askedFrom[a])) {
                    askedFrom[a] = writes.writer(w);
                }
            }
        }
        // The deferred ones did not return the last write; both lists are in the order of readers and operations.
        for (int i = 0, a = 0; i < count; i++) {
            while (asked[a] != older[i]) {
                a++;
            }
            askedFrom[a] = from[i];
        }
        return true;
    }

    private void ask(int t) {
        for (int o = starts[t]; o < starts[t + 1] && steps >= 0; o++) {
            if ((keys[o] & 1) == 1 || writes(starts[t], o, keys[o] | 1)) {
                continue;
            }
            if (askedCount == asked.length) {
                asked = Arrays.copyOf(asked, 2 * askedCount);
                askers = Arrays.copyOf(askers, 2 * askedCount);
            }
            asked[askedCount] = o;
            askers[askedCount++] = t;
        }
    }

    /**
     * Whether a source of the reader's operations before {@code end} wrote the key in between.
     *
     * @param first the reader's first among those asked
     */
    private boolean seesSource(int i, int first, int end) {
        for (int a = first; a < askedCount && askers[a] == readers[i] && asked[a] < end; a++) {
            if (askedFrom[a] >= 0 && isBetween(i, askedFrom[a])) {
                return true;
            }
        }
        return false;
    }

    /** Whether the session did so earlier. */
    private boolean ranBefore(int i) {
        for (int t = before(readers[i]); t >= 0 && position[t] >= between[i]; t = before(t)) {
            if (isBetween(i, t)) {
                return true;
            }
        }
        return false;
    }

    /** Whether t writes the key of the read and commits after its source; all that is asked commits before the reader. */
    private boolean isBetween(int i, int t) {
        steps--;
        return position[t] >= between[i] && writes(starts[t], starts[t + 1], keys[older[i]] | 1);
    }

    /** Whether a writer in between reaches the reader: goes back from it as far as the first of them. */
    private boolean isReached(int i, int[] from, int[] seenBy) {
        stack[0] = readers[i];
        depth = 1;
        while (depth > 0 && steps >= 0) {
            int t = stack[--depth];
            if (t != readers[i] && isBetween(i, t)) {
                return true;
            }
            visit(before(t), i, seenBy);
            for (int o = starts[t]; o < starts[t + 1]; o++) {
                visit(from[o], i, seenBy);
            }
        }
        return false;
    }

    private void visit(int t, int i, int[] seenBy) {
        if (t >= 0 && position[t] >= between[i] && seenBy[t] != i + 1) {
            seenBy[t] = i + 1;
            if (depth == stack.length) {
                stack = Arrays.copyOf(stack, 2 * depth);
            }
            stack[depth++] = t;
        }
    }

    /** What counts and the session ran before t, or -1. */
    private int before(int t) {
        int first = table.firstTransaction(table.sessionOf(t));
        int before = t - 1;
        while (before >= first && !counted[before]) {
            before--;
        }
        return before >= first ? before : NOBODY;
    }
}
