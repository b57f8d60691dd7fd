package org.polygraph.jobs.certificate.format;

import org.jspecify.annotations.Nullable;
import org.polygraph.storage.table.HistoryTable;

/**
 * An order of events that is claimed to explain a history. SER has one event per transaction (event t is transaction
 * t); SI has two (event 2t is the snapshot, event 2t + 1 the commit). Treated as immutable: no class writes to the
 * arrays.
 *
 * @param counted by transaction: whether it counts as committed
 * @param position by event: its place, from 0 to the number of events, exclusive. Counted events have distinct places;
 *     those of other transactions are ignored
 * @param sources at RC, RA and CC: of the reads that do not return the last write before them; null if there are none
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record Witness(
        HistoryTable table,
        Terms terms,
        boolean[] counted,
        int[] position,
        @Nullable ReadSources sources) {
    /** Creates an order in which each read returns the last write before it. */
    public Witness(HistoryTable table, Terms terms, boolean[] counted, int[] position) {
        this(table, terms, counted, position, null);
    }

    /** Returns the same order with sources of reads. */
    public Witness with(@Nullable ReadSources named) {
        return new Witness(table, terms, counted, position, named);
    }

    /** Returns the same order for another form of the history, with the same transactions. */
    public Witness with(HistoryTable other) {
        return new Witness(other, terms, counted, position, sources);
    }

    public int countedTransactions() {
        int count = 0;
        for (boolean each : counted) {
            count += each ? 1 : 0;
        }
        return count;
    }
}
