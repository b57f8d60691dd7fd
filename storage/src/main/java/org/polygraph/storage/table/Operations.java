package org.polygraph.storage.table;

import java.io.Serializable;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Operations in the order of their transactions.
 *
 * @param starts by transaction: its first operation; and the number of operations
 * @param keys by operation: {@code key << 1 | (write ? 1 : 0)}
 * @param values by operation: the code of its value
 * @param kinds by operation: {@link #INSERT}, {@link #DELETE}, {@link #IMPLIED}, {@link #APPEND},
 *     {@link #REPEATED_ROW}, {@link #ADD}, one of savepoints, or 0; null where all are 0
 * @param statements see {@link HistoryTable#statements}; null if each operation is one, or predicates have them
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record Operations(int[] starts, int[] keys, long[] values, byte @Nullable [] kinds, int @Nullable [] statements)
        implements Serializable {
    /** Operations each of which is a statement. */
    public Operations(int[] starts, int[] keys, long[] values, byte @Nullable [] kinds) {
        this(starts, keys, values, kinds, null);
    }

    /** The kind of a write that inserts a row. */
    public static final byte INSERT = 1;
    /** The kind of a write that deletes a row; its value is null, which is what a read of no row returns. */
    public static final byte DELETE = 2;
    /** The kind of an operation that no transaction did: it stands for the order of appends that lists show. */
    public static final byte IMPLIED = 3;
    /** The kind of a write that appends to a list. */
    public static final byte APPEND = 4;
    /**
     * The kind of a read of one more row with a key that the same result has already. The rows of the result with this
     * key come before it. Where a write by a condition returned the key again, it reads what that write left.
     */
    public static final byte REPEATED_ROW = 5;
    /** The kind of a write that adds its value, an integer, to that of the key. It is not known what it left. */
    public static final byte ADD = 6;
    /**
     * The kinds of what no table but {@link HistoryTable#withUndone} has, whose value is the name of a savepoint: it is
     * set, given up, or the transaction is rolled back to it. All later kinds are of this sort.
     */
    public static final byte SAVEPOINT = 7;

    public static final byte RELEASE = 8;
    public static final byte ROLLBACK_TO = 9;

    /** The name that files give a kind of savepoints. */
    public static String nameOf(byte kind) {
        return kind == SAVEPOINT ? "savepoint" : kind == RELEASE ? "release" : "rollback_to";
    }

    /** The kind of savepoints that files give a name; 0 if it is none. */
    public static byte ofSavepoint(String name) {
        return switch (name) {
            case "savepoint" -> SAVEPOINT;
            case "release" -> RELEASE;
            case "rollback_to" -> ROLLBACK_TO;
            default -> 0;
        };
    }

    /** Packs a key and a kind, as {@link #keys} has them. */
    public static int pack(int key, boolean isWrite) {
        return key << 1 | (isWrite ? 1 : 0);
    }

    /** Returns the key of a packed number. */
    public static int key(int keyAndKind) {
        return keyAndKind >>> 1;
    }

    /** Whether a packed number is that of a write. */
    public static boolean isWrite(int keyAndKind) {
        return (keyAndKind & 1) != 0;
    }

    /** Returns a packed number with another key and the same kind. */
    public static int withKey(int keyAndKind, int key) {
        return key << 1 | (keyAndKind & 1);
    }

    /** The {@link #starts} of transactions in another order. */
    static int[] moved(int[] starts, int[] order) {
        int[] moved = new int[starts.length];
        for (int i = 0; i < order.length; i++) {
            moved[i + 1] = moved[i] + starts[order[i] + 1] - starts[order[i]];
        }
        return moved;
    }

    public int size() {
        return keys.length;
    }

    /** The kind of an operation, see {@link #kinds}. */
    public byte kind(int operation) {
        return kinds == null ? 0 : kinds[operation];
    }

    /** Whether an operation appends to a list. */
    public boolean isAppend(int operation) {
        return kind(operation) == APPEND;
    }

    private boolean isImplied(int operation) {
        return kind(operation) == IMPLIED;
    }

    /** See {@link HistoryTable#implying}. */
    int implying(int operation) {
        int o = operation;
        while (o < size() && isImplied(o) && !isWrite(keys[o])) {
            o++;
        }
        if (o == size()) {
            return operation;
        }
        while (o >= 0 && isImplied(o)) {
            o--;
        }
        return o < 0 ? operation : o;
    }

    /** Whether some operation is of a kind. */
    public boolean has(byte kind) {
        for (int o = 0; kinds != null && o < kinds.length; o++) {
            if (kinds[o] == kind) {
                return true;
            }
        }
        return false;
    }

    /** The operations with plain reads and writes in place of those of kinds that are not kept. */
    Operations only(byte... kept) {
        byte[] plain = new byte[size()];
        boolean hasKinds = false;
        for (int o = 0; kinds != null && o < plain.length; o++) {
            for (byte kind : kept) {
                plain[o] = kinds[o] == kind ? kind : plain[o];
            }
            hasKinds |= plain[o] != 0;
        }
        return new Operations(starts, keys, values, hasKinds ? plain : null, statements);
    }

    /** The operations without those whose value fulfils a condition. */
    Operations without(LongPredicate isDropped) {
        int[] keptStarts = new int[starts.length];
        OperationList kept = new OperationList(size());
        for (int t = 0; t + 1 < starts.length; t++) {
            for (int o = starts[t]; o < starts[t + 1]; o++) {
                if (!isDropped.test(values[o])) {
                    kept.add(keys[o], values[o], kind(o));
                }
            }
            keptStarts[t + 1] = kept.size();
        }
        return kept.build(keptStarts);
    }
}
