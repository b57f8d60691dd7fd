package org.polygraph.solver;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.solver.sat.Budget;
import org.polygraph.solver.sat.IntStack;

/**
 * Parts of a polygraph that can be solved each alone.
 *
 * <p>A key is <i>settled</i> if what is known orders its writers one after another and each of its readers between two of
 * them: every order agrees on it, so if the first one explains it, all do. The others are <i>open</i>. A search only ever
 * speaks of pairs of events of one open key. So draw an arc for each known edge, and arcs both ways between transactions that
 * share an open key: whatever edges a search adds, a cycle of them and known ones stays within one strongly connected
 * component, each component has a model or none on its own, and putting their orders one after another, as the arcs between
 * components demand, gives an order of all. It does not matter which keys an order violates later: all open ones count, and
 * known edges that only lead from one part to another tie nothing together.
 *
 * <p>A part whose keys the first order explains needs no search. Numbering within a part ascends with that of the whole, so
 * that literals keep their sign and classes their first writer.
 *
 * <p>Strongly connected components: Tarjan, "Depth-first search and linear graph algorithms", SIAM J. Comput. 1972, without
 * recursion; a ring through the transactions of each group of open keys stands for its arcs. Time: linear, but for sorting
 * the items of clean keys where {@link Reachability} is known. Memory: 25 bytes a transaction and 5 a key.
 */
final class IndependentParts {
    private static final int NONE = -1;

    /** So many transactions a violated key, and the search is over before its parts are found. */
    private static final int MOST_PER_KEY = 64;

    private final Polygraph p;
    private final Budget budget;
    private final boolean forward;
    private final int[] start;
    private final int[] target;
    /** By transaction, its component; components are numbered as the arcs demand, last first if {@code forward}. */
    private final int[] components;

    private int componentCount;
    /** By component, its part; {@link #NONE} if the first order explains it. */
    private int[] partOf = new int[0];
    /** By part: its component. */
    private int[] componentOf = new int[0];
    /** By part and one more: where its transactions, ascending, begin; where its open keys do. */
    private int[] memberStarts = new int[0];

    private int[] members = new int[0];
    private int[] keyStarts = new int[0];
    private int[] keys = new int[0];
    /** By transaction, its number within its part. */
    private int[] numbers = new int[0];

    private IndependentParts(Polygraph p, Budget budget) {
        this.p = p;
        this.budget = budget;
        forward = p.successorStart != null && p.successor != null;
        start = forward ? known(p.successorStart) : known(p.predecessorStart);
        target = forward ? known(p.successor) : known(p.predecessor);
        components = budget.ints(p.transactions);
    }

    private static int[] known(int @Nullable [] edges) {
        if (edges == null) {
            throw new IllegalArgumentException("a polygraph needs successors or predecessors; it has neither");
        }
        return edges;
    }

    /**
     * Looks for parts, where that promises to pay: many violated keys, in groups of which none has half of it all.
     *
     * @return null if it does not, or at most one part needs a search
     */
    static @Nullable IndependentParts of(Polygraph p, Budget budget) {
        long violated = p.dirtyKeys == null ? p.keys() : p.dirtyKeys.length;
        if (violated < 2 || violated * MOST_PER_KEY < p.transactions) {
            return null;
        }
        long before = budget.own();
        boolean scattered = new CoreGroups(p, budget).isScattered();
        budget.reserve(before - budget.own());
        if (!scattered) {
            return null;
        }
        IndependentParts parts = new IndependentParts(p, budget);
        boolean[] open = parts.openKeys();
        parts.connect(parts.rings(open));
        parts.divide(open);
        budget.reserve(-p.keys());
        if (parts.count() < 2) {
            budget.reserve(before - budget.own());
            return null;
        }
        return parts;
    }

    /** Parts that need a search, the smallest first. */
    int count() {
        return componentOf.length;
    }

    /** The transaction of a part with a number there. */
    int transaction(int part, int number) {
        return members[memberStarts[part] + number];
    }

    // ---------------------------------------------------------------- what belongs together

    private boolean[] openKeys() {
        budget.reserve(p.keys());
        boolean[] open = new boolean[p.keys()];
        if (p.dirtyKeys == null || p.reachability == null) {
            Arrays.fill(open, true);
            return open;
        }
        for (int key : p.dirtyKeys) {
            open[key] = true;
        }
        Ranks ranks = new Ranks(p, p.position);
        long[] items = new long[64];
        for (int key = 0; key < p.keys(); key++) {
            int size = p.readerStart[key + 1] - p.readerStart[key] + p.writerStart[key + 1] - p.writerStart[key];
            if (size > items.length) {
                items = new long[Math.max(size, 2 * items.length)];
            }
            open[key] = open[key] || !isSettled(key, ranks, items);
        }
        return open;
    }

    private boolean isSettled(int key, Ranks ranks, long[] items) {
        int n = 0;
        for (int r = p.readerStart[key]; r < p.readerStart[key + 1]; r++) {
            if (p.isOptional(p.readerTxn[r])) {
                return false;
            }
            items[n++] = (long) ranks.ofReader(p.readerTxn[r]) << 32 | 2L * p.readerTxn[r];
        }
        for (int w = p.writerStart[key]; w < p.writerStart[key + 1]; w++) {
            if (p.isOptional(p.writerTxn[w])) {
                return false;
            }
            items[n++] = (long) ranks.ofWriter(p.writerTxn[w]) << 32 | 2L * p.writerTxn[w] + 1;
        }
        Arrays.sort(items, 0, n);
        int last = NONE;
        int lastAt = -1;
        for (int i = 0; i < n; i++) {
            budget.tick();
            int txn = (int) items[i] >>> 1;
            boolean isWriter = (items[i] & 1) != 0;
            if (last != NONE && !p.certain(p.commit(last), p.snapshot(txn))) {
                return false;
            }
            if (isWriter) {
                for (int j = lastAt + 1; j < i; j++) {
                    int reader = (int) items[j] >>> 1;
                    if (reader != txn && !p.certain(p.snapshot(reader), p.commit(txn))) {
                        return false;
                    }
                }
                last = txn;
                lastAt = i;
            }
        }
        return true;
    }

    /** By transaction, the next one of its group of open keys, the first after the last; itself if it is alone. */
    private int[] rings(boolean[] open) {
        int[] parents = components;
        for (int t = 0; t < p.transactions; t++) {
            parents[t] = t;
        }
        for (int key = 0; key < p.keys(); key++) {
            if (!open[key]) {
                continue;
            }
            int group = NONE;
            for (int w = p.writerStart[key]; w < p.writerStart[key + 1]; w++) {
                group = join(parents, group, p.writerTxn[w]);
            }
            for (int r = p.readerStart[key]; r < p.readerStart[key + 1]; r++) {
                group = join(parents, group, p.readerTxn[r]);
            }
        }
        // A root is the least of its group, so it comes first and its place in the ring can hold the last so far.
        int[] ring = budget.ints(p.transactions);
        for (int t = 0; t < p.transactions; t++) {
            budget.tick();
            int root = root(parents, t);
            ring[t] = t;
            if (root != t) {
                ring[t] = ring[root];
                ring[root] = t;
            }
        }
        return ring;
    }

    private int join(int[] parents, int group, int txn) {
        budget.tick();
        int root = root(parents, txn);
        if (group == NONE || group == root) {
            return root;
        }
        int low = Math.min(group, root);
        parents[Math.max(group, root)] = low;
        return low;
    }

    private static int root(int[] parents, int txn) {
        int at = txn;
        while (parents[at] != at) {
            parents[at] = parents[parents[at]];
            at = parents[at];
        }
        return at;
    }

    private void connect(int[] ring) {
        int n = p.transactions;
        int[] index = budget.ints(n);
        int[] low = budget.ints(n);
        int[] next = budget.ints(n);
        IntStack path = new IntStack(budget);
        IntStack unassigned = new IntStack(budget);
        Arrays.fill(components, NONE);
        int counter = 0;
        for (int t = 0; t < n; t++) {
            if (index[t] != 0) {
                continue;
            }
            path.push(t);
            while (!path.isEmpty()) {
                budget.tick();
                int at = path.get(path.size() - 1);
                if (index[at] == 0) {
                    index[at] = ++counter;
                    low[at] = counter;
                    next[at] = start[p.snapshot(at)] - 1;
                    unassigned.push(at);
                }
                int to = descend(at, ring, index, low, next);
                if (to != NONE) {
                    path.push(to);
                    continue;
                }
                path.pop();
                if (low[at] == index[at]) {
                    int member;
                    do {
                        member = unassigned.pop();
                        components[member] = componentCount;
                    } while (member != at);
                    componentCount++;
                }
                if (!path.isEmpty()) {
                    int before = path.get(path.size() - 1);
                    low[before] = Math.min(low[before], low[at]);
                }
            }
        }
        budget.reserve(-16L * n);
        path.free();
        unassigned.free();
    }

    /** The next transaction to go to from {@code at}, or {@link #NONE}; the ring's arc comes before the known ones. */
    private int descend(int at, int[] ring, int[] index, int[] low, int[] next) {
        int end = start[p.snapshot(at) + p.eventsPerTransaction];
        while (next[at] < end) {
            int i = next[at]++;
            int to = i < start[p.snapshot(at)] ? ring[at] : p.transaction(target[i]);
            if (index[to] == 0) {
                return to;
            }
            if (components[to] == NONE) {
                low[at] = Math.min(low[at], index[to]);
            }
        }
        return NONE;
    }

    private void divide(boolean[] open) {
        partOf = budget.ints(componentCount);
        Arrays.fill(partOf, NONE);
        int[] sizes = budget.ints(componentCount);
        for (int t = 0; t < p.transactions; t++) {
            sizes[components[t]]++;
        }
        long[] bySize = new long[componentCount];
        int parts = 0;
        int dirty = p.dirtyKeys == null ? p.keys() : p.dirtyKeys.length;
        for (int i = 0; i < dirty; i++) {
            int component = componentOfKey(p.dirtyKeys == null ? i : p.dirtyKeys[i]);
            if (component != NONE && partOf[component] == NONE) {
                partOf[component] = 0;
                bySize[parts++] = (long) sizes[component] << 32 | component;
            }
        }
        budget.reserve(-4L * componentCount);
        Arrays.sort(bySize, 0, parts);
        componentOf = budget.ints(parts);
        memberStarts = budget.ints(parts + 1);
        keyStarts = budget.ints(parts + 1);
        for (int i = 0; i < parts; i++) {
            componentOf[i] = (int) bySize[i];
            partOf[componentOf[i]] = i;
            memberStarts[i + 1] = memberStarts[i] + (int) (bySize[i] >>> 32);
        }
        numbers = budget.ints(p.transactions);
        members = budget.ints(memberStarts[parts]);
        int[] filled = new int[parts];
        for (int t = 0; t < p.transactions; t++) {
            int part = partOf[components[t]];
            if (part != NONE) {
                numbers[t] = filled[part]++;
                members[memberStarts[part] + numbers[t]] = t;
            }
        }
        listKeys(open);
    }

    private void listKeys(boolean[] open) {
        int parts = count();
        for (int key = 0; key < p.keys(); key++) {
            int part = open[key] ? partOfKey(key) : NONE;
            if (part != NONE) {
                keyStarts[part + 1]++;
            }
        }
        for (int i = 0; i < parts; i++) {
            keyStarts[i + 1] += keyStarts[i];
        }
        keys = budget.ints(keyStarts[parts]);
        int[] filled = Arrays.copyOf(keyStarts, parts);
        for (int key = 0; key < p.keys(); key++) {
            int part = open[key] ? partOfKey(key) : NONE;
            if (part != NONE) {
                keys[filled[part]++] = key;
            }
        }
    }

    /** All transactions of an open key are in one component. */
    private int componentOfKey(int key) {
        if (p.writerStart[key] < p.writerStart[key + 1]) {
            return components[p.writerTxn[p.writerStart[key]]];
        }
        return p.readerStart[key] < p.readerStart[key + 1] ? components[p.readerTxn[p.readerStart[key]]] : NONE;
    }

    private int partOfKey(int key) {
        int component = componentOfKey(key);
        return component == NONE ? NONE : partOf[component];
    }

    // ---------------------------------------------------------------- one part, and all together again

    /** Makes a part; its arrays are its own. Thread-safe. Time and memory: those of its transactions, edges and items. */
    Part part(int part, Budget ofPart) {
        return Part.of(
                p,
                Arrays.copyOfRange(members, memberStarts[part], memberStarts[part + 1]),
                Arrays.copyOfRange(keys, keyStarts[part], keyStarts[part + 1]),
                txn -> components[txn] == componentOf[part] ? numbers[txn] : NONE,
                ofPart);
    }

    /**
     * An order of all events: each component's own, one component after the other.
     *
     * @param found by part, the position of each of its events
     */
    int[] join(int[][] found) {
        int perTxn = p.eventsPerTransaction;
        int[] next = new int[componentCount + 1];
        for (int t = 0; t < p.transactions; t++) {
            next[rank(components[t]) + 1] += perTxn;
        }
        for (int c = 0; c < componentCount; c++) {
            next[c + 1] += next[c];
        }
        int[] eventAt = new int[p.events()];
        for (int e = 0; e < eventAt.length; e++) {
            eventAt[p.position[e]] = e;
        }
        int[] position = new int[p.events()];
        for (int e : eventAt) {
            int txn = p.transaction(e);
            int component = components[txn];
            int part = partOf[component];
            position[e] = part == NONE
                    ? next[rank(component)]++
                    : next[rank(component)] + found[part][perTxn * numbers[txn] + e - p.snapshot(txn)];
        }
        return position;
    }

    /** Along successors Tarjan's algorithm ends a component after all that it leads to. */
    private int rank(int component) {
        return forward ? componentCount - 1 - component : component;
    }
}
