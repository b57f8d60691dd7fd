package org.polygraph.storage.model;

/** How a transaction ended, as its client observed it. Stored as the byte {@link #code()}. */
public enum TransactionStatus {
    COMMITTED(0, "committed"),
    ABORTED(1, "aborted"),
    /** The client did not learn the outcome. The transaction counts as committed if a counted read observed it. */
    INDETERMINATE(2, "indeterminate"),
    /** It loads the initial rows, so it is a part of the initial transaction. Derived, never read from a file. */
    INITIAL(3, "initial");

    private static final TransactionStatus[] VALUES = values();

    private final byte code;
    private final String label;

    TransactionStatus(int code, String label) {
        this.code = (byte) code;
        this.label = label;
    }

    /** The name used in files and messages. */
    public String label() {
        return label;
    }

    /** 0 to 3: the byte that {@code HistoryTable} stores. */
    public byte code() {
        return code;
    }

    /** Inverse of {@link #code()}. */
    public static TransactionStatus ofCode(byte code) {
        return VALUES[code];
    }
}
