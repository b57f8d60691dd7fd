package org.polygraph.partitioner.isolation;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/** The edges of a violation, those of the reasons of these edges, and so on. Each reason is visited once. */
public final class ReasonTree {
    private final List<Dependency> edges = new ArrayList<>();
    private final List<Dependency> certain = new ArrayList<>();
    private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());

    private ReasonTree() {}

    /** Of a cycle, and of the cases of a violation. */
    public static ReasonTree of(List<Dependency> cycle, List<Alternative> cases) {
        ReasonTree tree = new ReasonTree();
        tree.visit(cycle, cases.isEmpty());
        tree.visitAll(cases, false);
        return tree;
    }

    /** The transactions of a violation, of its reasons and of its sub-history; without the initial one. */
    public static SortedSet<Integer> transactions(Violation violation) {
        SortedSet<Integer> all = new TreeSet<>(violation.transactions());
        for (Dependency edge : of(violation.cycle(), violation.cases()).edges) {
            all.add(edge.from());
            all.add(edge.to());
        }
        SubHistory sub = violation.minimal();
        for (int i = 0; sub != null && i < sub.transactions().length; i++) {
            all.add(sub.transactions()[i]);
        }
        all.remove(Dependency.INITIAL);
        return all;
    }

    /** All of them. */
    public List<Dependency> edges() {
        return edges;
    }

    /** Those that hold without an assumption. */
    public List<Dependency> certain() {
        return certain;
    }

    /** @param holds false inside a case, whose edges may depend on its assumption */
    private void visit(List<Dependency> chain, boolean holds) {
        for (Dependency edge : chain) {
            edges.add(edge);
            if (edge.reason().basis() != Basis.ASSUMED && holds) {
                certain.add(edge);
            }
            if (seen.add(edge.reason())) {
                visitAll(edge.reason().because(), holds);
            }
        }
    }

    private void visitAll(List<Alternative> alternatives, boolean holds) {
        for (Alternative alternative : alternatives) {
            if (seen.add(alternative)) {
                visit(alternative.cycle(), holds && alternative.cases().isEmpty());
                visitAll(alternative.cases(), false);
            }
        }
    }
}
