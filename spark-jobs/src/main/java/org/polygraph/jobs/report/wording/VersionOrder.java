package org.polygraph.jobs.report.wording;

import it.unimi.dsi.fastutil.ints.Int2ObjectRBTreeMap;
import it.unimi.dsi.fastutil.ints.Int2ObjectSortedMap;
import it.unimi.dsi.fastutil.ints.IntLinkedOpenHashSet;
import it.unimi.dsi.fastutil.ints.IntSortedSet;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.polygraph.partitioner.isolation.Dependency;
import org.polygraph.partitioner.isolation.EdgeKind;
import org.polygraph.partitioner.isolation.ReasonTree;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.table.HistoryTable;

/**
 * The known order of the versions of a key among the transactions of a violation. It follows from reads that their own
 * transaction overwrote and from edges that hold. Time: cubic in the versions shown, at most {@value #MOST}.
 *
 * @param steps versions in order; the order within a step is not known
 * @param shape how far the order is known
 * @param more number of versions that are not shown
 */
public record VersionOrder(int key, List<List<Version>> steps, Shape shape, int more) {
    /** The most versions shown of a key. */
    static final int MOST = 24;

    /** How far the order is known. */
    public enum Shape {
        /** The order is total. */
        TOTAL,
        /** The order of some versions is not known. */
        PARTIAL,
        /** The history requires both orders of some versions, so no order of versions explains it. */
        CONTRADICTORY
    }

    /**
     * A version.
     *
     * @param writer transaction, or {@link Dependency#INITIAL}
     * @param readers transactions of the violation that read this value
     */
    public record Version(long value, int writer, List<Integer> readers) {}

    /** The orders of the keys of a violation. */
    public static List<VersionOrder> of(Violation violation, HistoryTable table) {
        List<Dependency> certain =
                ReasonTree.of(violation.cycle(), violation.cases()).certain();
        Int2ObjectSortedMap<IntSortedSet> users = new Int2ObjectRBTreeMap<>();
        keys(violation).forEach(key -> users.put((int) key, new IntLinkedOpenHashSet()));
        for (int t : ReasonTree.transactions(violation)) {
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                IntSortedSet ofKey = users.get(table.key(o));
                if (ofKey != null) {
                    ofKey.add(t);
                }
            }
        }
        List<VersionOrder> orders = new ArrayList<>();
        users.int2ObjectEntrySet()
                .forEach(each -> orders.add(new Builder(each.getIntKey(), table, certain, each.getValue()).build()));
        return orders;
    }

    /** The keys of a violation and of its cycle, each once. */
    public static Collection<Integer> keys(Violation violation) {
        TreeSet<Integer> keys = new TreeSet<>(violation.keys());
        for (Dependency edge : violation.cycle()) {
            if (edge.key() != Dependency.NO_KEY) {
                keys.add(edge.key());
            }
        }
        return keys;
    }

    private static final class Builder {
        private final int key;
        private final HistoryTable table;
        private final List<Dependency> edges;
        /** Transactions of the violation with an operation on the key. */
        private final IntSortedSet users;

        private final List<Version> versions = new ArrayList<>();
        private int more;

        Builder(int key, HistoryTable table, List<Dependency> edges, IntSortedSet users) {
            this.key = key;
            this.table = table;
            this.edges = edges;
            this.users = users;
        }

        VersionOrder build() {
            collect();
            boolean[][] before = new boolean[versions.size()][versions.size()];
            known(before);
            close(before);
            boolean contradictory = false;
            boolean total = true;
            for (int i = 0; i < before.length; i++) {
                contradictory |= before[i][i];
                for (int j = 0; j < i; j++) {
                    total &= before[i][j] || before[j][i];
                }
            }
            Shape shape = contradictory ? Shape.CONTRADICTORY : total ? Shape.TOTAL : Shape.PARTIAL;
            return new VersionOrder(key, steps(before), shape, more);
        }

        private void collect() {
            versions.add(new Version(table.initialValue(key), Dependency.INITIAL, new ArrayList<>()));
            for (int t : users) {
                for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                    if (!table.isWriteOf(o, key)) {
                        continue;
                    }
                    if (versions.size() < MOST) {
                        versions.add(new Version(table.value(o), t, new ArrayList<>()));
                    } else {
                        more++;
                    }
                }
            }
        }

        private void known(boolean[][] before) {
            for (int v = 1; v < before.length; v++) {
                before[0][v] = true;
                // Writes of one transaction are in program order.
                before[v - 1][v] |=
                        versions.get(v - 1).writer() == versions.get(v).writer();
            }
            for (int t : users) {
                for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                    if (table.isReadOf(o, key)) {
                        int read = read(table.value(o), t);
                        if (read >= 0) {
                            List<Integer> readers = versions.get(read).readers();
                            // Transactions ascend, so a second read by the same one directly follows its first.
                            if (readers.isEmpty() || readers.get(readers.size() - 1) != t) {
                                readers.add(t);
                            }
                            order(before, read, t);
                        }
                    }
                }
            }
            for (Dependency edge : edges) {
                if (edge.key() == key && edge.kind() == EdgeKind.WW) {
                    order(before, last(edge.from()), edge.to());
                } else if (edge.key() == key && edge.kind() == EdgeKind.RW) {
                    order(before, read(edge.value(), edge.from()), edge.to());
                }
            }
        }

        /** The version with a value, or -1 if it may be the reader's own write or one of several. */
        private int read(long value, int reader) {
            int found = -1;
            for (int v = 0; v < versions.size(); v++) {
                Version version = versions.get(v);
                if (version.value() == value) {
                    if (found >= 0 || version.writer() == reader) {
                        return -1;
                    }
                    found = v;
                }
            }
            return found;
        }

        private int last(int writer) {
            for (int v = versions.size() - 1; v >= 0; v--) {
                if (versions.get(v).writer() == writer) {
                    return v;
                }
            }
            return -1;
        }

        /** A version comes before all versions by another transaction. */
        private void order(boolean[][] before, int version, int writer) {
            for (int v = 1; version >= 0 && v < versions.size(); v++) {
                if (versions.get(v).writer() == writer && versions.get(version).writer() != writer) {
                    before[version][v] = true;
                }
            }
        }

        private static void close(boolean[][] before) {
            int n = before.length;
            for (int k = 0; k < n; k++) {
                for (int i = 0; i < n; i++) {
                    for (int j = 0; j < n && before[i][k]; j++) {
                        before[i][j] |= before[k][j];
                    }
                }
            }
        }

        /** Each step has the versions that follow only earlier steps. The last step has those that a cycle blocks. */
        private List<List<Version>> steps(boolean[][] before) {
            List<List<Version>> steps = new ArrayList<>();
            List<Integer> left =
                    new ArrayList<>(IntStream.range(0, before.length).boxed().toList());
            while (!left.isEmpty()) {
                List<Integer> free = left.stream()
                        .filter(v -> left.stream().noneMatch(u -> before[u][v]))
                        .toList();
                List<Integer> step = free.isEmpty() ? List.copyOf(left) : free;
                left.removeAll(step);
                steps.add(step.stream().map(versions::get).toList());
            }
            return steps;
        }
    }
}
