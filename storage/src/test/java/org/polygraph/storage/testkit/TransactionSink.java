package org.polygraph.storage.testkit;

import org.polygraph.storage.model.TransactionStatus;

/**
 * Receives the transactions of a generator: {@link #begin}, {@link #operation} for each, {@link #end}. The transactions
 * of a session come in session order, those of different sessions as their clients learnt the outcomes.
 */
public interface TransactionSink {
    /**
     * Opens a transaction.
     *
     * @param session from 0
     * @param index within the session, from 0 without gaps
     * @param start ns, before the transaction could have any effect
     * @param end ns, after its last effect; more than start
     */
    void begin(int session, long index, TransactionStatus outcome, long start, long end);

    /** An operation of the open transaction, in the order its client ran them; keys from 0, initial value 0. */
    void operation(boolean write, int key, long value);

    /** Closes the open transaction. */
    void end();
}
