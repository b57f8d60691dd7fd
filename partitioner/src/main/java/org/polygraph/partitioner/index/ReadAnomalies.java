package org.polygraph.partitioner.index;

import it.unimi.dsi.fastutil.ints.Int2ObjectOpenHashMap;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistorySelection;
import org.polygraph.storage.table.HistoryTable;

/**
 * Names the anomaly of single reads. It runs only for the reads that are reported; each call of {@link #impossible} is
 * one pass over the history.
 */
final class ReadAnomalies {
    private static final int NO_WRITER = -1;

    private final HistoryTable table;
    private final CommitStatus commitStatus;

    ReadAnomalies(HistoryTable table, CommitStatus commitStatus) {
        this.table = table;
        this.commitStatus = commitStatus;
    }

    /**
     * An insert of a row that no other transaction can have deleted before, or a delete of one that none can have
     * inserted before.
     */
    Violation impossibleRow(int transaction, int key) {
        int o = table.firstOperation(transaction);
        while (!table.isWriteOf(o, key)) {
            o++;
        }
        return row(
                o,
                transaction,
                table.isDelete(o) ? ", which no transaction inserted" : ", which no transaction deleted");
    }

    private Violation row(int operation, int transaction, String why) {
        boolean delete = table.isDelete(operation);
        int key = table.key(operation);
        return violation(
                delete ? Anomaly.MISSING_ROW : Anomaly.DUPLICATE_INSERT,
                transaction,
                key,
                (delete ? "deleted" : "inserted") + " the row of key "
                        + table.keys().label(key) + why);
    }

    /**
     * A read that contradicts its own transaction's earlier write or read of the key; or an insert or a delete that
     * does.
     */
    Violation inconsistent(int transaction, int operation) {
        int key = table.key(operation);
        if (table.isWrite(operation)) {
            return row(
                    operation,
                    transaction,
                    table.isDelete(operation) ? " after it had deleted it" : " after it had written it");
        }
        if (table.isRepeatedRow(operation)) {
            return repeatedRow(transaction, operation);
        }
        Violation ofList = ListAnomalies.lostUpdate(table, transaction, operation);
        if (ofList != null) {
            return ofList;
        }
        long value = table.value(operation);
        int own = -1;
        int earlier = -1;
        boolean overwritten = false;
        for (int o = table.firstOperation(transaction); o < operation; o++) {
            if (table.key(o) == key) {
                if (table.isWrite(o)) {
                    overwritten |= table.value(o) == value;
                    own = o;
                } else if (own < 0) {
                    earlier = o;
                }
            }
        }
        String read =
                "read " + table.label(key, value) + " from key " + table.keys().label(key);
        if (own < 0) {
            return violation(
                    Anomaly.NON_REPEATABLE_READ,
                    transaction,
                    key,
                    read + " after it had read " + table.label(key, table.value(earlier)) + " from the same key");
        }
        String after = read + " after its own write of " + table.values().label(table.value(own));
        int writer = overwritten ? NO_WRITER : writer(transaction, key, value);
        return writer == NO_WRITER
                ? violation(overwritten ? Anomaly.NOT_MY_LAST_WRITE : Anomaly.NOT_MY_OWN_WRITE, transaction, key, after)
                : violation(
                        Anomaly.NOT_MY_OWN_WRITE,
                        transaction,
                        writer,
                        key,
                        after + "; " + table.name(writer) + " wrote what it read");
    }

    /** A result that has two rows with one key. */
    private Violation repeatedRow(int transaction, int second) {
        int key = table.key(second);
        int first = table.rowBefore(second);
        while (table.isRepeatedRow(first)) {
            first = table.rowBefore(first);
        }
        String rows = "two rows of key " + table.keys().label(key);
        if (table.isWrite(first)) {
            return violation(Anomaly.DUPLICATE_ROW, transaction, key, "wrote " + rows + " by one condition");
        }
        List<Integer> transactions = new ArrayList<>(List.of(transaction));
        String detail = "read " + rows + " in one result: " + version(transaction, first, transactions) + ", and "
                + version(transaction, second, transactions);
        return new Violation(Anomaly.DUPLICATE_ROW, transactions, List.of(key), List.of(), detail);
    }

    /** Describes the version that a read returned by its writer, which it adds to the transactions. */
    private String version(int transaction, int read, List<Integer> transactions) {
        int key = table.key(read);
        long value = table.value(read);
        String label = table.label(key, value);
        for (int o = table.firstOperation(transaction); o < read; o++) {
            if (isWrite(o, key, value)) {
                return label + ", which it had written itself";
            }
        }
        int writer = writer(transaction, key, value);
        if (writer == NO_WRITER) {
            return label + (value == table.initialValue(key) ? ", which was there at first" : "");
        }
        if (!transactions.contains(writer)) {
            transactions.add(writer);
        }
        return label + ", which " + table.name(writer) + " wrote";
    }

    /** Another transaction that wrote a value, if there is one a transaction that may have committed. */
    private int writer(int reader, int key, long value) {
        int writer = NO_WRITER;
        for (int t = 0; t < table.transactions(); t++) {
            boolean isBetter = writer == NO_WRITER || commitStatus.of(t) != CommitStatus.DROPPED;
            for (int o = table.firstOperation(t); isBetter && t != reader && o < table.operationsEnd(t); o++) {
                if (isWrite(o, key, value)) {
                    if (commitStatus.of(t) != CommitStatus.DROPPED) {
                        return t;
                    }
                    writer = t;
                    break;
                }
            }
        }
        return writer;
    }

    /**
     * External reads that have no counted final writer. One pass over the history for all of them.
     *
     * @param most no more than this many are named
     */
    List<Violation> impossible(IntArrayList reads, int most) {
        int count = Math.min(reads.size(), most);
        int[] intermediate = new int[count];
        int[] aborted = new int[count];
        int[] later = new int[count];
        int[] readers = new int[count];
        boolean[] ofOtherType = new boolean[count];
        Arrays.fill(intermediate, NO_WRITER);
        Arrays.fill(aborted, NO_WRITER);
        Arrays.fill(later, NO_WRITER);
        Int2ObjectOpenHashMap<IntArrayList> byKey = new Int2ObjectOpenHashMap<>();
        long[] values = new long[count];
        for (int i = 0; i < count; i++) {
            values[i] = table.value(reads.getInt(i));
            readers[i] = HistorySelection.transactionOf(table, reads.getInt(i));
            byKey.computeIfAbsent(table.key(reads.getInt(i)), k -> new IntArrayList(1))
                    .add(i);
        }
        for (int t = 0; t < table.transactions(); t++) {
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                IntArrayList ofKey = !table.isWrite(o) ? null : byKey.get(table.key(o));
                for (int j = 0; ofKey != null && j < ofKey.size(); j++) {
                    int i = ofKey.getInt(j);
                    if (table.value(o) == values[i]) {
                        boolean isDropped = commitStatus.of(t) == CommitStatus.DROPPED;
                        if (isDropped && hasEndedBefore(readers[i], t)) {
                            later[i] = t;
                        } else if (isDropped && !isOverwrittenAnyway(t, o)) {
                            aborted[i] = t;
                        } else if (intermediate[i] == NO_WRITER) {
                            intermediate[i] = t;
                        }
                    } else {
                        ofOtherType[i] |= isOfOtherType(table.value(o), values[i]);
                    }
                }
            }
        }
        List<Violation> violations = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            violations.add(
                    impossible(reads.getInt(i), readers[i], intermediate[i], aborted[i], later[i], ofOtherType[i]));
        }
        return violations;
    }

    /** Whether a write of a transaction of unknown outcome is not its last one, so that no outcome explains a read of it. */
    private boolean isOverwrittenAnyway(int t, int write) {
        return table.status(t) == TransactionStatus.INDETERMINATE && table.lastWrite(t, table.key(write)) != write;
    }

    /**
     * Names the anomaly of one of these reads.
     *
     * @param intermediate the transaction that wrote the value and overwrote it, or NO_WRITER
     * @param aborted the dropped transaction that wrote it, or NO_WRITER
     * @param later a dropped transaction that wrote it, but began after the read had ended, or NO_WRITER
     * @param isOfOtherType whether some transaction wrote the same text as a string or as an integer
     */
    private Violation impossible(
            int read, int transaction, int intermediate, int aborted, int later, boolean isOfOtherType) {
        long value = table.value(read);
        int key = table.key(table.implying(read));
        String what = what(read, key, value) + ", ";
        for (int o = read + 1; o < table.operationsEnd(transaction); o++) {
            if (isWrite(o, table.key(read), value)) {
                return violation(Anomaly.FUTURE_READ, transaction, key, what + "which it wrote itself only later");
            }
        }
        if (intermediate != NO_WRITER) {
            return violation(
                    Anomaly.INTERMEDIATE_READ,
                    transaction,
                    intermediate,
                    key,
                    what + "which its writer overwrote before it committed");
        }
        if (aborted != NO_WRITER) {
            return violation(
                    Anomaly.ABORTED_READ,
                    transaction,
                    aborted,
                    key,
                    what + "which was written only by a transaction that is "
                            + table.status(aborted).label() + " and cannot have committed");
        }
        int undone = table.undoneWriter(key, value);
        if (undone >= 0) {
            return violation(Anomaly.ABORTED_READ, transaction, key, what + undone(table, transaction, undone));
        }
        if (later != NO_WRITER) {
            return violation(
                    Anomaly.THIN_AIR_READ,
                    transaction,
                    later,
                    key,
                    what + "which no transaction had written; " + table.name(later)
                            + ", which is " + table.status(later).label()
                            + ", wrote it, but began after the read had ended");
        }
        // A key has no row at first unless its initial value is given.
        if (table.values().isNull(value) && table.values().isNull(table.initialValue())) {
            return violation(
                    Anomaly.PHANTOM,
                    transaction,
                    key,
                    what + "although its row exists from the beginning and no transaction deleted it");
        }
        String hint = !isOfOtherType
                ? ""
                : table.values().isInteger(value)
                        ? "; a transaction wrote the string \"" + table.values().label(value)
                                + "\", which is another value than the integer"
                        : "; a transaction wrote the integer " + table.values().text(value)
                                + ", which is another value than the string";
        return violation(Anomaly.THIN_AIR_READ, transaction, key, what + "which no transaction wrote" + hint);
    }

    /** States who wrote a value that a rollback to a savepoint undid. */
    static String undone(HistoryTable table, int reader, int writer) {
        return "which was written only by " + (writer == reader ? "the transaction itself" : table.name(writer))
                + ", which undid it by a rollback to a savepoint";
    }

    /** Whether a transaction had ended when another one started, by their times without regard to clock skew. */
    private boolean hasEndedBefore(int one, int other) {
        long[] starts = table.starts();
        long[] ends = table.ends();
        return starts != null && ends != null && ends[one] != HistoryTable.NO_TIME && ends[one] < starts[other];
    }

    /** Whether one value is an integer and the other its text as a string. */
    private boolean isOfOtherType(long one, long other) {
        ValueDictionary all = table.values();
        return all.isInteger(one) && all.isString(other) && all.text(other).equals(all.label(one))
                || all.isString(one) && all.isInteger(other) && all.text(one).equals(all.label(other));
    }

    private boolean isWrite(int operation, int key, long value) {
        return table.isWriteOf(operation, key) && table.value(operation) == value;
    }

    private String what(int read, int key, long value) {
        String of = table.keys().label(key);
        int implying = table.implying(read);
        if (table.isAppend(implying)) {
            return "appended " + table.values().label(table.value(implying)) + " to key " + of + " behind "
                    + table.label(key, value);
        }
        return "read " + (table.isImplied(read) ? table.values().labelInside(value) : table.label(key, value))
                + " from key " + of;
    }

    private static Violation violation(Anomaly anomaly, int transaction, int key, String detail) {
        return new Violation(anomaly, List.of(transaction), List.of(key), List.of(), detail);
    }

    private static Violation violation(Anomaly anomaly, int transaction, int other, int key, String detail) {
        List<Integer> transactions = new ArrayList<>();
        transactions.add(transaction);
        if (other != transaction) {
            transactions.add(other);
        }
        return new Violation(anomaly, transactions, List.of(key), List.of(), detail);
    }
}
