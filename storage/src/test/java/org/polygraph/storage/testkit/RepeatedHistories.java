package org.polygraph.storage.testkit;

import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryTableBuilder;

/**
 * A stream of random histories of up to 30 transactions in which few values are written to few keys, so that most reads
 * have several possible writers. Some transactions are aborted or of unknown outcome. Reads return any value, or what a
 * simulated store of some lag returns.
 */
public final class RepeatedHistories extends HistoryStream {
    private static final long STEP = 1_000;

    public RepeatedHistories(long seed) {
        super(seed, RepeatedHistories::of);
    }

    /** The history of one seed: 2 to 30 transactions with times, at least one of them committed. */
    public static HistoryTable of(long seed) {
        SplitMix random = new SplitMix(seed);
        int transactions = random.between(2, random.chance(0.3) ? 8 : 30);
        int sessions = random.between(1, Math.min(transactions, random.chance(0.5) ? 4 : 30));
        int keys = random.between(1, 3);
        int values = random.between(1, 3);
        int most = random.between(1, 4);
        double reads = 0.3 + 0.5 * random.nextDouble();
        double arbitrary = random.chance(0.3) ? 1 : random.chance(0.3) ? 0 : 0.1 * random.nextDouble();
        int lag = random.between(0, 3);
        double aborted = random.chance(0.5) ? 0 : 0.15;
        double unknown = random.chance(0.5) ? 0 : 0.3;
        boolean isNull = random.chance(0.5);
        HistoryTableBuilder builder = new HistoryTableBuilder();
        builder.file("repeated-" + seed);
        if (!isNull) {
            builder.initialValue(builder.values().code(1));
        }
        for (int key = 0; key < keys; key++) {
            builder.keys().id(key);
        }
        // The versions of the store: by transaction and key.
        long[][] states = new long[transactions + 1][keys];
        for (int key = 0; key < keys; key++) {
            states[0][key] = builder.initialValue();
        }
        int[] next = new int[sessions];
        for (int t = 0; t < transactions; t++) {
            int session = random.nextInt(sessions);
            TransactionStatus status = random.chance(aborted)
                    ? TransactionStatus.ABORTED
                    : random.chance(unknown) ? TransactionStatus.INDETERMINATE : TransactionStatus.COMMITTED;
            builder.begin(session, next[session]++, t == 0 ? TransactionStatus.COMMITTED : status, t + 1L);
            long start = STEP * t - random.nextInt((int) (STEP * (1 + lag)));
            builder.times(start, STEP * (t + 1) - random.nextInt((int) STEP / 2));
            states[t + 1] = states[t].clone();
            long[] view = states[Math.max(0, t - random.between(0, lag))].clone();
            boolean isApplied = status == TransactionStatus.COMMITTED
                    || (status == TransactionStatus.INDETERMINATE && random.chance(0.5));
            for (int o = random.between(1, most); o > 0; o--) {
                int key = random.nextInt(keys);
                if (random.chance(reads)) {
                    long any = random.chance(0.2)
                            ? builder.initialValue()
                            : builder.values().code(1 + random.nextInt(values));
                    builder.read(key, random.chance(arbitrary) ? any : view[key]);
                } else {
                    view[key] = builder.values().code(1 + random.nextInt(values));
                    builder.write(key, view[key]);
                    states[t + 1][key] = isApplied ? view[key] : states[t + 1][key];
                }
            }
            builder.end();
        }
        try {
            return builder.build();
        } catch (HistoryException e) {
            throw new IllegalStateException("the history of seed " + seed + " is invalid", e);
        }
    }
}
