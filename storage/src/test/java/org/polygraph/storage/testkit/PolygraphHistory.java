package org.polygraph.storage.testkit;

import java.util.ArrayList;
import java.util.List;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryTableBuilder;

/**
 * A polygraph as a history that a database could have recorded: its edges become sessions, where transactions follow
 * one another, and reads of keys of their own elsewhere. So both have the same answer, at SER and SI.
 *
 * <p>A greedy cover by chains makes sessions: an edge joins two of them when its ends are a last and a first
 * transaction. Every other edge is a key that the one writes and the other reads.
 */
public final class PolygraphHistory implements PolygraphSink {
    private static final int NONE = -1;

    private record Operation(int key, int value) {}

    private final int keys;
    private int edgeKeys;
    private final List<List<Operation>> reads = new ArrayList<>();
    private final List<List<Operation>> writes = new ArrayList<>();
    private final int[] next;
    private final int[] before;
    /** A transaction of the same session, nearer to its representative. */
    private final int[] session;

    /** Sizes: transactions and keys are 0 to the number less 1. */
    public PolygraphHistory(int transactions, int keys) {
        this.keys = keys;
        next = new int[transactions];
        before = new int[transactions];
        session = new int[transactions];
        for (int t = 0; t < transactions; t++) {
            next[t] = NONE;
            before[t] = NONE;
            session[t] = t;
            reads.add(new ArrayList<>());
            writes.add(new ArrayList<>());
        }
    }

    @Override
    public void edge(int from, int to) {
        if (next[from] == NONE && before[to] == NONE && sessionOf(from) != sessionOf(to)) {
            next[from] = to;
            before[to] = from;
            session[sessionOf(from)] = sessionOf(to);
        } else {
            int key = keys + edgeKeys++;
            write(key, from, 1);
            read(key, to, 1);
        }
    }

    private int sessionOf(int transaction) {
        int t = transaction;
        while (session[t] != t) {
            session[t] = session[session[t]];
            t = session[t];
        }
        return t;
    }

    @Override
    public void write(int key, int transaction, int value) {
        writes.get(transaction).add(new Operation(key, value));
    }

    @Override
    public void read(int key, int transaction, int value) {
        reads.get(transaction).add(new Operation(key, value));
    }

    /** How many sessions the history has. */
    public int sessions() {
        int sessions = 0;
        for (int t : before) {
            sessions += t == NONE ? 1 : 0;
        }
        return sessions;
    }

    /** The history of what was added so far; a transaction reads before it writes. */
    public HistoryTable table(String name) {
        HistoryTableBuilder builder = new HistoryTableBuilder();
        builder.file(name);
        builder.initialValue(builder.values().code(0));
        int label = 0;
        for (int head = 0; head < next.length; head++) {
            if (before[head] == NONE) {
                int index = 0;
                for (int t = head; t != NONE; t = next[t]) {
                    builder.begin(label, index++, TransactionStatus.COMMITTED, builder.transactions() + 1);
                    reads.get(t)
                            .forEach(r -> builder.read(
                                    builder.keys().id(r.key), builder.values().code(r.value)));
                    writes.get(t)
                            .forEach(w -> builder.write(
                                    builder.keys().id(w.key), builder.values().code(w.value)));
                    builder.end();
                }
                label++;
            }
        }
        try {
            return builder.build();
        } catch (HistoryException e) {
            throw new IllegalStateException("two transactions with one session and index", e);
        }
    }
}
