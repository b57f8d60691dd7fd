package org.polygraph.storage.table;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.model.TransactionStatus;

/**
 * Properties of transactions.
 *
 * @param statuses by transaction, see {@link TransactionStatus#code}
 * @param indexes by transaction: orders the transactions of a session
 * @param sources by transaction: its file and its position there, see {@link SourceFiles#pack}
 * @param starts by transaction, in ns; {@link HistoryTable#NO_TIME} where unknown; null if no transaction has times
 * @param ends like {@code starts}
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record Transactions(
        byte[] statuses, long[] indexes, long[] sources, long @Nullable [] starts, long @Nullable [] ends)
        implements Serializable {
    public int size() {
        return statuses.length;
    }

    /** The same ones with another status for some. */
    Transactions withStatus(int[] some, TransactionStatus status) {
        byte[] changed = statuses.clone();
        for (int t : some) {
            changed[t] = status.code();
        }
        return new Transactions(changed, indexes, sources, starts, ends);
    }

    /** Some of them, in the order of the given numbers. */
    Transactions select(int[] transactions) {
        return new Transactions(
                select(statuses, transactions),
                select(indexes, transactions),
                select(sources, transactions),
                starts == null ? null : select(starts, transactions),
                ends == null ? null : select(ends, transactions));
    }

    static byte[] select(byte[] from, int[] transactions) {
        byte[] selected = new byte[transactions.length];
        for (int i = 0; i < selected.length; i++) {
            selected[i] = from[transactions[i]];
        }
        return selected;
    }

    static long[] select(long[] from, int[] transactions) {
        long[] selected = new long[transactions.length];
        for (int i = 0; i < selected.length; i++) {
            selected[i] = from[transactions[i]];
        }
        return selected;
    }
}
