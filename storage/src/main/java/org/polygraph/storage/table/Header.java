package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.ints.Int2LongMap;
import it.unimi.dsi.fastutil.ints.Int2LongOpenHashMap;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The header of a history, and where it was read.
 *
 * @param source where the transactions come from
 * @param initialValue the code of the value that a key has before the first transaction
 * @param state by key: the code of another initial value; null for none
 * @param metadata the other fields of the header, as JSON
 */
record Header(
        HistoryTable.Source source,
        long initialValue,
        @Nullable Int2LongMap state,
        Map<String, String> metadata) {
    Header {
        metadata = Collections.unmodifiableMap(new LinkedHashMap<>(metadata));
    }

    /** The same with other initial values of some keys. */
    Header with(@Nullable Int2LongMap other) {
        return new Header(source, initialValue, other, metadata);
    }

    /** The header of a history of some keys. @param ofKeys by key there: its id here */
    Header ofKeys(int[] ofKeys) {
        if (state == null) {
            return this;
        }
        Int2LongMap picked = new Int2LongOpenHashMap();
        for (int k = 0; k < ofKeys.length; k++) {
            if (state.containsKey(ofKeys[k])) {
                picked.put(k, state.get(ofKeys[k]));
            }
        }
        return with(picked.isEmpty() ? null : picked);
    }
}
