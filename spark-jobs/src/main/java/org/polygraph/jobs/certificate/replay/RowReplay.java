package org.polygraph.jobs.certificate.replay;

import java.util.Arrays;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Names;
import org.polygraph.storage.model.StoppedException;
import org.polygraph.storage.table.HistoryTable;

/**
 * Replays a history with inserts and deletes in the order of its events, for {@link Replay}. In addition to what it
 * checks of reads:
 *
 * <ul>
 *   <li>each commit runs the writes of its transaction: an insert finds no row, a delete finds one, another write
 *       leaves one;
 *   <li>SI, SSI: if the first write of a key at a commit finds a row and is no insert, the transaction that wrote the
 *       key last committed before the snapshot. So two transactions may overlap only if the row was deleted between
 *       their writes.
 * </ul>
 *
 * <p>Linear time. Memory: 29 bytes a key, 4 a transaction.
 */
final class RowReplay {
    private static final int NONE = Placement.NONE;

    private final HistoryTable table;
    private final Placement placement;
    /** By key: the last committed value. */
    private final long[] current;
    /** By key: whether there is a row. */
    private final boolean[] exists;
    /** By key: the transaction that wrote it last, and the place of its commit. */
    private final int[] lastWriter;

    private final int[] lastCommit;
    /** By key: the last transaction that wrote it, with the value; valid while that transaction is replayed. */
    private final int[] ownWriter;

    private final long[] ownValue;
    /** By transaction: the place of its snapshot. */
    private final int[] snapshots;

    private long reads;
    private long ownReads;
    private long writes;

    RowReplay(HistoryTable table, Placement placement) {
        this.table = table;
        this.placement = placement;
        int keys = table.keys().size();
        current = new long[keys];
        Arrays.setAll(current, table::initialValue);
        exists = new boolean[keys];
        for (int key = 0; key < keys; key++) {
            exists[key] = table.existsAtFirst(key);
        }
        lastWriter = new int[keys];
        Arrays.fill(lastWriter, NONE);
        lastCommit = lastWriter.clone();
        ownWriter = lastWriter.clone();
        ownValue = new long[keys];
        snapshots = new int[table.transactions()];
    }

    Replay.Result run(BooleanSupplier stop) {
        int[] eventAt = placement.eventAt();
        for (int place = 0; place < eventAt.length; place++) {
            if ((place + 1) % Replay.PLACES == 0) {
                StoppedException.check(stop);
            }
            int e = eventAt[place];
            if (e == NONE) {
                continue;
            }
            int t = placement.transactionOf(e);
            String wrong = null;
            if (placement.isSnapshot(e)) {
                snapshots[t] = place;
                wrong = read(t);
            }
            if (wrong == null && placement.isCommit(e)) {
                wrong = commit(t, place);
            }
            if (wrong != null) {
                return Replay.Result.rejected(wrong);
            }
        }
        return new Replay.Result(null, placement.transactions(), reads, ownReads, writes);
    }

    private @Nullable String read(int t) {
        for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
            int key = table.key(o);
            if (table.isWrite(o)) {
                ownWriter[key] = t;
                ownValue[key] = table.value(o);
                continue;
            }
            boolean own = ownWriter[key] == t;
            reads++;
            ownReads += own ? 1 : 0;
            long expected = own ? ownValue[key] : current[key];
            if (table.value(o) != expected) {
                return Names.misread(table, t, o, own, expected);
            }
        }
        return null;
    }

    private @Nullable String commit(int t, int place) {
        for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
            if (!table.isWrite(o)) {
                continue;
            }
            int key = table.key(o);
            if (table.isInsert(o) ? exists[key] : table.isDelete(o) && !exists[key]) {
                return Names.transaction(table, t) + (table.isInsert(o) ? " inserts" : " deletes") + " key "
                        + Names.key(table, key)
                        + (table.isInsert(o)
                                ? ", which exists when it commits"
                                : ", which does not exist when it commits");
            }
            if (exists[key] && lastWriter[key] != t && lastCommit[key] > snapshots[t]) {
                return Names.overlap(table, t, lastWriter[key], key);
            }
            exists[key] = !table.isDelete(o);
            lastWriter[key] = t;
            lastCommit[key] = place;
            current[key] = table.value(o);
            writes++;
        }
        return null;
    }
}
