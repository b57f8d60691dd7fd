package org.polygraph.jobs.certificate.replay;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.Operations;

/**
 * The {@link CausalReplay} of many short sessions. The writers of each key are numbered in the order of commits, and a
 * row of a transaction has a bit for each writer that precedes it or is it. A read is stale if its row has a bit above
 * the writer that it read from.
 *
 * <p>The rows of some writers are computed at once. Time: transactions and operations times writers / 64. Memory:
 * {@value #MOST_LONGS} longs, or one per transaction if these are more; 4 bytes per write and per operation, 8 per key.
 */
final class CausalBitReplay {
    private static final int MOST_WORDS = 64;
    private static final int MOST_LONGS = 1 << 24;

    private final HistoryTable table;
    private final int[] sources;
    private final int[] position;
    private final int[] starts;
    private final int[] keys;
    private final int[] sessionOf;
    /** The writers of key k in commit order, by their positions: [writerStarts[k], writerEnds[k]). */
    private final int[] writers;

    private final int[] writerStarts;
    private final int[] writerEnds;
    /** By write: its writer's number. By read: the number of the first writer that it must not see. */
    private final int[] numbers;

    /** @param sessionOf by transaction */
    CausalBitReplay(HistoryTable table, int[] sources, int[] position, int[] sessionOf) {
        this.table = table;
        this.sources = sources;
        this.position = position;
        this.sessionOf = sessionOf;
        starts = table.operationStarts();
        keys = table.operationKeys();
        writerStarts = CausalReplay.writerStarts(table);
        writerEnds = Arrays.copyOf(writerStarts, writerStarts.length - 1);
        writers = new int[writerStarts[writerStarts.length - 1]];
        numbers = new int[keys.length];
    }

    /** @param order the counted transactions in commit order, and negative numbers; @return a discrepancy, or null */
    @Nullable
    String run(int[] order) {
        return run(order, Math.max(1, Math.min(MOST_WORDS, MOST_LONGS / Math.max(1, table.transactions()))));
    }

    /** The same, with rows of the given number of words. */
    @Nullable
    String run(int[] order, int words) {
        String wrong = number(order);
        long[] rows = new long[table.transactions() * words];
        for (int from = 0; from < writers.length && wrong == null; from += words << 6) {
            Arrays.fill(rows, 0);
            wrong = run(order, rows, words, from);
        }
        return wrong;
    }

    /** Numbers writers and reads. @return a read of a transaction that commits later, or null */
    private @Nullable String number(int[] order) {
        for (int t : order) {
            for (int o = t < 0 ? 0 : starts[t]; t >= 0 && o < starts[t + 1]; o++) {
                int key = Operations.key(keys[o]);
                if (Operations.isWrite(keys[o])) {
                    // A transaction that writes the key again is the last writer already.
                    if (writerEnds[key] == writerStarts[key] || writers[writerEnds[key] - 1] != position[t]) {
                        writers[writerEnds[key]++] = position[t];
                    }
                    numbers[o] = writerEnds[key] - 1;
                } else if (sources[o] >= 0 && position[sources[o]] >= position[t]) {
                    return AxiomReplay.later(table, o, sources[o]);
                } else if (sources[o] >= 0) {
                    numbers[o] =
                            1 + Arrays.binarySearch(writers, writerStarts[key], writerEnds[key], position[sources[o]]);
                } else {
                    numbers[o] = writerStarts[key];
                }
            }
        }
        return null;
    }

    /** Replays with the writers from {@code from} on. */
    private @Nullable String run(int[] order, long[] rows, int words, int from) {
        int[] latest = new int[table.sessions()];
        Arrays.fill(latest, -1);
        for (int t : order) {
            if (t < 0) {
                continue;
            }
            int session = sessionOf[t];
            if (latest[session] >= 0) {
                add(rows, words, t, latest[session]);
            }
            latest[session] = t;
            for (int o = starts[t]; o < starts[t + 1]; o++) {
                if (sources[o] >= 0) {
                    add(rows, words, t, sources[o]);
                }
            }
            for (int o = starts[t]; o < starts[t + 1]; o++) {
                if (sources[o] != SourcesByValue.NONE) {
                    int first = Math.max(0, numbers[o] - from);
                    int end = Math.min(words << 6, writerEnds[Operations.key(keys[o])] - from);
                    if (first < end && hasBit(rows, words * t, first, end)) {
                        return AxiomReplay.stale(table, o, sources[o]);
                    }
                }
            }
            for (int o = starts[t]; o < starts[t + 1]; o++) {
                int bit = numbers[o] - from;
                if (Operations.isWrite(keys[o]) && bit >= 0 && bit < words << 6) {
                    rows[words * t + (bit >> 6)] |= 1L << bit;
                }
            }
        }
        return null;
    }

    private static void add(long[] rows, int words, int to, int from) {
        for (int w = 0; w < words; w++) {
            rows[words * to + w] |= rows[words * from + w];
        }
    }

    private static boolean hasBit(long[] rows, int row, int first, int end) {
        int low = first >> 6;
        int high = end - 1 >> 6;
        for (int w = low; w <= high; w++) {
            long bits = rows[row + w];
            if (w == low) {
                bits &= -1L << first;
            }
            if (w == high) {
                bits &= -1L >>> -end;
            }
            if (bits != 0) {
                return true;
            }
        }
        return false;
    }
}
