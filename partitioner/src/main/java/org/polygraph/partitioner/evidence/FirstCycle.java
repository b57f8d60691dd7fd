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
 * A cycle that starts with its first transaction by (session, index), so that a history always has the same evidence.
 *
 * @param steps each begins where the previous one ends
 */
record FirstCycle(List<Dependency> steps) {
    /** @param found the cycle from any of its transactions */
    static FirstCycle of(List<Dependency> found) {
        int first = 0;
        for (int i = 1; i < found.size(); i++) {
            if (found.get(i).from() < found.get(first).from()) {
                first = i;
            }
        }
        List<Dependency> steps = new ArrayList<>(found.subList(first, found.size()));
        steps.addAll(found.subList(0, first));
        return new FirstCycle(steps);
    }

    /** Its transactions and keys, each once, in the order of the cycle. */
    Violation violation(Anomaly anomaly, List<Alternative> cases, String detail) {
        Set<Integer> transactions = new LinkedHashSet<>();
        Set<Integer> keys = new LinkedHashSet<>();
        for (Dependency d : steps) {
            transactions.add(d.from());
            if (d.key() != Dependency.NO_KEY) {
                keys.add(d.key());
            }
        }
        return new Violation(
                anomaly,
                CycleName.aliases(anomaly, steps),
                new ArrayList<>(transactions),
                new ArrayList<>(keys),
                steps,
                cases,
                detail,
                null);
    }
}
