package org.polygraph.jobs.decision;

import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryTableBuilder;
import org.polygraph.storage.testkit.SplitMix;

/** Histories of single operations with times. */
public final class Registers {
    private Registers() {}

    /** Random reads, writes, applied and refused compare-and-sets, with unique values or not. */
    public static HistoryTable tiny(SplitMix random) {
        HistoryTableBuilder builder = new HistoryTableBuilder();
        builder.file("tiny");
        builder.initialValue(builder.values().code(0));
        boolean unique = random.chance(0.6);
        int keys = random.chance(0.7) ? 1 : 2;
        int n = random.between(2, 6);
        int span = random.between(3, 14);
        int values = unique ? n + 1 : random.between(2, 3);
        boolean refuses = random.chance(0.4);
        int fresh = 0;
        for (int i = 0; i < n; i++) {
            int start = random.nextInt(span);
            int end = start + random.nextInt(span / 2 + 1);
            boolean maybe = random.chance(0.12);
            builder.begin(
                    i % 3,
                    i / 3,
                    maybe
                            ? TransactionStatus.INDETERMINATE
                            : random.chance(0.05) ? TransactionStatus.ABORTED : TransactionStatus.COMMITTED,
                    i + 1);
            builder.times(start, maybe && random.chance(0.5) ? HistoryTable.NO_TIME : end);
            int key = builder.keys().id(random.nextInt(keys));
            int written = unique ? ++fresh : random.nextInt(values);
            int read = random.nextInt(Math.max(1, unique ? Math.min(values, fresh + 2) : values));
            switch (random.nextInt(refuses ? 4 : 3)) {
                case 0 -> builder.read(key, builder.values().code(read));
                case 1 -> builder.write(key, builder.values().code(written));
                case 2 -> {
                    builder.read(key, builder.values().code(read == written && unique ? 0 : read));
                    builder.write(key, builder.values().code(written));
                }
                default ->
                    builder.read(
                            key, builder.values().otherThan(builder.values().code(read)));
            }
            builder.end();
        }
        return built(builder);
    }

    private static HistoryTable built(HistoryTableBuilder builder) {
        try {
            return builder.build();
        } catch (HistoryException e) {
            throw new AssertionError(e);
        }
    }

    /**
     * Operations of a few clients on one or two registers, with few values: reads, writes, compare-and-sets that may be
     * refused, and some of unknown outcome, half of which took effect, after each of which the client goes on as another
     * session. In some histories reads lie.
     *
     * @param most operations, at most 60
     */
    public static HistoryTable crashing(SplitMix random, int most) {
        HistoryTableBuilder builder = new HistoryTableBuilder();
        builder.file("crashing");
        builder.initialValue(builder.values().code(0));
        int n = random.between(2, most);
        int clients = random.between(1, 5);
        int values = random.between(1, 4);
        int keys = random.chance(0.8) ? 1 : 2;
        double crashes = random.chance(0.3) ? 0 : 0.02 + random.nextInt(15) / 100.0;
        double lies = random.chance(0.3) ? 0 : random.between(5, 40) / 100.0;
        boolean unique = random.chance(0.25);
        int spread = random.between(2, 30);
        long[] current = new long[keys];
        long[] free = new long[clients];
        int[] session = new int[clients];
        int[] index = new int[clients];
        int sessions = clients;
        long point = 0;
        int crashed = 0;
        for (int c = 0; c < clients; c++) {
            session[c] = c;
        }
        for (int i = 1; i <= n; i++) {
            int client = random.nextInt(clients);
            point = Math.max(point + random.nextInt(4), free[client]);
            long start = Math.max(free[client], point - random.nextInt(spread));
            long end = point + random.nextInt(spread);
            boolean crash = crashed < 8 && random.chance(crashes);
            boolean applied = !crash || random.chance(0.5);
            int k = random.nextInt(keys);
            int key = builder.keys().id(k);
            long value = unique ? i : random.between(0, values);
            long expected = random.chance(0.5) ? current[k] : unique ? random.nextInt(i) : random.between(0, values);
            builder.begin(
                    session[client],
                    index[client]++,
                    crash ? TransactionStatus.INDETERMINATE : TransactionStatus.COMMITTED,
                    i);
            builder.times(start, crash && random.chance(0.5) ? HistoryTable.NO_TIME : end);
            boolean lie = random.chance(lies);
            switch (random.nextInt(5)) {
                case 0, 1 -> builder.read(key, builder.values().code(lie ? expected : current[k]));
                case 2 -> {
                    builder.write(key, builder.values().code(value));
                    current[k] = applied ? value : current[k];
                }
                default -> {
                    if (crash || expected == current[k] != lie) {
                        builder.read(key, builder.values().code(expected));
                        builder.write(key, builder.values().code(value));
                        current[k] = applied && expected == current[k] ? value : current[k];
                    } else {
                        builder.read(
                                key, builder.values().otherThan(builder.values().code(expected)));
                    }
                }
            }
            builder.end();
            free[client] = end + 1;
            if (crash) {
                crashed++;
                session[client] = sessions++;
                index[client] = 0;
            }
        }
        return built(builder);
    }

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
        return built(builder);
    }
}
