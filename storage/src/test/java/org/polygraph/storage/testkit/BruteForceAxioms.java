package org.polygraph.storage.testkit;

import java.util.ArrayList;
import java.util.List;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

/**
 * RC, RA and CC by definition (Biswas and Enea, OOPSLA 2019, figure 2): every choice of the writers that reads read
 * from, every choice of which indeterminate transactions committed, every commit order. For a handful of transactions.
 */
public final class BruteForceAxioms {
    /** The history to judge. */
    public enum Level {
        RC,
        RA,
        CC
    }

    private static final int INITIAL = -1;

    private final HistoryTable history;
    private final Level level;
    private final List<Integer> counted;
    /** The external reads, as operations, and their transactions. */
    private final List<Integer> reads = new ArrayList<>();

    private final List<Integer> readers = new ArrayList<>();
    private int[] sources = new int[0];

    private BruteForceAxioms(HistoryTable history, Level level, List<Integer> counted) {
        this.history = history;
        this.level = level;
        this.counted = counted;
    }

    /** Whether the level holds; at least one transaction must have committed. */
    public static boolean accepts(HistoryTable history, Level level) {
        List<Integer> indeterminate = new ArrayList<>();
        for (int t = 0; t < history.transactions(); t++) {
            if (history.status(t) == TransactionStatus.INDETERMINATE) {
                indeterminate.add(t);
            }
        }
        for (int subset = 0; subset < 1 << indeterminate.size(); subset++) {
            List<Integer> counted = new ArrayList<>();
            for (int t = 0; t < history.transactions(); t++) {
                int i = indeterminate.indexOf(t);
                if (history.status(t) == TransactionStatus.COMMITTED || (i >= 0 && (subset >> i & 1) == 1)) {
                    counted.add(t);
                }
            }
            BruteForceAxioms axioms = new BruteForceAxioms(history, level, counted);
            if (axioms.consistent() && axioms.choose(0)) {
                return true;
            }
        }
        return false;
    }

    private boolean isWrite(int operation) {
        return history.isWrite(operation);
    }

    private int key(int operation) {
        return history.key(operation);
    }

    private long value(int operation) {
        return history.value(operation);
    }

    private int first(int t) {
        return history.firstOperation(t);
    }

    /** Checks internal consistency (INT), and finds the external reads. */
    private boolean consistent() {
        for (int t : counted) {
            for (int o = first(t); o < first(t + 1); o++) {
                if (isWrite(o)) {
                    continue;
                }
                int own = -1;
                int earlier = -1;
                for (int p = first(t); p < o; p++) {
                    if (key(p) == key(o)) {
                        own = isWrite(p) ? p : own;
                        earlier = earlier < 0 ? p : earlier;
                    }
                }
                if (own >= 0) {
                    if (value(own) != value(o)) {
                        return false;
                    }
                } else {
                    if (earlier >= 0 && level != Level.RC && value(earlier) != value(o)) {
                        return false;
                    }
                    if (earlier < 0 || level == Level.RC) {
                        reads.add(o);
                        readers.add(t);
                    }
                }
            }
        }
        sources = new int[reads.size()];
        return true;
    }

    private int finalWrite(int t, int key) {
        for (int o = first(t + 1) - 1; o >= first(t); o--) {
            if (isWrite(o) && key(o) == key) {
                return o;
            }
        }
        return -1;
    }

    private boolean writes(int t, int key) {
        return t == INITIAL || finalWrite(t, key) >= 0;
    }

    private boolean choose(int read) {
        if (read == reads.size()) {
            return order(new ArrayList<>());
        }
        int o = reads.get(read);
        List<Integer> candidates = new ArrayList<>();
        if (value(o) == history.initialValue()) {
            candidates.add(INITIAL);
        }
        for (int t : counted) {
            int w = finalWrite(t, key(o));
            if (t != readers.get(read) && w >= 0 && value(w) == value(o)) {
                candidates.add(t);
            }
        }
        for (int candidate : candidates) {
            sources[read] = candidate;
            if (choose(read + 1)) {
                return true;
            }
        }
        return false;
    }

    private boolean sessionOrder(int a, int b) {
        return a != b && (a == INITIAL || (b != INITIAL && history.sessionOf(a) == history.sessionOf(b) && a < b));
    }

    private boolean readsFrom(int a, int b) {
        for (int r = 0; r < sources.length; r++) {
            if (sources[r] == a && readers.get(r) == b) {
                return true;
            }
        }
        return false;
    }

    /** Extends a commit order by each transaction that may come next; the initial one is before all. */
    private boolean order(List<Integer> order) {
        if (order.size() == counted.size()) {
            return holds(order);
        }
        for (int next : counted) {
            if (order.contains(next)) {
                continue;
            }
            boolean ready = true;
            for (int other : counted) {
                if (!order.contains(other) && (sessionOrder(other, next) || readsFrom(other, next))) {
                    ready = false;
                }
            }
            if (ready) {
                order.add(next);
                if (order(order)) {
                    return true;
                }
                order.remove(order.size() - 1);
            }
        }
        return false;
    }

    private boolean holds(List<Integer> order) {
        for (int r = 0; r < sources.length; r++) {
            for (int t2 : counted) {
                int t1 = sources[r];
                if (t2 != t1
                        && t2 != readers.get(r)
                        && writes(t2, key(reads.get(r)))
                        && sees(r, t2, order)
                        && !(t1 != INITIAL && order.indexOf(t2) < order.indexOf(t1))) {
                    return false;
                }
            }
        }
        return true;
    }

    private boolean sees(int read, int t2, List<Integer> order) {
        int t3 = readers.get(read);
        switch (level) {
            case RC -> {
                for (int r = 0; r < sources.length; r++) {
                    if (readers.get(r) == t3 && reads.get(r) < reads.get(read) && sources[r] == t2) {
                        return true;
                    }
                }
                return false;
            }
            case RA -> {
                return sessionOrder(t2, t3) || readsFrom(t2, t3);
            }
            default -> {
                return reaches(t2, t3, order);
            }
        }
    }

    private boolean reaches(int a, int b, List<Integer> order) {
        if (sessionOrder(a, b) || readsFrom(a, b)) {
            return true;
        }
        // Steps ascend in the order, so this ends.
        for (int i = order.indexOf(a) + 1; i < order.indexOf(b); i++) {
            int middle = order.get(i);
            if ((sessionOrder(a, middle) || readsFrom(a, middle)) && reaches(middle, b, order)) {
                return true;
            }
        }
        return false;
    }
}
