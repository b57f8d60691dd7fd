package org.polygraph.jobs.windows;

import it.unimi.dsi.fastutil.objects.Object2ByteOpenHashMap;
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
    static final byte NO = 0;
    static final byte MAYBE = 1;
    static final byte YES = 2;

    /** A transaction. @param session its number */
    record Name(int session, long index) implements Serializable {
        private static final long serialVersionUID = 1L;

        static Name of(SliceRows row) {
            return new Name(row.session(), row.index());
        }

        void write(BlockWriter out) {
            out.unsigned(session).signed(index);
        }

        static Name read(BlockReader in) {
            return new Name(in.count(), in.signed());
        }
    }

    /** A read of what a transaction of unknown outcome wrote. @param next another read of the same reader */
    private record Read(
            Name writer, boolean isOnly, @Nullable Read next) {}

    private final Object2ByteOpenHashMap<Name> outcomes = new Object2ByteOpenHashMap<>();

    /** @param results of {@link UnknownTask}s */
    UnknownOutcomes(List<byte[]> results) {
        // By reader; those that count have no name here.
        Map<@Nullable Name, Read> reads = new Object2ObjectOpenHashMap<>();
        for (byte[] result : results) {
            for (BlockReader in = new BlockReader(result); in.hasMore(); ) {
                Name reader = in.unsigned() == 1 ? null : Name.read(in);
                Name writer = Name.read(in);
                reads.put(reader, new Read(writer, in.unsigned() == 1, reads.get(reader)));
            }
        }
        List<@Nullable Name> changed = new ArrayList<>();
        changed.add(null);
        while (!changed.isEmpty()) {
            Name reader = changed.remove(changed.size() - 1);
            boolean counts = reader == null || outcomes.getByte(reader) == YES;
            for (Read read = reads.get(reader); read != null; read = read.next) {
                byte now = counts && read.isOnly ? YES : MAYBE;
                if (now > outcomes.getByte(read.writer)) {
                    outcomes.put(read.writer, now);
                    changed.add(read.writer);
                }
            }
        }
    }

    /** By transaction: {@link #MAYBE} or {@link #YES}; the others do not count. */
    Object2ByteOpenHashMap<Name> outcomes() {
        return outcomes;
    }
}
