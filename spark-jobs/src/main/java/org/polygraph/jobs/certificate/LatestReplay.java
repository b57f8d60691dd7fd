package org.polygraph.jobs.certificate;

import java.util.Arrays;
import org.polygraph.storage.columnar.HistoryTable;

/**
 * Replays RC, RA or CC where an order is nearly serial: transactions are gone through as they commit, and a read that returns
 * the last write keeps every axiom, for all that it sees of the key commits no later. Only reads of something older are looked
 * at by definition: whether a writer of the key that commits in between is seen, which under CC is a search backwards
 * as far as the first such writer.
 *
 * <p>Says that an order holds, or nothing: {@link AxiomReplay} judges those with more such reads than {@value #FEW} and one in
 * {@value #SHARE}, or with a discrepancy. Where values repeat, a read of the last write is taken to be of that one, and one of
 * something else of the writer for which less is out of order.
 *
 * <p>Time: linear, and for each read of something older what lies between. Memory: 4 bytes an operation, 24 a key, 4 a
 * transaction.
 */
final class LatestReplay {
    private static final int FEW = 1_000;
    private static final int SHARE = 64;
    /** Of searches, beside one an operation: beyond, the other replay is cheaper. */
    private static final int STEPS = 1 << 20;

    private static final int NOBODY = -1;
    private static final int NONE = ReadSources.NONE;
    private static final int INITIAL = ReadSources.INITIAL;

    private final HistoryTable table;
    private final Promise promise;
    private final boolean[] counted;
    private final int[] position;
    private final int[] starts;
    private final int[] keys;
    private final long[] values;
    /** By operation that was gone through: whom it read from, as far as is known. */
    private final int[] sources;

    // Reads of something older: the operation, its transaction, whom it read from, the place of the first writer in
    // between.
    private int[] older = new int[16];
    private int[] readers = new int[16];
    private int[] from = new int[0];
    private int[] between = new int[0];
    /** The first that has the value and commits later than the reader; until that is chosen, {@link #from} commits before. */
    private int[] after = new int[0];

    private int count;
    private int[] stack = new int[64];
    private int depth;
    private int[] order = new int[0];
    private boolean hasSources;
    /** Whether a read returned what commits only later. */
    private boolean hasLater;

    private long steps;
    private long reads;
    private long ownReads;
    private long writes;

    LatestReplay(Witness witness) {
        this(witness, new int[0]);
    }

    /** @param used sources of an attempt before, which nobody needs when this one is over; or empty */
    LatestReplay(Witness witness, int[] used) {
        table = witness.table();
        promise = witness.terms().promise();
        counted = witness.counted();
        position = witness.position();
        starts = table.operationStarts();
        keys = table.operationKeys();
        values = table.operationValues();
        sources = used.length == values.length ? used : new int[values.length];
        steps = (long) STEPS + values.length;
    }

    long reads() {
        return reads;
    }

    long ownReads() {
        return ownReads;
    }

    long writes() {
        return writes;
    }

    /** @param order the counted transactions as they commit, and negative numbers; false says nothing */
    boolean holds(int[] order) {
        this.order = order;
        hasSources = goThrough(order) && (count == 0 || findSources());
        return hasSources && !hasLater && (count == 0 || isNoneStale());
    }

    /** By operation of transactions that count: whom it read from, or INITIAL or NONE; empty where that was not found. */
    int[] sources() {
        return hasSources ? sources : new int[0];
    }

    /**
     * After an order that did not hold: a, b, c, d of transactions; with a before b, or else c before d, fewer reads would return
     * something older. Of the writer in between and its neighbours, source and reader, the nearer one is likely on the wrong
     * side. Empty where that is not what is wrong; sources that commit later are left to {@link #sources}.
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

    private boolean goThrough(int[] order) {
        int n = table.keys().size();
        long[] current = new long[n];
        Arrays.fill(current, table.initialValue());
        int[] writers = new int[n];
        Arrays.fill(writers, INITIAL);
        long most = FEW + values.length / SHARE;
        for (int t : order) {
            if (t >= 0 && (!read(t, current, writers) || count > most)) {
                return false;
            }
        }
        return true;
    }

    /**
     * Reads and commits a transaction; whether it returned its own writes. As nobody runs beside it, what it writes is the last
     * write at once, and its own where the writer is itself. Half are writes, which no branch would foresee: all do the same.
     */
    private boolean read(int t, long[] current, int[] writers) {
        int begin = starts[t];
        int end = starts[t + 1];
        int written = 0;
        int own = 0;
        for (int o = begin; o < end; o++) {
            int key = keys[o] >>> 1;
            boolean isWrite = (keys[o] & 1) == 1;
            long value = values[o];
            long last = isWrite ? value : current[key];
            int writer = isWrite ? t : writers[key];
            boolean isOwn = writer == t;
            current[key] = last;
            writers[key] = writer;
            sources[o] = isOwn ? NONE : writer;
            written += isWrite ? 1 : 0;
            own += isOwn ? 1 : 0;
            if (last != value) {
                if (isOwn) {
                    return false;
                }
                sources[o] = NONE;
                defer(o, t);
            }
        }
        reads += end - begin - written;
        ownReads += own - written;
        writes += written;
        return true;
    }

    private void defer(int operation, int t) {
        if (count == older.length) {
            older = Arrays.copyOf(older, 2 * count);
            readers = Arrays.copyOf(readers, 2 * count);
        }
        older[count] = operation;
        readers[count++] = t;
    }

    /** Whom the other reads read from, and what commits in between; whether each has a source, be it later. */
    private boolean findSources() {
        from = new int[count];
        between = new int[count];
        after = new int[count];
        Arrays.fill(from, NONE);
        Arrays.fill(after, NONE);
        Arrays.fill(between, Integer.MAX_VALUE);
        // By key and kind, of writes: the key's reads, as a list.
        int[] first = new int[2 * table.keys().size()];
        Arrays.fill(first, NOBODY);
        int[] next = new int[count];
        for (int i = 0; i < count; i++) {
            int write = keys[older[i]] | 1;
            next[i] = first[write];
            first[write] = i;
            if (values[older[i]] == table.initialValue()) {
                from[i] = INITIAL;
            }
        }
        int[] written = operationsIn(first);
        int[] writers = new int[written.length];
        for (int w = 0, t = 0; w < written.length; w++) {
            while (starts[t + 1] <= written[w]) {
                t++;
            }
            writers[w] = counted[t] ? t : NOBODY;
            for (int i = first[keys[written[w]]]; counted[t] && i >= 0; i = next[i]) {
                if (steps-- < 0) {
                    return false;
                }
                match(i, t, written[w]);
            }
        }
        for (int w = 0; w < written.length; w++) {
            for (int i = first[keys[written[w]]]; writers[w] >= 0 && i >= 0; i = next[i]) {
                if (steps-- < 0) {
                    return false;
                }
                note(i, writers[w]);
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
            sources[older[i]] = from[i];
        }
        return true;
    }

    /** The operations whose key and kind have an entry: a loop by itself, as it goes over all of them. */
    private int[] operationsIn(int[] first) {
        int[] found = new int[64];
        int size = 0;
        for (int o = 0; o < keys.length; o++) {
            if (first[keys[o]] >= 0) {
                if (size == found.length) {
                    found = Arrays.copyOf(found, 2 * size);
                }
                found[size++] = o;
            }
        }
        return Arrays.copyOf(found, size);
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
        int[] seenBy = new int[promise == Promise.CC ? counted.length : 0];
        for (int i = 0; i < count; i++) {
            int begin = starts[readers[i]];
            boolean isStale =
                    switch (promise) {
                        case RC -> seesSource(i, begin, older[i]);
                        case RA -> seesSource(i, begin, starts[readers[i] + 1]) || ranBefore(i);
                        default -> isReached(i, seenBy);
                    };
            if (isStale || steps < 0) {
                return false;
            }
        }
        return true;
    }

    /** Whether a source of the operations [begin, end) wrote the key in between. */
    private boolean seesSource(int i, int begin, int end) {
        for (int o = begin; o < end; o++) {
            if (sources[o] >= 0 && isBetween(i, sources[o])) {
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
        steps -= starts[t + 1] - starts[t];
        if (position[t] < between[i]) {
            return false;
        }
        int wanted = keys[older[i]] | 1;
        for (int o = starts[t]; o < starts[t + 1]; o++) {
            if (keys[o] == wanted) {
                return true;
            }
        }
        return false;
    }

    /** Whether a writer in between reaches the reader: goes back from it as far as the first of them. */
    private boolean isReached(int i, int[] seenBy) {
        stack[0] = readers[i];
        depth = 1;
        while (depth > 0 && steps >= 0) {
            int t = stack[--depth];
            if (t != readers[i] && isBetween(i, t)) {
                return true;
            }
            visit(before(t), i, seenBy);
            for (int o = starts[t]; o < starts[t + 1]; o++) {
                visit(sources[o], i, seenBy);
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
        int first = table.sessionStarts()[table.sessionOf(t)];
        int before = t - 1;
        while (before >= first && !counted[before]) {
            before--;
        }
        return before >= first ? before : NOBODY;
    }
}
