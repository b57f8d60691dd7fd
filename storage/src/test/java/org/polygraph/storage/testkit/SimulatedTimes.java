package org.polygraph.storage.testkit;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.polygraph.storage.testkit.Simulator.Txn;

/** Times of the transactions of a simulated store: true ones, or those of clocks that differ or are coarse. */
final class SimulatedTimes {
    private static final long NONE = SimulatedHistory.NONE;
    private static final int STEP = 10;

    private final SplitMix random;
    private final List<Txn> txns;

    SimulatedTimes(SplitMix random, List<Txn> txns) {
        this.random = random;
        this.txns = txns;
    }

    /**
     * Sets the times.
     *
     * @param isOdd whether they may be wrong
     * @param isNeeded whether most committed transactions have both times
     */
    void set(boolean isOdd, boolean isNeeded) {
        setTrue(random.between(2, 30));
        int kind = isOdd ? random.nextInt(7) : -1;
        double missing = isOdd && random.chance(isNeeded ? 0.2 : 0.3) ? 0.25 : 0;
        int[] ahead = IntStream.range(0, 16).map(i -> random.nextInt(40)).toArray();
        for (int i = 0; i < txns.size(); i++) {
            Txn t = txns.get(i);
            switch (kind) {
                case 0 -> set(t, t.end, t.end);
                case 1 -> set(t, t.start / STEP, t.end / STEP);
                case 2 -> {
                    long start = random.nextInt(4);
                    set(t, start, start + random.nextInt(3));
                }
                case 3 -> set(t, i / 2, i / 2);
                case 4 -> {
                    if (random.chance(0.3)) {
                        set(t, 0, (long) STEP * txns.size() + 20);
                    }
                }
                case 5 -> set(t, t.start + ahead[t.session % 16], t.end + ahead[t.session % 16]);
                default -> {}
            }
            boolean isOpen = t.status != Definitions.COMMITTED && (isOdd || isNeeded) && random.chance(0.4);
            t.start = random.chance(missing) ? NONE : t.start;
            t.end = isOpen || random.chance(missing) ? NONE : t.end;
        }
        if (isOdd && random.chance(0.15)) {
            move();
        }
    }

    private static void set(Txn t, long start, long end) {
        t.start = start;
        t.end = end;
    }

    /** Each transaction commits between its times, and starts before the first commit that it does not see. */
    private void setTrue(int spread) {
        long[] commit = new long[txns.size()];
        Map<Integer, Long> free = new HashMap<>();
        long now = 0;
        for (int i = 0; i < txns.size(); i++) {
            Txn t = txns.get(i);
            long least = free.getOrDefault(t.session, -1L) + 1;
            now = Math.max(now + random.nextInt(STEP), least) + 1;
            commit[i] = now;
            t.start = Math.max(least, commit[t.from] - random.nextInt(spread));
            t.end = now + random.nextInt(spread);
            free.put(t.session, t.end);
        }
    }

    /** Moves times to one end of the range of clocks, some to the other end. */
    private void move() {
        long far = 100 + 40L * txns.size();
        long base = random.chance(0.5) ? Long.MAX_VALUE - far : Long.MIN_VALUE + far;
        boolean isBoth = random.chance(0.3);
        for (Txn t : txns) {
            long by = isBoth && random.chance(0.5) ? -base : base;
            t.start = t.start == NONE ? NONE : t.start + by;
            t.end = t.end == NONE ? NONE : t.end + by;
        }
    }
}
