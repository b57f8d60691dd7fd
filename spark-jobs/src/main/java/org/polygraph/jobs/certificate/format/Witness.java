package org.polygraph.jobs.certificate.format;

import org.polygraph.storage.table.HistoryTable;

/**
 * An order that is said to explain a history. SER has one event a transaction (event t is transaction t); SI has two (event
 * 2t takes the snapshot, event 2t + 1 commits). Immutable by agreement: nobody writes to the arrays.
 *
 * @param counted per transaction: whether it is taken as committed
 * @param position per event: its place, from 0 to the number of events, exclusive; no two events that count share one.
 *     Events of transactions that do not count are ignored, whatever their place
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
public record Witness(HistoryTable table, Terms terms, boolean[] counted, int[] position) {
    /** How many transactions are taken as committed. */
    public int commitStatus() {
        int count = 0;
        for (boolean each : counted) {
            count += each ? 1 : 0;
        }
        return count;
    }
}
