package org.polygraph.partitioner.evidence;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.polygraph.partitioner.graph.Events;

/**
 * The strongly connected components of an evidence graph that hold a cycle (Tarjan 1972, without recursion): linear in
 * events and edges, 17 bytes per event.
 */
final class Components {
    private final EvidenceGraph graph;
    private final Events events;
    private final int[] number;
    private final int[] low;
    private final int[] nextEdge;
    private final boolean[] open;
    private final IntArrayList path = new IntArrayList();
    private final IntArrayList stack = new IntArrayList();
    private final List<int[]> found = new ArrayList<>();
    private int numbers;

    private Components(EvidenceGraph graph) {
        this.graph = graph;
        this.events = graph.events();
        int n = events.count();
        number = new int[n];
        low = new int[n];
        nextEdge = new int[n];
        open = new boolean[n];
    }

    /** Components of more than one event, each ascending; in the order of their first events. */
    static List<int[]> of(EvidenceGraph graph) {
        Components components = new Components(graph);
        for (int v = 0; v < components.number.length; v++) {
            if (components.number[v] == 0) {
                components.search(v);
            }
        }
        List<int[]> found = components.found;
        found.sort((a, b) -> Integer.compare(a[0], b[0]));
        return found;
    }

    private void search(int root) {
        enter(root);
        while (!path.isEmpty()) {
            int v = path.getInt(path.size() - 1);
            int w = next(v);
            if (w < 0) {
                path.popInt();
                if (!path.isEmpty()) {
                    int parent = path.getInt(path.size() - 1);
                    low[parent] = Math.min(low[parent], low[v]);
                }
                if (low[v] == number[v]) {
                    close(v);
                }
            } else if (number[w] == 0) {
                enter(w);
            } else if (open[w]) {
                low[v] = Math.min(low[v], number[w]);
            }
        }
    }

    private void enter(int v) {
        number[v] = low[v] = ++numbers;
        // The session step comes first, then the edges.
        nextEdge[v] = graph.firstEdges()[v] - 1;
        open[v] = true;
        path.add(v);
        stack.add(v);
    }

    /** The next successor of an event, or -1. */
    private int next(int v) {
        int first = graph.firstEdges()[v];
        int i = nextEdge[v]++;
        if (i < first) {
            if (v + 1 < events.count() && events.chain(v + 1) == events.chain(v)) {
                return v + 1;
            }
            i = nextEdge[v]++;
        }
        return i < graph.firstEdges()[v + 1] ? graph.target(graph.edgesFrom()[i]) : -1;
    }

    private void close(int v) {
        int at = stack.size();
        int w;
        do {
            w = stack.getInt(--at);
            open[w] = false;
        } while (w != v);
        if (stack.size() - at > 1) {
            int[] component = new int[stack.size() - at];
            for (int i = 0; i < component.length; i++) {
                component[i] = stack.getInt(at + i);
            }
            Arrays.sort(component);
            found.add(component);
        }
        stack.size(at);
    }
}
