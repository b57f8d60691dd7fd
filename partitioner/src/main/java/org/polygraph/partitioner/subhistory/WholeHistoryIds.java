package org.polygraph.partitioner.subhistory;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.isolation.Alternative;
import org.polygraph.partitioner.isolation.Dependency;
import org.polygraph.partitioner.isolation.Reason;
import org.polygraph.partitioner.isolation.SubHistory;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.table.HistorySelection;

/** Converts violations of a selection to the ids of the whole history. Shared reasons stay shared. */
public final class WholeHistoryIds {
    private final HistorySelection part;
    private final IdentityHashMap<Dependency, Dependency> dependencies = new IdentityHashMap<>();
    private final IdentityHashMap<Reason, Reason> reasons = new IdentityHashMap<>();
    private final IdentityHashMap<Alternative, Alternative> alternatives = new IdentityHashMap<>();

    public WholeHistoryIds(HistorySelection part) {
        this.part = part;
    }

    /** The violation and its sub-history in the ids of the whole history. */
    public Violation of(Violation v) {
        List<Integer> transactions = new ArrayList<>();
        for (int t : v.transactions()) {
            transactions.add(part.transactions()[t]);
        }
        List<Integer> keys = new ArrayList<>();
        for (int key : v.keys()) {
            keys.add(part.keys()[key]);
        }
        return new Violation(
                v.anomaly(),
                v.aliases(),
                transactions,
                keys,
                dependencies(v.cycle()),
                alternatives(v.cases()),
                v.detail(),
                subHistory(v.minimal()));
    }

    /** All of them. */
    public List<Violation> of(List<Violation> violations) {
        return violations.stream().map(this::of).toList();
    }

    private @Nullable SubHistory subHistory(@Nullable SubHistory of) {
        if (of == null) {
            return null;
        }
        int[] operations = new int[of.operations().length];
        for (int i = 0; i < operations.length; i++) {
            operations[i] = part.operations()[of.operations()[i]];
        }
        int[] transactions = new int[of.transactions().length];
        for (int i = 0; i < transactions.length; i++) {
            transactions[i] = part.transactions()[of.transactions()[i]];
        }
        return new SubHistory(transactions, operations, of.minimal(), of.judge());
    }

    private List<Dependency> dependencies(List<Dependency> of) {
        List<Dependency> all = new ArrayList<>(of.size());
        for (Dependency d : of) {
            all.add(dependency(d));
        }
        return all;
    }

    private Dependency dependency(Dependency d) {
        Dependency known = dependencies.get(d);
        if (known == null) {
            known = new Dependency(
                    transaction(d.from()),
                    transaction(d.to()),
                    d.kind(),
                    d.key() == Dependency.NO_KEY ? Dependency.NO_KEY : part.keys()[d.key()],
                    d.value(),
                    reason(d.reason()));
            dependencies.put(d, known);
        }
        return known;
    }

    private int transaction(int t) {
        return t == Dependency.INITIAL ? t : part.transactions()[t];
    }

    private Reason reason(Reason r) {
        Reason known = reasons.get(r);
        if (known == null) {
            known = new Reason(r.basis(), r.why(), alternatives(r.because()));
            reasons.put(r, known);
        }
        return known;
    }

    private List<Alternative> alternatives(List<Alternative> of) {
        List<Alternative> all = new ArrayList<>(of.size());
        for (Alternative a : of) {
            Alternative known = alternatives.get(a);
            if (known == null) {
                Dependency assumed = a.assumed();
                known = new Alternative(
                        a.statement(),
                        assumed == null ? null : dependency(assumed),
                        dependencies(a.cycle()),
                        alternatives(a.cases()));
                alternatives.put(a, known);
            }
            all.add(known);
        }
        return all;
    }
}
