package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.longs.Long2IntOpenHashMap;
import it.unimi.dsi.fastutil.longs.LongArrayList;

/** Dense ids of sessions, in order of first appearance. */
final class SessionDictionary {
    private static final long BYTES_PER_SESSION = 28;

    private final Long2IntOpenHashMap ids = new Long2IntOpenHashMap();
    private final LongArrayList labels = new LongArrayList();

    int id(long label) {
        int known = ids.putIfAbsent(label, labels.size() + 1);
        if (known == 0) {
            labels.add(label);
            return labels.size() - 1;
        }
        return known - 1;
    }

    /** A copy of the labels, by id. */
    long[] labels() {
        return labels.toLongArray();
    }

    /** The approximate bytes of heap. */
    long bytes() {
        return BYTES_PER_SESSION * labels.size();
    }
}
