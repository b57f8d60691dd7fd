package org.polygraph.storage.testkit;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.util.ArrayDeque;
import org.polygraph.storage.model.TransactionStatus;

/**
 * Passes a history on, but one transaction reads what the database held {@code age} transactions earlier, counted as
 * their clients learnt the outcomes: all its external reads, or one of them. Often that is no violation, because
 * transactions without a known order may change places; this class does not determine which.
 *
 * <p>The transaction: the first committed one after three fifths of the history to which it makes a difference.
 */
final class StaleSink implements TransactionSink {
    private static final double WHEN = 0.6;

    private final TransactionSink out;
    private final int age;
    private final long after;
    private final boolean wholeSnapshot;
    private boolean done;

    /** By key: what was committed by all but the last {@link #age} transactions. */
    private final long[] old;

    private final ArrayDeque<long[]> recent = new ArrayDeque<>();
    private long seen;
    private boolean committed;
    private final IntArrayList operations = new IntArrayList();
    private final LongArrayList values = new LongArrayList();

    StaleSink(TransactionSink out, int keys, int transactions, int age, boolean wholeSnapshot) {
        this.out = out;
        this.age = age;
        this.wholeSnapshot = wholeSnapshot;
        after = (long) (transactions * WHEN);
        old = new long[keys];
    }

    @Override
    public void begin(int session, long index, TransactionStatus outcome, long start, long end) {
        committed = outcome == TransactionStatus.COMMITTED;
        operations.clear();
        values.clear();
        out.begin(session, index, outcome, start, end);
    }

    @Override
    public void operation(boolean write, int key, long value) {
        operations.add(key << 1 | (write ? 1 : 0));
        values.add(value);
    }

    @Override
    public void end() {
        if (++seen > after && committed && !done) {
            age();
        }
        LongArrayList written = new LongArrayList();
        for (int i = 0; i < operations.size(); i++) {
            int operation = operations.getInt(i);
            out.operation((operation & 1) != 0, operation >> 1, values.getLong(i));
            if (committed && (operation & 1) != 0 && operation >> 1 < old.length) {
                written.add(operation >> 1);
                written.add(values.getLong(i));
            }
        }
        out.end();
        recent.add(written.toLongArray());
        if (recent.size() > age) {
            long[] writes = recent.remove();
            for (int i = 0; i < writes.length; i += 2) {
                old[(int) writes[i]] = writes[i + 1];
            }
        }
    }

    private void age() {
        int only = -1;
        for (int i = 0; i < operations.size(); i++) {
            int operation = operations.getInt(i);
            int key = operation >> 1;
            if ((operation & 1) == 0 && key < old.length && isExternal(i) && values.getLong(i) != old[key]) {
                if (wholeSnapshot || only < 0 || only == key) {
                    only = key;
                    values.set(i, old[key]);
                    done = true;
                }
            }
        }
    }

    private boolean isExternal(int read) {
        for (int i = 0; i < read; i++) {
            if (operations.getInt(i) == (operations.getInt(read) | 1)) {
                return false;
            }
        }
        return true;
    }
}
