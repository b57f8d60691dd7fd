package org.polygraph.jobs.windows;

import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.io.Serializable;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.table.HistoryRows;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.Operations;

/**
 * The first transactions of the sessions of a piece and the others, as far as {@link Loading} depends on them. The first
 * transactions of a session lead if they committed and write one value and nothing else, which may be the initial one.
 *
 * @param sessions by session of the piece; null if no transaction leads
 * @param others the transactions that do not lead
 * @param hasRows whether some operation inserts or deletes a row
 * @param hasStart whether some transaction has a start
 * @param hasEnd whether some transaction has an end
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Leading(@Nullable OfSession[] sessions, Others others, boolean hasRows, boolean hasStart, boolean hasEnd)
        implements Serializable {
    static final Leading NONE = new Leading(new OfSession[0], Others.NONE, false, false, false);
    /** The most transactions and writes of a session that the driver looks at. */
    private static final int MOST = 1_024;

    /**
     * Transactions.
     *
     * @param start the earliest of their starts; {@link HistoryTable#NO_TIME} if one is missing; the latest time if there are none
     * @param first the number of the first in the piece; the largest number if there are none
     */
    record Others(long start, long first) implements Serializable {
        static final Others NONE = new Others(Long.MAX_VALUE, Long.MAX_VALUE);

        Others and(long otherStart, long other) {
            return new Others(Math.min(start, otherStart), Math.min(first, other));
        }

        Others and(Others more) {
            return and(more.start, more.first);
        }
    }

    /**
     * The transactions of a session that lead.
     *
     * @param writes items of key and value: one write, or, if keys have different initial values, all of the first transaction
     * @param indexes of the transactions; empty if these or the writes are too many to look at
     * @param end the latest of their ends; {@link HistoryTable#NO_TIME} if one is missing
     * @param last the number of the last of them in the piece
     * @param own the same transactions, in case that they did not write the initial value
     * @param isWhole whether the piece has no others of the session
     */
    record OfSession(byte[] writes, long[] indexes, long end, long last, Others own, boolean isWhole)
            implements Serializable {}

    /** @param hasState whether keys have different initial values */
    static Leading of(PieceRows in, boolean hasState) {
        HistoryRows rows = in.rows();
        @Nullable OfSession[] sessions = new @Nullable OfSession[in.sessions()];
        Others others = Others.NONE;
        boolean hasStart = false;
        boolean hasEnd = false;
        for (int s = 0; s < sessions.length; s++) {
            int count = 0;
            boolean leads = true;
            LongArrayList indexes = new LongArrayList();
            long end = Long.MIN_VALUE;
            boolean isOpen = false;
            long last = 0;
            Others own = Others.NONE;
            for (int j = 0; j < in.count(s); j++) {
                int t = in.transaction(s, j);
                long startOf = PieceRows.time(rows.transactions().starts(), t);
                long endOf = PieceRows.time(rows.transactions().ends(), t);
                hasStart |= startOf != HistoryTable.NO_TIME;
                hasEnd |= endOf != HistoryTable.NO_TIME;
                leads = leads && leads(in, t, in.transaction(s, 0), hasState);
                if (!leads) {
                    others = others.and(startOf, t);
                    continue;
                }
                count++;
                own = own.and(startOf, t);
                indexes.add(rows.transactions().indexes()[t]);
                isOpen |= endOf == HistoryTable.NO_TIME;
                end = Math.max(end, endOf);
                last = Math.max(last, t);
            }
            if (count > 0) {
                byte[] writes = writes(rows, in.transaction(s, 0), hasState);
                boolean isShort = count <= MOST && writes.length > 0;
                sessions[s] = new OfSession(
                        writes,
                        isShort ? indexes.toLongArray() : new long[0],
                        isOpen ? HistoryTable.NO_TIME : end,
                        last,
                        own,
                        count == in.count(s));
            }
        }
        return new Leading(sessions, others, rows.operations().kinds() != null, hasStart, hasEnd);
    }

    /** @param first the first transaction of its session */
    private static boolean leads(PieceRows in, int t, int first, boolean hasState) {
        if (hasState) {
            return t == first && in.onlyWrites(t);
        }
        Operations operations = in.rows().operations();
        return in.writesOneValue(t)
                && operations.values()[operations.starts()[t]]
                        == operations.values()[operations.starts()[first]];
    }

    private static byte[] writes(HistoryRows rows, int t, boolean hasState) {
        int from = rows.operations().starts()[t];
        int to = hasState ? rows.operations().starts()[t + 1] : from + 1;
        BlockWriter items = new BlockWriter();
        for (int o = from; o < to && to - from <= MOST; o++) {
            int key = Operations.key(rows.operations().keys()[o]);
            items.key(rows.keys(), key).value(rows.values(), rows.operations().values()[o]);
        }
        return items.toBytes();
    }
}
