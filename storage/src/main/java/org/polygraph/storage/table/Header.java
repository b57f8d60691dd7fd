package org.polygraph.storage.table;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The header of a history, and where it was read.
 *
 * @param source where the transactions come from
 * @param initialValue the code of the value that every key has before the first transaction
 * @param metadata the other fields of the header, as JSON
 */
record Header(HistoryTable.Source source, long initialValue, Map<String, String> metadata) {
    Header {
        metadata = Collections.unmodifiableMap(new LinkedHashMap<>(metadata));
    }
}
