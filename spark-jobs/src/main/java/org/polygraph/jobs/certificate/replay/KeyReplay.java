package org.polygraph.jobs.certificate.replay;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Replays the raw operations of some keys, alone: whether every read returns its transaction's own latest write of the key,
 * or if there is none the last value committed before its snapshot, or if there is none the initial value; and whether of
 * two transactions that write a key one commits before the other's snapshot.
 *
 * <p>Operations come as rows, ascending by their transaction's snapshot and within a transaction in its order. Then no
 * event of a commit is needed: two writers that do not overlap commit in the order of their snapshots, so that of each key
 * only the latest writer can be open, and the value before it is known. Where a transaction is one event, snapshot and
 * commit have the same place, and nothing else differs.
 *
 * <p>Of a key with many operations a slice may have a range. It begins with what it goes on from: the last writes of the two
 * writers before, which are neither judged nor counted.
 *
 * <p>Linear time; memory: 20 bytes a key.
 */
public final class KeyReplay {
    /** int key x 2 + (1 if a write); long value; int operation, or {@link #CARRIED}; int place of the snapshot; int place of the commit. */
    public static final int ROW_BYTES = 4 * Integer.BYTES + Long.BYTES;

    /** Instead of its number: a write of another slice. */
    static final int CARRIED = -1;

    static final int NOBODY = -1;

    /** How a read or a write is wrong. In a transaction overlaps are told before reads, as {@link Replay} does. */
    enum Kind {
        OVERLAP(1),
        READ(2),
        OWN_READ(3);

        private final byte code;

        Kind(int code) {
            this.code = (byte) code;
        }

        private static Kind of(byte code) {
            for (Kind kind : values()) {
                if (kind.code == code) {
                    return kind;
                }
            }
            throw new IllegalArgumentException("a finding of kind " + code);
        }
    }

    /**
     * An operation that the order does not explain.
     *
     * @param snapshot the place where its transaction starts
     * @param operation in the history
     * @param instead an overlap: the place where the other writer commits; a read: the value that it should have returned
     */
    record Discrepancy(int snapshot, Kind kind, int operation, long instead) {
        /** Whether {@link Replay} would come upon this one first. */
        boolean before(Discrepancy other) {
            boolean overlap = kind == Kind.OVERLAP;
            if (snapshot != other.snapshot) {
                return snapshot < other.snapshot;
            }
            return overlap == (other.kind == Kind.OVERLAP) ? operation < other.operation : overlap;
        }
    }

    /**
     * What a slice of keys had.
     *
     * @param reads and of these
     * @param ownReads those of an own write
     * @param discrepancy the first in the order, or null
     */
    record Finding(
            int slice,
            long reads,
            long ownReads,
            long writes,
            @Nullable Discrepancy discrepancy) {
        private static final int BYTES = 3 * Integer.BYTES + 4 * Long.BYTES + 1;
        private static final byte NOTHING = 0;

        byte[] toBytes() {
            Discrepancy wrong = discrepancy;
            ByteBuffer out = ByteBuffer.allocate(BYTES);
            out.putInt(slice).putLong(reads).putLong(ownReads).putLong(writes);
            if (wrong == null) {
                return out.put(NOTHING).array();
            }
            return out.put(wrong.kind.code)
                    .putInt(wrong.snapshot)
                    .putInt(wrong.operation)
                    .putLong(wrong.instead)
                    .array();
        }

        static Finding ofBytes(byte[] bytes) {
            ByteBuffer in = ByteBuffer.wrap(bytes);
            int slice = in.getInt();
            long reads = in.getLong();
            long ownReads = in.getLong();
            long writes = in.getLong();
            byte kind = in.get();
            return new Finding(
                    slice,
                    reads,
                    ownReads,
                    writes,
                    kind == NOTHING ? null : new Discrepancy(in.getInt(), Kind.of(kind), in.getInt(), in.getLong()));
        }
    }

    /** Per key: what its latest writer has written, at first the initial value. */
    private final long[] written;

    /** Per key: where the latest writer commits. */
    private final int[] commits;
    /** Per key: the last value committed before the latest writer's. */
    private final long[] before;

    private int snapshot = NOBODY;
    private long reads;
    private long ownReads;
    private long writes;
    private @Nullable Discrepancy first;

    private KeyReplay(int keys, long initialValue) {
        written = new long[keys];
        Arrays.fill(written, initialValue);
        before = written.clone();
        commits = new int[keys];
        Arrays.fill(commits, NOBODY);
    }

    /**
     * Replays a slice.
     *
     * @param bytes int number of the slice, int number of its keys, then rows of {@link #ROW_BYTES}, big-endian
     * @param initialValue code of the value that keys have at first
     * @return for {@link SlicedReplay#merge}
     * @throws IllegalArgumentException if rows are cut short or not in order
     */
    public static byte[] of(byte[] bytes, long initialValue) {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        if (bytes.length % ROW_BYTES != 2 * Integer.BYTES) {
            throw new IllegalArgumentException("a slice of " + bytes.length + " bytes, which is no number of rows");
        }
        int slice = in.getInt();
        KeyReplay replay = new KeyReplay(in.getInt(), initialValue);
        while (in.hasRemaining()) {
            replay.operation(in.getInt(), in.getLong(), in.getInt(), in.getInt(), in.getInt());
        }
        return new Finding(slice, replay.reads, replay.ownReads, replay.writes, replay.first).toBytes();
    }

    private void operation(int keyAndKind, long value, int operation, int from, int to) {
        if (from < snapshot) {
            throw new IllegalArgumentException("place " + from + " comes after " + snapshot);
        }
        snapshot = from;
        int key = keyAndKind >> 1;
        boolean own = commits[key] == to;
        boolean open = !own && commits[key] > from;
        if ((keyAndKind & 1) == 0) {
            long expected = open ? before[key] : written[key];
            reads++;
            ownReads += own ? 1 : 0;
            if (value != expected) {
                wrong(own ? Kind.OWN_READ : Kind.READ, operation, expected);
            }
            return;
        }
        if (operation != CARRIED) {
            writes++;
            if (open) {
                wrong(Kind.OVERLAP, operation, commits[key]);
            }
        }
        if (!own) {
            before[key] = written[key];
            commits[key] = to;
        }
        written[key] = value;
    }

    /** After the first discrepancy of a key its state means nothing: whatever it leads to comes later in the order. */
    private void wrong(Kind kind, int operation, long instead) {
        Discrepancy found = new Discrepancy(snapshot, kind, operation, instead);
        Discrepancy known = first;
        if (known == null || found.before(known)) {
            first = found;
        }
    }
}
