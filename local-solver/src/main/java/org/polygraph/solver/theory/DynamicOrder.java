package org.polygraph.solver.theory;

import org.polygraph.solver.sat.IntStack;
import org.polygraph.solver.sat.SearchBudget;

/**
 * A total order of events that extends the known edges and every added edge (Pearce and Kelly, "A dynamic topological
 * sort algorithm for directed acyclic graphs", JEA 2006).
 *
 * <p>An edge against the order moves only events between its ends. Where the ends are near, the smaller of two sets
 * moves past the other end: the events that reach the source, or those that the target reaches; all others keep their
 * order. Where the ends are far apart, both sets redistribute their own places and no other event moves. Removing an
 * edge moves nothing: the order still extends the remaining edges and serves as the saved phase.
 *
 * <p>Memory: 36 bytes an event, 20 an added edge.
 */
public final class DynamicOrder {
    /**
     * Windows up to this many events are shifted: one search may then stop early and a quarter of the events move, at
     * the price of touching the whole window; in wider ones the places are redistributed.
     */
    static final int SHIFT_WINDOW = 1 << 14;

    private final int shiftWindow;
    private final EventGraph graph;
    private final EdgeExplainer explainer;
    private final SearchBudget budget;
    private final int[] position;
    private final int[] eventAt;
    /** {@link #stamp} when reached from the target, stamp + 1 when reaching the source of the edge being added. */
    private final int[] seen;

    private int stamp;
    private final IntStack forward;
    private final IntStack backward;
    private int[] scratch = new int[0];
    private int[] places = new int[0];
    private final IntStack moved;

    /**
     * An order over the edges of a graph, which this order alone changes from now on.
     *
     * @param initialPosition event to position, a permutation that extends the known edges; copied
     */
    public DynamicOrder(EventGraph graph, int[] initialPosition, SearchBudget budget) {
        this(graph, initialPosition, budget, SHIFT_WINDOW, 0);
    }

    /** The same, with another bound on the windows that are shifted, after a number of searches. */
    DynamicOrder(EventGraph graph, int[] initialPosition, SearchBudget budget, int shiftWindow, int stamp) {
        this.graph = graph;
        this.shiftWindow = shiftWindow;
        this.stamp = stamp;
        this.budget = budget;
        int events = graph.events();
        explainer = new EdgeExplainer(graph, budget, stamp);
        budget.check();
        budget.reserve(4L * events);
        position = java.util.Arrays.copyOf(initialPosition, events);
        eventAt = budget.ints(events);
        for (int event = 0; event < events; event++) {
            eventAt[position[event]] = event;
        }
        budget.check();
        seen = budget.ints(events);
        forward = new IntStack(budget);
        backward = new IntStack(budget);
        moved = new IntStack(budget);
    }

    /** The position of each event. The array changes with the order; callers must not write to it. */
    public int[] position() {
        return position;
    }

    /** Events that moved since this was last cleared, perhaps more than once. */
    public IntStack moved() {
        return moved;
    }

    /** Number of added edges. */
    public int added() {
        return graph.added();
    }

    /**
     * Adds the edge {@code source -> target}.
     *
     * @param literal kept with the edge, for explanations
     * @return false when it would close a cycle; then nothing changed
     */
    public boolean add(int source, int target, int literal) {
        if (position[source] > position[target] && !reorder(source, target)) {
            return false;
        }
        graph.add(source, target, literal);
        return true;
    }

    /** Removes the edge added last. */
    public void removeNewest() {
        graph.removeNewest();
    }

    /** Removes every added edge; the order does not change. */
    public void removeAdded() {
        while (graph.added() > 0) {
            graph.removeNewest();
        }
    }

    /**
     * Explains why {@code source -> target} was refused: pushes the literals of a path from target to source with the
     * fewest added edges.
     *
     * @param path where to push the path's events, source first, target last
     */
    public void explain(int source, int target, IntStack literals, IntStack path) {
        if (!explainer.explain(target, source, position, literals, path)) {
            throw new IllegalStateException("no cycle through the refused edge " + source + " -> " + target);
        }
    }

    private boolean reorder(int source, int target) {
        if (stamp > Integer.MAX_VALUE - 3) {
            java.util.Arrays.fill(seen, 0);
            stamp = 0;
        }
        stamp += 2;
        int lower = position[target];
        int upper = position[source];
        forward.clear();
        backward.clear();
        seen[target] = stamp;
        seen[source] = stamp + 1;
        forward.push(target);
        backward.push(source);
        int f = 0;
        int b = 0;
        boolean mayShift = upper - lower <= shiftWindow;
        // The searches alternate, so that two searches that meet (a cycle) do so early, and the smaller side ends
        // first.
        while (f < forward.size() || b < backward.size()) {
            budget.tick();
            if (f < forward.size()) {
                if (!expandForward(forward.get(f++), upper)) {
                    return false;
                }
            } else if (mayShift) {
                shiftUp(lower, upper);
                return true;
            }
            if (b < backward.size()) {
                if (!expandBackward(backward.get(b++), lower)) {
                    return false;
                }
            } else if (mayShift) {
                shiftDown(lower, upper);
                return true;
            }
        }
        shareOut();
        return true;
    }

    /** Moves the events that the target reaches right after the source; all others keep their order. */
    private void shiftUp(int lower, int upper) {
        int n = forward.size();
        scratch = budget.grow(scratch, n);
        int held = 0;
        int to = lower;
        for (int at = lower; at <= upper; at++) {
            int event = eventAt[at];
            if (seen[event] == stamp) {
                scratch[held++] = event;
            } else {
                eventAt[to] = event;
                position[event] = to++;
            }
        }
        for (int i = 0; i < held; i++) {
            place(scratch[i], to++);
        }
    }

    /** Moves the events that reach the source right before the target; all others keep their order. */
    private void shiftDown(int lower, int upper) {
        int n = backward.size();
        scratch = budget.grow(scratch, n);
        int held = 0;
        int to = upper;
        for (int at = upper; at >= lower; at--) {
            int event = eventAt[at];
            if (seen[event] == stamp + 1) {
                scratch[held++] = event;
            } else {
                eventAt[to] = event;
                position[event] = to--;
            }
        }
        for (int i = 0; i < held; i++) {
            place(scratch[i], to--);
        }
    }

    private void place(int event, int at) {
        position[event] = at;
        eventAt[at] = event;
        moved.push(event);
    }

    private boolean expandForward(int event, int upper) {
        for (int i = graph.successorsFrom(event), end = graph.successorsFrom(event + 1); i < end; i++) {
            if (!reachForward(graph.successor(i), upper)) {
                return false;
            }
        }
        for (int edge = graph.firstOut(event); edge != EventGraph.END; edge = graph.nextOut(edge)) {
            if (!reachForward(graph.to(edge), upper)) {
                return false;
            }
        }
        return true;
    }

    private boolean reachForward(int event, int upper) {
        if (position[event] > upper || seen[event] == stamp) {
            return true;
        }
        if (seen[event] == stamp + 1) {
            return false;
        }
        seen[event] = stamp;
        forward.push(event);
        return true;
    }

    private boolean expandBackward(int event, int lower) {
        for (int i = graph.predecessorsFrom(event), end = graph.predecessorsFrom(event + 1); i < end; i++) {
            if (!reachBackward(graph.predecessor(i), lower)) {
                return false;
            }
        }
        for (int edge = graph.firstIn(event); edge != EventGraph.END; edge = graph.nextIn(edge)) {
            if (!reachBackward(graph.from(edge), lower)) {
                return false;
            }
        }
        return true;
    }

    private boolean reachBackward(int event, int lower) {
        if (position[event] < lower || seen[event] == stamp + 1) {
            return true;
        }
        if (seen[event] == stamp) {
            return false;
        }
        seen[event] = stamp + 1;
        backward.push(event);
        return true;
    }

    /**
     * Assigns the places of both sets, first to the events that reach the source, then to those that the target
     * reaches.
     */
    private void shareOut() {
        int nb = backward.size();
        int nf = forward.size();
        int n = nb + nf;
        scratch = budget.grow(scratch, n);
        places = budget.grow(places, n);
        for (int i = 0; i < nb; i++) {
            scratch[i] = position[backward.get(i)];
        }
        for (int i = 0; i < nf; i++) {
            scratch[nb + i] = position[forward.get(i)];
        }
        java.util.Arrays.sort(scratch, 0, nb);
        java.util.Arrays.sort(scratch, nb, n);
        int i = 0;
        int j = nb;
        for (int k = 0; k < n; k++) {
            places[k] = j == n || (i < nb && scratch[i] < scratch[j]) ? scratch[i++] : scratch[j++];
        }
        for (int k = 0; k < n; k++) {
            scratch[k] = eventAt[scratch[k]];
        }
        for (int k = 0; k < n; k++) {
            int event = scratch[k];
            if (position[event] != places[k]) {
                place(event, places[k]);
            }
        }
    }
}
