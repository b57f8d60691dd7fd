package org.polygraph.partitioner.axiom;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.index.ReadsFrom;
import org.polygraph.storage.table.Operations;

/** The external reads of one transaction with their sources, in order, and lookups of writes. */
final class ReadEdges {
    /** The writes of a longer transaction are found by binary search in the sorted copy. */
    private static final int SHORT = 24;
    /** The round of edges that follow from the axiom. */
    private static final int DEMANDED = 1;

    private final KnownGraph graph;
    private final int[] operationStarts;
    private final int[] operationKeys;
    private final int[] sources;
    private final int[] sessionOf;
    /** By source plus 1: the last pass over the reads of a long transaction that met this source. */
    private int[] seenBy = new int[0];

    private int stamp;
    /** Its use keeps the compiler from removing the reads. */
    @SuppressWarnings("UnusedVariable")
    private int fetched;

    /** For a long transaction: (key, read) in order, once {@link #sorted}. */
    private long[] byKey = new long[0];

    private boolean sorted;
    /** The keys of operations, sorted within each long transaction; empty if there is none. */
    private int[] sortedKeys = new int[0];

    /** The keys of the current transaction's reads; the arrays below have the sources. */
    int[] keys = new int[16];

    int[] from = new int[16];
    int count;
    /** See {@link org.polygraph.storage.table.HistoryTable#statements}. */
    private final int @Nullable [] statements;

    /** By read of the current transaction: the first one of a later statement; unused if each is a statement. */
    private int[] later = new int[16];

    ReadEdges(ReadsFrom reads, KnownGraph graph) {
        this.graph = graph;
        this.operationStarts = reads.table().operationStarts();
        this.operationKeys = reads.table().operationKeys();
        this.sources = reads.sources();
        this.sessionOf = graph.events().chainsByTransaction();
        this.statements = reads.table().statements();
        for (int t = 0; t < sessionOf.length; t++) {
            if (operationStarts[t + 1] - operationStarts[t] > SHORT) {
                sortedKeys = sortedKeys.length == 0 ? operationKeys.clone() : sortedKeys;
                Arrays.sort(sortedKeys, operationStarts[t], operationStarts[t + 1]);
            }
        }
    }

    /** Loads a transaction's reads whose source is known. */
    void load(int transaction) {
        count = 0;
        sorted = false;
        for (int o = operationStarts[transaction]; o < operationStarts[transaction + 1]; o++) {
            if (sources[o] >= ReadsFrom.INITIAL) {
                if (count == keys.length) {
                    keys = Arrays.copyOf(keys, 2 * count);
                    from = Arrays.copyOf(from, 2 * count);
                    later = Arrays.copyOf(later, 2 * count);
                }
                keys[count] = Operations.key(operationKeys[o]);
                later[count] = o;
                from[count++] = sources[o];
            }
        }
        int next = count;
        for (int i = count - 1; statements != null && i >= 0; i--) {
            int own = statements[later[i]];
            later[i] = next;
            next = i > 0 && statements[later[i - 1]] != own ? i : next;
        }
    }

    /** The first read of a later statement than read i. */
    int later(int i) {
        return statements == null ? i + 1 : later[i];
    }

    /**
     * Reads the first and the last operation of the sources of several transactions, and their sessions. They are spread
     * over memory. The processor fetches several at the same time if no comparison waits for one of them.
     */
    void fetch(int from, int to) {
        int sum = 0;
        for (int o = operationStarts[from]; o < operationStarts[to]; o++) {
            int source = sources[o];
            if (source >= 0) {
                sum += operationKeys[operationStarts[source]]
                        + operationKeys[operationStarts[source + 1] - 1]
                        + sessionOf[source];
            }
        }
        fetched += sum;
    }

    /** Whether read i is the first of its source. The caller asks for the reads of a transaction in their order. */
    boolean isFirstOfSource(int i) {
        int source = from[i];
        if (count > SHORT) {
            if (seenBy.length == 0) {
                seenBy = new int[operationStarts.length];
                Arrays.fill(seenBy, -1);
            }
            if (i == 0) {
                stamp++;
            }
            boolean first = seenBy[source + 1] != stamp;
            seenBy[source + 1] = stamp;
            return first;
        }
        for (int j = 0; j < i; j++) {
            if (from[j] == source) {
                return false;
            }
        }
        return true;
    }

    /**
     * Orders {@code seen}, which the current transaction sees, before the source of each of its reads of a key that
     * {@code seen} wrote.
     *
     * @param seen a transaction
     * @param first the first read that is affected
     * @return -1, or the key of an initial value that was read although {@code seen} overwrote it
     */
    int precede(int seen, int first) {
        if (count > SHORT && operationStarts[seen + 1] - operationStarts[seen] < count - first) {
            return precedeByWrites(seen, first);
        }
        for (int i = first; i < count; i++) {
            if (from[i] != seen && writes(seen, keys[i])) {
                if (from[i] == ReadsFrom.INITIAL) {
                    return keys[i];
                }
                add(seen, from[i]);
            }
        }
        return -1;
    }

    /**
     * For long transactions: iterates over the writes of the other one, so that a pair costs the shorter of the two
     * (AWDIT).
     */
    private int precedeByWrites(int seen, int first) {
        if (!sorted) {
            sortReads();
        }
        for (int o = operationStarts[seen]; o < operationStarts[seen + 1]; o++) {
            if (!Operations.isWrite(operationKeys[o])) {
                continue;
            }
            int key = Operations.key(operationKeys[o]);
            int at = Arrays.binarySearch(byKey, 0, count, (long) key << 32 | first);
            // The next read of the key from another writer; edges for later ones follow from it.
            for (int i = at < 0 ? -at - 1 : at; i < count && (int) (byKey[i] >>> 32) == key; i++) {
                int source = from[(int) byKey[i]];
                if (source == seen) {
                    continue;
                }
                if (source == ReadsFrom.INITIAL) {
                    return key;
                }
                add(seen, source);
                break;
            }
        }
        return -1;
    }

    private void sortReads() {
        if (byKey.length < count) {
            byKey = new long[Math.max(count, 2 * byKey.length)];
        }
        for (int i = 0; i < count; i++) {
            byKey[i] = (long) keys[i] << 32 | i;
        }
        Arrays.sort(byKey, 0, count);
        sorted = true;
    }

    /** Whether the transaction writes the key. */
    boolean writes(int transaction, int key) {
        int begin = operationStarts[transaction];
        int end = operationStarts[transaction + 1];
        int wanted = Operations.pack(key, true);
        if (end - begin <= SHORT) {
            for (int o = begin; o < end; o++) {
                if (operationKeys[o] == wanted) {
                    return true;
                }
            }
            return false;
        }
        return Arrays.binarySearch(sortedKeys, begin, end, wanted) >= 0;
    }

    /** Adds the demanded edge from a to b, unless their session implies it. */
    void add(int a, int b) {
        add(a, b, DEMANDED);
    }

    private void add(int a, int b, int round) {
        if (sessionOf[a] != sessionOf[b] || a > b) {
            graph.add(a, b, round);
        }
    }

    /** One WR edge from each source of the current transaction. */
    void addSources(int transaction) {
        for (int i = 0; i < count; i++) {
            if (isFirstOfSource(i) && from[i] >= 0) {
                add(from[i], transaction, 0);
            }
        }
    }
}
