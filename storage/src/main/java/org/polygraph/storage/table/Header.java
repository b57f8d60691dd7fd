package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.ints.Int2LongMap;
import it.unimi.dsi.fastutil.ints.Int2LongOpenHashMap;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.dictionary.ValueDictionary;

/**
 * The header of a history, and its source.
 *
 * @param source the files that the transactions come from
 * @param initialValue the code of the value that a key has before the first transaction
 * @param state by key: the code of another initial value; null for none
 * @param metadata the other fields of the header, as JSON
 * @param predicates the predicates that reads of keys stand for, perhaps only in part; null for none
 * @param unknownRows the writes by a condition whose rows are not known; null for none
 * @param recorded the operations as they were recorded, if they have predicates or columns; else null
 * @param undone the operations as they were recorded with savepoints and what was undone; null if there are none
 */
record Header(
        SourceFiles source,
        long initialValue,
        @Nullable Int2LongMap state,
        Map<String, String> metadata,
        @Nullable PredicateReads predicates,
        @Nullable UnknownRows unknownRows,
        @Nullable Recorded recorded,
        @Nullable Operations undone) {
    /** The header of a history without predicates. */
    Header(SourceFiles source, long initialValue, @Nullable Int2LongMap state, Map<String, String> metadata) {
        this(source, initialValue, state, metadata, null, null, null, null);
    }

    /** The code of a row whose value is null, in {@link #state}. There, null means that there is no row. */
    static final long ROW_OF_NULL = Long.MIN_VALUE + (1L << 47);

    Header {
        metadata = Collections.unmodifiableMap(new LinkedHashMap<>(metadata));
    }

    private long initialCode(int key) {
        return state == null ? initialValue : state.getOrDefault(key, initialValue);
    }

    /** The code of the value that a key has before the first transaction. */
    long initialValue(int key) {
        long code = initialCode(key);
        return code == ROW_OF_NULL ? ValueDictionary.NULL : code;
    }

    /** Whether a key has a row before the first transaction. */
    boolean existsAtFirst(int key) {
        return initialCode(key) != ValueDictionary.NULL;
    }

    /** By key: the code of its initial value. */
    long[] initialValues(int keys) {
        long[] initial = new long[keys];
        Arrays.setAll(initial, this::initialValue);
        return initial;
    }

    /** Returns a copy with other initial values of some keys. */
    Header with(@Nullable Int2LongMap other) {
        return new Header(source, initialValue, other, metadata, predicates, unknownRows, recorded, undone);
    }

    /** Returns a copy with another field. @param json its value */
    Header with(String field, String json) {
        Map<String, String> all = new LinkedHashMap<>(metadata);
        all.put(field, json);
        return new Header(source, initialValue, state, all, predicates, unknownRows, recorded, undone);
    }

    /** Returns a copy with predicates. */
    Header with(PredicateReads other) {
        return new Header(source, initialValue, state, metadata, other, unknownRows, recorded, undone);
    }

    /** Returns a copy with writes of unknown rows. */
    Header with(UnknownRows other) {
        return new Header(source, initialValue, state, metadata, predicates, other, recorded, undone);
    }

    /** Returns a copy with the operations as they were recorded. */
    Header with(Recorded other) {
        return new Header(source, initialValue, state, metadata, predicates, unknownRows, other, undone);
    }

    /** Returns a copy with the operations as they were recorded, with savepoints. */
    Header withUndone(Operations other) {
        return new Header(source, initialValue, state, metadata, predicates, unknownRows, recorded, other);
    }

    /** Returns the header of a history of some keys, without predicates. @param ofKeys by key there: its id here */
    Header ofKeys(int[] ofKeys) {
        Int2LongMap picked = new Int2LongOpenHashMap();
        for (int k = 0; state != null && k < ofKeys.length; k++) {
            if (state.containsKey(ofKeys[k])) {
                picked.put(k, state.get(ofKeys[k]));
            }
        }
        return new Header(source, initialValue, picked.isEmpty() ? null : picked, metadata);
    }
}
