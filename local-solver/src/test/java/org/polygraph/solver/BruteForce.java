package org.polygraph.solver;

import java.util.function.BiPredicate;

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
            int t = e / g.eventsPerTxn;
            if ((!prune || e != g.b(t) || readsRight(t)) && place(at + 1)) {
                return true;
            }
            position[e] = -1;
        }
        return false;
    }

    private boolean readsRight(int t) {
        for (int k = 0; k < g.keys; k++) {
            for (int[] read : g.readers.get(k)) {
                if (read[0] == t && committed[t] && lastBefore(g, k, t, position, committed) != read[1]) {
                    return false;
                }
            }
        }
        return true;
    }

    private static int lastBefore(RandomPolygraph g, int k, int t, int[] position, boolean[] committed) {
        int last = -1;
        int value = 0;
        for (int[] w : g.writers.get(k)) {
            int at = position[g.c(w[0])];
            if (w[0] != t && committed[w[0]] && at >= 0 && at < position[g.b(t)] && at > last) {
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
            if (committed[read[0]] && lastBefore(g, k, read[0], position, committed) != read[1]) {
                return false;
            }
        }
        for (int[] v : g.writers.get(k)) {
            for (int[] w : g.writers.get(k)) {
                if (g.eventsPerTxn == 2
                        && v[0] != w[0]
                        && committed[v[0]]
                        && committed[w[0]]
                        && position[g.c(v[0])] > position[g.b(w[0])]
                        && position[g.c(w[0])] > position[g.b(v[0])]) {
                    return false;
                }
            }
        }
        return true;
    }
}
