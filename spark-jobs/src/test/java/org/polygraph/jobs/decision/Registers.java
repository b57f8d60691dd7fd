package org.polygraph.jobs.decision;

import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryTableBuilder;
import org.polygraph.storage.testkit.SplitMix;

/** Histories of single operations with times. */
public final class Registers {
    private Registers() {}

    /**
     * Operations of some clients on registers. Each takes effect at a point between its start and its end.
     *
     * @param lies share of reads that return another value than the register has
     */
    public static HistoryTable simulated(SplitMix random, int n, int keys, int clients, boolean unique, double lies) {
        HistoryTableBuilder builder = new HistoryTableBuilder();
        builder.file("register");
        builder.initialValue(builder.values().code(0));
        long[] current = new long[keys];
        long[] free = new long[clients];
        long[] index = new long[clients];
        long point = 0;
        for (int i = 1; i <= n; i++) {
            point += random.between(1, 20);
            int client = random.nextInt(clients);
            if (free[client] >= point) {
                point = free[client] + 1;
            }
            long start = Math.max(free[client], point - random.nextInt(60));
            long end = point + random.nextInt(60);
            free[client] = end + 1;
            int k = random.nextInt(keys);
            builder.begin(client, index[client]++, TransactionStatus.COMMITTED, i);
            builder.times(start, end);
            int key = builder.keys().id(k);
            long value = unique ? i : random.between(1, 4);
            long other = unique ? random.nextInt(i) : random.nextInt(5);
            switch (random.nextInt(4)) {
                case 0 ->
                    builder.read(key, builder.values().code(lies > 0 && random.chance(lies) ? other : current[k]));
                case 1 -> {
                    builder.write(key, builder.values().code(value));
                    current[k] = value;
                }
                case 2 -> {
                    builder.read(key, builder.values().code(current[k]));
                    builder.write(key, builder.values().code(value));
                    current[k] = value;
                }
                default -> {
                    if (other == current[k]) {
                        builder.read(key, builder.values().code(current[k]));
                    } else {
                        builder.read(
                                key, builder.values().otherThan(builder.values().code(other)));
                    }
                }
            }
            builder.end();
        }
        try {
            return builder.build();
        } catch (HistoryException e) {
            throw new AssertionError(e);
        }
    }
}
