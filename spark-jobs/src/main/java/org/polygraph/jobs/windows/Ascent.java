package org.polygraph.jobs.windows;

import java.io.Serializable;

/**
 * Whether numbers along a session ascend. Those of each piece of the input are looked at alone, then joined.
 *
 * @param ascends whether the numbers of the piece ascend
 * @param first the first number of the piece; {@code last} is its last one; {@link #NONE} if it has none
 */
record Ascent(boolean ascends, long first, long last) implements Serializable {
    static final long NONE = Long.MIN_VALUE;
    static final Ascent EMPTY = new Ascent(true, NONE, NONE);

    /** Adds the next number. @param isStrict whether equal numbers do not ascend */
    Ascent then(long next, boolean isStrict) {
        return then(new Ascent(true, next, next), isStrict);
    }

    /** Adds the numbers of the piece that follows. */
    Ascent then(Ascent next, boolean isStrict) {
        if (next.last == NONE || last == NONE) {
            return last == NONE ? new Ascent(ascends && next.ascends, next.first, next.last) : this;
        }
        boolean isInOrder = isStrict ? last < next.first : last <= next.first;
        return new Ascent(ascends && next.ascends && isInOrder, first, next.last);
    }
}
