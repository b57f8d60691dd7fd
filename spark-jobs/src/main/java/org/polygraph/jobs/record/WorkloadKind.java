package org.polygraph.jobs.record;

import java.util.Locale;

/** The kind of transactions. */
public enum WorkloadKind {
    /** At most two reads and two writes, each write after a read of its key (mini-transactions, MTC). */
    MINI,
    /** Reads and writes, also of keys that the transaction has not read. */
    REGISTERS,
    /** Lists that elements are appended to. */
    APPEND,
    /** Rows that are inserted, updated, deleted and read by their keys, or selected by their values. */
    ROWS,
    /** Transfers between accounts, and reads of all balances. */
    BANK;

    /** The initial balance of an account. */
    private static final long BALANCE = 100;

    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether values are lists. */
    boolean hasLists() {
        return this == APPEND;
    }

    /** The value of every key before the first transaction, unless values are lists. */
    long initial() {
        return this == BANK ? BALANCE : 0;
    }

    /** The keys that are accessed unless a number is given. */
    public int defaultKeys() {
        return this == BANK ? 10 : 100;
    }
}
