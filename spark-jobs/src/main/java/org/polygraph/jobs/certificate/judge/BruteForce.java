package org.polygraph.jobs.certificate.judge;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Guarantee;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.jobs.certificate.replay.ListStates;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

/**
 * Judges a small history by trying every execution, depth first over prefixes of sessions. It uses the definition only,
 * and no graph or solver. An execution runs the raw operations against a map from keys to values, initially the initial
 * value:
 *
 * <ul>
 *   <li>the next transaction of any session may run; an indeterminate one may also be skipped, and an aborted one is
 *       skipped;
 *   <li>SER: it runs as one step. SI: it takes its snapshot, unless an open transaction writes one of its keys, and
 *       commits at some later point;
 *   <li>a read returns the transaction's own latest write of the key, or else the value in the map (SI: at the
 *       snapshot); at the commit its last write of each key enters the map;
 *   <li>an addition writes the sum of what a read would return and of its amount;
 *   <li>the versions that the database gave to writes of a key ascend;
 *   <li>no transaction with a repeated row runs, because the map has one row for each key;
 *   <li>with inserts and deletes the map also has whether there is a row, and SI lets a transaction begin in any case
 *       but commit only if no row that it changes has been written since its snapshot;
 *   <li>SSER, SSI: it starts after every transaction that had ended in real time has committed. The end of an
 *       indeterminate transaction binds nothing.
 * </ul>
 *
 * <p>PC: as SI, but a transaction may take its snapshot although an open one writes one of its keys, and the order of
 * appends that lists show is the order of their commits.
 *
 * <p>Lists that are no states of one order of versions violate every level, see {@link ListStates}.
 *
 * <p>Three rules leave out executions, and keep one that runs the history if any does. A transaction that writes
 * nothing runs as soon as it can. At SI a transaction that only reads or only writes commits at its snapshot. A prefix
 * ends when it overwrites a value that a transaction has yet to read and none has yet to write. Violations at SI of 54
 * transactions in 8 sessions take 97,000 states and 0.6 s; without these rules they take more than the limit.
 *
 * <p>The history keeps the level iff some execution runs all of it. Indeterminate transactions that no other one reads
 * from need no special case: they can be skipped in any execution.
 *
 * <p>Time and memory are proportional to the states visited, each once, at most {@link #MOST_STATES} (some 100 MB);
 * beyond, or after {@link #MOST_WORK}
 * compared operations, the answer is TOO_LARGE. Eight transactions have at most a few thousand. A state is the progress of each
 * session and the map.
 *
 * <p>If reads and sessions alone leave no transaction that could commit first, nothing is tried ({@link
 * FirstToCommit}).
 *
 * <p>CC, RA, RC and PL2 are not defined by executions: {@link AxiomBruteForce} tries every choice of sources instead.
 */
public final class BruteForce {
    /** Histories of at most this many transactions are always judged. */
    public static final int TRANSACTIONS = 8;

    /** The limit of transactions, because the search recurses once per step. */
    private static final int MOST_TRANSACTIONS = 1 << 8;

    private static final int MOST_OPERATIONS = 1 << 12;

    static final int MOST_STATES = 1 << 19;

    /** The number of states that suffices for {@link #TRANSACTIONS}; visiting them takes milliseconds. */
    public static final int FEW_STATES = 1 << 14;
    /** The limit of operations that are compared, some 10 CPU-s. */
    private static final long MOST_WORK = 1L << 32;
    /** The operations between two polls of a stop. */
    private static final int POLL = 1 << 20;

    /** The result for a history. */
    public enum Answer {
        HOLDS,
        VIOLATED,
        /** There is no answer within the limit of states. */
        TOO_LARGE
    }

    /** Ends the search at the limit of states. */
    private static final class TooLarge extends RuntimeException {
        private static final long serialVersionUID = 1L;

        TooLarge() {
            super(null, null, false, false);
        }
    }

    private final HistoryTable history;
    private final Terms terms;
    private final int mostStates;
    private final int[] sessionStarts;
    private final int sessions;
    /** By key: its place in the state; -1 for keys that no transaction reads. */
    private final int[] slots;
    /** The numbers of values, by code. */
    private final Map<Long, Character> values = new HashMap<>();
    /** The codes of values, by number. */
    private final List<Long> codes = new ArrayList<>();
    /**
     * The progress of each session, 2i before its transaction i and 2i + 1 while that is open; then the map. With
     * inserts and deletes also by key whether there is a row, and by session and key whether another transaction has
     * committed a write of it since the snapshot of the open one.
     */
    private final char[] state;

    private final int firstRow;

    /** By transaction: those that commit before it, by the order of versions, if they count. */
    private final Map<Integer, List<Integer>> before = new HashMap<>();
    /** PC: by transaction: those that count and commit before it, as their appends show. */
    private final Map<Integer, List<Integer>> appendedBefore = new HashMap<>();

    private final Set<String> seen = new HashSet<>();
    private final BooleanSupplier stop;
    /** How many operations were compared. */
    private long work;

    private long nextPoll = POLL;

    private BruteForce(
            HistoryTable history, Terms terms, @Nullable ListStates lists, int mostStates, BooleanSupplier stop) {
        if (lists != null) {
            lists.pairs((first, second) ->
                    before.computeIfAbsent(second, t -> new ArrayList<>()).add(first));
            if (terms.guarantee() == Guarantee.PC) {
                lists.listPairs((first, second) -> appendedBefore
                        .computeIfAbsent(second, t -> new ArrayList<>())
                        .add(first));
            }
        }
        this.stop = stop;
        this.mostStates = history.transactions() <= TRANSACTIONS ? MOST_STATES : mostStates;
        this.history = history;
        this.terms = terms;
        sessionStarts = history.sessionStarts();
        sessions = history.sessions();
        slots = new int[history.keys().size()];
        Arrays.fill(slots, -1);
        int next = sessions;
        for (int o = 0; o < history.operations(); o++) {
            if (!history.isWrite(o) && slots[history.key(o)] < 0) {
                slots[history.key(o)] = next++;
            }
        }
        firstRow = next;
        int keys = history.hasRows() ? history.keys().size() : 0;
        state = new char[next + keys + sessions * keys];
        for (int key = 0; key < slots.length; key++) {
            if (slots[key] >= 0) {
                state[slots[key]] = number(history.initialValue(key));
            }
        }
        for (int key = 0; key < keys; key++) {
            state[firstRow + key] = (char) (history.existsAtFirst(key) ? 1 : 0);
        }
    }

    /**
     * Judges a history under the terms.
     *
     * @return never TOO_LARGE for {@link #TRANSACTIONS} transactions of ordinary length
     */
    public static Answer judge(HistoryTable history, Terms terms) {
        return judge(history, terms, MOST_STATES);
    }

    /**
     * Judges a history with a limit of states.
     *
     * @param mostStates the limit, which applies to more than {@link #TRANSACTIONS} transactions only
     */
    public static Answer judge(HistoryTable history, Terms terms, int mostStates) {
        return judge(history, terms, mostStates, () -> false);
    }

    /**
     * Judges a history with a limit of states and of time.
     *
     * @param stop whether to stop, with the answer TOO_LARGE; called every {@value #POLL} operations that are compared
     */
    public static Answer judge(HistoryTable given, Terms terms, int mostStates, BooleanSupplier stop) {
        ListStates lists = ListStates.ofReads(given, terms.indeterminate() == IndeterminateMode.MAYBE);
        if (lists != null && lists.discrepancy() != null) {
            return Answer.VIOLATED;
        }
        boolean isOfSnapshots = !terms.guarantee().hasPlainWrites() && terms.guarantee() != Guarantee.LIN;
        if (given.hasAdditions() && !isOfSnapshots) {
            return Answer.TOO_LARGE;
        }
        if (terms.guarantee() == Guarantee.LIN) {
            return LinearBruteForce.judge(
                    versions(given, terms), terms, (long) MOST_STATES * LinearBruteForce.STATE_BYTES, stop);
        }
        boolean hasPlainWrites = terms.guarantee().hasPlainWrites();
        HistoryTable versions = lists == null ? given : lists.versions(hasPlainWrites, !hasPlainWrites);
        // The lists that were recorded have the sessions that were recorded.
        boolean isOrdered = terms.guarantee() != Guarantee.PL2 && given.sessions() < given.transactions();
        HistoryTable history = isOrdered ? versions : versions.withoutSessionOrder();
        if (!history.hasAdditions() && !FirstToCommit.exists(history, terms)) {
            return Answer.VIOLATED;
        }
        if (hasPlainWrites && terms.guarantee() != Guarantee.PC) {
            return AxiomBruteForce.judge(history, terms, lists, stop);
        }
        if (history.operations() > MOST_OPERATIONS || history.transactions() > MOST_TRANSACTIONS) {
            return Answer.TOO_LARGE;
        }
        try {
            return new BruteForce(history, terms, lists, mostStates, stop).run() ? Answer.HOLDS : Answer.VIOLATED;
        } catch (TooLarge e) {
            return Answer.TOO_LARGE;
        }
    }

    /** The history with reads and writes in place of operations on lists; the same table if none were recorded. */
    static HistoryTable versions(HistoryTable given, Terms terms) {
        ListStates lists = ListStates.ofReads(given, terms.indeterminate() == IndeterminateMode.MAYBE);
        return lists == null ? given : lists.versions(false, true);
    }

    /** Whether the remaining transactions can run from this state. */
    private boolean run() {
        boolean done = true;
        for (int s = 0; s < sessions; s++) {
            done &= state[s] == 2 * (sessionStarts[s + 1] - sessionStarts[s]);
        }
        if (done) {
            return true;
        }
        if (!seen.add(new String(state))) {
            return false;
        }
        if (seen.size() > mostStates) {
            throw new TooLarge();
        }
        work(state.length);
        for (int s = 0; s < sessions; s++) {
            if (isFree(s)) {
                return step(s);
            }
        }
        for (int s = 0; s < sessions; s++) {
            if (step(s)) {
                return true;
            }
        }
        return false;
    }

    /** Ends the search if it has compared too many operations, or if it is to stop. */
    private void work(int operations) {
        work += operations;
        if (work >= nextPoll) {
            nextPoll = work + POLL;
            if (work > MOST_WORK || stop.getAsBoolean()) {
                throw new TooLarge();
            }
        }
    }

    /** Whether the next transaction of session s can run now and changes nothing, so that it may run first. */
    private boolean isFree(int s) {
        int t = sessionStarts[s] + state[s] / 2;
        if (t == sessionStarts[s + 1] || state[s] % 2 == 1) {
            return false;
        }
        TransactionStatus status = history.status(t);
        return status == TransactionStatus.ABORTED
                || (!has(t, true) && (status != TransactionStatus.COMMITTED || (mayStart(t) && readsMatch(t))));
    }

    private boolean has(int t, boolean write) {
        for (int o = history.firstOperation(t); o < history.operationsEnd(t); o++) {
            if (history.isWrite(o) == write) {
                return true;
            }
        }
        return false;
    }

    /** Whether the remaining transactions can run if session s makes the next step. */
    private boolean step(int s) {
        int t = sessionStarts[s] + state[s] / 2;
        if (t == sessionStarts[s + 1]) {
            return false;
        }
        if (state[s] % 2 == 1) {
            return commit(s, t, 1);
        }
        TransactionStatus status = history.status(t);
        if (status != TransactionStatus.COMMITTED && skip(s)) {
            return true;
        }
        if (!terms.mayCount(status.code()) || !mayStart(t) || !readsMatch(t)) {
            return false;
        }
        if (!history.hasRows() && terms.guarantee() != Guarantee.PC && conflicts(t)) {
            return false;
        }
        if (terms.guarantee().events() == 1 || !(has(t, true) && has(t, false))) {
            return commit(s, t, 2);
        }
        state[s]++;
        boolean runs = run();
        state[s]--;
        return runs;
    }

    private boolean skip(int s) {
        state[s] = (char) (state[s] + 2);
        boolean runs = run();
        state[s] = (char) (state[s] - 2);
        return runs;
    }

    /** Whether the transactions have committed that the order of versions puts before t, if they count. */
    private boolean isInOrder(int t) {
        for (int u : before.getOrDefault(t, List.of())) {
            if (history.status(u) == TransactionStatus.COMMITTED && !hasRun(u)) {
                return false;
            }
        }
        return appendedBefore.getOrDefault(t, List.of()).stream().allMatch(this::hasRun);
    }

    private boolean commit(int s, int t, int steps) {
        if (!isInOrder(t)) {
            return false;
        }
        char[] before = Arrays.copyOfRange(state, sessions, state.length);
        if (history.hasRows() && !commitRows(s, t)) {
            System.arraycopy(before, 0, state, sessions, before.length);
            return false;
        }
        for (int o = history.firstOperation(t); o < history.operationsEnd(t); o++) {
            int slot = slots[history.key(o)];
            if (history.isWrite(o) && slot >= 0) {
                state[slot] = history.isAddition(o) ? sum(state[slot], o) : number(history.value(o));
            }
        }
        state[s] += (char) steps;
        boolean runs = !overwritesUnread(t, before) && run();
        state[s] -= (char) steps;
        System.arraycopy(before, 0, state, sessions, before.length);
        return runs;
    }

    /** The number of the sum of a value and of an amount. */
    private char sum(char before, int addition) {
        long integer = history.values().integer(codes.get(before));
        return number(history.values().code(integer + history.values().integer(history.value(addition))));
    }

    private boolean hasRun(int t) {
        int s = 0;
        while (sessionStarts[s + 1] <= t) {
            s++;
        }
        return state[s] >= 2 * (t + 1 - sessionStarts[s]);
    }

    /** Whether the commit of t has overwritten a value that a later read needs and no later write restores. */
    private boolean overwritesUnread(int t, char[] before) {
        for (int o = history.firstOperation(t); o < history.operationsEnd(t); o++) {
            int key = history.key(o);
            int slot = slots[key];
            if (history.isWrite(o)
                    && slot >= 0
                    && state[slot] != before[slot - sessions]
                    && isNeeded(key, before[slot - sessions])) {
                return true;
            }
        }
        return false;
    }

    /**
     * Whether a committed transaction that has not started reads the value before it writes the key, while no
     * transaction that has not committed writes the value.
     */
    private boolean isNeeded(int key, char number) {
        boolean isRead = false;
        for (int s = 0; s < sessions; s++) {
            int open = state[s] % 2 == 1 ? sessionStarts[s] + state[s] / 2 : -1;
            for (int t = sessionStarts[s] + state[s] / 2; t < sessionStarts[s + 1]; t++) {
                boolean isWritten = t == open || history.status(t) != TransactionStatus.COMMITTED;
                work(history.operationsEnd(t) - history.firstOperation(t));
                for (int o = history.firstOperation(t); o < history.operationsEnd(t); o++) {
                    if (history.key(o) != key) {
                        continue;
                    }
                    if (history.isAddition(o)) {
                        return false;
                    }
                    boolean isSame = number(history.value(o)) == number;
                    if (history.isWrite(o)) {
                        if (isSame) {
                            return false;
                        }
                        isWritten = true;
                    } else {
                        isRead |= isSame && !isWritten;
                    }
                }
            }
        }
        return isRead;
    }

    /**
     * Applies the writes of a commit to the existence of rows: an insert needs that there is no row, a delete that
     * there is one. SI: a transaction that changes an existing row fails if another one has committed a write of it
     * since the snapshot.
     */
    private boolean commitRows(int s, int t) {
        int keys = history.keys().size();
        boolean[] own = new boolean[keys];
        for (int o = history.firstOperation(t); o < history.operationsEnd(t); o++) {
            if (!history.isWrite(o)) {
                continue;
            }
            int key = history.key(o);
            boolean exists = state[firstRow + key] == 1;
            boolean changed = state[firstRow + keys + s * keys + key] == 1;
            if (history.isInsert(o) ? exists : history.isDelete(o) && !exists) {
                return false;
            }
            if (exists && changed && !own[key]) {
                return false;
            }
            own[key] = true;
            state[firstRow + key] = (char) (history.isDelete(o) ? 0 : 1);
        }
        for (int other = 0; other < sessions; other++) {
            for (int key = 0; key < keys; key++) {
                char before = state[firstRow + keys + other * keys + key];
                boolean open = other != s && state[other] % 2 == 1;
                state[firstRow + keys + other * keys + key] = (char) (open && (before == 1 || own[key]) ? 1 : 0);
            }
        }
        return true;
    }

    /** Whether every committed transaction that had ended when t started has run. */
    private boolean mayStart(int t) {
        long[] starts = history.starts();
        long[] ends = history.ends();
        if (!terms.guarantee().realTime() || starts == null || ends == null) {
            return true;
        }
        for (int s = 0; s < sessions; s++) {
            for (int u = sessionStarts[s] + state[s] / 2; u < sessionStarts[s + 1]; u++) {
                if (u != t && history.status(u) == TransactionStatus.COMMITTED && terms.precedes(ends[u], starts[t])) {
                    return false;
                }
            }
        }
        return true;
    }

    private boolean readsMatch(int t) {
        work(history.operationsEnd(t) - history.firstOperation(t));
        for (int o = history.firstOperation(t); o < history.operationsEnd(t); o++) {
            if (!history.isWrite(o) && !readMatches(t, o)) {
                return false;
            }
        }
        return true;
    }

    private boolean readMatches(int t, int read) {
        if (history.isRepeatedRow(read)) {
            return false;
        }
        int key = history.key(read);
        int own = history.lastWrite(t, key, read);
        long value = history.value(read);
        if (history.hasAdditions()) {
            char found = state[slots[key]];
            for (int o = history.firstOperation(t); o < read; o++) {
                if (history.isWriteOf(o, key)) {
                    found = history.isAddition(o) ? sum(found, o) : number(history.value(o));
                }
            }
            return found == number(value);
        }
        return own >= 0 ? history.value(own) == value : state[slots[key]] == number(value);
    }

    /** SI: whether an open transaction writes a key that t writes. */
    private boolean conflicts(int t) {
        for (int s = 0; s < sessions; s++) {
            int open = sessionStarts[s] + state[s] / 2;
            if (state[s] % 2 == 1 && open != t && writesMeet(open, t)) {
                return true;
            }
        }
        return false;
    }

    private boolean writesMeet(int a, int b) {
        for (int i = history.firstOperation(a); i < history.operationsEnd(a); i++) {
            for (int j = history.firstOperation(b); j < history.operationsEnd(b); j++) {
                if (history.isWrite(i) && history.isWriteOf(j, history.key(i))) {
                    return true;
                }
            }
        }
        return false;
    }

    private char number(long value) {
        return values.computeIfAbsent(value, v -> {
            codes.add(v);
            return (char) values.size();
        });
    }
}
