package org.polygraph.storage.testkit;

import java.util.ArrayList;
import java.util.List;
import org.polygraph.storage.table.HistoryTable;

/**
 * Tiny histories whose sessions run against the clock, with few values and many indeterminate transactions. It is open
 * whether such a transaction was read, and if it committed, its start bounds the later transactions of its session. The
 * histories are those of a simulated store with snapshots that may be old; some reads are invented.
 */
public final class AgainstTheClock {
    private static final String[] KEYS = {"x", "y"};
    private static final int MOST_SESSIONS = 3;
    /** Longer than every history. */
    private static final int APART = 20;

    private AgainstTheClock() {}

    /**
     * The history of a seed has 4 to 7 transactions in 2 or 3 sessions. Those of several seeds are joined one after the
     * other in time, with sessions and keys of their own: the whole keeps a level iff each of them does.
     */
    public static HistoryTable of(long... seeds) {
        StringBuilder history = new StringBuilder("init 0");
        for (int i = 0; i < seeds.length; i++) {
            append(history, seeds[i], i);
        }
        return HistoryDsl.parse(history.toString());
    }

    private static void append(StringBuilder history, long seed, int number) {
        SplitMix random = new SplitMix(seed);
        int sessions = random.between(2, MOST_SESSIONS);
        int keys = random.between(1, 2);
        int values = random.between(2, 3);
        boolean repeats = random.chance(0.9);
        double indeterminate = 0.2 + 0.4 * random.nextDouble();
        List<StringBuilder> texts = new ArrayList<>();
        for (int s = 0; s < sessions; s++) {
            texts.add(new StringBuilder());
        }
        List<int[]> states = new ArrayList<>();
        states.add(new int[keys]);
        int transactions = random.between(4, 7);
        int unique = values;
        for (int t = 0; t < transactions; t++) {
            StringBuilder text = texts.get(t < sessions ? t : random.nextInt(sessions));
            int old = random.chance(0.7) ? 0 : random.nextInt(Math.min(3, states.size()));
            int[] seen = states.get(states.size() - 1 - old).clone();
            int[] next = states.get(states.size() - 1).clone();
            if (text.length() > 0) {
                text.append(" | ");
            }
            if (random.chance(0.95)) {
                int start = APART * number + random.nextInt(12);
                text.append('@')
                        .append(start)
                        .append("..")
                        .append(start + random.nextInt(4))
                        .append(' ');
            }
            boolean open = random.chance(indeterminate);
            text.append(open ? "?" : "");
            int operations = random.between(1, 3);
            for (int o = 0; o < operations; o++) {
                int key = random.nextInt(keys);
                if (random.chance(0.45)) {
                    int value = repeats ? random.nextInt(values) : unique++;
                    text.append("w(")
                            .append(KEYS[key])
                            .append(number)
                            .append(',')
                            .append(value)
                            .append(") ");
                    seen[key] = value;
                    next[key] = value;
                } else {
                    int value = random.chance(0.92) ? seen[key] : random.nextInt(values);
                    text.append("r(")
                            .append(KEYS[key])
                            .append(number)
                            .append(',')
                            .append(value)
                            .append(") ");
                }
            }
            if (!open || random.chance(0.5)) {
                states.add(next);
            }
        }
        for (int s = 0; s < sessions; s++) {
            history.append("; s")
                    .append(MOST_SESSIONS * number + s)
                    .append(": ")
                    .append(texts.get(s));
        }
    }
}
