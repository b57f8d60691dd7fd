package org.polygraph.storage.table;

/** Passes on the operations of a transaction as they were recorded. */
final class RecordedWalk {
    private static final int NONE = -1;

    /** Receives operations. Each method returns whether to go on. */
    interface Visitor {
        /** Receives a read. */
        default boolean read(int operation, int row, long value) {
            return true;
        }

        /** Receives a predicate that names its rows. The reads or writes of these rows are operations of their own. */
        default boolean result(int predicate) {
            return true;
        }

        /** Receives a write by a condition that does not name its rows. */
        default boolean unknown(int predicate, Predicates.Unknown write) {
            return true;
        }

        /** Receives a write of one row. @param columns the number of the columns that it carries; negative for none */
        boolean write(int operation, int row, long value, int columns);
    }

    private final HistoryTable raw;
    private final Predicates predicates;
    private final Visitor visitor;

    RecordedWalk(HistoryTable raw, Predicates predicates, Visitor visitor) {
        this.raw = raw;
        this.predicates = predicates;
        this.visitor = visitor;
    }

    /** Passes on the operations of a transaction. @return false if the visitor ended it */
    boolean over(int t) {
        return over(t, raw.operationsEnd(t));
    }

    /** Passes on the operations of a transaction before one of them. @return false if the visitor ended it */
    boolean over(int t, int end) {
        int columns = NONE;
        boolean goesOn = true;
        for (int o = raw.firstOperation(t); goesOn && o < end; o++) {
            long code = raw.value(o);
            if (Predicates.isRow(code)) {
                columns = Predicates.rowNumber(code);
            } else if (Predicates.isOne(code)) {
                int number = Predicates.number(code);
                Predicates.Unknown write = predicates.unknown(number);
                goesOn = write == null ? visitor.result(number) : visitor.unknown(number, write);
            } else if (raw.isWrite(o)) {
                goesOn = visitor.write(o, raw.key(o), code, columns);
                columns = NONE;
            } else {
                goesOn = visitor.read(o, raw.key(o), code);
            }
        }
        return goesOn;
    }
}
