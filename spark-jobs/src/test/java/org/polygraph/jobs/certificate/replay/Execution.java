package org.polygraph.jobs.certificate.replay;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.polygraph.jobs.certificate.format.Guarantee;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryTableBuilder;
import org.polygraph.storage.table.SourceFiles;

/** Transactions and their order. The order is executed to make the reads; then one value may be made wrong. */
public final class Execution {
    private final Random random;
    private final Guarantee guarantee;
    private final int transactions;
    private final int[] position;
    private final HistoryTable table;
    private final boolean[] counted;

    public Execution(long seed, Guarantee guarantee) throws HistoryException {
        this.random = new Random(seed);
        this.guarantee = guarantee;
        this.transactions = 1 + random.nextInt(14);
        int events = guarantee.events();
        this.position = new int[transactions * events];
        int sessions = 1 + random.nextInt(4);
        int keys = 1 + random.nextInt(random.nextBoolean() ? 4 : 40);
        boolean values = random.nextBoolean();
        List<Integer> order = new ArrayList<>();
        for (int t = 0; t < transactions; t++) {
            int at = order.size();
            for (int e = 0; e < events; e++) {
                order.add(t * events + e);
            }
            // A snapshot may be older than the last commits of other sessions.
            while (events == 2 && at > 0 && order.get(at - 1) / 2 % sessions != t % sessions && random.nextBoolean()) {
                Collections.swap(order, at - 1, at);
                at--;
            }
        }
        for (int p = 0; p < order.size(); p++) {
            position[order.get(p)] = p;
        }
        TransactionStatus[] outcomes = new TransactionStatus[transactions];
        int[][] operations = new int[transactions][];
        for (int t = 0; t < transactions; t++) {
            int roll = random.nextInt(12);
            outcomes[t] = roll == 0
                    ? TransactionStatus.ABORTED
                    : roll == 1 ? TransactionStatus.INDETERMINATE : TransactionStatus.COMMITTED;
            operations[t] = random.ints(random.nextInt(6), 0, 2 * keys).toArray();
        }
        boolean[] applied = new boolean[transactions];
        for (int t = 0; t < transactions; t++) {
            applied[t] = outcomes[t] == TransactionStatus.COMMITTED
                    || (outcomes[t] == TransactionStatus.INDETERMINATE && random.nextBoolean());
        }
        long[][] executed = execute(order, operations, applied, keys, values ? 3 : 1_000);
        // The builder sorts transactions by session, so their numbers differ there.
        int[] renamed = new int[transactions];
        int next = 0;
        HistoryTableBuilder builder = new HistoryTableBuilder(SourceFiles.Unit.LINE);
        builder.file("random");
        builder.initialValue(builder.values().code(0));
        for (int s = 0; s < sessions; s++) {
            for (int t = s; t < transactions; t += sessions) {
                renamed[t] = next++;
                builder.begin(s, t, outcomes[t], t + 1L);
                if (guarantee.realTime()) {
                    builder.times(
                            10L * position[t * events],
                            10L * position[t * events + events - 1] + 1 + random.nextInt(9));
                }
                for (int i = 0; i < operations[t].length; i++) {
                    int key = builder.keys().id(operations[t][i] >> 1);
                    long value = builder.values().code(executed[t][i]);
                    if ((operations[t][i] & 1) == 1) {
                        builder.write(key, value);
                    } else {
                        builder.read(key, value);
                    }
                }
                builder.end();
            }
        }
        this.table = builder.build();
        this.counted = new boolean[transactions];
        int[] places = position.clone();
        for (int t = 0; t < transactions; t++) {
            counted[renamed[t]] = applied[t];
            System.arraycopy(places, t * events, position, renamed[t] * events, events);
        }
    }

    /** Executes the operations; in one of four executions one value is wrong. */
    private long[][] execute(List<Integer> order, int[][] operations, boolean[] applied, int keys, int values) {
        long[] current = new long[keys];
        long[][] executed = new long[transactions][];
        for (int e : order) {
            int t = e / guarantee.events();
            if (guarantee.events() == 1 || (e & 1) == 0) {
                long[] mine = current.clone();
                executed[t] = new long[operations[t].length];
                for (int i = 0; i < executed[t].length; i++) {
                    int key = operations[t][i] >> 1;
                    if ((operations[t][i] & 1) == 1) {
                        mine[key] = 1L + random.nextInt(values);
                    }
                    executed[t][i] = mine[key];
                }
            }
            if (applied[t] && e % guarantee.events() == guarantee.events() - 1) {
                for (int i = 0; i < executed[t].length; i++) {
                    if ((operations[t][i] & 1) == 1) {
                        current[operations[t][i] >> 1] = executed[t][i];
                    }
                }
            }
        }
        int victim = random.nextInt(transactions);
        if (random.nextInt(4) == 0 && executed[victim].length > 0) {
            executed[victim][random.nextInt(executed[victim].length)] = random.nextInt(4);
        }
        return executed;
    }

    /**
     * The order itself, or a changed one: two events exchanged, a place out of range or used twice, or another
     * transaction counts.
     */
    public Witness witness() {
        int[] places = position.clone();
        boolean[] who = counted.clone();
        int m = places.length;
        switch (random.nextInt(8)) {
            case 0, 1 -> {
                int a = random.nextInt(m);
                int b = random.nextInt(m);
                int x = places[a];
                places[a] = places[b];
                places[b] = x;
            }
            case 2 -> {
                // Neighbours are exchanged, which often keeps the order of sessions.
                int p = random.nextInt(m);
                for (int e = 0; e < m; e++) {
                    places[e] = position[e] == p ? (p + 1) % m : position[e] == (p + 1) % m ? p : position[e];
                }
            }
            case 3 -> places[random.nextInt(m)] = random.nextInt(m + 2) - 1;
            case 4 -> who[random.nextInt(who.length)] ^= true;
            default -> {}
        }
        return new Witness(table, Terms.of(guarantee), who, places);
    }
}
