package org.polygraph.partitioner.evidence;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.polygraph.partitioner.isolation.Alternative;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.partitioner.isolation.Dependency;
import org.polygraph.partitioner.isolation.Violation;

/**
 * A cycle as it is told: from its first transaction by (session, index), so that the same history tells the same.
 *
 * @param cycle each step begins where the one before ends
 * @param transactions in the order of the cycle
 * @param keys in the order of the cycle, each once
 */
record FirstCycle(List<Dependency> cycle, List<Integer> transactions, List<Integer> keys) {
    /** @param found from wherever it was found */
    static FirstCycle of(List<Dependency> found) {
        int first = 0;
        for (int i = 1; i < found.size(); i++) {
            if (found.get(i).from() < found.get(first).from()) {
                first = i;
            }
        }
        List<Dependency> cycle = new ArrayList<>(found.subList(first, found.size()));
        cycle.addAll(found.subList(0, first));
        Set<Integer> transactions = new LinkedHashSet<>();
        Set<Integer> keys = new LinkedHashSet<>();
        for (Dependency d : cycle) {
            transactions.add(d.from());
            if (d.key() != Dependency.NO_KEY) {
                keys.add(d.key());
            }
        }
        return new FirstCycle(cycle, new ArrayList<>(transactions), new ArrayList<>(keys));
    }

    Violation violation(Anomaly anomaly, List<Alternative> cases, String detail) {
        return new Violation(
                anomaly, CycleName.aliases(anomaly, cycle), transactions, keys, cycle, cases, detail, null);
    }
}
