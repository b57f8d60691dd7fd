package org.polygraph.solver;

import java.util.List;
import java.util.function.BiPredicate;
import org.polygraph.solver.proof.KeyKind;

/** Tries every order of a small problem's events, and every choice of commits. */
final class BruteForce {
    private final RandomPolygraph g;
    private final int[] position;
    private final boolean[] committed;
    private final boolean prune;
    private final BiPredicate<int[], boolean[]> accept;

    private BruteForce(RandomPolygraph g, boolean prune, BiPredicate<int[], boolean[]> accept) {
        this.g = g;
        this.prune = prune;
        this.accept = accept;
        position = new int[g.events()];
        committed = new boolean[g.n];
    }

    static boolean isSatisfiable(RandomPolygraph g) {
        return exists(g, true, (position, committed) -> explains(g, position, committed));
    }

    /** Whether some order that extends the edges, with some commits, is accepted. */
    static boolean exists(RandomPolygraph g, boolean prune, BiPredicate<int[], boolean[]> accept) {
        BruteForce search = new BruteForce(g, prune, accept);
        for (int choice = 0; choice < 1 << g.n; choice++) {
            boolean possible = true;
            for (int t = 0; t < g.n; t++) {
                search.committed[t] = (choice >> t & 1) != 0;
                possible &= search.committed[t] || (g.optional != null && g.optional[t]);
            }
            java.util.Arrays.fill(search.position, -1);
            if (possible && search.place(0)) {
                return true;
            }
        }
        return false;
    }

    private boolean place(int at) {
        if (at == g.events()) {
            return accept.test(position, committed);
        }
        for (int e = 0; e < g.events(); e++) {
            boolean free = position[e] < 0;
            for (int[] edge : g.edges) {
                free &= edge[1] != e || position[edge[0]] >= 0;
            }
            if (!free) {
                continue;
            }
            position[e] = at;
            if ((!prune || readsRight(e)) && place(at + 1)) {
                return true;
            }
            position[e] = -1;
        }
        return false;
    }

    /** Whether the reads that happen at an event, the last one placed, return what they should. */
    private boolean readsRight(int event) {
        int t = event / g.eventsPerTxn;
        for (int k = 0; k < g.keys; k++) {
            for (int[] read : g.readers.get(k)) {
                if (read[0] == t
                        && g.readAt(k, t) == event
                        && committed[t]
                        && lastBefore(g, k, t, g.readAt(k, t), position, committed) != read[1]) {
                    return false;
                }
            }
        }
        return true;
    }

    /** The value of the last write of another transaction before an event. */
    private static int lastBefore(RandomPolygraph g, int k, int t, int event, int[] position, boolean[] committed) {
        int last = -1;
        int value = 0;
        for (int[] w : g.writers.get(k)) {
            int at = position[g.c(w[0])];
            if (w[0] != t && committed[w[0]] && at >= 0 && at < position[event] && at > last) {
                last = at;
                value = w[1];
            }
        }
        return value;
    }

    /** Applies the definition. */
    static boolean explains(RandomPolygraph g, int[] position, boolean[] committed) {
        for (int k = 0; k < g.keys; k++) {
            if (!explains(g, k, position, committed)) {
                return false;
            }
        }
        return true;
    }

    static boolean explains(RandomPolygraph g, int k, int[] position, boolean[] committed) {
        for (int[] read : g.readers.get(k)) {
            if (committed[read[0]] && lastBefore(g, k, read[0], g.readAt(k, read[0]), position, committed) != read[1]) {
                return false;
            }
        }
        return g.eventsPerTxn == 1
                || switch (g.kind(k)) {
                    case PLAIN -> !someOverlap(g, k, position, committed);
                    case OVERLAPPING -> true;
                    case ROW_UNBORN, ROW_BORN -> rowsAreSeen(g, k, position, committed);
                };
    }

    private static boolean someOverlap(RandomPolygraph g, int k, int[] position, boolean[] committed) {
        for (int[] v : g.writers.get(k)) {
            for (int[] w : g.writers.get(k)) {
                if (v[0] != w[0]
                        && committed[v[0]]
                        && committed[w[0]]
                        && position[g.c(v[0])] > position[g.b(w[0])]
                        && position[g.c(w[0])] > position[g.b(v[0])]) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Whether each writer that finds a row of another one at its commit also has this row in its snapshot. */
    private static boolean rowsAreSeen(RandomPolygraph g, int k, int[] position, boolean[] committed) {
        for (int[] w : g.writers.get(k)) {
            int[] last = null;
            for (int[] v : g.writers.get(k)) {
                boolean isBefore = committed[v[0]] && position[g.c(v[0])] < position[g.c(w[0])];
                if (isBefore && (last == null || position[g.c(v[0])] > position[g.c(last[0])])) {
                    last = v;
                }
            }
            boolean leavesRow = last != null && (last[1] == 0) == (g.kind(k) == KeyKind.ROW_BORN);
            if (committed[w[0]] && leavesRow && position[g.c(last[0])] > position[g.b(w[0])]) {
                return false;
            }
        }
        return true;
    }

    /**
     * Whether a read clause holds by its definition: if the reader and a writer count, either the read is before the
     * writer, or a writer of the value that is read is between them.
     *
     * @param writer -1 for the initial value
     */
    static boolean readClause(RandomPolygraph g, int reader, int writer, int[] position, boolean[] committed) {
        int key = key(g.readers, reader);
        int[] read = at(g.readers, reader);
        int r = read[0];
        int w = writer < 0 ? -1 : at(g.writers, writer)[0];
        boolean holds = !committed[r] || (w >= 0 && (!committed[w] || position[g.readAt(key, r)] < position[g.c(w)]));
        for (int[] t : g.writers.get(key)) {
            int begin = g.kind(key) == KeyKind.PLAIN ? g.b(t[0]) : g.c(t[0]);
            holds |= t[1] == read[1]
                    && t[0] != r
                    && committed[t[0]]
                    && (w < 0 || position[g.c(w)] < position[begin])
                    && position[g.c(t[0])] < position[g.readAt(key, r)];
        }
        return holds;
    }

    /** Whether the clause of two writers that may not overlap holds by its definition. */
    static boolean overlapClause(RandomPolygraph g, int writer, int other, int[] position, boolean[] committed) {
        int key = key(g.writers, writer);
        int w = at(g.writers, writer)[0];
        int v = at(g.writers, other)[0];
        boolean isPlain = g.kind(key) == KeyKind.PLAIN;
        boolean holds = !committed[w] || !committed[v] || position[g.c(w)] < position[g.b(v)];
        holds |= position[g.c(v)] < position[isPlain ? g.b(w) : g.c(w)];
        for (int[] t : isPlain ? List.<int[]>of() : g.writers.get(key)) {
            holds |= (t[1] != 0) == (g.kind(key) == KeyKind.ROW_BORN)
                    && committed[t[0]]
                    && position[g.c(w)] < position[g.c(t[0])]
                    && position[g.c(t[0])] < position[g.c(v)];
        }
        return holds;
    }

    private static int[] at(List<List<int[]>> byKey, int index) {
        return byKey.stream().flatMap(List::stream).skip(index).findFirst().orElseThrow();
    }

    private static int key(List<List<int[]>> byKey, int index) {
        int key = 0;
        for (int i = index; i >= byKey.get(key).size(); key++) {
            i -= byKey.get(key).size();
        }
        return key;
    }
}
