package org.polygraph.jobs.windows;

import it.unimi.dsi.fastutil.longs.Long2LongOpenHashMap;
import java.util.Arrays;

/**
 * Finds writers of a key that overlap, while the rows of a slice pass in the order of places: a write is violated if another
 * transaction that counts wrote its key between the snapshot and the commit of its transaction (first committer wins, as in Berenson et
 * al., A Critique of ANSI SQL Isolation Levels, section 4.2). Memory: 8 bytes a key, and 26 to 52 bytes for each transaction and key
 * between snapshot and commit.
 */
final class Intents {
    private static final long NOWHERE = -1;

    /** By key and session: the place of the snapshot. */
    private final Long2LongOpenHashMap snapshots = new Long2LongOpenHashMap();
    /** By key: the place of its last write. */
    private long[] lastWrites = new long[0];

    private long snapshot;

    Intents() {
        snapshots.defaultReturnValue(NOWHERE);
    }

    /** Takes an intent of a transaction that counts. */
    void add(SliceRows row) {
        snapshots.put(id(row), row.place());
    }

    /** Takes a write with an intent. @return whether it is violated; false for the second write of a transaction */
    boolean isOverlapping(SliceRows row) {
        int key = row.key();
        if (key >= lastWrites.length) {
            int known = lastWrites.length;
            lastWrites = Arrays.copyOf(lastWrites, 2 * key + 1);
            Arrays.fill(lastWrites, known, lastWrites.length, NOWHERE);
        }
        snapshot = snapshots.remove(id(row));
        boolean isOverlapping = snapshot != NOWHERE && lastWrites[key] > snapshot;
        lastWrites[key] = row.place();
        return isOverlapping;
    }

    /** The place of the snapshot of the write that was taken last. */
    long snapshot() {
        return snapshot;
    }

    private static long id(SliceRows row) {
        return (long) row.key() << Integer.SIZE | row.session();
    }
}
