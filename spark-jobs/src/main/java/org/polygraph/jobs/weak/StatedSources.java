package org.polygraph.jobs.weak;

import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.ReadSources;
import org.polygraph.storage.table.HistoryTable;

/**
 * The sources that a certificate of RC, RA or CC has to name: those of statements with a read that does not return the
 * last write before it in the order, or returns the same value as it from another transaction.
 *
 * <p>Linear time, and for such statements a search for each named source in their reads. Memory: 12 bytes a key and 9 an
 * operation.
 */
final class StatedSources {
    private final HistoryTable table;
    private final boolean[] counted;
    /** By operation: what it read from; {@link ReadSources#NONE} where it is no read of another transaction. */
    private final int[] sources;
    /** The reads whose source is not the last writer of the key before them. */
    private final BitSet isOlder = new BitSet();

    private StatedSources(HistoryTable table, boolean[] counted, int[] sources) {
        this.table = table;
        this.counted = counted;
        this.sources = new int[table.operations()];
        Arrays.fill(this.sources, ReadSources.NONE);
        complete(sources);
    }

    /**
     * Returns the sources to name; null if there are none.
     *
     * @param position by transaction: its place in the order
     * @param sources by operation: the transaction that it read from, or {@link ReadSources#INITIAL}; negative and not
     *     this for a write, a read of an own write, and perhaps for a further read of a key
     */
    static @Nullable ReadSources of(HistoryTable table, boolean[] counted, int[] position, int[] sources) {
        StatedSources stated = new StatedSources(table, counted, sources);
        stated.compare(position);
        return stated.isOlder.isEmpty() ? null : stated.named();
    }

    /** Copies the sources of reads; a further read of a key read from the same transaction as the one before. */
    private void complete(int[] known) {
        int[] latest = new int[table.keys().size()];
        for (int t = 0; t < counted.length; t++) {
            for (int o = table.firstOperation(t); counted[t] && o < table.operationsEnd(t); o++) {
                latest[table.key(o)] = ReadSources.NONE;
            }
            for (int o = table.firstOperation(t); counted[t] && o < table.operationsEnd(t); o++) {
                int key = table.key(o);
                if (table.isWrite(o)) {
                    // Later reads of the key are of this write.
                    latest[key] = t;
                } else if (latest[key] != t) {
                    latest[key] = known[o] >= ReadSources.INITIAL ? known[o] : latest[key];
                    sources[o] = latest[key];
                }
            }
        }
    }

    private void compare(int[] position) {
        int[] order = new int[counted.length];
        Arrays.fill(order, ReadSources.NONE);
        for (int t = 0; t < counted.length; t++) {
            if (counted[t]) {
                order[position[t]] = t;
            }
        }
        int[] writers = new int[table.keys().size()];
        Arrays.fill(writers, ReadSources.INITIAL);
        for (int t : order) {
            for (int o = t < 0 ? 0 : table.firstOperation(t); t >= 0 && o < table.operationsEnd(t); o++) {
                if (table.isWrite(o)) {
                    writers[table.key(o)] = t;
                } else if (sources[o] != ReadSources.NONE && sources[o] != writers[table.key(o)]) {
                    isOlder.set(o);
                }
            }
        }
    }

    private ReadSources named() {
        int[] statements = ReadSources.statements(table);
        ReadSources.Builder named = new ReadSources.Builder(table.transactions());
        for (int t = 0; t < counted.length; t++) {
            int end = table.operationsEnd(t);
            for (int o = isOlder.nextSetBit(table.firstOperation(t)); o >= 0 && o < end; ) {
                int from = o;
                while (from > table.firstOperation(t) && statements[from - 1] == statements[o]) {
                    from--;
                }
                int to = o + 1;
                while (to < end && statements[to] == statements[o]) {
                    to++;
                }
                name(t, from, to, statements[o], named);
                o = isOlder.nextSetBit(to);
            }
        }
        return named.build();
    }

    /** Names the sources of a statement with the reads [from, to). */
    private void name(int t, int from, int to, int statement, ReadSources.Builder named) {
        BitSet older = new BitSet();
        for (int o = isOlder.nextSetBit(from); o >= 0 && o < to; o = isOlder.nextSetBit(o + 1)) {
            older.set(sources[o] + 1);
        }
        boolean needsAll = false;
        for (int o = from; o < to && !needsAll; o++) {
            needsAll = !isOlder.get(o) && sources[o] != ReadSources.NONE && isLeft(older, o);
        }
        for (int o = from; o < to && needsAll; o++) {
            if (sources[o] != ReadSources.NONE) {
                older.set(sources[o] + 1);
            }
        }
        older.stream().forEach(writer -> named.add(t, statement, writer - 1));
    }

    /** Whether one of some transactions left what a read returned. @param writers their numbers plus one */
    private boolean isLeft(BitSet writers, int o) {
        for (int w = writers.nextSetBit(0); w >= 0; w = writers.nextSetBit(w + 1)) {
            int write = w == 0 ? -1 : table.lastWrite(w - 1, table.key(o));
            long left = write < 0 ? table.initialValue(table.key(o)) : table.value(write);
            if ((w == 0 || write >= 0) && left == table.value(o)) {
                return true;
            }
        }
        return false;
    }
}
