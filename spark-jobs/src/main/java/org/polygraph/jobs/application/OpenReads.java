package org.polygraph.jobs.application;

import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Names;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.table.HistorySelection;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.PredicateReads;

/**
 * Reads of the last part of a chain whose writers may be in the next part, and reads that the state of a seam does not
 * explain.
 */
final class OpenReads {
    private OpenReads() {}

    /**
     * Returns UNKNOWN in place of a VIOLATION that consists only of reads without a writer, by transactions of the last
     * part. The next part may have their writers; if it does not, the reads are a violation.
     *
     * @param last the name of the last part
     */
    static Verdict unlessWritten(Verdict verdict, String last) {
        HistoryTable table = verdict.table();
        if (verdict.status() != Verdict.Status.VIOLATION
                || table == null
                || verdict.violations().isEmpty()
                || !all(verdict).allMatch(violation -> isOpen(violation, table, last))) {
            return verdict;
        }
        Violation first = verdict.violations().get(0);
        return verdict.instead(
                        Verdict.Status.UNKNOWN,
                        table.whereIs(first.transactions().get(0)) + ": " + first.detail()
                                + "; the writer may follow in the next part; if it precedes the chain, give"
                                + " --initial-state with the first part")
                .build();
    }

    /**
     * Names a transaction of the last part, and its key, that the state after earlier parts does not explain. Empty
     * unless the verdict is a VIOLATION.
     *
     * @param covered how many parts the state covers
     */
    static String unexplained(Verdict verdict, String last, int covered) {
        HistoryTable table = verdict.table();
        if (verdict.status() != Verdict.Status.VIOLATION
                || table == null
                || verdict.violations().isEmpty()) {
            return "";
        }
        Violation first = verdict.violations().get(0);
        List<Integer> transactions = first.transactions();
        String key = first.keys().isEmpty()
                ? ""
                : " on key " + Names.key(table, first.keys().get(0));
        return transactions.stream()
                .filter(t -> isIn(table.whereIs(t), last))
                .findFirst()
                .map(t -> "the state after part " + covered + " does not explain "
                        + Names.transaction(table, t) + key + " ("
                        + first.anomaly().label() + ")")
                .orElse("");
    }

    /**
     * Returns advice for a VIOLATION that is a read of a value that nothing in the history wrote, aborted or not, because the history
     * may have been cut out of a longer one; null for other verdicts.
     */
    static @Nullable String cutOut(Verdict verdict) {
        HistoryTable table = verdict.table();
        Violation first =
                verdict.violations().isEmpty() ? null : verdict.violations().get(0);
        return table == null
                        || first == null
                        || first.anomaly() != Anomaly.THIN_AIR_READ
                        || first.transactions().size() > 1
                        || table.hasAdditions()
                        || isOfQuery(first, table)
                ? null
                : Names.transaction(table, first.transactions().get(0)) + " " + first.detail()
                        + "; if this history was cut out of a longer one, give --after or --initial-state FILE";
    }

    /** Whether a violation is about whether a row matches a condition. */
    private static boolean isOfQuery(Violation violation, HistoryTable table) {
        PredicateReads predicates = table.predicates();
        return predicates != null && violation.keys().stream().anyMatch(key -> predicates.rowOf(key) >= 0);
    }

    /**
     * Returns the same verdict; if it is UNKNOWN, its reason names what the state after earlier parts does not explain.
     */
    static Verdict named(Verdict verdict, @Nullable String unexplained) {
        return unexplained == null || verdict.status() != Verdict.Status.UNKNOWN
                ? verdict
                : verdict.with().reason(verdict.reason() + "; " + unexplained).build();
    }

    /** Whether a violation is a read without a writer by a transaction of a part. */
    static boolean isOpen(Violation violation, HistoryTable table, String last) {
        boolean isMissedRow = violation.anomaly() == Anomaly.PHANTOM
                && violation.cycle().isEmpty()
                && violation.cases().isEmpty();
        return (violation.anomaly() == Anomaly.THIN_AIR_READ || isMissedRow)
                && violation.transactions().stream().anyMatch(t -> isIn(table.whereIs(t), last));
    }

    /**
     * Whether a transaction of the last part reads a value that this history does not write, of a key that it did not
     * write before. If so, the history may violate the level only because the writer is in the next part.
     */
    static boolean areIn(HistoryTable history, String last) {
        return Writes.unwritten(history).intStream().anyMatch(o -> {
            int t = HistorySelection.transactionOf(history, o);
            return isIn(history.whereIs(t), last) && history.lastWrite(t, history.key(o), o) < 0;
        });
    }

    private static boolean isIn(String where, String part) {
        return where.startsWith(part + ":") || isOf(where, part);
    }

    /** Whether a file is a part, or is in the folder that is one. */
    private static boolean isOf(String file, String part) {
        return file.equals(part) || file.startsWith(part.endsWith("/") ? part : part + "/");
    }

    /** Returns by file of a history: whether it is of a part. */
    static boolean[] filesOf(HistoryTable table, String part) {
        List<String> files = table.source().files();
        boolean[] isOf = new boolean[files.size()];
        for (int f = 0; f < isOf.length; f++) {
            isOf[f] = isOf(files.get(f), part);
        }
        return isOf;
    }

    private static Stream<Violation> all(Verdict verdict) {
        return Stream.concat(verdict.violations().stream(), verdict.unexplained().stream());
    }
}
