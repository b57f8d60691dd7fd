package org.polygraph.jobs.decision;

import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryTableBuilder;
import org.polygraph.storage.testkit.SplitMix;

/**
 * Tiny histories of inserts, deletes, writes and reads. Some are arbitrary; most come from a store with snapshots, with
 * a few changed values.
 */
public final class RowHistories {
    private final SplitMix random;
    private final HistoryTableBuilder builder = new HistoryTableBuilder();
    private final int keys;
    private final long initial;
    /** By key: null for no row; a box for the value. */
    private final long[][] rows;

    private final long[] changed;
    private int fresh = 10;

    private RowHistories(SplitMix random) {
        this.random = random;
        keys = random.chance(0.6) ? 1 : 2;
        builder.file("rows");
        initial = random.chance(0.75) ? ValueDictionary.NULL : builder.values().code(0);
        builder.initialValue(initial);
        rows = new long[keys][];
        for (int k = 0; k < keys; k++) {
            rows[k] = initial == ValueDictionary.NULL ? null : new long[] {initial};
        }
        changed = new long[keys];
    }

    public static HistoryTable tiny(SplitMix random, int most) {
        RowHistories history = new RowHistories(random);
        try {
            history.fill(random.between(2, most));
            return history.builder.build();
        } catch (HistoryException e) {
            throw new AssertionError(e);
        }
    }

    private void fill(int n) {
        boolean arbitrary = random.chance(0.25);
        boolean unique = random.chance(0.5);
        boolean serial = random.chance(0.3);
        boolean timed = random.chance(0.6);
        double lies = random.chance(0.5) ? 0 : 0.15;
        int sessions = random.between(1, 4);
        long[] free = new long[sessions];
        long now = 0;
        boolean any = false;
        long[][][] past = new long[n + 1][][];
        long[] times = new long[n + 1];
        past[0] = rows.clone();
        for (int i = 0; i < n; i++) {
            int session = random.nextInt(sessions);
            // The snapshot is a past state of the store, not before the last commit of the session.
            int at = i;
            while (!serial && at > free[session] && random.chance(0.5)) {
                at--;
            }
            long[][] seen = past[at].clone();
            TransactionStatus status = random.chance(0.12)
                    ? TransactionStatus.INDETERMINATE
                    : random.chance(0.06) && any ? TransactionStatus.ABORTED : TransactionStatus.COMMITTED;
            any |= status == TransactionStatus.COMMITTED;
            if (i == n - 1 && !any) {
                status = TransactionStatus.COMMITTED;
            }
            builder.begin(session, i, status, i + 1);
            now += random.between(1, 4);
            if (timed) {
                builder.times(Math.max(0, times[at] - random.nextInt(3)), now + random.nextInt(3));
            }
            operations(seen, at, arbitrary, unique, lies, i, status);
            builder.end();
            free[session] = i + 1;
            past[i + 1] = rows.clone();
            times[i + 1] = now;
        }
    }

    private void operations(
            long[][] seen, int at, boolean arbitrary, boolean unique, double lies, int i, TransactionStatus status) {
        boolean takesEffect = status == TransactionStatus.COMMITTED
                || (status == TransactionStatus.INDETERMINATE && random.chance(0.5));
        boolean[] own = new boolean[keys];
        long[][] after = rows.clone();
        int count = random.between(1, 3);
        for (int n = 0; n < count; n++) {
            int k = random.nextInt(keys);
            int key = builder.keys().id(k);
            long value = builder.values().code(unique ? ++fresh : random.between(1, 2));
            boolean conflict = !own[k] && changed[k] > at && after[k] != null;
            if (arbitrary || random.chance(lies)) {
                any(key, value);
                continue;
            }
            if (random.chance(0.35) || conflict) {
                builder.read(key, seen[k] == null ? ValueDictionary.NULL : seen[k][0]);
                continue;
            }
            if (after[k] == null && random.chance(0.8)) {
                builder.insert(key, value);
                after[k] = new long[] {value};
            } else if (after[k] != null && random.chance(0.6)) {
                builder.delete(key);
                after[k] = null;
            } else {
                builder.write(key, value);
                after[k] = new long[] {value};
            }
            own[k] = true;
            seen[k] = after[k];
        }
        for (int k = 0; takesEffect && k < keys; k++) {
            if (own[k]) {
                rows[k] = after[k];
                changed[k] = i + 1;
            }
        }
    }

    private void any(int key, long value) {
        long read = random.chance(0.5) ? ValueDictionary.NULL : builder.values().code(random.nextInt(3));
        switch (random.nextInt(5)) {
            case 0 -> builder.insert(key, random.chance(0.1) ? ValueDictionary.NULL : value);
            case 1 -> builder.delete(key);
            case 2 -> builder.write(key, random.chance(0.2) ? ValueDictionary.NULL : value);
            default -> builder.read(key, read);
        }
    }
}
