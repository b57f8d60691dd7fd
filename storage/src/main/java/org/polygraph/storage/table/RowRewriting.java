package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntLinkedOpenHashSet;
import org.polygraph.storage.dictionary.KeyDictionary;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.model.HistoryException;

/**
 * Writes the operations of a history anew, with rows for its unknown writes. If the rows of some are open, the result
 * is the relaxed history, which lacks what depends on these rows.
 */
final class RowRewriting {
    private final KnownRows known;
    private final HistoryTable raw;
    private final Predicates predicates;
    /**
     * By condition: 1 if rows may be missing from a result because of an open write, -1 if not, 0 if this is not known
     * yet.
     */
    private final byte[] openTo;

    private boolean needsSnapshots;

    RowRewriting(KnownRows known) {
        this.known = known;
        raw = known.raw();
        predicates = known.predicates();
        openTo = new byte[predicates.conditions()];
    }

    HistoryTable rewritten() throws HistoryException {
        boolean isRelaxed = !known.open().isEmpty();
        boolean hasOpenDelete = known.hasOpenDelete();
        Rewriting to = new Rewriting();
        int[] starts = new int[raw.transactions() + 1];
        for (int t = 0; t < raw.transactions(); t++) {
            int dropped = 0;
            for (int o = raw.firstOperation(t); o < raw.operationsEnd(t); o++) {
                long code = raw.value(o);
                if (!Predicates.isOne(code)) {
                    boolean mayBeDeleted = hasOpenDelete && code == ValueDictionary.NULL;
                    if (isRelaxed
                            && Predicates.isReadOfRow(raw, o)
                            && (mayBeDeleted || known.isOfOpen(raw.key(o), code))) {
                        dropped++;
                    } else {
                        to.copy(o);
                        dropped = Predicates.isReadOfRow(raw, o) ? dropped : 0;
                    }
                    continue;
                }
                int number = Predicates.number(code);
                if (predicates.unknown(number) != null) {
                    IntLinkedOpenHashSet rows = known.rows().get(number);
                    boolean isOpen = isRelaxed && (known.open().contains(number) || isLeftOut(number, rows.size()));
                    to.write(number, rows, !isOpen && !known.shown().isOfAborted(number));
                } else if (!(isRelaxed && (dropped > 0 || isLeftOut(number, predicates.keys(number).length)))) {
                    to.predicate(number, new IntArrayList(predicates.keys(number)));
                }
                dropped = 0;
            }
            starts[t + 1] = to.operations.size();
        }
        // A resolution adds keys, so each has a dictionary of its own, with the same ids.
        KeyDictionary keys = new KeyDictionary();
        keys.addAll(raw.keys());
        return PredicateReads.of(raw.with(keys, to.operations.build(starts)), to.predicates);
    }

    /**
     * Whether the relaxed history leaves a predicate out. A row that a write by a condition has written may have
     * matched because of an open write, which the relaxed history may lack. The rows of a query are reads too, which
     * name their writers.
     */
    private boolean isLeftOut(int number, int rowsOfIt) {
        return isOpenTo(number) || (rowsOfIt > 0 && !predicates.isRead(number));
    }

    /** Whether rows may be missing from the result of a predicate because of an open write. */
    private boolean isOpenTo(int number) {
        int condition = predicates.conditionOf(number);
        if (openTo[condition] == 0) {
            openTo[condition] = (byte) (isOpenTo(predicates.condition(condition)) ? 1 : -1);
        }
        return openTo[condition] > 0;
    }

    /**
     * An open write hides a row that matches only if it matches this row itself. At levels of transactions that are one
     * event or two, an open write that matches no such row overwrites another version, which does not match either.
     */
    private boolean isOpenTo(Condition condition) {
        boolean isApart = false;
        for (int each : known.open()) {
            Predicates.Unknown write = predicates.unknown(each);
            if (write != null && (write.isDelete() || !known.matches(condition, write.value(), write.row()))) {
                if (!condition.excludes(predicates.condition(predicates.conditionOf(each)))) {
                    return true;
                }
                isApart = true;
            }
        }
        needsSnapshots |= isApart;
        return false;
    }

    /**
     * Whether the relaxed history has a result only because no open write matches a row that the result lacks. RC, RA
     * and CC permit that an open write overwrites a version which matches without reading it.
     */
    boolean needsSnapshots() {
        return needsSnapshots;
    }

    /** Operations that are written anew. */
    private final class Rewriting {
        private final Predicates predicates = new Predicates(RowRewriting.this.predicates.rows());
        private final OperationList operations = new OperationList(raw.operations());

        void copy(int o) {
            operations.add(raw.operationKeys()[o], raw.value(o), raw.kind(o));
        }

        void predicate(int number, IntArrayList matched) {
            Predicates from = RowRewriting.this.predicates;
            Condition condition = from.condition(from.conditionOf(number));
            Predicates.Unknown write = matched.isEmpty() ? from.writeOf(number) : null;
            long code = write == null
                    ? predicates.add(condition, matched, from.isRead(number))
                    : predicates.add(
                            condition, new Predicates.Unknown(write.isDelete(), write.value(), write.row(), 0));
            operations.add(0, code, (byte) 0);
        }

        void write(int number, IntLinkedOpenHashSet rows, boolean isEvaluated) {
            Predicates.Unknown write = RowRewriting.this.predicates.unknown(number);
            if (write == null) {
                return;
            }
            if (isEvaluated) {
                predicate(number, new IntArrayList(rows));
            }
            for (int key : rows) {
                if (write.isDelete()) {
                    operations.add(Operations.pack(key, true), ValueDictionary.NULL, Operations.DELETE);
                    continue;
                }
                if (write.row() >= 0) {
                    operations.add(0, Predicates.row(write.row()), (byte) 0);
                }
                operations.add(Operations.pack(key, true), write.value(), (byte) 0);
            }
        }
    }
}
