package org.polygraph.jobs.weak;

import it.unimi.dsi.fastutil.ints.IntIterator;
import it.unimi.dsi.fastutil.ints.IntRBTreeSet;
import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.ReadSources;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.Operations;

/**
 * The sources that a certificate of RC, RA or CC has to name: those of statements with a read that does not return the
 * last write before it in the order, or returns the same value as it from another transaction.
 *
 * <p>Linear time, and for such statements a search for each named source in their reads. Memory: 12 bytes a key and 5 an
 * operation.
 */
final class StatedSources {
    private final HistoryTable table;
    private final boolean[] counted;
    /** By operation: what it read from; {@link ReadSources#NONE} where it is no read of another transaction. */
    private final int[] sources;
    /** The reads whose source is not the last writer of the key before them. */
    private final BitSet isOlder = new BitSet();

    private StatedSources(HistoryTable table, boolean[] counted) {
        this.table = table;
        this.counted = counted;
        this.sources = new int[table.operations()];
        Arrays.fill(sources, ReadSources.NONE);
    }

    /**
     * Returns the sources to name; null if there are none.
     *
     * @param position by transaction: its place in the order
     * @param sources by operation: the transaction that it read from, or {@link ReadSources#INITIAL}; negative and not
     *     this for a write, a read of an own write, and perhaps for a further read of a key
     */
    static @Nullable ReadSources of(HistoryTable table, boolean[] counted, int[] position, int[] sources) {
        StatedSources stated = new StatedSources(table, counted);
        stated.compare(position, sources);
        return stated.isOlder.isEmpty() ? null : stated.named();
    }

    /**
     * Copies the sources of reads, and compares them with the last writers. A further read of a key read from the same
     * transaction as the one before.
     */
    private void compare(int[] position, int[] known) {
        int[] order = new int[counted.length];
        Arrays.fill(order, ReadSources.NONE);
        for (int t = 0; t < counted.length; t++) {
            if (counted[t]) {
                order[position[t]] = t;
            }
        }
        int[] operations = table.operationKeys();
        int[] writers = new int[table.keys().size()];
        Arrays.fill(writers, ReadSources.INITIAL);
        // By key: the last transaction that used it, and the source of its last operation of the key, itself for a
        // write.
        int[] users = new int[writers.length];
        Arrays.fill(users, ReadSources.NONE);
        int[] latest = new int[writers.length];
        for (int t : order) {
            for (int o = t < 0 ? 0 : table.firstOperation(t); t >= 0 && o < table.operationsEnd(t); o++) {
                int key = Operations.key(operations[o]);
                if (Operations.isWrite(operations[o])) {
                    writers[key] = t;
                    latest[key] = t;
                } else if (users[key] != t || latest[key] != t) {
                    int before = users[key] == t ? latest[key] : ReadSources.NONE;
                    int source = known[o] >= ReadSources.INITIAL ? known[o] : before;
                    latest[key] = source;
                    sources[o] = source;
                    if (source != ReadSources.NONE && source != writers[key]) {
                        isOlder.set(o);
                    }
                }
                users[key] = t;
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
        if (to == from + 1) {
            named.add(t, statement, sources[from]);
            return;
        }
        IntRBTreeSet older = new IntRBTreeSet();
        for (int o = isOlder.nextSetBit(from); o >= 0 && o < to; o = isOlder.nextSetBit(o + 1)) {
            older.add(sources[o]);
        }
        boolean needsAll = false;
        for (int o = from; o < to && !needsAll; o++) {
            needsAll = !isOlder.get(o) && sources[o] != ReadSources.NONE && isLeft(older, o);
        }
        for (int o = from; o < to && needsAll; o++) {
            if (sources[o] != ReadSources.NONE) {
                older.add(sources[o]);
            }
        }
        older.forEach(writer -> named.add(t, statement, writer));
    }

    /** Whether one of some writers left what a read returned. */
    private boolean isLeft(IntRBTreeSet writers, int o) {
        for (IntIterator each = writers.iterator(); each.hasNext(); ) {
            int writer = each.nextInt();
            boolean isInitial = writer == ReadSources.INITIAL;
            int write = isInitial ? -1 : table.lastWrite(writer, table.key(o));
            long left = write < 0 ? table.initialValue(table.key(o)) : table.value(write);
            if ((isInitial || write >= 0) && left == table.value(o)) {
                return true;
            }
        }
        return false;
    }
}
