package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.util.HashSet;
import java.util.Set;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.model.HistoryException;

/**
 * A history in which some transactions do not read what they read. All writes stay, so an order that explains the
 * history explains this one too.
 *
 * @param table the history
 * @param ids of its transactions and operations in the whole; null if the whole does not have them all, as with a write
 *     that stands before a delete, with conditions that became reads in part, or with writes without their versions
 */
public record HistoryWithout(HistoryTable table, @Nullable HistorySelection ids) {
    /** What is read. */
    public enum Kind {
        /** The values of a key. */
        KEY,
        /** The rows that match a condition. */
        CONDITION,
        /**
         * Whether a row exists that is inserted or deleted. Without it an insert is a write, and a delete follows a
         * write of its transaction, so that it finds a row in each order.
         */
        ROW,
        /** The place in the order of versions that the database gave of what a transaction wrote to a key. */
        VERSION
    }

    /** @param label of the key or of the condition */
    public record Read(Kind kind, String label) {
        /** What an operation reads; null if it is a write, or is implied by another operation. */
        public static @Nullable Read of(HistoryTable table, int operation) {
            PredicateReads predicates = table.predicates();
            String condition = predicates == null ? null : predicates.condition(table.key(operation));
            return table.isWrite(operation) || table.isImplied(operation)
                    ? null
                    : condition == null
                            ? new Read(Kind.KEY, table.keys().label(table.key(operation)))
                            : new Read(Kind.CONDITION, condition);
        }

        /** What an operation requires of a row; null if it is neither an insert nor a delete of one. */
        public static @Nullable Read ofRow(HistoryTable table, int operation) {
            boolean isRow = table.isInsert(operation) || table.isDelete(operation);
            PredicateReads predicates = table.predicates();
            return !isRow || (predicates != null && predicates.condition(table.key(operation)) != null)
                    ? null
                    : new Read(Kind.ROW, table.keys().label(table.key(operation)));
        }

        /** The version of a write; null if the database gave it none. */
        public static @Nullable Read ofVersion(HistoryTable table, int operation) {
            boolean isGiven = table.isWrite(operation)
                    && !table.isImplied(operation)
                    && table.values().isGiven(table.value(operation));
            return isGiven ? new Read(Kind.VERSION, table.keys().label(table.key(operation))) : null;
        }
    }

    /**
     * Leaves out reads.
     *
     * @param transactions those of the whole that are kept, ascending
     * @param leftOut by transaction of the whole; null for nothing
     * @return null if this is the whole
     */
    public static @Nullable HistoryWithout of(
            HistoryTable whole, int[] transactions, IntFunction<@Nullable Set<Read>> leftOut) {
        Predicates predicates = whole.predicates() == null ? null : whole.recordedPredicates();
        HistoryTable raw = predicates == null ? whole : whole.asRead();
        IntArrayList kept = new IntArrayList(whole.operations());
        boolean isLess = transactions.length < whole.transactions();
        boolean hasOtherRows = false;
        boolean hasOtherVersions = false;
        for (int t : transactions) {
            Set<Read> reads = all(raw, predicates, t, leftOut);
            // Conditions that share a key have the name of one of them, so the operations do not show what is left out.
            isLess |= predicates != null && !reads.isEmpty();
            for (int o = whole.firstOperation(t); o < whole.operationsEnd(t); o++) {
                if (reads.isEmpty() || !reads.contains(Read.of(whole, o))) {
                    kept.add(o);
                }
                hasOtherRows |= !reads.isEmpty() && reads.contains(Read.ofRow(whole, o));
                hasOtherVersions |= !reads.isEmpty() && reads.contains(Read.ofVersion(whole, o));
            }
        }
        if (!isLess && !hasOtherRows && !hasOtherVersions && kept.size() == whole.operations()) {
            return null;
        }
        HistorySelection selection = HistorySelection.of(whole, transactions, kept.toIntArray());
        if (predicates == null && !hasOtherRows) {
            return hasOtherVersions
                    ? new HistoryWithout(withoutVersions(selection.table(), transactions, leftOut), null)
                    : new HistoryWithout(selection.table(), selection);
        }
        Rewriting rewriting = new Rewriting(raw, predicates);
        for (int t : transactions) {
            rewriting.add(t, all(raw, predicates, t, leftOut));
        }
        HistoryTable table = rewriting.table(transactions);
        return new HistoryWithout(table, predicates == null ? null : selection.as(table));
    }

    /** The history in which writes lack the versions that are left out, so that reads name them by their values. */
    private static HistoryTable withoutVersions(
            HistoryTable table, int[] transactions, IntFunction<@Nullable Set<Read>> leftOut) {
        HistoryTable recorded = table.withRecordedLists();
        long[] codes = new long[recorded.operations()];
        for (int t = 0; t < transactions.length; t++) {
            Set<Read> reads = leftOut.apply(transactions[t]);
            for (int o = recorded.firstOperation(t); o < recorded.operationsEnd(t); o++) {
                boolean isOther = reads != null && reads.contains(Read.ofVersion(recorded, o));
                codes[o] = isOther ? recorded.values().withoutVersion(recorded.value(o)) : recorded.value(o);
            }
        }
        ListReduced form = table.reduced();
        HistoryTable rest = recorded.withValues(codes);
        HistoryTable formed = form == null ? rest : form.of(rest);
        return table.sessions() == table.transactions() ? formed.withoutSessionOrder() : formed;
    }

    /**
     * What a transaction does not read: also the conditions of results that had a row which is not read, and those of
     * deletes that are rewritten.
     */
    private static Set<Read> all(
            HistoryTable raw, @Nullable Predicates predicates, int t, IntFunction<@Nullable Set<Read>> leftOut) {
        Set<Read> reads = leftOut.apply(t);
        if (reads == null || predicates == null) {
            return reads == null ? Set.of() : reads;
        }
        Set<Read> all = new HashSet<>(reads);
        for (int o = raw.firstOperation(t); o < raw.operationsEnd(t); o++) {
            int number = Predicates.isOne(raw.value(o)) ? Predicates.number(raw.value(o)) : -1;
            for (int key : number < 0 ? new int[0] : predicates.keys(number)) {
                Kind kind = predicates.isRead(number) ? Kind.KEY : Kind.ROW;
                if (reads.contains(new Read(kind, raw.keys().label(key)))) {
                    all.add(condition(predicates, number));
                }
            }
        }
        return all;
    }

    private static Read condition(Predicates predicates, int number) {
        return new Read(
                Kind.CONDITION,
                predicates.condition(predicates.conditionOf(number)).label());
    }

    /** Writes the kept operations of a history as it was recorded. */
    private static final class Rewriting {
        private final HistoryTable raw;
        private final @Nullable Predicates predicates;
        private final IntArrayList ends = new IntArrayList(new int[] {0});
        private final OperationList operations;

        Rewriting(HistoryTable raw, @Nullable Predicates predicates) {
            this.raw = raw;
            this.predicates = predicates;
            this.operations = new OperationList(raw.operations());
        }

        void add(int t, Set<Read> leftOut) {
            for (int o = raw.firstOperation(t); o < raw.operationsEnd(t); o++) {
                boolean isOther = !leftOut.isEmpty() && leftOut.contains(Read.ofRow(raw, o));
                if (isOther && raw.isDelete(o)) {
                    put(o, (byte) 0);
                }
                if (!isLeftOut(o, leftOut)) {
                    put(o, isOther && raw.isInsert(o) ? 0 : raw.kind(o));
                }
            }
            ends.add(operations.size());
        }

        private boolean isLeftOut(int o, Set<Read> leftOut) {
            Predicates all = predicates;
            if (leftOut.isEmpty()) {
                return isRefused(o);
            }
            if (all != null && Predicates.isStandIn(raw.value(o))) {
                return Predicates.isOne(raw.value(o))
                        && leftOut.contains(condition(all, Predicates.number(raw.value(o))));
            }
            return isRefused(o)
                    || (!raw.isWrite(o)
                            && leftOut.contains(new Read(Kind.KEY, raw.keys().label(raw.key(o)))));
        }

        /** Whether the operation is a refused compare-and-set, which no history with conditions has. */
        private boolean isRefused(int o) {
            return predicates != null && raw.values().isOther(raw.value(o));
        }

        private void put(int o, byte kind) {
            operations.add(raw.operationKeys()[o], raw.value(o), kind);
        }

        HistoryTable table(int[] transactions) {
            HistoryTable rest = HistorySelection.table(
                    raw,
                    HistorySelection.numbers(raw.recordedKeys()),
                    transactions,
                    operations.build(ends.toIntArray()));
            try {
                return predicates == null ? rest : PredicateReads.readApart(PredicateReads.of(rest, predicates));
            } catch (HistoryException e) {
                throw new IllegalStateException("all rows are known", e);
            }
        }
    }
}
