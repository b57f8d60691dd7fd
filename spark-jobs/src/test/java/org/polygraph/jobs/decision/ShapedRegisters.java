package org.polygraph.jobs.decision;

import org.polygraph.jobs.decision.ShapedHistory.Txn;
import org.polygraph.storage.testkit.SplitMix;

/** Single operations on one register or two, as level lin judges them. */
final class ShapedRegisters {
    private final SplitMix random;
    private final ShapedHistory history;
    private final ShapedStore store;

    ShapedRegisters(SplitMix random, ShapedHistory history, ShapedStore store) {
        this.random = random;
        this.history = history;
        this.store = store;
    }

    void run() {
        int n = random.between(2, 8);
        int keys = random.chance(0.7) ? 1 : 2;
        store.domain = random.chance(0.5) ? 0 : random.between(1, 3);
        double aborted = random.chance(0.8) ? 0 : 0.15;
        double unknown = random.chance(0.5) ? 0 : 0.3;
        store.visibility = random.chance(0.15) ? ShapedStore.Visibility.ANYTHING : ShapedStore.Visibility.ALL;
        int[] next = new int[n];
        boolean casOnly = random.chance(0.3);
        boolean mostWrites = random.chance(0.2);
        for (int i = 0; i < n; i++) {
            Txn t = new Txn();
            t.session = random.nextInt(Math.min(3, n));
            t.index = next[t.session]++;
            t.fate(random, aborted, unknown);
            int key = random.nextInt(keys);
            int all = (1 << i) - 1;
            int what = casOnly ? 2 : mostWrites ? (random.chance(0.7) ? 1 : 0) : random.nextInt(3);
            switch (what) {
                case 0 -> store.read(t, i, all, key);
                case 1 -> store.write(t, key);
                default -> store.compareAndSet(t, i, all, key);
            }
            history.txns.add(t);
        }
    }
}
