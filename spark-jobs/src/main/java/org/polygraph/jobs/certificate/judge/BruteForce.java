package org.polygraph.jobs.certificate.judge;

import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.polygraph.jobs.certificate.format.Guarantee;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

/**
 * Judges a small history by trying every execution, depth first over prefixes of sessions: no graph, no solver, only the
 * definition. An execution runs the raw operations against a map from keys to values that starts with the initial value
 * everywhere:
 *
 * <ul>
 *   <li>the next transaction of any session may run; an indeterminate one may also never have happened, an aborted one
 *       never did;
 *   <li>SER: it runs whole. SI: it takes its snapshot, which it may not while another that writes one of its keys is open,
 *       and commits at some later point, which ends its session's turn;
 *   <li>a read returns the transaction's own latest write of the key, or else what the map holds (SI: at the snapshot);
 *       at the commit its last write of each key enters the map;
 *   <li>SSER, SSI: it may not start before everything has committed that had ended in real time. The end of an
 *       indeterminate transaction bounds nothing.
 * </ul>
 *
 * <p>The history holds iff some execution runs it all. That an indeterminate transaction counts iff it is observed need
 * not be said: one that nobody reads can be left out of any execution.
 *
 * <p>Time and memory: states visited, each once, at most {@link #MOST_STATES} (some 100 MB); beyond, no answer. Eight
 * transactions are at most a few thousand. A state is how far each session has come, and the map.
 *
 * <p>RC, RA and CC say nothing of executions: {@link AxiomBruteForce} tries every choice of who read from whom.
 */
public final class BruteForce {
    /** So many transactions are always judged. */
    public static final int TRANSACTIONS = 8;

    /** More are not tried: the search calls itself for each step. */
    private static final int MOST_TRANSACTIONS = 1 << 8;

    private static final int MOST_OPERATIONS = 1 << 12;

    private static final int MOST_STATES = 1 << 19;

    /** Enough for {@link #TRANSACTIONS}, and a matter of milliseconds. */
    public static final int FEW_STATES = 1 << 14;

    /** What became of a history. */
    public enum Answer {
        HOLDS,
        VIOLATED,
        /** No answer within the states that may be visited. */
        TOO_LARGE
    }

    /** Thrown through the search when it has visited enough. */
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
    /** Keys that are read, densely; -1 for others, whose values nobody sees. */
    private final int[] slots;
    /** Per slot: the values that it can have, by code. */
    private final Map<Long, Character> values = new HashMap<>();
    /** First the steps of each session: 2i before its transaction i, 2i + 1 while that is open; then the map. */
    private final char[] state;

    private final Set<String> seen = new HashSet<>();

    private BruteForce(HistoryTable history, Terms terms, int mostStates) {
        this.mostStates = history.transactions() <= TRANSACTIONS ? MOST_STATES : mostStates;
        this.history = history;
        this.terms = terms;
        sessionStarts = history.sessionStarts();
        sessions = history.sessions();
        slots = new int[history.keys().size()];
        Arrays.fill(slots, -1);
        int next = sessions;
        for (int o = 0; o < history.operations(); o++) {
            int keyAndKind = history.operationKeys()[o];
            if ((keyAndKind & 1) == 0 && slots[keyAndKind >> 1] < 0) {
                slots[keyAndKind >> 1] = next++;
            }
        }
        state = new char[next];
        Arrays.fill(state, sessions, next, number(history.initialValue()));
    }

    /**
     * Judges a history; what terms say of indeterminate transactions and clocks holds.
     *
     * @return TOO_LARGE never for {@link #TRANSACTIONS} transactions of ordinary length
     */
    public static Answer judge(HistoryTable history, Terms terms) {
        return judge(history, terms, MOST_STATES);
    }

    /**
     * Judges a history as far as some states tell.
     *
     * @param mostStates at most so many are visited; matters for more than {@link #TRANSACTIONS} transactions only
     */
    public static Answer judge(HistoryTable history, Terms terms, int mostStates) {
        if (terms.promise() == Guarantee.LIN) {
            return LinearBruteForce.judge(history, terms);
        }
        if (terms.promise().isAxiom()) {
            return AxiomBruteForce.judge(history, terms);
        }
        if (history.operations() > MOST_OPERATIONS || history.transactions() > MOST_TRANSACTIONS) {
            return Answer.TOO_LARGE;
        }
        try {
            return new BruteForce(history, terms, mostStates).run() ? Answer.HOLDS : Answer.VIOLATED;
        } catch (TooLarge e) {
            return Answer.TOO_LARGE;
        }
    }

    /** Whether what is left can run from this state. */
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
        for (int s = 0; s < sessions; s++) {
            if (step(s)) {
                return true;
            }
        }
        return false;
    }

    /** Whether what is left can run if session s goes next. */
    private boolean step(int s) {
        int t = sessionStarts[s] + state[s] / 2;
        if (t == sessionStarts[s + 1]) {
            return false;
        }
        if (state[s] % 2 == 1) {
            return commit(s, t, 1);
        }
        TransactionStatus outcome = history.status(t);
        if (outcome != TransactionStatus.COMMITTED && skip(s)) {
            return true;
        }
        if (!terms.mayCount(outcome.code()) || !mayStart(t) || !readsMatch(t)) {
            return false;
        }
        if (terms.promise().events() == 1) {
            return commit(s, t, 2);
        }
        if (conflicts(t)) {
            return false;
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

    private boolean commit(int s, int t, int steps) {
        char[] before = Arrays.copyOfRange(state, sessions, state.length);
        for (int o = history.firstOperation(t); o < history.operationsEnd(t); o++) {
            int slot = slots[history.key(o)];
            if (isWrite(o) && slot >= 0) {
                state[slot] = number(history.value(o));
            }
        }
        state[s] += (char) steps;
        boolean runs = run();
        state[s] -= (char) steps;
        System.arraycopy(before, 0, state, sessions, before.length);
        return runs;
    }

    /** Whether everything that had ended when t started has committed, or never will. */
    private boolean mayStart(int t) {
        long[] starts = history.starts();
        long[] ends = history.ends();
        if (!terms.promise().realTime() || starts == null || ends == null) {
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
        int from = history.firstOperation(t);
        for (int o = from; o < history.operationsEnd(t); o++) {
            if (!isWrite(o) && !readMatches(from, o)) {
                return false;
            }
        }
        return true;
    }

    private boolean readMatches(int from, int read) {
        int key = history.key(read);
        long value = history.value(read);
        for (int o = read - 1; o >= from; o--) {
            if (isWrite(o) && history.key(o) == key) {
                return history.value(o) == value;
            }
        }
        return state[slots[key]] == number(value);
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
                if (isWrite(i) && history.operationKeys()[i] == history.operationKeys()[j]) {
                    return true;
                }
            }
        }
        return false;
    }

    private boolean isWrite(int o) {
        return history.isWrite(o);
    }

    private char number(long value) {
        return values.computeIfAbsent(value, v -> (char) values.size());
    }
}
