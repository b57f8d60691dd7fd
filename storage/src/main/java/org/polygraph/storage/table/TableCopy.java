package org.polygraph.storage.table;

import org.polygraph.storage.dictionary.KeyDictionary;
import org.polygraph.storage.dictionary.ValueDictionary;

/** Copies reads and writes, one by one, to a history that is being built and has dictionaries of its own. */
public final class TableCopy {
    private final HistoryTableBuilder builder;

    public TableCopy(HistoryTableBuilder builder) {
        this.builder = builder;
    }

    /** Copies an operation. */
    public void add(HistoryTable from, int operation) {
        long value = from.value(operation);
        if (from.isWrite(operation)) {
            builder.write(id(from.keys(), from.key(operation)), code(from.values(), value));
        } else {
            read(from, from.key(operation), value);
        }
    }

    /** Adds a read of a key. */
    public void read(HistoryTable from, int key, long value) {
        builder.read(id(from.keys(), key), code(from.values(), value));
    }

    /** The key's id in the new history. */
    public int id(KeyDictionary from, int key) {
        return builder.keys().id(from, key);
    }

    /** The value's code in the new history. */
    public long code(ValueDictionary from, long value) {
        return code(from, value, builder.values());
    }

    /**
     * The code of a value in another dictionary. An opaque value or a version becomes a string. No caller has two that
     * would become equal by this: lists, predicates and Cobra, which make such values, are neither cut nor continued.
     */
    public static long code(ValueDictionary from, long value, ValueDictionary to) {
        if (from.isOther(value)) {
            return to.otherThan(code(from, from.excluded(value), to));
        }
        if (from.isGiven(value)) {
            return to.given(code(from, from.withoutVersion(value), to), from.givenVersion(value));
        }
        return from.isNull(value)
                ? value
                : from.isInteger(value) ? to.code(from.integer(value)) : to.code(from.text(value));
    }
}
