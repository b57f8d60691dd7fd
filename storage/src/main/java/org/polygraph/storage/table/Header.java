package org.polygraph.storage.table;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import it.unimi.dsi.fastutil.ints.Int2LongMap;
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
        HistoryTable.Source source, long initialValue, @Nullable Int2LongMap state, Map<String, String> metadata) {
    Header {
        metadata = Collections.unmodifiableMap(new LinkedHashMap<>(metadata));
    }
}
