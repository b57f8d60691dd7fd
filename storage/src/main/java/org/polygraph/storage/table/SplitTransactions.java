package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.util.Arrays;
import org.polygraph.storage.model.TransactionStatus;

/**
 * A history whose transactions are split in two: one with the reads of other transactions' writes, and, directly after
 * it in the session, one with the writes. It is serializable iff the whole history has prefix consistency (snapshot
 * isolation without first-committer-wins): one order of snapshots and commits explains every read (Biswas and Enea, On
 * the Complexity of Checking Transactional Consistency, OOPSLA 2019, section 5). Sessions, times and sources in the
 * input are those of the whole.
 *
 * <p>Transactions of unknown outcome are not split, because their two halves could have different outcomes. So if there
 * are some, serializability implies prefix consistency, but not the reverse.
 *
 * <p>Linear in time and memory. The dictionary of values is shared with the whole history.
 */
public final class SplitTransactions {
    private final HistoryTable table;
    private final int[] wholes;

    private SplitTransactions(HistoryTable table, int[] wholes) {
        this.table = table;
        this.wholes = wholes;
    }

    /**
     * Splits a history.
     *
     * @param whole without inserts and deletes, in which own writes explain the reads after them
     */
    public static SplitTransactions of(HistoryTable whole) {
        int[] wholes = new int[2 * whole.transactions()];
        int[] starts = new int[wholes.length + 1];
        IntArrayList operations = new IntArrayList(whole.operations());
        IntArrayList writes = new IntArrayList();
        int[] writtenBy = new int[whole.keys().size()];
        Arrays.fill(writtenBy, -1);
        int halves = 0;
        for (int t = 0; t < whole.transactions(); t++) {
            boolean isSplit = whole.status(t) != TransactionStatus.INDETERMINATE;
            writes.clear();
            for (int o = whole.firstOperation(t); o < whole.operationsEnd(t); o++) {
                int key = whole.key(o);
                if (whole.isWrite(o)) {
                    writtenBy[key] = t;
                    (isSplit ? writes : operations).add(o);
                } else if (writtenBy[key] != t || !isSplit) {
                    operations.add(o);
                }
            }
            wholes[halves] = t;
            starts[++halves] = operations.size();
            if (isSplit) {
                operations.addAll(writes);
                wholes[halves] = t;
                starts[++halves] = operations.size();
            }
        }
        int[] keys = new int[operations.size()];
        long[] values = new long[operations.size()];
        for (int i = 0; i < keys.length; i++) {
            int o = operations.getInt(i);
            keys[i] = Operations.pack(whole.key(o), whole.isWrite(o));
            values[i] = whole.value(o);
        }
        int[] ofKeys = new int[whole.keys().size()];
        Arrays.setAll(ofKeys, k -> k);
        int[] kept = Arrays.copyOf(wholes, halves);
        Operations split = new Operations(Arrays.copyOf(starts, halves + 1), keys, values, null);
        return new SplitTransactions(HistorySelection.table(whole, ofKeys, kept, split), kept);
    }

    /** The history of the halves. */
    public HistoryTable table() {
        return table;
    }

    /** By half: the transaction of the whole, ascending. The last half of a transaction has its writes. */
    public int[] wholes() {
        return wholes;
    }
}
