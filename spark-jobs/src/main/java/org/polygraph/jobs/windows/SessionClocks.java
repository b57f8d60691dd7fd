package org.polygraph.jobs.windows;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.longs.Long2IntOpenHashMap;
import it.unimi.dsi.fastutil.longs.Long2LongMap;
import it.unimi.dsi.fastutil.longs.Long2LongOpenHashMap;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.io.Serializable;
import java.util.Arrays;
import java.util.List;
import org.polygraph.jobs.certificate.replay.Tally;
import org.polygraph.storage.dictionary.KeyDictionary;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryRows;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.Operations;
import org.polygraph.storage.table.Transactions;

/**
 * How far the clocks of sessions are apart, found from the operations on a sample of keys. If one transaction reads
 * from another one, the writer starts before the reader ends. If the clocks of their sessions do not agree with that, a
 * number is added to the clock of each session. In each round the number of a session approaches the middle of two
 * bounds: the least number that agrees with the sessions from which the session reads, and the greatest one that agrees
 * with the sessions that read from it. Only the order that
 * is tried first depends on it. Memory: 40 bytes for each operation of the sample.
 */
final class SessionClocks {
    /** The clocks are left alone if fewer than one in so many reads precedes the write that it read. */
    private static final int FEW = 100;

    private static final int ROUNDS = 30;
    private static final int AMBIGUOUS = -2;
    private static final int ABSENT = -1;
    /** No bound is so large, because times and offsets are at most {@link PieceRows#MOST}. */
    private static final long FAR = 1L << 62;

    private final long[] offsets;
    /** By operation of the sample. */
    private final LongArrayList items = new LongArrayList();

    private final IntArrayList sessions = new IntArrayList();
    private final LongArrayList starts = new LongArrayList();
    private final LongArrayList ends = new LongArrayList();
    /** By item: the operation that wrote it. */
    private final Long2IntOpenHashMap writers = new Long2IntOpenHashMap();

    private final IntArrayList reads = new IntArrayList();

    private SessionClocks(List<byte[]> samples, int sessionCount) {
        offsets = new long[sessionCount];
        writers.defaultReturnValue(ABSENT);
        for (byte[] sample : samples) {
            for (BlockReader in = new BlockReader(sample); in.hasMore(); ) {
                long item = in.signed();
                long sessionAndKind = in.unsigned();
                long start = in.signed();
                int row = items.size();
                if ((sessionAndKind & 1) == 0) {
                    reads.add(row);
                } else if (writers.put(item, row) != ABSENT) {
                    writers.put(item, AMBIGUOUS);
                }
                items.add(item);
                sessions.add((int) (sessionAndKind >>> 1));
                starts.add(start);
                ends.add(start + in.signed());
            }
        }
    }

    /**
     * The operations of a sample: those on the keys whose hash has no bit of the mask.
     *
     * @param most operations of a piece, because some keys have more than others
     */
    record Sample(long mask, int most) implements Serializable {
        /** Operations of the whole input, about. */
        private static final int SIZE = 1 << 18;
        /** Operations of a transaction, about. */
        private static final int OPERATIONS = 8;

        private static final long FACTOR = 0x9E3779B97F4A7C15L;

        /** The sample of an input with so many transactions and pieces. */
        static Sample of(long transactions, int pieces) {
            return new Sample(
                    Long.highestOneBit(Math.max(1, 2 * OPERATIONS * transactions / SIZE)) - 1,
                    Math.max(1, 2 * SIZE / pieces));
        }

        /**
         * Takes the operations of committed transactions with a start and an end. @param numbers by session of the
         * piece: its number
         */
        byte[] take(HistoryRows rows, int[] numbers) {
            Transactions transactions = rows.transactions();
            long[] starts = transactions.starts();
            long[] ends = transactions.ends();
            if (starts == null || ends == null) {
                return new byte[0];
            }
            KeyDictionary keys = rows.keys();
            boolean[] has = new boolean[keys.size()];
            for (int k = 0; k < has.length; k++) {
                has[k] = (hash(keys, k) & mask) == 0;
            }
            BlockWriter out = new BlockWriter();
            int left = most;
            int[] first = rows.operations().starts();
            for (int t = 0; t < transactions.size() && left > 0; t++) {
                if (transactions.statuses()[t] != TransactionStatus.COMMITTED.code()
                        || starts[t] == HistoryTable.NO_TIME
                        || ends[t] == HistoryTable.NO_TIME) {
                    continue;
                }
                for (int o = first[t]; o < first[t + 1] && left > 0; o++) {
                    int keyAndKind = rows.operations().keys()[o];
                    int key = Operations.key(keyAndKind);
                    if (has[key]) {
                        int kind = Operations.isWrite(keyAndKind) ? 1 : 0;
                        long code = rows.operations().values()[o];
                        long start = PieceRows.bounded(starts[t]);
                        out.signed(hash(keys, key) * FACTOR + Tally.value(rows.values(), code))
                                .unsigned((long) numbers[rows.sessionOf()[t]] << 1 | kind)
                                .signed(start)
                                .signed(PieceRows.bounded(ends[t]) - start);
                        left--;
                    }
                }
            }
            return out.toBytes();
        }

        private static long hash(KeyDictionary keys, int key) {
            return keys.isString(key) ? Tally.key(keys.string(key)) : Tally.key(keys.integer(key));
        }
    }

    /**
     * What to add to the clocks of sessions.
     *
     * @param samples by piece: what {@link Sample#take} took
     * @return by number of a session; all 0 if the clocks agree with the sample, or if no others do
     */
    static long[] offsets(List<byte[]> samples, int sessions) {
        SessionClocks clocks = new SessionClocks(samples, sessions);
        long before = clocks.misplaced();
        if (before * FEW >= clocks.reads.size()) {
            clocks.adjust();
            if (clocks.misplaced() <= before / 2) {
                return clocks.offsets;
            }
        }
        return new long[sessions];
    }

    /** The operation that wrote what a read of the sample returned; negative if it is not known. */
    private int writer(int read) {
        return writers.get(items.getLong(read));
    }

    /** How many reads precede the write that they read, by the middles of start and end. */
    private long misplaced() {
        long misplaced = 0;
        for (int read : reads) {
            int write = writer(read);
            misplaced += write >= 0 && middle(write) > middle(read) ? 1 : 0;
        }
        return misplaced;
    }

    private long middle(int row) {
        return offsets[sessions.getInt(row)] + starts.getLong(row) / 2 + ends.getLong(row) / 2;
    }

    private void adjust() {
        Long2LongOpenHashMap slacks = new Long2LongOpenHashMap();
        slacks.defaultReturnValue(FAR);
        for (int read : reads) {
            int write = writer(read);
            if (write >= 0 && sessions.getInt(write) != sessions.getInt(read)) {
                long pair = (long) sessions.getInt(write) << Integer.SIZE | sessions.getInt(read);
                slacks.put(pair, Math.min(slacks.get(pair), ends.getLong(read) - starts.getLong(write)));
            }
        }
        long[] least = new long[offsets.length];
        long[] most = new long[offsets.length];
        for (int round = 0; round < ROUNDS; round++) {
            Arrays.fill(least, -FAR);
            Arrays.fill(most, FAR);
            for (Long2LongMap.Entry slack : slacks.long2LongEntrySet()) {
                int writer = (int) (slack.getLongKey() >>> Integer.SIZE);
                int reader = (int) slack.getLongKey();
                most[writer] = Math.min(most[writer], offsets[reader] + slack.getLongValue());
                least[reader] = Math.max(least[reader], offsets[writer] - slack.getLongValue());
            }
            for (int s = 0; s < offsets.length; s++) {
                long to = least[s] > -FAR && most[s] < FAR
                        ? (least[s] + most[s]) / 2
                        : Math.max(least[s], Math.min(most[s], offsets[s]));
                offsets[s] = PieceRows.bounded(offsets[s] + (to - offsets[s]) / 2);
            }
        }
    }
}
