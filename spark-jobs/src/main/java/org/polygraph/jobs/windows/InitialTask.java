package org.polygraph.jobs.windows;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.storage.dictionary.KeyDictionary;

/**
 * Finds keys of a slice that have a value of their own before the first transaction. Result: items of key and value.
 *
 * @param asked the keys to look for, as a block; null for those that operations have
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record InitialTask(SliceRows.Slice slice, byte @Nullable [] asked) implements Task<byte[]> {
    @Override
    public byte[] run(Budget budget) throws IOException {
        SliceRows rows = slice.rows();
        KeyDictionary keys = rows.keys();
        if (asked == null) {
            while (rows.next()) {
                // The dictionary collects the keys.
            }
        } else {
            for (BlockReader in = new BlockReader(asked); in.hasMore(); ) {
                in.key(keys);
            }
        }
        BlockWriter found = new BlockWriter();
        for (int key = 0; key < keys.size(); key++) {
            if (rows.hasOwn(key)) {
                found.key(keys, key).value(rows.values(), rows.initial(key));
            }
        }
        return found.toBytes();
    }
}
