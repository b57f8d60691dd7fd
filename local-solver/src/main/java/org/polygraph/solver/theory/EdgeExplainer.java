package org.polygraph.solver.theory;

import java.util.Arrays;
import org.polygraph.solver.sat.IntStack;
import org.polygraph.solver.sat.SearchBudget;

/**
 * Explains a cycle: a path with the fewest added edges, by 0-1 breadth-first search within the window of positions
 * between its ends (every edge ascends, so no path leaves the window).
 */
final class EdgeExplainer {
    private final EventGraph graph;
    private final SearchBudget budget;
    private final int[] seen;
    private int stamp;
    /** Edge by which an event was reached: an added edge, or -2 - source for a known one, or -1 at the start. */
    private final int[] via;

    /** Events at the present distance, and at the next. */
    private IntStack near;

    private IntStack far;

    /** @param stamp of the last search */
    EdgeExplainer(EventGraph graph, SearchBudget budget, int stamp) {
        this.stamp = stamp;
        this.graph = graph;
        this.budget = budget;
        seen = budget.ints(graph.events());
        via = budget.ints(graph.events());
        near = new IntStack(budget);
        far = new IntStack(budget);
    }

    /**
     * Finds a path. Memory: 8 bytes an event; time: the edges in the window.
     *
     * @param literals where to push the literals of the path's added edges
     * @param path where to push the path's events, last first
     */
    boolean explain(int start, int end, int[] position, IntStack literals, IntStack path) {
        // An event is settled (seen == stamp + 1) when taken at its least distance; before that it may be queued for
        // the next distance (seen == stamp) and overtaken.
        if (stamp > Integer.MAX_VALUE - 3) {
            Arrays.fill(seen, 0);
            stamp = 0;
        }
        stamp += 2;
        int queued = stamp;
        int settled = stamp + 1;
        int limit = position[end];
        near.clear();
        far.clear();
        near.push(start);
        via[start] = -1;
        seen[start] = queued;
        while (!near.isEmpty()) {
            while (!near.isEmpty()) {
                budget.tick();
                int event = near.pop();
                if (seen[event] == settled) {
                    continue;
                }
                seen[event] = settled;
                if (event == end) {
                    trace(end, literals, path);
                    return true;
                }
                for (int i = graph.successorsFrom(event), last = graph.successorsFrom(event + 1); i < last; i++) {
                    int next = graph.successor(i);
                    if (position[next] <= limit && seen[next] != settled) {
                        via[next] = -2 - event;
                        seen[next] = queued;
                        near.push(next);
                    }
                }
                for (int edge = graph.firstOut(event); edge != EventGraph.END; edge = graph.nextOut(edge)) {
                    int next = graph.to(edge);
                    if (position[next] <= limit && seen[next] < queued) {
                        via[next] = edge;
                        seen[next] = queued;
                        far.push(next);
                    }
                }
            }
            IntStack swap = near;
            near = far;
            far = swap;
        }
        return false;
    }

    private void trace(int end, IntStack literals, IntStack path) {
        int event = end;
        while (true) {
            path.push(event);
            int edge = via[event];
            if (edge == -1) {
                return;
            }
            if (edge >= 0) {
                literals.push(graph.literal(edge));
                event = graph.from(edge);
            } else {
                event = -2 - edge;
            }
        }
    }
}
