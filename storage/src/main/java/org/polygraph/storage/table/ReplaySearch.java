package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.HashCommon;
import it.unimi.dsi.fastutil.ints.Int2ObjectMap;
import it.unimi.dsi.fastutil.ints.Int2ObjectOpenHashMap;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntArrays;
import it.unimi.dsi.fastutil.ints.IntLinkedOpenHashSet;
import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import java.util.Arrays;
import java.util.BitSet;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.model.TransactionStatus;

/**
 * Searches for an order of the events of a history with writes of unknown rows by replaying it. A session's next event
 * is placed if the state explains it: what it reads is there, its results and counts are right, an open write finds the
 * rows that reads show of it, and nothing that another transaction still has to read is overwritten. If no event can be
 * placed, the last one is taken back. A state from which no order leads on is not tried again with the same events.
 * The search may miss an order. What it finds is checked like any other guess, so it cannot cause a wrong verdict.
 *
 * <p>Memory: 60 bytes a write, 12 a read, 16 for each state that was given up, and 25 for each event. Time: the rows
 * that each attempt to place an event visits.
 */
final class ReplaySearch implements RecordedWalk.Visitor {
    private static final int NONE = -1;
    /** The most times that an event is placed. */
    private static final int MOST_STEPS = 5_000_000;
    /** The most states that were given up. */
    private static final int MOST_FAILED = 1 << 22;
    /** The most changes of rows that are kept. */
    private static final int MOST_CHANGES = 1 << 25;

    private final HistoryTable raw;
    private final Predicates predicates;
    private final Int2ObjectMap<IntLinkedOpenHashSet> shown;
    private final int perTransaction;
    private final long @Nullable [] starts;
    private final long @Nullable [] ends;
    private final boolean inRealTime;
    private final long skew;
    private final BooleanSupplier stop;

    private final RecordedWalk walk;
    private final ReplayedRows rows;
    private final PendingReads pending;
    private final boolean[] counted;
    /** By event: its place in the order, or {@link #NONE}. The order, and the number of changes before each event. */
    private final int[] position;

    private final IntArrayList order = new IntArrayList();
    private final IntArrayList changesBefore = new IntArrayList();
    private final int events;
    /** By event: the lower ones are tried first. */
    private final int[] rank;
    /**
     * By session: its next event, or {@link #NONE}; the row that prevented it; and {@link ReplayedRows#change} of this
     * row at that time.
     */
    private final int[] next;

    private final int[] obstacle;
    private final long[] obstacleChange;
    /** The ranks of the next events of all sessions. */
    private final BitSet heads = new BitSet();
    /** By place: the rank of the event that was tried last; {@link #NONE} if none was. */
    private final IntArrayList tried = new IntArrayList();

    /** By rank: the event. */
    private final int[] ranked;
    /** What {@link #latestStart} returns until an event is placed or taken back. */
    private long latestStart;

    private boolean isLatestStartKnown;
    /** The event that {@link #walk} goes over. */
    private int walked;
    /** Hashes of states and of the events that were placed before them, from which no order leads on. */
    private final LongOpenHashSet failed = new LongOpenHashSet();
    /** A hash of the events that are placed, and of the rows that open transactions will write. */
    private long hash;

    /** By number of an open write that is placed: its rows. */
    private final Int2ObjectMap<IntArrayList> chosen = new Int2ObjectOpenHashMap<>();
    /** By row: how many transactions have read their snapshot, will write it, and have not committed. */
    private final int[] locks;

    /** The row that prevented the last event from being placed; {@link #NONE} if it is not a single one. */
    private int failedRow;

    /**
     * Prepares a search.
     *
     * @param perTransaction 1, or 2 for the snapshot and the commit
     * @param usesTimes whether times determine which event is tried first
     * @param inRealTime whether a transaction that ended before another one started is placed before it
     * @param countsAll whether all transactions of unknown outcome count, or only those of which committed ones read a
     *     value that no other transaction writes
     */
    ReplaySearch(
            KnownRows known,
            int perTransaction,
            boolean usesTimes,
            boolean inRealTime,
            long skew,
            boolean countsAll,
            BooleanSupplier stop) {
        this.raw = known.raw();
        this.predicates = known.predicates();
        this.shown = known.rows();
        this.perTransaction = perTransaction;
        this.starts = usesTimes ? raw.starts() : null;
        this.ends = usesTimes ? raw.ends() : null;
        this.inRealTime = inRealTime;
        this.skew = skew;
        this.stop = stop;
        int n = raw.transactions();
        counted = counted(countsAll);
        walk = new RecordedWalk(raw, predicates, this);
        rows = new ReplayedRows(raw, predicates, raw.keys().size());
        pending = new PendingReads(raw, predicates, counted);
        position = new int[n * perTransaction];
        Arrays.fill(position, NONE);
        ranked = ranked();
        rank = new int[ranked.length];
        for (int i = 0; i < rank.length; i++) {
            rank[ranked[i]] = i;
        }
        next = new int[raw.sessions()];
        int all = 0;
        for (int t = 0; t < n; t++) {
            all += counted[t] ? perTransaction : 0;
        }
        events = all;
        for (int s = 0; s < next.length; s++) {
            next[s] = NONE;
            setNext(s, firstEvent(s, raw.firstTransaction(s)));
        }
        obstacle = new int[next.length];
        Arrays.fill(obstacle, NONE);
        obstacleChange = new long[next.length];
        locks = new int[perTransaction == 1 ? 0 : raw.keys().size()];
    }

    private boolean[] counted(boolean countsAll) {
        boolean[] all = new boolean[raw.transactions()];
        boolean[] result = new boolean[raw.transactions()];
        for (int t = 0; t < all.length; t++) {
            all[t] = raw.status(t) != TransactionStatus.ABORTED;
            result[t] = raw.status(t) == TransactionStatus.COMMITTED;
        }
        if (countsAll) {
            return all;
        }
        PendingReads values = new PendingReads(raw, predicates, all);
        for (int t = 0; t < all.length; t++) {
            for (int o = raw.firstOperation(t); o < raw.operationsEnd(t) && result[t]; o++) {
                if (Predicates.isReadOfRow(raw, o)) {
                    int writer = values.writerOf(raw.value(o));
                    if (writer >= 0) {
                        result[writer] = true;
                    }
                }
            }
        }
        return result;
    }

    /** Events by the ends and starts of transactions, or as they were recorded. */
    private int[] ranked() {
        int n = position.length;
        long[] key = new long[n];
        boolean isBySession = true;
        for (int t = 1; t < raw.transactions(); t++) {
            isBySession &= raw.sourceOf(t - 1) < raw.sourceOf(t);
        }
        for (int e = 0; e < n; e++) {
            int t = e / perTransaction;
            int session = raw.sessionOf(t);
            int before = t - raw.firstTransaction(session);
            if (starts != null && ends != null) {
                key[e] = isFirst(e) && perTransaction == 2 ? starts[t] : ends[t];
            } else if (isBySession) {
                key[e] = (long) before << 32;
                key[e] /= Math.max(1, raw.transactionsEnd(session) - raw.firstTransaction(session));
            } else {
                key[e] = raw.sourceOf(t);
            }
        }
        int[] sorted = new int[n];
        Arrays.setAll(sorted, e -> e);
        IntArrays.mergeSort(sorted, (a, b) -> Long.compare(key[a], key[b]));
        return sorted;
    }

    private int firstEvent(int session, int from) {
        for (int t = from; t < raw.transactionsEnd(session); t++) {
            if (counted[t]) {
                return t * perTransaction;
            }
        }
        return NONE;
    }

    private boolean isFirst(int event) {
        return event % perTransaction == 0;
    }

    private boolean isLast(int event) {
        return event % perTransaction == perTransaction - 1;
    }

    private int sessionOf(int event) {
        return raw.sessionOf(event / perTransaction);
    }

    /** By transaction: whether it counts. */
    boolean[] isCounted() {
        return counted;
    }

    /** Puts the rows of open writes of the order that was found. */
    void putRows(Int2ObjectMap<IntLinkedOpenHashSet> to) {
        for (int e : order) {
            int t = e / perTransaction;
            for (int o = raw.firstOperation(t); isFirst(e) && o < raw.operationsEnd(t); o++) {
                if (predicates.isUnknown(raw.value(o))) {
                    int number = Predicates.number(raw.value(o));
                    IntLinkedOpenHashSet all = new IntLinkedOpenHashSet(shown.get(number));
                    IntArrayList written = new IntArrayList(chosen.get(number));
                    written.sort(null);
                    all.addAll(written);
                    to.put(number, all);
                }
            }
        }
    }

    /** Searches. @return whether an order of all events was found */
    boolean run() {
        int steps = 0;
        int attempts = 0;
        tried.add(NONE);
        while (order.size() < events) {
            if ((++attempts & 0xff) == 0 && stop.getAsBoolean()) {
                return false;
            }
            int head = nextHead(tried.topInt());
            if (head == NONE) {
                failed.add(state());
                tried.popInt();
                if (order.isEmpty() || failed.size() > MOST_FAILED) {
                    return false;
                }
                takeBackLast();
                continue;
            }
            tried.set(tried.size() - 1, rank[head]);
            if (!place(sessionOf(head))) {
                continue;
            }
            if (++steps > MOST_STEPS || rows.size() > MOST_CHANGES) {
                return false;
            }
            if (failed.contains(state())) {
                takeBackLast();
            } else {
                tried.add(NONE);
            }
        }
        return true;
    }

    private long state() {
        return HashCommon.mix(hash) ^ rows.hash();
    }

    /** Returns the next event of a session that time permits and has the least rank above {@code after}; or NONE. */
    private int nextHead(int after) {
        for (int at = heads.nextSetBit(after + 1); at >= 0; at = heads.nextSetBit(at + 1)) {
            if (isEarlyEnough(ranked[at])) {
                return ranked[at];
            }
        }
        return NONE;
    }

    private void setNext(int session, int event) {
        if (next[session] != NONE) {
            heads.clear(rank[next[session]]);
        }
        next[session] = event;
        if (event != NONE) {
            heads.set(rank[event]);
        }
        isLatestStartKnown = false;
    }

    /** The first end of a transaction that is not placed, which no later one may start after. */
    private long latestStart() {
        if (!isLatestStartKnown) {
            isLatestStartKnown = true;
            latestStart = Long.MAX_VALUE;
            for (int s = 0; ends != null && s < next.length; s++) {
                int t = next[s] / perTransaction;
                if (next[s] != NONE
                        && raw.status(t) == TransactionStatus.COMMITTED
                        && ends[t] != HistoryTable.NO_TIME) {
                    latestStart = Math.min(latestStart, ends[t] + skew);
                }
            }
        }
        return latestStart;
    }

    private boolean isEarlyEnough(int event) {
        return !inRealTime
                || starts == null
                || !isFirst(event)
                || starts[event / perTransaction] == HistoryTable.NO_TIME
                || starts[event / perTransaction] <= latestStart();
    }

    /** Places a session's next event if the state explains it. */
    private boolean place(int session) {
        int e = next[session];
        int t = e / perTransaction;
        if (obstacle[session] != NONE && obstacleChange[session] == rows.change(obstacle[session])) {
            return false;
        }
        obstacle[session] = NONE;
        failedRow = NONE;
        int before = rows.size();
        if (isFirst(e)) {
            pending.change(t, -1, rows);
        }
        boolean isExplained = runs(e);
        if (!isExplained || !isLast(e)) {
            rows.takeBack(before);
        }
        if (!isExplained) {
            if (isFirst(e)) {
                pending.change(t, 1, rows);
            }
            obstacle[session] = failedRow;
            obstacleChange[session] = failedRow == NONE ? 0 : rows.change(failedRow);
            return false;
        }
        lock(e, 1);
        hash ^= HashCommon.mix(e + 1L);
        position[e] = order.size();
        order.add(e);
        changesBefore.add(before);
        setNext(session, isLast(e) ? firstEvent(session, t + 1) : e + 1);
        return true;
    }

    private void takeBackLast() {
        int e = order.popInt();
        int session = sessionOf(e);
        rows.takeBack(changesBefore.popInt());
        if (isFirst(e)) {
            pending.change(e / perTransaction, 1, rows);
        }
        lock(e, -1);
        hash ^= HashCommon.mix(e + 1L);
        position[e] = NONE;
        setNext(session, e);
        obstacle[session] = NONE;
    }

    /** Locks the rows that a transaction writes from its snapshot to its commit. @param by -1 to take that back */
    private void lock(int event, int by) {
        if (perTransaction == 1) {
            return;
        }
        int t = event / 2;
        int change = isFirst(event) ? by : -by;
        for (int o = raw.firstOperation(t); o < raw.operationsEnd(t); o++) {
            if (predicates.isUnknown(raw.value(o))) {
                IntArrayList written = chosen.get(Predicates.number(raw.value(o)));
                for (int i = 0; i < written.size(); i++) {
                    count(written.getInt(i), change);
                    hash ^= HashCommon.mix(((long) o << 32) + written.getInt(i));
                }
            } else if (raw.isWrite(o)) {
                count(raw.key(o), change);
            }
        }
    }

    private void count(int row, int change) {
        locks[row] += change;
        rows.touch(row);
    }

    /** Runs an event: compares what it reads with the state, applies its writes, or both. */
    private boolean runs(int event) {
        walked = event;
        return walk.over(event / perTransaction);
    }

    @Override
    public boolean read(int operation, int row, long value) {
        return !isFirst(walked) || value == rows.value(row) || fails(row);
    }

    @Override
    public boolean result(int predicate) {
        return !isFirst(walked) || rows.compare(predicate, this::fails);
    }

    @Override
    public boolean unknown(int predicate, Predicates.Unknown write) {
        if (isFirst(walked) && !chooses(predicate, write.count())) {
            return false;
        }
        IntArrayList written = chosen.get(predicate);
        for (int i = 0; i < written.size(); i++) {
            int row = written.getInt(i);
            if (!mayWrite(row, false, write.isDelete())) {
                return false;
            }
            rows.write(row, write.isDelete(), write.value(), write.row(), walked / perTransaction);
        }
        return true;
    }

    @Override
    public boolean write(int operation, int row, long value, int columns) {
        if (!mayWrite(row, raw.isInsert(operation), raw.isDelete(operation))) {
            return false;
        }
        rows.write(row, raw.isDelete(operation), value, columns, walked / perTransaction);
        return true;
    }

    private boolean fails(int row) {
        failedRow = row;
        return false;
    }

    /** Takes the rows that match as those of an open write, unless they contradict what is known of them. */
    private boolean chooses(int number, long count) {
        int condition = predicates.conditionOf(number);
        for (int row : shown.get(number)) {
            if (!rows.matches(condition, row)) {
                return fails(row);
            }
        }
        IntArrayList matching = new IntArrayList();
        rows.collect(condition, matching);
        chosen.put(number, matching);
        return count < 0 || count == matching.size() || fails(NONE);
    }

    private boolean mayWrite(int row, boolean isInsert, boolean isDelete) {
        int t = walked / perTransaction;
        int writer = rows.writer(row);
        if (writer == t) {
            return true;
        }
        if (perTransaction == 2 && isFirst(walked) && locks[row] > 0 && !isInsert) {
            return fails(row);
        }
        boolean exists = rows.exists(row);
        boolean overlaps = perTransaction == 2
                && writer != NONE
                && (exists || !raw.hasRows())
                && position[2 * writer + 1] > position[2 * t];
        boolean isWrong = (isInsert ? exists : isDelete && !exists)
                || overlaps
                || (exists && pending.isNeeded(row, rows.value(row)));
        return !(isLast(walked) && isWrong) || fails(row);
    }
}
