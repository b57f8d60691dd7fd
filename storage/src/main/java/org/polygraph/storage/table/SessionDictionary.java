package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.longs.Long2IntOpenHashMap;
import java.util.Arrays;

/** Dense ids of sessions, in order of first appearance. */
final class SessionDictionary {
    private static final long BYTES_PER_SESSION = 28;

    private final Long2IntOpenHashMap ids = new Long2IntOpenHashMap();
    private long[] labels = new long[16];
    private int size;

    SessionDictionary() {
        ids.defaultReturnValue(-1);
    }

    int id(long label) {
        int id = ids.get(label);
        if (id < 0) {
            id = size++;
            if (id == labels.length) {
                labels = Arrays.copyOf(labels, id * 2);
            }
            labels[id] = label;
            ids.put(label, id);
        }
        return id;
    }

    long label(int id) {
        return labels[id];
    }

    /** A copy: by id its label. */
    long[] labels() {
        return Arrays.copyOf(labels, size);
    }

    /** Of heap, about. */
    long bytes() {
        return BYTES_PER_SESSION * size;
    }
}
