package org.polygraph.partitioner.prune;

import java.util.Arrays;
import java.util.function.BooleanSupplier;
import org.polygraph.partitioner.closure.ChainClocks;
import org.polygraph.partitioner.closure.Closure;
import org.polygraph.partitioner.closure.TimeClosure;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.index.CommitStatus;
import org.polygraph.partitioner.index.VersionIndex;
import org.polygraph.storage.model.StoppedException;

/**
 * The rules of saturation for one key at a time. b(T) is the begin of transaction T and c(T) its commit; with one event
 * a transaction they are the same. For S and T that write the key and r that reads it from T:
 *
 * <ul>
 *   <li>R0 (two events a transaction): if b(S) reaches c(T), then S is before T; otherwise T would overlap S and both
 *       write the key.
 *   <li>R1: if c(S) reaches b(r), then S is before T; otherwise r would read from S or a later writer.
 *   <li>R2: if c(T) reaches b(S) and r is not S, then b(r) is before c(S), for the same reason.
 *   <li>A reader of the initial version is before every other writer.
 *   <li>A candidate T of a read r that has several is excluded if b(r) reaches c(T), or if T reaches another writer of
 *       the key that reaches r; the initial version is excluded if any writer reaches r. A read with one candidate left
 *       is decided, which adds a WR edge.
 * </ul>
 *
 * <p>Writers of a row may overlap with two events a transaction, so R0 and R1 do not hold for its values. The other
 * rules hold, because a read returns the last version that was committed before its snapshot. At PC writers of any key
 * may overlap: R0 does not hold, and in R1 and R2 a writer is before another one if it commits before that.
 *
 * <p>An edge is added only if other edges do not imply it: of several predecessors, those that reach another
 * predecessor are left out. The rules are written here once. Only the subclasses know the rows of a closure: {@link
 * SessionRules} find writers by session with chain clocks, {@link TimeRules} by time with a time closure.
 *
 * <p>The rules change neither graph nor index. They collect what they force and decide, so several threads can apply
 * them to different keys, each with an instance of its own.
 */
public abstract class KeyRules {
    /** Every read has a candidate. */
    static final int NONE = -1;

    /** Reads between two checks of the budget. */
    private static final int CHECK_EVERY = 256;

    /** Visits for which rows are fetched at once. */
    private static final int BATCH = 16;

    private static final int[] NOTHING = {};

    final Events events;
    final KeyWriters key;

    /** Writers found, and how many there are. */
    int[] found = new int[64];

    int count;
    /** Whether the writers of the key may overlap. */
    private boolean overlapping;
    /** Whether a writer is before another one if it commits before that (PC). */
    final boolean byCommit;

    /** Writers in the order in which the rules visit them. */
    int[] visits = new int[64];

    private final VersionIndex index;
    private final byte[] states;
    private final ForcedEdges forced = new ForcedEdges();
    private int[] decided = NOTHING;
    /**
     * The writers of the key, by class and in each class in their order: those that write the initial value, then class by
     * class from {@link #memberStarts}. 8 bytes a writer of the largest key.
     */
    private int[] members = NOTHING;

    private int[] memberStarts = NOTHING;

    /** @param states {@link CommitStatus#states} */
    KeyRules(Events events, VersionIndex index, byte[] states) {
        this.events = events;
        this.index = index;
        this.states = states;
        this.key = new KeyWriters(index, events);
        this.byCommit = events.mayOverlap();
    }

    /** The rules by the rows of a closure. */
    public static KeyRules of(Events events, VersionIndex index, Closure closure, CommitStatus commitStatus) {
        byte[] states = commitStatus.states();
        return closure instanceof ChainClocks clocks
                ? new SessionRules(events, index, clocks, states)
                : new TimeRules(events, index, (TimeClosure) closure, states);
    }

    /** Begins a round with the closure as it is now. */
    public void begin() {}

    /**
     * Puts the writers that are to be visited into {@link #visits}.
     *
     * @param all false: writers may be left out for which the last update of the closure brings nothing new
     */
    abstract int arrange(boolean all);

    /** Brings the rows of the writers of visits [from, to) into the cache. */
    void fetch(int from, int to) {}

    /**
     * Finds writers whose commit reaches the begin of writer w (PC: its commit), among them each one that reaches no other writer found.
     */
    abstract void findPredecessors(int w, int visit);

    /**
     * Finds writers that must precede w although no edge shows it yet: their commit reaches a reader of w, or their
     * begin reaches the commit of w (not at PC). Called after {@link #findPredecessors} of the same writer.
     */
    abstract void findOverlapping(int w);

    /** Whether the commit of writer u reaches the begin of writer w, at PC its commit. */
    abstract boolean reaches(int u, int w);

    /** Whether the begin of a reader reaches the commit of writer w. */
    abstract boolean isBefore(int reader, int w);

    /**
     * Finds the writers of the key that reach an event, as far as {@link #nextCandidate} needs them. @return whether
     * there is any
     */
    abstract boolean findBefore(int begin);

    /**
     * The commit, if the read that {@link #findBefore} was last called for may have read what it wrote; otherwise a later
     * event. The read has not read what any commit between them wrote.
     */
    abstract int nextCandidate(int commit, int begin);

    /**
     * Applies the rules to one key that has writers.
     *
     * @param mayOverlap whether writers of the key may overlap, as those of the values of a row
     * @param all whether to visit all writers; false: writers may be left out for which the last update of the
     *     closure brings nothing new
     * @param stop asked every few hundred reads
     * @return the transaction of a read without a candidate, or {@link #NONE}
     * @throws StoppedException if the budget ended
     */
    public final int apply(int number, boolean mayOverlap, boolean all, BooleanSupplier stop) {
        overlapping = mayOverlap;
        key.load(number, states);
        if (key.writers > visits.length) {
            visits = new int[Math.max(key.writers, 2 * visits.length)];
        }
        visit(arrange(all));
        return decideReads(number, stop);
    }

    /** Visits this many writers of {@link #visits}. */
    private void visit(int writers) {
        for (int visit = 0; visit < writers; visit++) {
            if (visit % BATCH == 0) {
                fetch(visit, Math.min(visit + BATCH, writers));
            }
            int w = visits[visit];
            findPredecessors(w, visit);
            readersBefore(w);
            if (!overlapping) {
                findOverlapping(w);
                writersBefore(w);
            }
        }
    }

    /** R2, and the readers of the initial version: those that read what w overwrote come before w. */
    private void readersBefore(int w) {
        if (count == 0) {
            addReaders(0, key.initialReaders, w);
            return;
        }
        boolean useful = false;
        for (int i = 0; i < count && !useful; i++) {
            useful = hasReaderToAdd(found[i], w);
        }
        if (useful) {
            keepMaximal();
            for (int i = 0; i < count; i++) {
                addReaders(key.readFrom[found[i]], key.readTo[found[i]], w);
            }
        }
    }

    /** Whether {@link #addReaders} would add anything for a version; mostly it would not. */
    private boolean hasReaderToAdd(int version, int w) {
        for (int r = key.readFrom[version]; r < key.readTo[version]; r++) {
            if (key.readers[r] != key.transactions[w] && !isBefore(r, w)) {
                return true;
            }
        }
        return false;
    }

    /** Puts the readers of a version, the last one of each session, before w. */
    private void addReaders(int from, int to, int w) {
        int writer = key.transactions[w];
        for (int r = from; r < to; r++) {
            int reader = key.readers[r];
            boolean covered =
                    r + 1 < to && key.readerChains[r + 1] == key.readerChains[r] && key.readers[r + 1] != writer;
            if (!covered && reader != writer && !isBefore(r, w)) {
                forced.add(events.begin(reader), events.commit(writer));
            }
        }
    }

    /** R1 and R0. */
    private void writersBefore(int w) {
        keepMaximal();
        for (int i = 0; i < count; i++) {
            forced.add(events.commit(key.transactions[found[i]]), events.overwrites(key.transactions[w]));
        }
    }

    /** Keeps the writers of {@link #found} that reach no other one of them. */
    private void keepMaximal() {
        int at = 0;
        while (count > 1 && at < count) {
            int w = found[at];
            int kept = 0;
            int next = 0;
            for (int j = 0; j < count; j++) {
                int other = found[j];
                if (j == at || !reaches(other, w)) {
                    found[kept++] = other;
                }
                if (j == at) {
                    next = kept;
                }
            }
            count = kept;
            at = next;
        }
    }

    /** Decides the reads of a key that have one candidate left. @return as {@link #apply} */
    private int decideReads(int number, BooleanSupplier stop) {
        decided = NOTHING;
        int slot = index.ambiguousSlot(number);
        int from = index.slotStarts()[slot];
        int to = index.slotStarts()[slot + 1];
        if (from == to) {
            return NONE;
        }
        sortByClass(number);
        int[] slots = new int[to - from];
        boolean any = false;
        for (int r = from; r < to; r++) {
            slots[r - from] = -1;
            if ((r - from & CHECK_EVERY - 1) == CHECK_EVERY - 1) {
                StoppedException.check(stop);
            }
            int reader = index.readerTransactions()[r];
            if (states[reader] != CommitStatus.COUNTED) {
                continue;
            }
            int candidate = onlyCandidate(number, reader, index.readerClasses()[r]);
            if (candidate == IMPOSSIBLE) {
                return reader;
            }
            if (candidate != SEVERAL) {
                any = true;
                slots[r - from] = candidate == VersionIndex.INITIAL ? 0 : 1 + candidate - index.writerStarts()[number];
                if (candidate != VersionIndex.INITIAL) {
                    forced.add(events.commit(index.writerTransactions()[candidate]), events.begin(reader));
                }
            }
        }
        decided = any ? slots : NOTHING;
        return NONE;
    }

    private static final int SEVERAL = -2;
    private static final int IMPOSSIBLE = -3;

    /**
     * The only candidate of a read: a writer, {@link VersionIndex#INITIAL}; or {@link #SEVERAL} or {@link #IMPOSSIBLE}.
     */
    private int onlyCandidate(int number, int reader, int valueClass) {
        int begin = events.begin(reader);
        boolean isWritten = findBefore(begin);
        int alive = valueClass == VersionIndex.INITIAL && !isWritten ? 1 : 0;
        int only = VersionIndex.INITIAL;
        int slot = classSlot(number, valueClass);
        int end = memberStarts[slot + 1];
        for (int at = memberStarts[slot]; at < end && alive < 2; ) {
            int commit = commitOf(members[at]);
            int next = nextCandidate(commit, begin);
            if (next > commit) {
                at = firstMember(at + 1, end, next);
                continue;
            }
            int t = index.writerTransactions()[members[at]];
            if (t != reader && states[t] != CommitStatus.DROPPED) {
                // The rules do not decide that an optional writer committed; the solver does.
                alive += states[t] == CommitStatus.OPTIONAL ? 2 : 1;
                only = members[at];
            }
            at++;
        }
        return alive == 0 ? IMPOSSIBLE : alive == 1 ? only : SEVERAL;
    }

    /** Sorts the writers of a key by class into {@link #members}. */
    private void sortByClass(int number) {
        int from = index.writerStarts()[number];
        int to = index.writerStarts()[number + 1];
        if (to - from > members.length) {
            members = new int[Math.max(to - from, 2 * members.length)];
            memberStarts = new int[members.length + 3];
        }
        int[] starts = memberStarts;
        Arrays.fill(starts, 0, to - from + 3, 0);
        int[] classes = index.writerClasses();
        for (int w = from; w < to; w++) {
            starts[classSlot(number, classes[w]) + 2]++;
        }
        for (int slot = 0; slot <= to - from; slot++) {
            starts[slot + 2] += starts[slot + 1];
        }
        for (int w = from; w < to; w++) {
            members[starts[classSlot(number, classes[w]) + 1]++] = w;
        }
    }

    private int classSlot(int number, int valueClass) {
        return valueClass == VersionIndex.INITIAL ? 0 : 1 + valueClass - index.writerStarts()[number];
    }

    private int commitOf(int writer) {
        return events.commit(index.writerTransactions()[writer]);
    }

    /**
     * The first of the members [low, end) whose commit is not below an event; {@code end} if there is none. It is mostly
     * near, so the search goes in growing steps.
     */
    private int firstMember(int low, int end, int event) {
        int from = low;
        int at = low;
        for (int step = 1; at < end && commitOf(members[at]) < event; step <<= 1) {
            from = at + 1;
            at += step;
        }
        int to = Math.min(at, end);
        while (from < to) {
            int middle = (from + to) >>> 1;
            if (commitOf(members[middle]) < event) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        return from;
    }

    /** The edges that were forced since they were last cleared. */
    public final ForcedEdges forced() {
        return forced;
    }

    /** For {@link VersionIndex#resolve}: what was decided about the reads of the last key; empty if nothing. */
    public final int[] decided() {
        return decided;
    }

    /** Makes room for this many writers in {@link #found}. */
    final void ensureFound(int capacity) {
        if (capacity > found.length) {
            found = Arrays.copyOf(found, Math.max(capacity, 2 * found.length));
        }
    }
}
