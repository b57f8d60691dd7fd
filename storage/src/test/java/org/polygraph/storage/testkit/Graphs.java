package org.polygraph.storage.testkit;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.testkit.Definitions.Kind;
import org.polygraph.storage.testkit.Definitions.Level;
import org.polygraph.storage.testkit.Definitions.Op;
import org.polygraph.storage.testkit.Definitions.Row;

/**
 * Decides levels by graphs, which {@link Interpreter} does not use: tries every choice of the writers that reads read
 * from, and of the order of each key's versions. SER has no cycle of dependencies and anti-dependencies. SI has none in
 * which no two anti-dependencies are adjacent (Adya 1999; Cerone and Gotsman, PODC 2016). PC has none among the begins
 * and commits of transactions: an order of two versions is one of their commits. At the strict levels the graph
 * has edges of real time too. RC, RA and CC are those of Biswas and Enea (OOPSLA 2019, figure 2): there is a commit
 * order iff the graph has no cycle. PL2 is Adya's PL-2 (ICDE 2000): no cycle of versions and reads, without sessions. A
 * condition reads every row, and the rows of one operation have no order. The versions of a list are the appends of the
 * first few of its writers, at PC, CC, RA, RC and PL2 too, and a read of a list reads from each that appended an element.
 * Rows with inserts and deletes have a graph only at PC, CC, RA, RC and PL2.
 */
final class Graphs {
    /** A read of another transaction's version. */
    private record Read(int t, int position, int key, Op op) {
        boolean isList() {
            return op.kind() == Kind.READ_LIST;
        }
    }

    private final Definitions history;
    private final int n;
    /** The transactions that count, as a set of bits. */
    private final int counted;

    private final Level level;
    private final long skew;
    private final List<Read> reads = new ArrayList<>();
    /** By key and writer: the value that it leaves. */
    private final Map<Integer, Map<Integer, @Nullable Row>> finals = new HashMap<>();

    private int[] source = new int[0];
    /** By read: the other transactions, as bits, that appended an element which it returned. */
    private int[] appenders = new int[0];
    /** Edges of sessions and of real time. */
    private int[] base = new int[0];

    private List<Integer> keysWritten = List.of();

    Graphs(Definitions history, int counted, Level level, long skew) {
        this.history = history;
        n = history.n;
        this.counted = counted;
        this.level = level;
        this.skew = skew;
    }

    boolean in(int t) {
        return (counted >> t & 1) == 1;
    }

    boolean exist() {
        for (int t = 0; t < n; t++) {
            if (in(t) && !look(t)) {
                return false;
            }
        }
        source = new int[reads.size()];
        appenders = reads.stream().mapToInt(this::appenders).toArray();
        base = new int[n];
        for (int a = 0; a < n; a++) {
            for (int b = 0; b < n; b++) {
                if (a != b && in(a) && in(b)) {
                    boolean rt = level.realTime && history.rtBefore(a, b, skew);
                    if ((history.soBefore(a, b) && level != Level.PL2) || rt) {
                        base[a] |= 1 << b;
                    }
                }
            }
        }
        for (Read read : reads) {
            if (read.isList()
                    && !finals.containsKey(read.key)
                    && !read.op.list().equals(appends(read.t, read.key, read.position))) {
                return false;
            }
        }
        keysWritten = new ArrayList<>(finals.keySet());
        keysWritten.removeIf(key -> level.isAxiom() && !isList(key));
        keysWritten.sort((a, b) -> Boolean.compare(isRead(b), isRead(a)));
        return choose(0);
    }

    private boolean isList(int key) {
        return finals.get(key).keySet().stream()
                .anyMatch(t -> !appends(t, key, Integer.MAX_VALUE).isEmpty());
    }

    /** What a transaction appended before an operation of it. */
    private List<Long> appends(int t, int key, int end) {
        List<Long> elements = new ArrayList<>();
        for (Op op : inEffect(t, end)) {
            if (op.kind() == Kind.APPEND && op.key() == key) {
                elements.add(op.value());
            }
        }
        return elements;
    }

    private List<Op> inEffect(int t, int end) {
        List<Op> all = history.operations(t);
        return Definitions.inEffect(all.subList(0, Math.min(end, all.size())));
    }

    private int appenders(Read read) {
        int all = 0;
        for (int w = 0; w < n && read.isList(); w++) {
            boolean isIn = w != read.t
                    && appends(w, read.key, Integer.MAX_VALUE).stream().anyMatch(read.op.list()::contains);
            all |= isIn ? 1 << w : 0;
        }
        return all;
    }

    private boolean hasElementOf(int r, int writer) {
        return (appenders[r] >> writer & 1) == 1;
    }

    /** Whether the writers of a list up to the source of a read appended what it returned, before own appends. */
    private boolean explains(int r, List<Integer> order) {
        Read read = reads.get(r);
        int count = source[r] < 0 ? 0 : order.indexOf(source[r]) + 1;
        List<Long> state = new ArrayList<>();
        for (int w : order.subList(0, count)) {
            state.addAll(appends(w, read.key, Integer.MAX_VALUE));
        }
        List<Long> own = appends(read.t, read.key, read.position);
        state.addAll(own);
        own.retainAll(appends(read.t, read.key, Integer.MAX_VALUE));
        return state.equals(read.op.list()) && (own.isEmpty() || order.indexOf(read.t) == count);
    }

    private boolean isRead(int key) {
        return reads.stream().anyMatch(r -> r.key == key);
    }

    /** Adds the reads of other transactions' versions, and the versions that are left. False if an own read is wrong. */
    private boolean look(int t) {
        Map<Integer, @Nullable Row> own = new HashMap<>();
        for (int o = 0; o < history.ops[t].length; o++) {
            Op op = history.ops[t][o];
            for (int key = 0; key < history.keys; key++) {
                if (op.reads(key) && (op.kind() == Kind.READ_LIST || !own.containsKey(key))) {
                    reads.add(new Read(t, o, key, op));
                } else if (op.reads(key) && !op.permits(key, own.get(key))) {
                    return false;
                }
            }
            if (op.kind() == Kind.ROLLBACK_TO) {
                own.clear();
                inEffect(t, o + 1).forEach(left -> own(left, own));
            }
            own(op, own);
        }
        own.forEach((k, v) -> finals.computeIfAbsent(k, x -> new HashMap<>()).put(t, v));
        return true;
    }

    private void own(Op op, Map<Integer, @Nullable Row> own) {
        for (int key = 0; key < history.keys; key++) {
            if (op.writes(key)) {
                own.put(key, op.left());
            }
        }
    }

    private boolean choose(int r) {
        history.step();
        if (r == reads.size()) {
            int[] ordered = dependencies();
            int[] anti = new int[2 * n];
            for (int t = 0; t < n; t++) {
                for (int u = 0; u < n; u++) {
                    int later = (history.before[t] >> u & 1) << t;
                    ordered[u] |= level == Level.PC ? 0 : later;
                    anti[n + u] |= level == Level.PC ? later : 0;
                }
            }
            return versions(0, ordered, anti);
        }
        Read read = reads.get(r);
        if (read.isList() || read.op.permits(read.key, history.initial(read.key))) {
            source[r] = -1;
            if (isConsistent(r) && choose(r + 1)) {
                return true;
            }
        }
        for (Map.Entry<Integer, @Nullable Row> w :
                finals.getOrDefault(read.key, Map.of()).entrySet()) {
            boolean permits = read.isList() ? hasElementOf(r, w.getKey()) : read.op.permits(read.key, w.getValue());
            if (w.getKey() != read.t && permits) {
                source[r] = w.getKey();
                if (isConsistent(r) && choose(r + 1)) {
                    return true;
                }
            }
        }
        return false;
    }

    /**
     * Whether an earlier read of the key by the transaction has the same source, without which only RC and PL2 hold.
     */
    private boolean isConsistent(int r) {
        boolean isConsistent = true;
        for (int other = 0; other < r && !level.readsAlone(); other++) {
            boolean isSame = reads.get(other).t == reads.get(r).t && reads.get(other).key == reads.get(r).key;
            isConsistent &= !isSame || source[other] == source[r];
        }
        return isConsistent;
    }

    private int[] dependencies() {
        int[] edges = base.clone();
        for (int r = 0; r < source.length; r++) {
            if (source[r] >= 0) {
                edges[source[r]] |= 1 << reads.get(r).t;
            }
            for (int t = 0; t < n; t++) {
                edges[t] |= in(t) && hasElementOf(r, t) ? 1 << reads.get(r).t : 0;
            }
        }
        return edges;
    }

    /**
     * Tries the version orders of the keys from k on, with the dependencies and anti-dependencies so far. At PC the orders
     * of versions are the second half of {@code anti}.
     */
    private boolean versions(int k, int[] dep, int[] anti) {
        history.step();
        if (!acyclic(dep, anti)) {
            return false;
        }
        if (k == keysWritten.size()) {
            return !level.isAxiom() || axiomHolds(dep);
        }
        int key = keysWritten.get(k);
        List<Integer> writers = new ArrayList<>(finals.get(key).keySet());
        return permute(k, key, writers, new ArrayList<>(), dep, anti);
    }

    private boolean permute(int k, int key, List<Integer> left, List<Integer> order, int[] dep, int[] anti) {
        if (left.isEmpty()) {
            int[] d = dep.clone();
            int[] a = anti.clone();
            for (int i = 0; i < order.size(); i++) {
                for (int j = i + 1; j < order.size(); j++) {
                    int[] later = level == Level.PC ? a : d;
                    later[order.get(i) + (level == Level.PC ? n : 0)] |= 1 << order.get(j);
                }
            }
            for (int r = 0; r < source.length; r++) {
                Read read = reads.get(r);
                if (read.key == key) {
                    if (read.isList() && !explains(r, order)) {
                        return false;
                    }
                    int at = source[r] < 0 ? -1 : order.indexOf(source[r]);
                    for (int j = at + 1; j < order.size(); j++) {
                        if (order.get(j) != read.t) {
                            a[read.t] |= 1 << order.get(j);
                        }
                    }
                }
            }
            return versions(k + 1, d, a);
        }
        for (int i = 0; i < left.size(); i++) {
            int w = left.get(i);
            boolean blocked = false;
            for (int other : left) {
                blocked |= other != w && (dep[other] >> w & 1) == 1;
            }
            if (blocked) {
                continue;
            }
            List<Integer> rest = new ArrayList<>(left);
            rest.remove(i);
            order.add(w);
            if (permute(k, key, rest, order, dep, anti)) {
                return true;
            }
            order.remove(order.size() - 1);
        }
        return false;
    }

    private boolean acyclic(int[] dep, int[] anti) {
        if (level == Level.PC) {
            return isAcyclic(events(dep, anti));
        }
        int[] edges = dep.clone();
        for (int t = 0; t < n; t++) {
            if (level.isAxiom()) {
                continue;
            }
            if (level.isSnapshot()) {
                for (int u = 0; u < n; u++) {
                    if ((dep[t] >> u & 1) == 1) {
                        edges[t] |= anti[u];
                    }
                }
            } else {
                edges[t] |= anti[t];
            }
        }
        return isAcyclic(edges);
    }

    /** The graph of PC: the begins of transactions, then their commits. */
    private int[] events(int[] dep, int[] anti) {
        int[] edges = new int[2 * n];
        for (int t = 0; t < n; t++) {
            edges[t] = (1 << t | anti[t]) << n;
            edges[n + t] = dep[t] | anti[n + t] << n;
        }
        return edges;
    }

    /** @param ordered dependencies, and the orders of the versions of lists */
    private boolean axiomHolds(int[] ordered) {
        int[] known = dependencies();
        int[] reach = closure(known);
        for (int t = 0; t < n; t++) {
            if ((reach[t] >> t & 1) == 1) {
                return false;
            }
        }
        int[] commit = ordered.clone();
        for (int r = 0; r < source.length; r++) {
            Read read = reads.get(r);
            int t1 = source[r];
            for (int t2 : finals.getOrDefault(read.key, Map.of()).keySet()) {
                if (t2 == t1 || t2 == read.t) {
                    continue;
                }
                boolean sees;
                if (level == Level.CC) {
                    sees = (reach[t2] >> read.t & 1) == 1;
                } else if (level == Level.RA) {
                    sees = (known[t2] >> read.t & 1) == 1;
                } else {
                    sees = false;
                    for (int q = 0; q < source.length && level == Level.RC; q++) {
                        Read earlier = reads.get(q);
                        boolean isFrom = source[q] == t2 || hasElementOf(q, t2);
                        sees |= isFrom && earlier.t == read.t && earlier.position < read.position;
                    }
                }
                if (sees) {
                    if (t1 < 0) {
                        return false;
                    }
                    commit[t2] |= 1 << t1;
                }
            }
        }
        return isAcyclic(commit);
    }

    private int[] closure(int[] edges) {
        int[] reach = edges.clone();
        for (int k = 0; k < edges.length; k++) {
            for (int i = 0; i < edges.length; i++) {
                if ((reach[i] >> k & 1) == 1) {
                    reach[i] |= reach[k];
                }
            }
        }
        return reach;
    }

    private boolean isAcyclic(int[] edges) {
        int[] reach = closure(edges);
        for (int t = 0; t < edges.length; t++) {
            if ((reach[t] >> t & 1) == 1) {
                return false;
            }
        }
        return true;
    }
}
