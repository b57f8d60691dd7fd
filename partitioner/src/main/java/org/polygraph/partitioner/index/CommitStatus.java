package org.polygraph.partitioner.index;

import org.jspecify.annotations.Nullable;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

/**
 * Which transactions count, one byte each. Committed transactions count and aborted ones do not. An indeterminate
 * transaction counts iff a counted transaction must have read its write; it is {@link #OPTIONAL} if this is not known,
 * which happens where values repeat or rows are inserted and deleted.
 */
public final class CommitStatus {
    /** Has no effect: aborted, or indeterminate and unobserved, impossible or treated as aborted. */
    public static final byte DROPPED = 0;
    /** Its reads are judged and its writes exist. */
    public static final byte COUNTED = 1;
    /** Whether it committed is a choice of the solver. */
    public static final byte OPTIONAL = 2;

    private final byte[] states;
    private int optional;

    private CommitStatus(byte[] states) {
        this.states = states;
    }

    /** Committed transactions count, all others are dropped; {@link IndeterminateResolution} refines this. */
    public static CommitStatus ofCommitted(HistoryTable table) {
        byte[] outcomes = table.statuses();
        byte[] states = new byte[outcomes.length];
        byte committed = TransactionStatus.COMMITTED.code();
        for (int t = 0; t < outcomes.length; t++) {
            states[t] = outcomes[t] == committed ? COUNTED : DROPPED;
        }
        return new CommitStatus(states);
    }

    /** From its {@link #states}, which are not copied. */
    public static CommitStatus of(byte[] states) {
        CommitStatus commitStatus = new CommitStatus(states);
        for (byte state : states) {
            commitStatus.optional += state == OPTIONAL ? 1 : 0;
        }
        return commitStatus;
    }

    /**
     * The same status with every choice made.
     *
     * @param committed by transaction; looked at for {@link #OPTIONAL} ones only. Null: none of them committed
     */
    public CommitStatus decided(boolean @Nullable [] committed) {
        if (optional == 0) {
            return this;
        }
        CommitStatus decided = new CommitStatus(states.clone());
        for (int t = 0; t < states.length; t++) {
            if (states[t] == OPTIONAL) {
                decided.states[t] = committed != null && committed[t] ? COUNTED : DROPPED;
            }
        }
        return decided;
    }

    /** The same status with one choice made. */
    CommitStatus decided(int transaction, boolean committed) {
        CommitStatus decided = new CommitStatus(states.clone());
        decided.optional = optional;
        decided.set(transaction, committed ? COUNTED : DROPPED);
        return decided;
    }

    void set(int transaction, byte state) {
        if (states[transaction] == OPTIONAL) {
            optional--;
        }
        if (state == OPTIONAL) {
            optional++;
        }
        states[transaction] = state;
    }

    /** {@link #DROPPED}, {@link #COUNTED} or {@link #OPTIONAL}. */
    public byte of(int transaction) {
        return states[transaction];
    }

    public boolean isCounted(int transaction) {
        return states[transaction] == COUNTED;
    }

    /** The states of all transactions, for inner loops; not to be changed. */
    public byte[] states() {
        return states;
    }

    /** How many transactions are {@link #OPTIONAL}. */
    public int optional() {
        return optional;
    }
}
