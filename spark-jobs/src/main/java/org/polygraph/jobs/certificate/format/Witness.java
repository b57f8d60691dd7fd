package org.polygraph.jobs.certificate.format;

import org.polygraph.storage.table.HistoryTable;

/**
 * An order of events that is claimed to explain a history. SER has one event per transaction (event t is transaction
 * t); SI has two (event 2t is the snapshot, event 2t + 1 the commit). Treated as immutable: no class writes to the
 * arrays.
 *
 * @param counted by transaction: whether it counts as committed
 * @param position by event: its place, from 0 to the number of events, exclusive. Counted events have distinct places;
 *     those of other transactions are ignored
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record Witness(HistoryTable table, Terms terms, boolean[] counted, int[] position) {
    public int countedTransactions() {
        int count = 0;
        for (boolean each : counted) {
            count += each ? 1 : 0;
        }
        return count;
    }
}
