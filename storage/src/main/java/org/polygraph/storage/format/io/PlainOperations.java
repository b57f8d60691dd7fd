package org.polygraph.storage.format.io;

import it.unimi.dsi.fastutil.ints.Int2LongMap;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.Predicates;

/** The operations of a history for a format that has only reads and writes of integers; refuses all others. */
public final class PlainOperations {
    private static final String REMEDY = "jsonl, parquet and arrow have it";

    private final HistoryTable table;
    private final String format;

    /** @param format its label, for messages */
    public PlainOperations(HistoryTable table, String format) throws UnwritableException {
        this.table = table;
        this.format = format;
        Int2LongMap state = table.initialState();
        if (state != null && !state.isEmpty()) {
            String key = table.keys().label(state.keySet().iterator().nextInt());
            throw UnwritableException.of(
                    table,
                    "an initial value of key " + key + " alone",
                    "one initial value of all keys, because " + format + " has no others",
                    REMEDY);
        }
    }

    /** Returns the error for something in a transaction. @param has what the format has instead */
    public UnwritableException refusal(int transaction, String found, String has) {
        return new UnwritableException(
                table.whereIs(transaction), found, has + ", which is what " + format + " has", REMEDY);
    }

    /** Refuses a transaction of a status. */
    public void refuse(TransactionStatus status, int transaction) throws UnwritableException {
        if (table.status(transaction) == status) {
            throw refusal(
                    transaction,
                    status == TransactionStatus.ABORTED ? "an aborted transaction" : "an unknown outcome",
                    status == TransactionStatus.ABORTED
                            ? "committed ones and unknown outcomes"
                            : "committed and aborted ones");
        }
    }

    /** Refuses an operation that is no read or write of a value. */
    public void require(int transaction, int operation) throws UnwritableException {
        String other = other(operation);
        if (other != null) {
            throw refusal(transaction, other, "reads and writes of single values");
        }
    }

    /** Returns the key of an operation. */
    public long key(int transaction, int operation) throws UnwritableException {
        require(transaction, operation);
        int key = table.key(operation);
        if (table.keys().isString(key)) {
            throw refusal(transaction, "the key " + Shown.text(table.keys().label(key)), "integers");
        }
        return table.keys().integer(key);
    }

    /** Whether an operation reads or writes the initial value. */
    public boolean isInitial(int operation) {
        return table.value(operation) == table.initialValue();
    }

    /** Returns the value of an operation. */
    public long value(int transaction, int operation) throws UnwritableException {
        long code = table.value(operation);
        if (!table.values().isInteger(code)) {
            throw refusal(transaction, "the value " + shown(code), "integers");
        }
        return table.values().integer(code);
    }

    /** Returns the value of an operation in a format whose initial value is 0. */
    public long valueFromZero(int transaction, int operation) throws UnwritableException {
        if (isInitial(operation)) {
            return 0;
        }
        long value = value(transaction, operation);
        if (value == 0) {
            throw refusal(
                    transaction,
                    "the value 0, where the initial value is " + shown(table.initialValue()),
                    "0 as the initial value");
        }
        return value;
    }

    /** Returns a value for messages. */
    public String shown(long code) {
        return Shown.text(table.values().label(code));
    }

    /** Describes an operation that is no read or write of a value; null if it is one. */
    private @Nullable String other(int o) {
        long code = table.value(o);
        if (Predicates.isOne(code)) {
            return "an operation with a condition";
        }
        if (Predicates.isRow(code)) {
            return "a row with columns";
        }
        if (table.values().isOther(code)) {
            return "a refused compare-and-set without what it found";
        }
        if (table.isAppend(o) || table.elements(o) != null) {
            return table.isAppend(o) ? "an append to a list" : "a read of a list";
        }
        if (table.isAddition(o)) {
            return "an addition whose sum is not known";
        }
        if (table.isInsert(o) || table.isDelete(o)) {
            return table.isInsert(o) ? "an insert" : "a delete";
        }
        return table.isRepeatedRow(o) ? "two rows with one key" : null;
    }
}
