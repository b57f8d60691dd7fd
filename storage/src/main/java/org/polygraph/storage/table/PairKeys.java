package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.ints.Int2LongOpenHashMap;
import it.unimi.dsi.fastutil.longs.Long2IntOpenHashMap;
import it.unimi.dsi.fastutil.objects.Object2IntOpenHashMap;
import org.polygraph.storage.dictionary.KeyDictionary;

/**
 * The keys that state whether rows match conditions. They stay the same from one selection of pairs to the next. A pair
 * has a key of its own, and one for each value that a version has to have besides.
 */
final class PairKeys {
    private static final int NONE = -1;

    private final KeyDictionary keys;
    private final Predicates predicates;
    private final Long2IntOpenHashMap plain = new Long2IntOpenHashMap();
    /** By label. */
    private final Object2IntOpenHashMap<String> ofValues = new Object2IntOpenHashMap<>();

    private final Int2LongOpenHashMap pairs = new Int2LongOpenHashMap();

    /** @param keys gets those that are new */
    PairKeys(KeyDictionary keys, Predicates predicates) {
        this.keys = keys;
        this.predicates = predicates;
        plain.defaultReturnValue(NONE);
        ofValues.defaultReturnValue(NONE);
        pairs.defaultReturnValue(NONE);
    }

    /** The key of a pair, which no transaction has. */
    synchronized int of(long pair) {
        int known = plain.get(pair);
        if (known == NONE) {
            known = added(pair, label(pair));
            plain.put(pair, known);
        }
        return known;
    }

    /** The key of a pair and a value that a version has to have besides. @param value its label */
    synchronized int of(long pair, String value) {
        String label = label(pair) + PredicateReads.WITH_VALUE + value;
        int known = ofValues.getInt(label);
        if (known == NONE) {
            known = added(pair, label);
            ofValues.put(label, known);
        }
        return known;
    }

    private String label(long pair) {
        return PredicateReads.ROW + keys.label((int) pair) + " "
                + predicates.condition((int) (pair >>> 32)).label();
    }

    private int added(long pair, String label) {
        int key = keys.newId(label);
        pairs.put(key, pair);
        return key;
    }

    /** The pair of a key; -1 for other keys. */
    synchronized long pairOf(int key) {
        return pairs.get(key);
    }

    /** Whether a key is that of a pair and no value. */
    synchronized boolean is(int key, long pair) {
        return plain.get(pair) == key;
    }
}
