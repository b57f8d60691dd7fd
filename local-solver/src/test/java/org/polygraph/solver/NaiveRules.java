package org.polygraph.solver;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * Adds forced edges to the fixpoint by the definition of the rules R1 and R2, for one event a transaction and unique
 * values. It prepares problems as the partitioner does. O(rounds * (edges * events / 64 + reads * writers)).
 */
final class NaiveRules {
    private final RandomPolygraph g;
    private final List<int[]> edges;
    private BitSet[] reaches = new BitSet[0];
    /** The pairs of a read and another writer whose order is open. */
    int open;

    int forced;

    NaiveRules(RandomPolygraph g) {
        this.g = g;
        edges = new ArrayList<>(g.edges);
        for (int k = 0; k < g.keys; k++) {
            for (int[] read : g.readers.get(k)) {
                for (int[] writer : g.writers.get(k)) {
                    if (writer[1] == read[1] && writer[0] != read[0]) {
                        edges.add(new int[] {writer[0], read[0]});
                    }
                }
            }
        }
    }

    /** Adds forced edges until there are none. Returns whether the graph has no cycle. */
    boolean survives() {
        boolean changed = true;
        while (changed) {
            if (!close()) {
                return false;
            }
            changed = false;
            open = 0;
            for (int k = 0; k < g.keys; k++) {
                for (int[] read : g.readers.get(k)) {
                    for (int[] from : g.writers.get(k)) {
                        for (int[] other : g.writers.get(k)) {
                            if (from[1] == read[1] && other[1] != read[1]) {
                                changed |= force(from[0], read[0], other[0]);
                            }
                        }
                    }
                }
            }
        }
        return true;
    }

    private boolean force(int from, int reader, int other) {
        if (reaches[other].get(from) || reaches[reader].get(other)) {
            return false;
        }
        if (reaches[other].get(reader)) {
            edges.add(new int[] {other, from});
        } else if (reaches[from].get(other)) {
            edges.add(new int[] {reader, other});
        } else {
            open++;
            return false;
        }
        forced++;
        return true;
    }

    private boolean close() {
        int n = g.events();
        int[] incoming = new int[n];
        List<List<Integer>> successors = new ArrayList<>();
        for (int e = 0; e < n; e++) {
            successors.add(new ArrayList<>());
        }
        for (int[] edge : edges) {
            successors.get(edge[0]).add(edge[1]);
            incoming[edge[1]]++;
        }
        int[] order = new int[n];
        int size = 0;
        for (int e = 0; e < n; e++) {
            if (incoming[e] == 0) {
                order[size++] = e;
            }
        }
        for (int i = 0; i < size; i++) {
            for (int next : successors.get(order[i])) {
                if (--incoming[next] == 0) {
                    order[size++] = next;
                }
            }
        }
        reaches = new BitSet[n];
        for (int i = size - 1; i >= 0; i--) {
            BitSet set = new BitSet(n);
            for (int next : successors.get(order[i])) {
                set.set(next);
                set.or(reaches[next]);
            }
            reaches[order[i]] = set;
        }
        return size == n;
    }
}
