package org.polygraph.jobs.certificate.replay;

import java.io.Serializable;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.table.Operations;

/**
 * Replays the raw operations of a slice of keys. It checks that every read returns its transaction's own latest write
 * of the key, or if there is none the last value committed before its snapshot, or if there is none the initial value;
 * and that of two transactions that write a key, one commits before the other's snapshot.
 *
 * <p>Operations are rows, ascending by the snapshot of their transaction, and within a transaction in its order.
 * Commits need no rows: two writers that do not overlap commit in the order of their snapshots, so only the latest
 * writer of each key can be open, and the value before it is known. If a transaction is one event, its snapshot and its
 * commit have the same place.
 *
 * <p>Linear time; memory: 24 bytes per key.
 */
public final class KeyReplay {
    static final int NONE = -1;

    /** A kind of discrepancy. In a transaction overlaps are reported before reads, as in {@link Replay}. */
    enum Kind {
        OVERLAP,
        READ,
        OWN_READ
    }

    /**
     * An operation that the order does not explain.
     *
     * @param snapshot the place of its transaction's snapshot
     * @param operation its number in the history
     * @param instead of an overlap the place where the other writer commits; of a read the expected value
     */
    record Discrepancy(long snapshot, Kind kind, int operation, long instead) implements Serializable {
        /** Whether {@link Replay} would find this one first. */
        boolean before(Discrepancy other) {
            boolean overlap = kind == Kind.OVERLAP;
            if (snapshot != other.snapshot) {
                return snapshot < other.snapshot;
            }
            return overlap == (other.kind == Kind.OVERLAP) ? operation < other.operation : overlap;
        }
    }

    /**
     * The result of one slice.
     *
     * @param ownReads number of the reads that follow an own write of the key
     * @param discrepancy the first in the order, or null
     */
    record Finding(
            int slice,
            long reads,
            long ownReads,
            long writes,
            @Nullable Discrepancy discrepancy) implements Serializable {}

    /** By key: the last value of its latest writer; at first the initial value. */
    private long[] written = new long[0];

    /** By key: the place where the latest writer commits. */
    private long[] commits = new long[0];
    /** By key: the last value committed before that of the latest writer. */
    private long[] before = new long[0];

    private final long initialValue;
    private long snapshot = NONE;
    private long reads;
    private long ownReads;
    private long writes;
    private @Nullable Discrepancy first;

    KeyReplay(long initialValue) {
        this.initialValue = initialValue;
    }

    private void grow(int key) {
        int size = commits.length;
        int more = Math.max(key + 1, 2 * size);
        written = Arrays.copyOf(written, more);
        before = Arrays.copyOf(before, more);
        commits = Arrays.copyOf(commits, more);
        Arrays.fill(written, size, more, initialValue);
        Arrays.fill(before, size, more, initialValue);
        Arrays.fill(commits, size, more, NONE);
    }

    /** @return whether this is the first discrepancy so far */
    boolean operation(int keyAndKind, long value, int operation, long from, long to) {
        if (from < snapshot) {
            throw new IllegalArgumentException("place " + from + " comes after " + snapshot);
        }
        snapshot = from;
        int key = Operations.key(keyAndKind);
        if (key >= commits.length) {
            grow(key);
        }
        boolean own = commits[key] == to;
        boolean open = !own && commits[key] > from;
        if (!Operations.isWrite(keyAndKind)) {
            long expected = open ? before[key] : written[key];
            reads++;
            ownReads += own ? 1 : 0;
            return value != expected && wrong(own ? Kind.OWN_READ : Kind.READ, operation, expected);
        }
        writes++;
        boolean isFirst = open && wrong(Kind.OVERLAP, operation, commits[key]);
        if (!own) {
            before[key] = written[key];
            commits[key] = to;
        }
        written[key] = value;
        return isFirst;
    }

    /** The result so far. */
    Finding finding(int slice) {
        return new Finding(slice, reads, ownReads, writes, first);
    }

    /**
     * After the first discrepancy of a key its state is wrong. That is harmless, because further discrepancies of the
     * key come later in the order.
     */
    private boolean wrong(Kind kind, int operation, long instead) {
        Discrepancy found = new Discrepancy(snapshot, kind, operation, instead);
        Discrepancy known = first;
        if (known == null || found.before(known)) {
            first = found;
            return true;
        }
        return false;
    }
}
