package org.polygraph.partitioner.closure;

import org.polygraph.partitioner.graph.Events;

/**
 * The cells of {@link ChainClocks}: a row an event, of one number a chain. Cells are numbered by chain: those of the event at
 * position p begin at p times {@link #stride}.
 *
 * <p>Two forms. Ints are what few sessions want: a processor takes eight of them at once. With many sessions, rows are the
 * memory of a check, sessions are short, and no cell exceeds the length of its session: then several cells share a long. 5,000
 * sessions of 20 transactions take an eighth of the memory, and the closure a fraction of the time, for it waits for memory. Which form
 * it is depends on the numbers of sessions and of events of the longest one, nothing else, so a process that never sees many sessions
 * never loads the other form and pays nothing for the choice.
 */
public abstract sealed class ClockRows permits IntRows, PackedRows {
    /** From so many chains on cells are packed. Below, rows are short enough for the caches. */
    static final int MANY_CHAINS = 256;

    /** Cells from a row to the next one of the same chain; at least the number of chains. */
    public abstract int stride();

    /** How many events of a chain strictly reach an event: cell base + that chain, of the event's chain. */
    public abstract int get(int chain, int cell);

    /** Raises each number to the cell of its chain, in the row that begins at the cell. */
    public abstract void raise(int[] numbers, int chain, int cell);

    /** The sum of a row. */
    public abstract int sum(int chain, int cell);

    /**
     * Lists the chains whose cells are larger than in the row of the event before.
     *
     * @param isFirst there is none before: those that are not 0
     * @param list room for all chains
     * @return how many
     */
    public abstract int grown(int chain, int cell, boolean isFirst, int[] list);

    /** Reads a word of every cache line of a row. @return something made of them */
    public abstract int touch(int chain, int cell);

    /** Cells in a cache line. */
    public abstract int cellsOfLine();

    abstract void put(int chain, int cell, int number);

    /** Makes a row that of the event before it. */
    abstract void copyFromPrevious(int chain, int cell);

    /** Raises a row's cells to another row's. */
    abstract void merge(int chain, int cell, int otherChain, int otherCell);

    /** The same but for the cell of the row's own chain. @return whether a cell grew */
    abstract boolean mergeGrows(int chain, int cell, int otherChain, int otherCell);

    /** Zeros, in the form that suits these events. */
    static ClockRows of(Events events) {
        int bits = PackedRows.bits(events);
        return bits == 0 ? new IntRows(events) : new PackedRows(events, bits);
    }

    /** Bytes that {@link #of} takes; {@link Long#MAX_VALUE} if the cells of a chain cannot be numbered. */
    static long bytes(Events events) {
        int bits = PackedRows.bits(events);
        return bits == 0 ? IntRows.bytes(events) : PackedRows.bytes(events, bits);
    }
}
