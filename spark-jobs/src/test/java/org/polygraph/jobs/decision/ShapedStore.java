package org.polygraph.jobs.decision;

import org.polygraph.jobs.decision.ShapedHistory.Kind;
import org.polygraph.jobs.decision.ShapedHistory.Op;
import org.polygraph.jobs.decision.ShapedHistory.Txn;
import org.polygraph.storage.testkit.SplitMix;

/**
 * The reads and writes of a history that is being made: the values that exist, and the earlier writes that each
 * transaction sees.
 */
final class ShapedStore {
    /** The earlier transactions that a transaction sees. */
    enum Visibility {
        ALL,
        /** Each transaction sees a prefix, and writers of a key seldom overlap. */
        SNAPSHOT,
        /** Each session sees a prefix, which grows. */
        REPLICA,
        CAUSAL,
        ATOMIC,
        /** Each read sees another prefix. */
        COMMITTED,
        ANYTHING
    }

    /** The number of values; 0 if each write has its own. */
    int domain;

    boolean initialInDomain;
    Visibility visibility = Visibility.ALL;

    private final SplitMix random;
    private final ShapedHistory history;
    private long fresh;

    ShapedStore(SplitMix random, ShapedHistory history) {
        this.random = random;
        this.history = history;
    }

    void write(Txn t, int key) {
        t.ops.add(new Op(Kind.WRITE, key, newValue()));
    }

    /**
     * Adds a read.
     *
     * @param i how many transactions are before it
     * @param visible which of these, a bit each
     */
    void read(Txn t, int i, int visible, int key) {
        t.ops.add(new Op(Kind.READ, key, current(t, i, visible, key)));
    }

    /** Adds a compare-and-set, applied or refused. Its arguments are those of {@link #read}. */
    void compareAndSet(Txn t, int i, int visible, int key) {
        long now = current(t, i, visible, key);
        if (random.chance(0.65)) {
            Op op = new Op(Kind.COMPARE_AND_SET, key, newValue());
            op.expected = now;
            op.okIsKnown = random.chance(0.5);
            t.ops.add(op);
        } else {
            Op op = new Op(Kind.REFUSED, key, random.chance(0.6) ? now : ShapedHistory.NOT_KNOWN);
            op.expected = anyValue(key);
            if (op.expected == now || op.expected == op.value) {
                op.expected = 77;
            }
            t.ops.add(op);
        }
    }

    /** The initial value, or one that some transaction so far writes. */
    long anyValue(int key) {
        long chosen = history.initial;
        int candidates = 1;
        for (Txn t : history.txns) {
            for (Op op : t.ops) {
                if (op.isWrite() && op.key == key && random.nextInt(++candidates) == 0) {
                    chosen = op.value;
                }
            }
        }
        return chosen;
    }

    private long newValue() {
        if (domain == 0) {
            return ++fresh;
        }
        int low = initialInDomain ? 0 : 1;
        int v = low + random.nextInt(domain);
        return v == 0 ? history.initial : v;
    }

    private long current(Txn t, int i, int visible, int key) {
        for (int o = t.ops.size() - 1; o >= 0; o--) {
            Op op = t.ops.get(o);
            if (op.key == key && op.isWrite()) {
                return op.value;
            }
        }
        if (visibility == Visibility.ANYTHING) {
            return anyValue(key);
        }
        int v = visible;
        if (visibility == Visibility.COMMITTED) {
            v &= (1 << random.between(Math.max(0, i - 3), i)) - 1;
        }
        for (int j = i - 1; j >= 0; j--) {
            if ((v >> j & 1) == 1 && history.txns.get(j).effect) {
                Txn other = history.txns.get(j);
                for (int o = other.ops.size() - 1; o >= 0; o--) {
                    Op op = other.ops.get(o);
                    if (op.key == key && op.isWrite()) {
                        return op.value;
                    }
                }
            }
        }
        return history.initial;
    }
}
