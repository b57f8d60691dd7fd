package org.polygraph.storage.table;

import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.lists.ListCodes;

/** What ids and codes of a piece are in a builder that has its dictionaries, see {@link HistoryTableBuilder#translate}. */
public final class Translation {
    private final int[] keys;
    private final ValueDictionary.Codes values;
    /** By list that was read. */
    private final int[] lists;

    Translation(int[] keys, ValueDictionary.Codes values, int[] lists) {
        this.keys = keys;
        this.values = values;
        this.lists = lists;
    }

    /** A key and kind, as {@link HistoryTable#operationKeys} has them. */
    public int key(int keyAndKind) {
        return keys[keyAndKind >>> 1] << 1 | (keyAndKind & 1);
    }

    /** The code of a value, or of what stands for a list. */
    public long value(long code) {
        if (ListCodes.isRead(code)) {
            return ListCodes.read(lists[ListCodes.list(code)]);
        }
        return code == ListCodes.BEFORE_APPEND ? code : values.of(code);
    }
}
