package org.polygraph.storage.columnar;

import it.unimi.dsi.fastutil.ints.IntArrays;
import it.unimi.dsi.fastutil.longs.Long2IntOpenHashMap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.Outcome;

/**
 * Collects transactions in any order and sorts them by (session, index) at the end. One transaction at a time:
 * {@link #begin}, then {@link #read} and {@link #write}, then {@link #end}. Not thread-safe; used once.
 *
 * <p>Memory while building: the table itself with up to 50 % of growing slack, and twice the table during
 * {@link #build} if the input was not sorted.
 */
public final class HistoryTableBuilder {
    private final KeyDictionary keys = new KeyDictionary();
    private final ValueDictionary values = new ValueDictionary();
    private final Long2IntOpenHashMap sessionIds = new Long2IntOpenHashMap();
    private long[] sessionLabels = new long[16];
    private int sessions;

    private final List<String> files = new ArrayList<>();
    private final boolean lines;
    private final Map<String, String> metadata = new LinkedHashMap<>();
    private long initialValue = ValueDictionary.NULL;

    private int transactions;
    private int[] sessionOf = new int[1024];
    private long[] indexes = new long[1024];
    private long[] sources = new long[1024];
    private byte[] outcomes = new byte[1024];
    private long @Nullable [] starts;
    private long @Nullable [] ends;
    private int[] operationStarts = new int[1025];

    private int operations;
    private int[] operationKeys = new int[8192];
    private long[] operationValues = new long[8192];

    /** @param lines whether source positions are lines (from 1) rather than bytes (from 0) */
    public HistoryTableBuilder(boolean lines) {
        this.lines = lines;
        sessionIds.defaultReturnValue(-1);
    }

    public KeyDictionary keys() {
        return keys;
    }

    public ValueDictionary values() {
        return values;
    }

    /** Names the file that the following transactions come from. */
    public void file(String name) {
        files.add(name);
    }

    /** A header field, its value as JSON text. */
    public void metadata(String name, String json) {
        metadata.put(name, json);
    }

    /** The code of the value that every key has at first; null unless set. */
    public void initialValue(long code) {
        initialValue = code;
    }

    /**
     * Opens a transaction. Its operations follow; {@link #end} closes it.
     *
     * @param index orders the session's transactions; gaps are allowed, duplicates are found in {@link #build}
     * @param position line or byte within the current file, at most 2^44
     */
    public void begin(long session, long index, Outcome outcome, long position) {
        int t = transactions;
        if (t == outcomes.length) {
            int capacity = t + (t >> 1);
            sessionOf = Arrays.copyOf(sessionOf, capacity);
            indexes = Arrays.copyOf(indexes, capacity);
            sources = Arrays.copyOf(sources, capacity);
            outcomes = Arrays.copyOf(outcomes, capacity);
            operationStarts = Arrays.copyOf(operationStarts, capacity + 1);
            if (starts != null && ends != null) {
                starts = Arrays.copyOf(starts, capacity);
                ends = Arrays.copyOf(ends, capacity);
                Arrays.fill(starts, t, capacity, HistoryTable.NO_TIME);
                Arrays.fill(ends, t, capacity, HistoryTable.NO_TIME);
            }
        }
        sessionOf[t] = sessionId(session);
        indexes[t] = index;
        outcomes[t] = outcome.code();
        sources[t] = HistoryTable.packSource(Math.max(0, files.size() - 1), position);
    }

    /** Times of the open transaction in ns; {@link HistoryTable#NO_TIME} where unknown. */
    public void times(long start, long end) {
        if (starts == null || ends == null) {
            starts = new long[outcomes.length];
            ends = new long[outcomes.length];
            Arrays.fill(starts, HistoryTable.NO_TIME);
            Arrays.fill(ends, HistoryTable.NO_TIME);
        }
        starts[transactions] = start;
        ends[transactions] = end;
    }

    /** Replaces the outcome of the open transaction, for formats that tell it last. */
    public void outcome(Outcome outcome) {
        outcomes[transactions] = outcome.code();
    }

    public void read(int key, long valueCode) {
        operation(key << 1, valueCode);
    }

    public void write(int key, long valueCode) {
        operation(key << 1 | 1, valueCode);
    }

    private void operation(int keyAndKind, long valueCode) {
        int o = operations;
        if (o == operationKeys.length) {
            int capacity = (int) Math.min(Integer.MAX_VALUE - 8L, o + ((long) o >> 1));
            if (capacity == o) {
                throw new IllegalStateException("more than " + o + " operations");
            }
            operationKeys = Arrays.copyOf(operationKeys, capacity);
            operationValues = Arrays.copyOf(operationValues, capacity);
        }
        operationKeys[o] = keyAndKind;
        operationValues[o] = valueCode;
        operations = o + 1;
    }

    /** Closes the open transaction. */
    public void end() {
        operationStarts[++transactions] = operations;
    }

    public int transactions() {
        return transactions;
    }

    private int sessionId(long label) {
        int id = sessionIds.get(label);
        if (id < 0) {
            id = sessions++;
            if (id == sessionLabels.length) {
                sessionLabels = Arrays.copyOf(sessionLabels, id * 2);
            }
            sessionLabels[id] = label;
            sessionIds.put(label, id);
        }
        return id;
    }

    /**
     * Sorts and checks.
     *
     * @throws HistoryException if two transactions share (session, index): names both places
     */
    public HistoryTable build() throws HistoryException {
        int n = transactions;
        HistoryTable.Source source = new HistoryTable.Source(files, lines);
        // Sessions ascend by label, so that a history means the same however its lines are shuffled.
        int[] rank = sessionRanks();
        int[] sessionStarts = new int[sessions + 1];
        boolean sorted = true;
        for (int t = 0; t < n; t++) {
            sessionStarts[rank[sessionOf[t]] + 1]++;
            if (t > 0) {
                int a = rank[sessionOf[t - 1]];
                int b = rank[sessionOf[t]];
                sorted &= a < b || (a == b && indexes[t - 1] < indexes[t]);
            }
        }
        for (int s = 0; s < sessions; s++) {
            sessionStarts[s + 1] += sessionStarts[s];
        }
        long[] labels = new long[sessions];
        for (int s = 0; s < sessions; s++) {
            labels[rank[s]] = sessionLabels[s];
        }
        if (sorted) {
            return new HistoryTable(
                    labels,
                    sessionStarts,
                    Arrays.copyOf(outcomes, n),
                    Arrays.copyOf(indexes, n),
                    Arrays.copyOf(sources, n),
                    starts == null ? null : Arrays.copyOf(starts, n),
                    ends == null ? null : Arrays.copyOf(ends, n),
                    Arrays.copyOf(operationStarts, n + 1),
                    Arrays.copyOf(operationKeys, operations),
                    Arrays.copyOf(operationValues, operations),
                    keys,
                    values,
                    initialValue,
                    source,
                    metadata);
        }
        int[] order = order(rank, sessionStarts);
        checkUnique(order, source);
        return permuted(order, labels, sessionStarts, source);
    }

    private int[] sessionRanks() {
        long[] sortedLabels = Arrays.copyOf(sessionLabels, sessions);
        Arrays.sort(sortedLabels);
        int[] rank = new int[sessions];
        for (int s = 0; s < sessions; s++) {
            rank[s] = Arrays.binarySearch(sortedLabels, sessionLabels[s]);
        }
        return rank;
    }

    private int[] order(int[] rank, int[] sessionStarts) {
        int[] next = Arrays.copyOf(sessionStarts, sessions);
        int[] order = new int[transactions];
        for (int t = 0; t < transactions; t++) {
            order[next[rank[sessionOf[t]]]++] = t;
        }
        for (int s = 0; s < sessions; s++) {
            int from = sessionStarts[s];
            int to = sessionStarts[s + 1];
            for (int i = from + 1; i < to; i++) {
                if (indexes[order[i - 1]] >= indexes[order[i]]) {
                    IntArrays.mergeSort(order, from, to, (a, b) -> Long.compare(indexes[a], indexes[b]));
                    break;
                }
            }
        }
        return order;
    }

    private void checkUnique(int[] order, HistoryTable.Source source) throws HistoryException {
        for (int i = 1; i < order.length; i++) {
            int a = order[i - 1];
            int b = order[i];
            if (sessionOf[a] == sessionOf[b] && indexes[a] == indexes[b]) {
                throw new HistoryException(
                        HistoryTable.describe(source, sources[b]),
                        "session " + sessionLabels[sessionOf[b]] + " index " + indexes[b] + " a second time (first at "
                                + HistoryTable.describe(source, sources[a]) + ")",
                        "each (session, index) once",
                        "number the transactions of a session in the order it ran them");
            }
        }
    }

    private HistoryTable permuted(int[] order, long[] labels, int[] sessionStarts, HistoryTable.Source source) {
        int n = transactions;
        byte[] newOutcomes = new byte[n];
        long[] newIndexes = new long[n];
        long[] newSources = new long[n];
        long[] newStarts = starts == null ? null : new long[n];
        long[] newEnds = ends == null ? null : new long[n];
        int[] newOperationStarts = new int[n + 1];
        int[] newKeys = new int[operations];
        long[] newValues = new long[operations];
        int o = 0;
        for (int i = 0; i < n; i++) {
            int t = order[i];
            newOutcomes[i] = outcomes[t];
            newIndexes[i] = indexes[t];
            newSources[i] = sources[t];
            if (newStarts != null && newEnds != null && starts != null && ends != null) {
                newStarts[i] = starts[t];
                newEnds[i] = ends[t];
            }
            int from = operationStarts[t];
            int length = operationStarts[t + 1] - from;
            System.arraycopy(operationKeys, from, newKeys, o, length);
            System.arraycopy(operationValues, from, newValues, o, length);
            o += length;
            newOperationStarts[i + 1] = o;
        }
        return new HistoryTable(
                labels,
                sessionStarts,
                newOutcomes,
                newIndexes,
                newSources,
                newStarts,
                newEnds,
                newOperationStarts,
                newKeys,
                newValues,
                keys,
                values,
                initialValue,
                source,
                metadata);
    }
}
