package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.ints.IntArrays;

/**
 * Replays a history as it was recorded in an order of its events. Conditions are evaluated at the first event of a
 * transaction, and its writes stay from the last one on.
 */
abstract class EventReplay implements RecordedWalk.Visitor {
    protected final HistoryTable raw;
    protected final Predicates predicates;
    protected final ReplayedRows rows;
    private final RecordedWalk walk;

    /** The transaction of the event, whether it is its first one, and whether it is its last one. */
    protected int transaction;

    protected boolean evaluates;
    protected boolean commits;

    /** @param rows of the history; they need not be in the state before the first transaction */
    EventReplay(HistoryTable raw, Predicates predicates, ReplayedRows rows) {
        this.raw = raw;
        this.predicates = predicates;
        this.rows = rows;
        walk = new RecordedWalk(raw, predicates, this);
    }

    /**
     * Replays an order.
     *
     * @param counted by transaction: whether it counts
     * @param position by event, one or two a transaction: its place
     */
    void run(boolean[] counted, int[] position) {
        int perTransaction = Math.max(1, position.length / Math.max(1, raw.transactions()));
        int[] events = new int[position.length];
        int count = 0;
        for (int event = 0; event < events.length; event++) {
            if (counted[event / perTransaction] && position[event] >= 0) {
                events[count++] = event;
            }
        }
        IntArrays.mergeSort(events, 0, count, (a, b) -> Integer.compare(position[a], position[b]));
        rows.begin();
        for (int i = 0; i < count; i++) {
            transaction = events[i] / perTransaction;
            evaluates = events[i] % perTransaction == 0;
            commits = events[i] % perTransaction == perTransaction - 1;
            walk.over(transaction, commits ? raw.operationsEnd(transaction) : evaluatedEnd(transaction));
            if (!commits) {
                rows.takeBack(0);
            }
            rows.keep();
        }
    }

    /** The operation after the last one of a transaction that is evaluated. */
    private int evaluatedEnd(int t) {
        int o = raw.operationsEnd(t);
        while (o > raw.firstOperation(t) && !isEvaluated(o - 1)) {
            o--;
        }
        return o;
    }

    /** Whether an operation depends on the state at the first event of its transaction. */
    abstract boolean isEvaluated(int operation);

    @Override
    public boolean write(int operation, int row, long value, int columns) {
        rows.write(row, raw.isDelete(operation), value, columns, transaction);
        return true;
    }
}
