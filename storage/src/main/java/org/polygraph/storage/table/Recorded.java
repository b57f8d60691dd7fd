package org.polygraph.storage.table;

import org.polygraph.storage.dictionary.KeyDictionary;

/**
 * The operations of a history with predicates or columns of rows as they were recorded, with codes that represent these.
 *
 * @param keyCount the number of its keys, which are the first ones
 */
record Recorded(KeyDictionary keys, int keyCount, Operations operations, Predicates predicates) {}
