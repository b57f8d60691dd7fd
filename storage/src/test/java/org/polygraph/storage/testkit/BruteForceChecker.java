package org.polygraph.storage.testkit;

import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

/**
 * Decides tiny histories by trying every execution, by the definition alone: without graph and solver.
 *
 * <p>An execution runs whole transactions against a map from keys to values that starts with the initial value
 * everywhere. The conditions of each level:
 *
 * <ul>
 *   <li>SER: transactions run one after the other in an order that extends session order; every external read returns
 *       the map's value. (Adya 1999, PL-3, with session order.)
 *   <li>SI: every transaction is two events, begin and commit; session order puts the commit of the earlier before the
 *       begin of the later. External reads return the map's value at begin, writes enter the map at commit, and no
 *       two transactions that write a key are open at one time. (Strong session SI: Daudjee and Salem 2006.)
 *   <li>SSER and SSI (strong SI): also real time, {@code end(a) < start(b)} puts a (its commit) before b (its begin).
 * </ul>
 *
 * <p>External reads are those before the transaction's first own write of the key; later ones must return its latest
 * own write. Only a transaction's last write of a key enters the map.
 *
 * <p>Indeterminate transactions: a history is accepted iff there is <em>some</em> subset of them which, counted along
 * with the committed ones, has an execution. This is the rule "committed iff observed, to a fixpoint". Proof: remove
 * from an execution an indeterminate transaction whose writes no counted one reads. Every read still returns the value
 * of the same writer, fewer pairs overlap and fewer orders are required, so it is still an execution. Repeat until
 * every indeterminate transaction in it is observed. The end of an indeterminate transaction bounds nothing in real
 * time; its start does, because nothing of it can have happened earlier.
 *
 * <p>Complexity: exponential; at most (orders of the events) states, each visited once. Meant for up to 7 counted
 * transactions (well under a millisecond); refuses what does not fit its 64-bit states.
 */
public final class BruteForceChecker {
    /** The levels that this class decides. */
    public enum Level {
        SER(false, false),
        SSER(false, true),
        SI(true, false),
        /** Strong snapshot isolation. */
        SSI(true, true);

        private final boolean snapshot;
        private final boolean realTime;

        Level(boolean snapshot, boolean realTime) {
            this.snapshot = snapshot;
            this.realTime = realTime;
        }
    }

    /** The result for a history. */
    public enum Verdict {
        ACCEPTED,
        REJECTED,
        /** No transaction is committed, so there is nothing to judge. */
        INVALID
    }

    private static final int MAX_INDETERMINATE = 16;
    private static final int MAX_TRANSACTIONS = 24;

    /** A transaction as others see it: external reads and final writes, by key. */
    private record Transaction(
            int session,
            TransactionStatus outcome,
            long start,
            long end,
            Map<Integer, Long> externalReads,
            Map<Integer, Long> finalWrites,
            boolean consistent) {
        boolean endsBefore(Transaction other) {
            return outcome == TransactionStatus.COMMITTED
                    && end != HistoryTable.NO_TIME
                    && other.start != HistoryTable.NO_TIME
                    && end < other.start;
        }
    }

    private BruteForceChecker() {}

    /** Whether {@link #judge} returns ACCEPTED. */
    public static boolean accepts(HistoryTable history, Level level) {
        return judge(history, level) == Verdict.ACCEPTED;
    }

    /**
     * Decides one history.
     *
     * @throws IllegalArgumentException if the history is too large: more than 16 indeterminate or 24 counted
     *     transactions, or more keys and values than a state of 64 bits can represent
     */
    public static Verdict judge(HistoryTable history, Level level) {
        List<Transaction> committed = new ArrayList<>();
        List<Transaction> indeterminate = new ArrayList<>();
        List<Transaction> all = new ArrayList<>();
        for (int t = 0; t < history.transactions(); t++) {
            TransactionStatus outcome = history.status(t);
            if (outcome == TransactionStatus.ABORTED) {
                continue;
            }
            Transaction transaction = transaction(history, t);
            all.add(transaction);
            (outcome == TransactionStatus.COMMITTED ? committed : indeterminate).add(transaction);
        }
        if (committed.isEmpty()) {
            return Verdict.INVALID;
        }
        for (Transaction transaction : committed) {
            if (!transaction.consistent) {
                return Verdict.REJECTED;
            }
        }
        if (indeterminate.size() > MAX_INDETERMINATE) {
            throw new IllegalArgumentException(indeterminate.size() + " indeterminate transactions; at most "
                    + MAX_INDETERMINATE + " can be tried in every combination");
        }
        for (int subset = 0; subset < 1 << indeterminate.size(); subset++) {
            List<Transaction> counted = new ArrayList<>();
            boolean consistent = true;
            int next = 0;
            for (Transaction transaction : all) {
                if (transaction.outcome == TransactionStatus.COMMITTED || (subset >> next++ & 1) != 0) {
                    counted.add(transaction);
                    consistent &= transaction.consistent;
                }
            }
            if (consistent && new Executions(counted, history.initialValue(), level).exist()) {
                return Verdict.ACCEPTED;
            }
        }
        return Verdict.REJECTED;
    }

    private static Transaction transaction(HistoryTable history, int t) {
        Map<Integer, Long> reads = new LinkedHashMap<>();
        Map<Integer, Long> writes = new LinkedHashMap<>();
        boolean consistent = true;
        for (int o = history.firstOperation(t); o < history.operationsEnd(t); o++) {
            int key = history.key(o);
            long value = history.value(o);
            boolean write = history.isWrite(o);
            if (write) {
                writes.put(key, value);
            } else if (writes.containsKey(key)) {
                consistent &= writes.get(key) == value;
            } else {
                Long before = reads.put(key, value);
                consistent &= before == null || before == value;
            }
        }
        long[] starts = history.starts();
        long[] ends = history.ends();
        return new Transaction(
                history.sessionOf(t),
                history.status(t),
                starts == null ? HistoryTable.NO_TIME : starts[t],
                ends == null ? HistoryTable.NO_TIME : ends[t],
                reads,
                writes,
                consistent);
    }

    /**
     * Depth-first search for an execution of the given transactions, all of them counted. The map is packed in a long,
     * a few bits for each key that is read (the number of the value it holds); a state is the map and who has begun and
     * committed. A state that did not lead to an execution once never does.
     */
    private static final class Executions {
        private final Level level;
        private final int n;
        private final int all;
        /** Transactions that must have ended before t begins. */
        private final int[] before;
        /** Transactions that write a key that t writes, without t. */
        private final int[] rivals;
        /** Transaction t may begin when {@code (map & readMask[t]) == readBits[t]}. */
        private final long[] readMask;

        private final long[] readBits;
        /** Its commit makes the map {@code (map & ~writeMask[t]) | writeBits[t]}. */
        private final long[] writeMask;

        private final long[] writeBits;
        private final boolean readable;
        private final LongOpenHashSet seen = new LongOpenHashSet();

        Executions(List<Transaction> counted, long initialValue, Level level) {
            this.level = level;
            n = counted.size();
            if (n > MAX_TRANSACTIONS) {
                throw new IllegalArgumentException(
                        n + " counted transactions; at most " + MAX_TRANSACTIONS + " can be tried in every order");
            }
            all = (1 << n) - 1;
            before = new int[n];
            rivals = new int[n];
            readMask = new long[n];
            readBits = new long[n];
            writeMask = new long[n];
            writeBits = new long[n];
            orderTransactions(counted);
            readable = packMap(counted, initialValue);
        }

        private void orderTransactions(List<Transaction> counted) {
            for (int b = 0; b < n; b++) {
                for (int a = 0; a < n; a++) {
                    Transaction first = counted.get(a);
                    Transaction second = counted.get(b);
                    boolean session = first.session == second.session && a < b;
                    boolean realTime = level.realTime && first.endsBefore(second);
                    if (session || realTime) {
                        before[b] |= 1 << a;
                    }
                    for (Integer key : first.finalWrites.keySet()) {
                        if (a != b && second.finalWrites.containsKey(key)) {
                            rivals[b] |= 1 << a;
                        }
                    }
                }
            }
        }

        /** Numbers the values of every key that is read; the initial value is 0. False if a read has no writer. */
        private boolean packMap(List<Transaction> counted, long initialValue) {
            Map<Integer, Map<Long, Integer>> numbers = new LinkedHashMap<>();
            for (Transaction transaction : counted) {
                for (Integer key : transaction.externalReads.keySet()) {
                    numbers.computeIfAbsent(key, k -> new LinkedHashMap<>()).put(initialValue, 0);
                }
            }
            int most = 1;
            for (Transaction transaction : counted) {
                for (Map.Entry<Integer, Long> write : transaction.finalWrites.entrySet()) {
                    Map<Long, Integer> values = numbers.get(write.getKey());
                    if (values != null) {
                        values.putIfAbsent(write.getValue(), values.size());
                        most = Math.max(most, values.size());
                    }
                }
            }
            int bits = Math.max(1, Integer.SIZE - Integer.numberOfLeadingZeros(most - 1));
            if (2 * n + bits * numbers.size() > Long.SIZE) {
                throw new IllegalArgumentException(n + " counted transactions, " + numbers.size()
                        + " keys read and up to " + most + " values a key do not fit a state of 64 bits");
            }
            int shift = 0;
            for (Map.Entry<Integer, Map<Long, Integer>> entry : numbers.entrySet()) {
                long mask = ((1L << bits) - 1) << shift;
                for (int t = 0; t < n; t++) {
                    Long read = counted.get(t).externalReads.get(entry.getKey());
                    if (read != null) {
                        Integer number = entry.getValue().get(read);
                        if (number == null) {
                            return false;
                        }
                        readMask[t] |= mask;
                        readBits[t] |= (long) number << shift;
                    }
                    Long write = counted.get(t).finalWrites.get(entry.getKey());
                    if (write != null) {
                        writeMask[t] |= mask;
                        writeBits[t] |= (long) entry.getValue().get(write) << shift;
                    }
                }
                shift += bits;
            }
            return true;
        }

        boolean exist() {
            return readable && (level.snapshot ? snapshot(0, 0, 0) : serial(0, 0));
        }

        /** Whether the transactions not yet done can run, one after the other, from here. */
        private boolean serial(int done, long map) {
            if (done == all) {
                return true;
            }
            if (!seen.add(map << n | done)) {
                return false;
            }
            for (int t = 0; t < n; t++) {
                boolean mayRun = (done >> t & 1) == 0 && (before[t] & ~done) == 0 && readsMatch(t, map);
                if (mayRun && serial(done | 1 << t, mapAfter(t, map))) {
                    return true;
                }
            }
            return false;
        }

        /** Whether the remaining begins and commits can happen, one after the other, from here. */
        private boolean snapshot(int begun, int committed, long map) {
            if (committed == all) {
                return true;
            }
            if (!seen.add((map << n | begun) << n | committed)) {
                return false;
            }
            int open = begun & ~committed;
            for (int t = 0; t < n; t++) {
                if ((begun >> t & 1) == 0) {
                    boolean mayBegin = (before[t] & ~committed) == 0 && (rivals[t] & open) == 0 && readsMatch(t, map);
                    if (mayBegin && snapshot(begun | 1 << t, committed, map)) {
                        return true;
                    }
                } else if ((committed >> t & 1) == 0 && snapshot(begun, committed | 1 << t, mapAfter(t, map))) {
                    return true;
                }
            }
            return false;
        }

        private boolean readsMatch(int t, long map) {
            return (map & readMask[t]) == readBits[t];
        }

        private long mapAfter(int t, long map) {
            return (map & ~writeMask[t]) | writeBits[t];
        }
    }
}
