package org.polygraph.jobs.windows;

import it.unimi.dsi.fastutil.longs.Long2ByteOpenHashMap;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.util.List;

/**
 * Which transactions of unknown outcome count: one that is the only possible writer of what a counted transaction read counts; one
 * that another one that counts or may count read from may count; the others do not. Memory: 32 bytes a read of what they wrote.
 */
final class UnknownOutcomes {
    static final byte NO = 0;
    static final byte MAYBE = 1;
    static final byte YES = 2;

    private final LongArrayList readers = new LongArrayList();
    private final LongArrayList writers = new LongArrayList();
    private final LongArrayList only = new LongArrayList();
    /** By place. */
    private final Long2ByteOpenHashMap outcomes = new Long2ByteOpenHashMap();

    /** @param results of {@link UnknownTask}s */
    UnknownOutcomes(List<byte[]> results) {
        for (byte[] result : results) {
            BlockReader in = new BlockReader(result);
            while (in.hasMore()) {
                long reader = in.unsigned();
                boolean counts = in.unsigned() == 1;
                readers.add(counts ? -1 : reader);
                writers.add(in.unsigned());
                only.add(in.unsigned());
            }
        }
        outcomes.put(-1, YES);
        boolean changed = true;
        while (changed) {
            changed = false;
            for (int i = 0; i < readers.size(); i++) {
                byte reader = outcomes.get(readers.getLong(i));
                byte writer = outcomes.get(writers.getLong(i));
                byte now = reader == NO ? NO : reader == YES && only.getLong(i) == 1 ? YES : MAYBE;
                if (now > writer) {
                    outcomes.put(writers.getLong(i), now);
                    changed = true;
                }
            }
        }
        outcomes.remove(-1);
    }

    /** By place: {@link #MAYBE} or {@link #YES}; the others do not count. */
    Long2ByteOpenHashMap outcomes() {
        return outcomes;
    }
}
