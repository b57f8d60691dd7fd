package org.polygraph.partitioner.closure;

import org.polygraph.partitioner.graph.Events;

/**
 * The cells of {@link ChainClocks}: a row an event, of one number a chain. Cells are numbered by chain: those of the
 * event at position p begin at p times {@link #stride}.
 *
 * <p>There are two forms. With few sessions a cell is an int: a processor compares eight of them at once. With many
 * sessions the rows are most of the memory of a check, sessions are short, and no cell exceeds the length of its
 * session, so several cells share a long. 5,000 sessions of 20 transactions take a quarter of the memory, and the
 * closure, which waits for memory, a fraction of the time. The form depends on the number of sessions and on the length
 * of the longest one only. A process that never sees many sessions never loads the second form, so calls stay
 * monomorphic.
 */
public abstract sealed class ClockRows permits IntRows, PackedRows {
    /** Cells are packed if there are at least this many chains. With fewer, rows are short enough for the caches. */
    static final int MANY_CHAINS = 256;
    /** Chains that are about equally long are not longer than this many times the mean. */
    private static final int LONGEST = 2;

    /** Cells from a row to the next one of the same chain; at least the number of chains. */
    public abstract int stride();

    /**
     * Returns a cell of the rows of {@code chain}. If the row of an event begins at {@code base}, cell {@code base + c}
     * is the number of events of chain c that strictly reach the event.
     */
    public abstract int get(int chain, int cell);

    /** Raises {@code numbers[c]} to at least cell {@code cell + c}, for each chain c. */
    public abstract void raise(int[] numbers, int chain, int cell);

    public abstract int sum(int chain, int cell);

    /** Reads a word of every cache line of a row. @return a value that depends on them */
    public abstract long touch(int chain, int cell);

    abstract void put(int chain, int cell, int number);

    /** Copies the row of the previous event of the chain into a row. */
    abstract void copyFromPrevious(int chain, int cell);

    /** Raises each cell of a row to that of another row. */
    abstract void merge(int chain, int cell, int otherChain, int otherCell);

    /** As {@link #merge}, except for the cell of the row's own chain. @return whether a cell grew */
    abstract boolean mergeGrows(int chain, int cell, int otherChain, int otherCell);

    /** Rows of zeros, in the form that suits these events. */
    static ClockRows of(Events events) {
        int bits = PackedRows.bits(events);
        return bits == 0 ? new IntRows(events) : new PackedRows(events, bits);
    }

    /** The bytes that {@link #of} takes; {@link Long#MAX_VALUE} if the cells of a chain cannot be numbered. */
    static long bytes(Events events) {
        int bits = PackedRows.bits(events);
        return bits == 0 ? IntRows.bytes(events) : PackedRows.bytes(events, bits);
    }

    /** The same from numbers, of chains that are about equally long. */
    static long bytes(long events, long chains) {
        long longest = LONGEST * (events / Math.max(1, chains) + 1);
        return events
                * chains
                * (chains < MANY_CHAINS ? Integer.BYTES : longest < 1 << 7 ? 1 : longest < 1 << 15 ? 2 : 4);
    }
}
