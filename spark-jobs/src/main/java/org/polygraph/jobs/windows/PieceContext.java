package org.polygraph.jobs.windows;

import java.io.Serializable;

/**
 * What the rest of the input determines of a piece. The arrays are by session of the piece.
 *
 * @param numbers its number in the whole input
 * @param leads the maximum of clock - number over its events in earlier pieces, counted from the first of them, see {@link PieceRows#lead};
 *     at {@link Clock#PACE} how many events the whole session has
 * @param before how many events it has in earlier pieces
 * @param offsets what to add to its clocks, see {@link SessionClocks}
 * @param lines the lines of its file before the piece
 * @param loadedUpTo the last index of its transactions that load initial rows; the least number if none does
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record PieceContext(int[] numbers, long[] leads, long[] before, long[] offsets, long lines, long[] loadedUpTo)
        implements Serializable {}
