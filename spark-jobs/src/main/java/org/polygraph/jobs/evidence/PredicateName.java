package org.polygraph.jobs.evidence;

import java.util.ArrayList;
import java.util.List;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.partitioner.isolation.Dependency;
import org.polygraph.partitioner.isolation.EdgeKind;
import org.polygraph.partitioner.isolation.SubHistory;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.PredicateReads;
import org.polygraph.storage.table.RecordedSelection;

/**
 * Names a violation in which a query missed or found a row that another transaction changed. Two cases are predicate
 * anti-dependencies (Adya, thesis, section 3.1.3): a missed row, and a row of a result that another transaction deletes
 * or changes so that it does not match. A cycle with one of them is no item cycle.
 */
final class PredicateName {
    private PredicateName() {}

    /**
     * Returns the violation with its right name.
     *
     * @param table the whole history
     */
    static Violation of(Violation violation, HistoryTable table) {
        PredicateReads predicates = table.predicates();
        if (predicates == null && !RecordedSelection.isPart(table)) {
            return violation;
        }
        if (violation.anomaly() == Anomaly.THIN_AIR_READ) {
            return isMissed(violation, table) ? violation.named(Anomaly.PHANTOM, Anomaly.PHANTOM.aliases()) : violation;
        }
        if (violation.anomaly() == Anomaly.NO_VALID_ORDER || !violation.cases().isEmpty()) {
            return LostMatches.of(violation, table);
        }
        SubHistory sub = violation.minimal();
        boolean isRecorded = sub == null || sub.recorded();
        boolean found = violation.anomaly() == Anomaly.NON_REPEATABLE_READ
                && PredicateReads.isPair(table, violation.keys().get(0));
        boolean missed = false;
        boolean removed = false;
        for (Dependency edge : violation.cycle()) {
            boolean isQuery = edge.key() != Dependency.NO_KEY && PredicateReads.isPair(table, edge.key());
            found |= isQuery && edge.kind() == EdgeKind.WR;
            missed |= isQuery && edge.kind() == EdgeKind.RW;
            removed |= !isQuery && predicates != null && isRecorded && isRemoved(edge, predicates);
        }
        return switch (violation.anomaly()) {
            case NON_REPEATABLE_READ, NON_MONOTONIC_READ, FRACTURED_READ, CAUSALITY_VIOLATION, READ_SKEW ->
                found || missed ? violation.named(Anomaly.PHANTOM, Anomaly.PHANTOM.aliases()) : violation;
            case ITEM_CYCLE ->
                missed || removed
                        ? violation.named(Anomaly.PREDICATE_CYCLE, Anomaly.PREDICATE_CYCLE.aliases())
                        : violation;
            default -> missed || removed ? violation.named(violation.anomaly(), aliases(violation)) : violation;
        };
    }

    /** Whether a value of such a key states that the row matches. */
    static boolean isMatch(long value, HistoryTable table) {
        ValueDictionary values = table.values();
        return !values.isNull(value) && !values.isInteger(value) && PredicateReads.isMatch(values.text(value));
    }

    /** Whether a query did not find a row of which every version matches. */
    private static boolean isMissed(Violation violation, HistoryTable table) {
        int reader = violation.transactions().get(0);
        int key = violation.keys().get(0);
        boolean isMissed = false;
        for (int o = table.firstOperation(reader); o < table.operationsEnd(reader) && !table.isWriteOf(o, key); o++) {
            isMissed |= table.isReadOf(o, key) && !isMatch(table.value(o), table);
        }
        return isMissed && PredicateReads.isPair(table, key);
    }

    private static boolean isRemoved(Dependency edge, PredicateReads predicates) {
        return edge.kind() == EdgeKind.RW
                && edge.key() != Dependency.NO_KEY
                && edge.from() != Dependency.INITIAL
                && edge.to() != Dependency.INITIAL
                && predicates.isRemoved(edge.from(), edge.to(), edge.key());
    }

    private static List<String> aliases(Violation violation) {
        List<String> aliases = new ArrayList<>(violation.aliases());
        aliases.replaceAll(name -> name.equals("G2-item") ? "G2" : name);
        if (violation.anomaly() == Anomaly.WRITE_SKEW) {
            aliases.add("predicate write skew");
        }
        return aliases;
    }
}
