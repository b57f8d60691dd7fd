package org.polygraph.storage.testkit;

import org.polygraph.storage.table.HistoryTable;

/** Gives a timed table other client times, in place: plausible ones, wrong ones and absurd ones. */
public final class ClientTimes {
    /** The kinds of client clocks. */
    public enum Kind {
        /** The true times. */
        TRUE,
        /** Few different instants, so that many times are equal. */
        FEW,
        /** The clock of each session differs by an amount of its own. */
        SKEWED,
        /** Clocks run backwards. */
        REVERSED,
        /** Arbitrary times in no order. */
        RANDOM,
        /** Arbitrary times between the first and the last instant that a clock can show. */
        EXTREME,
        /** One transaction lasts as long as the whole history. */
        ONE_LONG,
        /** All transactions run at the same time. */
        OVERLAPPING,
        /** Transactions run one after another by number, as in a log. */
        IN_TURN
    }

    private ClientTimes() {}

    /**
     * Sets times of a kind.
     *
     * @param missing share of times, starts and ends each for themselves, that are unknown
     * @throws IllegalArgumentException if the table has no times
     */
    public static void set(HistoryTable table, Kind kind, double missing, SplitMix random) {
        long[] starts = table.starts();
        long[] ends = table.ends();
        if (starts == null || ends == null) {
            throw new IllegalArgumentException("a table without times");
        }
        int n = starts.length;
        long[] skews = new long[table.sessionStarts().length];
        for (int s = 0; s < skews.length; s++) {
            skews[s] = random.nextInt(400) - 200L;
        }
        int odd = n == 0 ? 0 : random.nextInt(n);
        for (int t = 0; t < n; t++) {
            long start = starts[t];
            long end = ends[t];
            boolean hasEnd = end != HistoryTable.NO_TIME;
            switch (kind) {
                case TRUE -> {}
                case FEW -> {
                    start = random.nextInt(6);
                    end = start + random.nextInt(4);
                }
                case SKEWED -> {
                    start += skews[table.sessionOf(t)];
                    end += skews[table.sessionOf(t)];
                }
                case REVERSED -> {
                    long before = start;
                    start = hasEnd ? -end : -before - 1;
                    end = -before;
                }
                case RANDOM -> {
                    start = random.nextInt(1000);
                    end = start + random.nextInt(100);
                }
                case EXTREME -> {
                    long a = extreme(random);
                    long b = extreme(random);
                    start = Math.min(a, b);
                    end = Math.max(a, b);
                }
                case ONE_LONG -> {
                    if (t == odd) {
                        start = 0;
                        end = Long.MAX_VALUE / 4;
                    }
                }
                case OVERLAPPING -> {
                    start = random.nextInt(10);
                    end = 10 + random.nextInt(10);
                }
                case IN_TURN -> {
                    start = 10L * t;
                    end = start + random.nextInt(30);
                }
            }
            starts[t] = random.chance(missing) ? HistoryTable.NO_TIME : start;
            ends[t] = !hasEnd || random.chance(missing) ? HistoryTable.NO_TIME : end;
        }
    }

    private static long extreme(SplitMix random) {
        return switch (random.nextInt(4)) {
            case 0 -> Long.MAX_VALUE - random.nextInt(5);
            case 1 -> Long.MIN_VALUE + 2 + random.nextInt(5);
            case 2 -> random.nextInt(5) - 2L;
            default -> random.nextLong() | 1;
        };
    }
}
