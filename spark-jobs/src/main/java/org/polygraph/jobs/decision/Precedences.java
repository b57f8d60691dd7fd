package org.polygraph.jobs.decision;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.util.Arrays;

/**
 * What an order is to keep besides sessions and sources: transaction a before b, or else c before d. Lists by the one that waits;
 * nothing but the pairs is held while there are none. Memory: 24 bytes a pair, 4 a transaction.
 */
final class Precedences {
    static final int NONE = -1;
    private static final int WIDTH = 4;

    private final int transactions;
    /** a, b, c, d; c and d are {@link #NONE} where there is no other way, a and b where the pair is given up. */
    private final IntArrayList pairs = new IntArrayList();
    /** By pair: the one before with the same b. */
    private final IntArrayList previous = new IntArrayList();
    /** By transaction: the last pair of which it is b. */
    private int[] last = new int[0];

    Precedences(int transactions) {
        this.transactions = transactions;
    }

    /** @param more a, b, c, d of each */
    void add(int[] more) {
        pairs.addElements(pairs.size(), more);
        list();
    }

    /** A pair that t waits for, or {@link #NONE}. */
    int lastOf(int t) {
        return last.length == 0 ? NONE : last[t];
    }

    /** The next one, or {@link #NONE}. */
    int previous(int pair) {
        return previous.getInt(pair);
    }

    /** Who comes first. */
    int first(int pair) {
        return pairs.getInt(WIDTH * pair);
    }

    /** Takes the other way, or if it was taken none. */
    void turn(int pair) {
        for (int i = 0; i < 2; i++) {
            pairs.set(WIDTH * pair + i, pairs.getInt(WIDTH * pair + 2 + i));
            pairs.set(WIDTH * pair + 2 + i, NONE);
        }
        list();
    }

    private void list() {
        last = last.length == 0 ? new int[transactions] : last;
        Arrays.fill(last, NONE);
        previous.clear();
        for (int i = 0; WIDTH * i < pairs.size(); i++) {
            int second = pairs.getInt(WIDTH * i + 1);
            previous.add(second == NONE ? NONE : last[second]);
            if (second != NONE) {
                last[second] = i;
            }
        }
    }
}
