package org.polygraph.partitioner.isolation;

import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Evidence that a history breaks a level.
 *
 * @param aliases other names for it, Adya's first
 * @param transactions the transactions involved, in the order of the cycle where there is one
 * @param keys the dense ids of the keys involved
 * @param cycle a closed chain of dependencies, the shortest by edges outside sessions; empty if the anomaly is within
 *     one transaction or one read; if there are cases, the shortest of theirs, or empty
 * @param cases if no single cycle refutes the history: alternatives, and the reason why each fails; one of them would
 *     have to hold
 * @param detail one sentence about what was observed, if there is no cycle; may be empty
 * @param minimal a small sub-history that violates the level; null if none was found within the budget
 */
public record Violation(
        Anomaly anomaly,
        List<String> aliases,
        List<Integer> transactions,
        List<Integer> keys,
        List<Dependency> cycle,
        List<Alternative> cases,
        String detail,
        @Nullable SubHistory minimal) {
    /**
     * The simplest anomaly, then one whose cycle has a missed write if it is {@link Anomaly#SINGLE}, then the fewest transactions, then the
     * fewest edges that are forced by others.
     */
    public static final Comparator<Violation> SIMPLEST = Comparator.comparing(Violation::anomaly)
            .thenComparing(Violation::isOfOrders)
            .thenComparingInt(violation -> violation.transactions().size())
            .thenComparingInt(Violation::forced);

    /** Whether its cycle consists of orders of writes that reads force, and no read of it is known to have missed a write. */
    public boolean isOfOrders() {
        return anomaly == Anomaly.SINGLE && cycle.stream().noneMatch(edge -> edge.kind() == EdgeKind.RW);
    }

    private int forced() {
        int forced = 0;
        for (Dependency edge : cycle) {
            forced += edge.reason().basis() == Basis.FORCED ? 1 : 0;
        }
        return forced;
    }

    public Violation {
        aliases = List.copyOf(aliases);
        transactions = List.copyOf(transactions);
        keys = List.copyOf(keys);
        cycle = List.copyOf(cycle);
        cases = List.copyOf(cases);
    }

    /** A violation with the anomaly's own aliases, without cases and without a sub-history. */
    public Violation(
            Anomaly anomaly, List<Integer> transactions, List<Integer> keys, List<Dependency> cycle, String detail) {
        this(anomaly, anomaly.aliases(), transactions, keys, cycle, List.of(), detail, null);
    }

    /** The same evidence under another name. */
    public Violation named(Anomaly name, List<String> otherNames) {
        return new Violation(name, otherNames, transactions, keys, cycle, cases, detail, minimal);
    }

    /** The same evidence, in which these transactions are involved. */
    public Violation of(List<Integer> involved) {
        return new Violation(anomaly, aliases, involved, keys, cycle, cases, detail, minimal);
    }

    /** The same with a sub-history that shows it. */
    public Violation shownBy(@Nullable SubHistory sub) {
        return new Violation(anomaly, aliases, transactions, keys, cycle, cases, detail, sub);
    }
}
