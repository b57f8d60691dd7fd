package org.polygraph.jobs.certificate.format;

import org.polygraph.storage.table.HistoryTable;

/** Finds the transactions of a table that ascending rows of a certificate name. Linear in the table for all rows. */
final class TransactionCursor {
    private final HistoryTable table;
    /** The first transaction that the next row may name. */
    private int next;
    /** Its session. */
    private int session;

    TransactionCursor(HistoryTable table) {
        this.table = table;
    }

    /** Returns a transaction, which does not come before the one of the last call; -1 if the table does not have it. */
    int find(long label, long index) {
        while (next < table.transactions()) {
            while (table.transactionsEnd(session) <= next) {
                session++;
            }
            long nextLabel = table.sessionLabel(session);
            if (nextLabel > label || (nextLabel == label && table.index(next) >= index)) {
                return nextLabel == label && table.index(next) == index ? next : -1;
            }
            next++;
        }
        return -1;
    }
}
