package org.polygraph.jobs.windows;

import it.unimi.dsi.fastutil.objects.Object2IntOpenHashMap;
import it.unimi.dsi.fastutil.objects.Object2ObjectOpenHashMap;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which transactions of unknown outcome count. A transaction counts if only it can have written what a counted transaction read. It may count if a
 * transaction that counts or may count can have read from it. The others do not count. Memory: 100 bytes for each pair
 * of a read of what they wrote and a possible writer.
 */
final class UnknownOutcomes {
    static final int NO = 0;
    static final int MAYBE = 1;
    static final int YES = 2;

    /** A transaction. @param session its number */
    record Name(int session, long index) implements Serializable {
        static Name of(SliceRows row) {
            return new Name(row.session(), row.index());
        }
    }

    /**
     * A read of what a transaction of unknown outcome wrote.
     *
     * @param reader null if it counts
     * @param isOnly whether no other transaction may have written the value
     */
    record Read(@Nullable Name reader, Name writer, boolean isOnly) implements Serializable {}

    private final Object2IntOpenHashMap<Name> outcomes = new Object2IntOpenHashMap<>();

    /** @param results of {@link UnknownTask}s */
    UnknownOutcomes(List<? extends List<Read>> results) {
        Map<@Nullable Name, List<Read>> reads = new Object2ObjectOpenHashMap<>();
        for (List<Read> result : results) {
            for (Read read : result) {
                reads.computeIfAbsent(read.reader, reader -> new ArrayList<>(1)).add(read);
            }
        }
        List<@Nullable Name> changed = new ArrayList<>();
        changed.add(null);
        while (!changed.isEmpty()) {
            Name reader = changed.remove(changed.size() - 1);
            boolean counts = reader == null || outcomes.getInt(reader) == YES;
            for (Read read : reads.getOrDefault(reader, List.of())) {
                int now = counts && read.isOnly ? YES : MAYBE;
                if (now > outcomes.getInt(read.writer)) {
                    outcomes.put(read.writer, now);
                    changed.add(read.writer);
                }
            }
        }
    }

    /** By transaction: {@link #MAYBE} or {@link #YES}; the others do not count. */
    Object2IntOpenHashMap<Name> outcomes() {
        return outcomes;
    }
}
