package org.polygraph.jobs.report.wording;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.polygraph.partitioner.isolation.Alternative;
import org.polygraph.partitioner.isolation.Basis;
import org.polygraph.partitioner.isolation.Dependency;
import org.polygraph.partitioner.isolation.Reason;
import org.polygraph.partitioner.isolation.SubHistory;
import org.polygraph.partitioner.isolation.Violation;

/** The edges of a violation and its reasons that hold without an assumption, and all their transactions. */
public final class Certain {
    /** The most reasons visited; further ones are ignored. */
    private static final int MOST = 10_000;

    private final List<Dependency> edges = new ArrayList<>();
    private final Set<Integer> transactions = new TreeSet<>();
    private final Set<Reason> seen = Collections.newSetFromMap(new IdentityHashMap<>());

    private Certain() {}

    /** Visits each reason once, at most 10,000 of them. */
    public static Certain of(Violation violation) {
        Certain certain = new Certain();
        violation.transactions().forEach(certain::add);
        SubHistory sub = violation.minimal();
        if (sub != null) {
            for (int t : sub.transactions()) {
                certain.add(t);
            }
        }
        certain.walk(violation.cycle(), violation.cases().isEmpty());
        certain.alternatives(violation.cases(), false);
        return certain;
    }

    /** Edges whose basis is not {@link Basis#ASSUMED}. */
    public List<Dependency> edges() {
        return edges;
    }

    /** Ascending, without the initial one. */
    public Set<Integer> transactions() {
        return transactions;
    }

    private void add(int transaction) {
        if (transaction != Dependency.INITIAL) {
            transactions.add(transaction);
        }
    }

    /** @param holds false inside a case, whose edges may depend on its assumption */
    private void walk(List<Dependency> chain, boolean holds) {
        for (Dependency edge : chain) {
            add(edge.from());
            add(edge.to());
            if (edge.reason().basis() != Basis.ASSUMED && holds) {
                edges.add(edge);
            }
            if (seen.size() < MOST && seen.add(edge.reason())) {
                alternatives(edge.reason().because(), holds);
            }
        }
    }

    private void alternatives(List<Alternative> alternatives, boolean holds) {
        for (Alternative alternative : alternatives) {
            boolean leaf = alternative.cases().isEmpty();
            walk(alternative.cycle(), holds && leaf);
            alternatives(alternative.cases(), false);
        }
    }
}
