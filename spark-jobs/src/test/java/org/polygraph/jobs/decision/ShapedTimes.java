package org.polygraph.jobs.decision;

import java.util.List;
import org.polygraph.jobs.decision.ShapedHistory.Txn;
import org.polygraph.storage.testkit.Definitions;
import org.polygraph.storage.testkit.SplitMix;

/** Times of transactions that committed one after another: true, equal, of no length, overlapping, missing, extreme. */
final class ShapedTimes {
    private static final long NONE = ShapedHistory.NONE;

    private final SplitMix random;
    private final List<Txn> txns;

    ShapedTimes(SplitMix random, List<Txn> txns) {
        this.random = random;
        this.txns = txns;
    }

    /**
     * The i-th transaction commits at 10 i + 10; then times are changed. @param needed whether committed transactions
     * have both times
     */
    void set(boolean needed) {
        int kind = random.nextInt(7);
        double missing = random.chance(0.3) ? 0.25 : 0;
        for (int i = 0; i < txns.size(); i++) {
            Txn t = txns.get(i);
            long point = 10L * i + 10;
            long start = point - random.nextInt(25);
            long end = point + random.nextInt(25);
            switch (kind) {
                case 0 -> {
                    start = point;
                    end = point;
                }
                case 1 -> {
                    start = start / 10;
                    end = (end + 9) / 10;
                }
                case 2 -> {
                    start = random.nextInt(4);
                    end = start + random.nextInt(3);
                }
                case 3 -> {
                    start = i / 2;
                    end = start;
                }
                case 4 -> {
                    if (random.chance(0.3)) {
                        start = 0;
                        end = 10L * txns.size() + 20;
                    }
                }
                default -> {}
            }
            if (needed) {
                t.start = start;
                t.end = t.status == Definitions.COMMITTED || random.chance(0.5) ? end : NONE;
            } else {
                t.start = random.chance(missing) ? NONE : start;
                t.end = random.chance(missing) || t.status == Definitions.INDETERMINATE && random.chance(0.3)
                        ? NONE
                        : end;
            }
        }
        if (random.chance(0.15)) {
            moveTimes();
        }
    }

    /** Moves times to one end of the range of clocks, some to the other end. */
    private void moveTimes() {
        long base = random.chance(0.5) ? Long.MAX_VALUE - 1000 : Long.MIN_VALUE + 1000;
        boolean both = random.chance(0.3);
        for (Txn t : txns) {
            long by = both && random.chance(0.5) ? -base : base;
            t.start = t.start == NONE ? NONE : t.start + by;
            t.end = t.end == NONE ? NONE : t.end + by;
        }
    }
}
