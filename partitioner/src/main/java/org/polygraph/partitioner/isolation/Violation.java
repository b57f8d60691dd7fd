package org.polygraph.partitioner.isolation;

import java.util.List;

/**
 * Evidence that a history breaks a level.
 *
 * @param transactions the transactions involved, in the order of the cycle where there is one
 * @param keys the dense ids of the keys involved
 * @param cycle a closed chain of dependencies, shortest known first; empty if the anomaly is within one transaction or
 *     one read
 * @param detail one sentence that tells what was observed where there is no cycle; may be empty
 */
public record Violation(
        Anomaly anomaly, List<Integer> transactions, List<Integer> keys, List<Dependency> cycle, String detail) {
    public Violation {
        transactions = List.copyOf(transactions);
        keys = List.copyOf(keys);
        cycle = List.copyOf(cycle);
    }
}
