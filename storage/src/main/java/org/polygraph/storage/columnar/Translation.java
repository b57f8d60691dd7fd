package org.polygraph.storage.columnar;

/** What ids and codes of a piece are in a builder that has its dictionaries, see {@link HistoryTableBuilder#translate}. */
public final class Translation {
    private final int[] keys;
    private final ValueDictionary.Codes values;

    Translation(int[] keys, ValueDictionary.Codes values) {
        this.keys = keys;
        this.values = values;
    }

    /** A key and kind, as {@link HistoryTable#operationKeys} has them. */
    public int key(int keyAndKind) {
        return keys[keyAndKind >>> 1] << 1 | (keyAndKind & 1);
    }

    /** A value's code. */
    public long value(long code) {
        return values.of(code);
    }
}
