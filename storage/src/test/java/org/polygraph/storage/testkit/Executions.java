package org.polygraph.storage.testkit;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Tries every execution of transactions on lists, and every order of single operations on registers, of all keys
 * together.
 */
final class Executions {
    private final Definitions history;
    private final int n;
    private final char[] status;
    private final Definitions.Op[][] ops;

    private final boolean si;
    private final boolean rt;
    private final boolean maybe;
    private final long skew;
    private final Set<String> failed = new HashSet<>();

    Executions(Definitions history, Definitions.Level level, long skew, boolean maybe) {
        this.history = history;
        n = history.n;
        status = history.status;
        ops = history.ops;
        si = level.isSnapshot();
        rt = level.realTime;
        this.skew = skew;
        this.maybe = maybe;
    }

    /** @param begun the transactions that have begun, including dropped ones; {@code done} likewise */
    boolean run(int begun, int done, Map<Integer, List<Object>> store) {
        history.step();
        if (isOver(done)) {
            return true;
        }
        String state = begun + " " + done + " " + store;
        if (failed.contains(state)) {
            return false;
        }
        for (int t = 0; t < n; t++) {
            if ((done >> t & 1) == 1) {
                continue;
            }
            if ((begun >> t & 1) == 0) {
                // mayBegin passes over transactions that never happened.
                if (status[t] == Definitions.ABORTED
                        || status[t] == Definitions.INDETERMINATE && !maybe
                        || !mayBegin(t, done, begun)
                        || !reads(t, store)) {
                    continue;
                }
                if (si) {
                    if (!overlaps(t, begun & ~done) && run(begun | 1 << t, done, store)) {
                        return true;
                    }
                    continue;
                }
            }
            Map<Integer, List<Object>> after = new HashMap<>(store);
            for (Definitions.Op op : ops[t]) {
                write(after, op);
            }
            if (run(begun | 1 << t, done | 1 << t, after)) {
                return true;
            }
        }
        failed.add(state);
        return false;
    }

    /** Whether all transactions have happened that must happen. */
    private boolean isOver(int done) {
        for (int t = 0; t < n; t++) {
            if (status[t] == Definitions.COMMITTED && (done >> t & 1) == 0) {
                return false;
            }
        }
        return true;
    }

    private boolean mayBegin(int t, int done, int begun) {
        for (int u = 0; u < n; u++) {
            boolean isDone = (done >> u & 1) == 1;
            if (history.soBefore(u, t) && !isDone) {
                // Of the earlier transactions of the session, committed ones must be done, and others must be done if
                // they have begun.
                if (status[u] == Definitions.COMMITTED || (begun >> u & 1) == 1) {
                    return false;
                }
            }
            // If a later transaction of the session has begun, this one cannot happen any more.
            if (history.soBefore(t, u) && (begun >> u & 1) == 1) {
                return false;
            }
            if (rt && u != t && !isDone && history.rtBefore(u, t, skew)) {
                return false;
            }
        }
        return true;
    }

    private boolean overlaps(int t, int open) {
        for (int u = 0; u < n; u++) {
            if ((open >> u & 1) == 1) {
                for (Definitions.Op a : ops[u]) {
                    for (Definitions.Op b : ops[t]) {
                        if (isWrite(a) && isWrite(b) && a.key() == b.key()) {
                            return true;
                        }
                    }
                }
            }
        }
        return false;
    }

    private static boolean isWrite(Definitions.Op op) {
        return op.kind() == Definitions.Kind.APPEND || op.kind() == Definitions.Kind.WRITE;
    }

    /** Does what an operation writes. A single value is a list with one element. */
    private static void write(Map<Integer, List<Object>> store, Definitions.Op op) {
        if (op.kind() == Definitions.Kind.WRITE) {
            store.put(op.key(), List.of(op.value()));
        } else if (op.kind() == Definitions.Kind.APPEND) {
            List<Object> longer = new ArrayList<>(store.getOrDefault(op.key(), List.of()));
            longer.add(op.value());
            store.put(op.key(), longer);
        }
    }

    private boolean reads(int t, Map<Integer, List<Object>> store) {
        Map<Integer, List<Object>> view = new HashMap<>(store);
        for (Definitions.Op op : ops[t]) {
            List<Object> now = view.get(op.key());
            boolean isExplained =
                    switch (op.kind()) {
                        case READ_LIST -> op.list().equals(now == null ? List.of() : now);
                        case READ -> List.of(op.value()).equals(now == null ? List.of(history.initial) : now);
                        default -> true;
                    };
            if (!isExplained) {
                return false;
            }
            write(view, op);
        }
        return true;
    }

    /** Tries any order of all operations, of all keys together. */
    boolean lin(int done, Map<Integer, Long> store) {
        history.step();
        if (isOver(done)) {
            return true;
        }
        String state = done + " " + store;
        if (failed.contains(state)) {
            return false;
        }
        for (int t = 0; t < n; t++) {
            if ((done >> t & 1) == 1
                    || status[t] == Definitions.ABORTED
                    || status[t] == Definitions.INDETERMINATE && !maybe) {
                continue;
            }
            boolean free = true;
            for (int u = 0; u < n; u++) {
                free &= u == t || (done >> u & 1) == 1 || !history.rtBefore(u, t, skew) || ops[u].length == 0;
            }
            if (!free) {
                continue;
            }
            Map<Integer, Long> after = new HashMap<>(store);
            boolean fits = true;
            for (Definitions.Op op : ops[t]) {
                long now = after.getOrDefault(op.key(), history.initial);
                switch (op.kind()) {
                    case READ -> fits &= now == op.value();
                    case READ_OTHER -> fits &= now != op.value();
                    default -> after.put(op.key(), op.value());
                }
            }
            if (fits && lin(done | 1 << t, after)) {
                return true;
            }
        }
        failed.add(state);
        return false;
    }
}
