package org.polygraph.storage.testkit;

import java.util.function.LongFunction;
import org.polygraph.storage.table.HistoryTable;

/** An endless stream of random histories, each made from its own seed, so that it can be made again without those before it. */
abstract class HistoryStream {
    private final long seed;
    private final LongFunction<HistoryTable> of;

    HistoryStream(long seed, LongFunction<HistoryTable> of) {
        this.seed = seed;
        this.of = of;
    }

    /** The seed of history i. */
    public final long seedOf(long i) {
        return SplitMix.seedOf(seed, i);
    }

    /** History i of the stream, i from 0; always the same. Some microseconds. */
    public final HistoryTable at(long i) {
        return of.apply(seedOf(i));
    }
}
