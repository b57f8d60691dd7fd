package org.polygraph.storage.table;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.dictionary.KeyDictionary;

/**
 * The predicates and columns of rows of a history as they were recorded: codes that represent them, at their places
 * among the other operations.
 *
 * @param keyCount the number of its keys, which are the first ones
 */
record Recorded(KeyDictionary keys, int keyCount, PredicateMarks marks, Predicates predicates) {
    RecordedCounts counts() {
        int writes = 0;
        for (int keyAndKind : marks.operations().keys()) {
            writes += Operations.isWrite(keyAndKind) ? 1 : 0;
        }
        int reads = marks.operations().keys().length - writes;
        int queries = 0;
        for (int p = 0; p < predicates.size(); p++) {
            queries += predicates.isRead(p) ? 1 : 0;
        }
        int predicateWrites = predicates.size() - queries;
        return new RecordedCounts(reads + queries, writes + predicateWrites, keyCount, queries, predicateWrites);
    }

    /** The operations with these codes. Linear. */
    Operations operations() {
        Operations plain = marks.operations();
        int[] plainStarts = plain.starts();
        int all = plain.keys().length + marks.size();
        int[] starts = new int[plainStarts.length];
        int[] ids = new int[all];
        long[] values = new long[all];
        byte[] plainKinds = plain.kinds();
        byte @Nullable [] kinds = plainKinds == null ? null : new byte[all];
        int n = 0;
        for (int t = 0; t + 1 < plainStarts.length; t++) {
            marks.seek(t);
            for (int o = plainStarts[t]; o <= plainStarts[t + 1]; o++) {
                for (long code; (code = marks.next(t, o)) != 0; ) {
                    values[n++] = code;
                }
                if (o < plainStarts[t + 1]) {
                    ids[n] = plain.keys()[o];
                    values[n] = plain.values()[o];
                    if (kinds != null && plainKinds != null) {
                        kinds[n] = plainKinds[o];
                    }
                    n++;
                }
            }
            starts[t + 1] = n;
        }
        return new Operations(starts, Arrays.copyOf(ids, n), Arrays.copyOf(values, n), kinds);
    }
}
