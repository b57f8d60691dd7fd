package org.polygraph.storage.testkit;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.Definitions.Level;
import org.polygraph.storage.testkit.Definitions.Op;
import org.polygraph.storage.testkit.Definitions.Result;
import org.polygraph.storage.testkit.Definitions.Row;

/**
 * Decides the levels that have executions by trying every execution: without graph and solver. An execution runs whole
 * transactions against a store that starts with the initial rows and lists. The conditions of each level:
 *
 * <ul>
 *   <li>SER: transactions run one after the other in an order that extends session order; every operation returns what
 *       the store and the transaction's own writes so far make of it. (Adya 1999, PL-3, with session order.)
 *   <li>SI: every transaction is two events, begin and commit; session order puts the commit of the earlier before the
 *       begin of the later. Operations see the store at the begin, writes enter it at the commit, and no two
 *       transactions that write the same incarnation of a row are open at one time. An incarnation begins with the write
 *       that finds no row and ends with a delete; a register or list has one. (Strong session SI: Daudjee and Salem
 *       2006.)
 *   <li>PC: as SI, but transactions that write one row may be open at one time, inserts and deletes are other writes, and
 *       a list that a transaction reads behind own appends is the one that it leaves.
 *   <li>SSER and SSI (strong SI): also real time, {@code end(a) < start(b)} puts a (its commit) before b (its begin).
 *   <li>LIN: real time alone; a transaction without operations bounds nothing.
 * </ul>
 *
 * <p>The versions that the database gave to writes of a key ascend in the order of commits. An insert finds no row in the store and a delete finds one. A condition returns, or writes, exactly the rows that
 * match it.
 *
 * <p>Transactions of unknown outcome: a history is accepted iff there is <em>some</em> execution of the committed
 * transactions and a subset of these. This is the rule "committed iff observed, to a fixpoint". Proof: remove from an
 * execution a transaction of unknown outcome whose writes no counted one reads. Every read still returns the value of
 * the same writer, fewer pairs overlap and fewer orders are required, so it is still an execution. The end of such a
 * transaction bounds nothing in real time; its start does, because nothing of it can have happened earlier.
 *
 * <p>Exponential; a state that did not lead to an execution once never does. For up to some eight transactions.
 */
public final class Interpreter {
    /** The result for a history. */
    public enum Verdict {
        ACCEPTED,
        REJECTED,
        /** No transaction is committed, so there is nothing to judge. */
        INVALID
    }

    /** A write to one key; for an append the element, else the row that is left, or null; or what a read behind own appends found. */
    private record Write(
            int key, Definitions.Kind kind, @Nullable Object left) {}

    /** What an open transaction will write. @param done the rivals of it that had committed when it began */
    private record Open(int done, List<Write> writes) {}

    /** A savepoint, with what its transaction saw and had written. */
    private record Point(long name, List<@Nullable Object> view, List<Write> writes) {}

    /** What a key holds: a row, a list or null. @param writers those of its incarnation, as bits */
    private record Version(@Nullable Object state, int writers) {}

    /** @param begun the transactions that have begun, as bits; {@code done} likewise */
    private record State(int begun, int done, List<Version> store, List<@Nullable Open> open) {}

    /** Those with executions of transactions. */
    public static final List<Level> LEVELS = List.of(Level.SER, Level.SSER, Level.SI, Level.SSI, Level.PC);

    private final Definitions history;
    private final int n;
    private final Level level;
    private final boolean maybe;
    private final long skew;
    /** By transaction: those that may write a key that it may write. */
    private final int[] rivals;

    private final Set<State> failed = new HashSet<>();

    Interpreter(Definitions history, Level level, long skew, boolean maybe) {
        this.history = history;
        this.level = level;
        this.skew = skew;
        this.maybe = maybe;
        n = history.n;
        rivals = new int[n];
        for (int t = 0; t < n; t++) {
            for (int u = 0; u < n; u++) {
                for (int key = 0; key < history.keys && t != u; key++) {
                    rivals[t] |= mayWrite(t, key) && mayWrite(u, key) ? 1 << u : 0;
                }
            }
        }
    }

    /** Whether {@link #judge} returns ACCEPTED. */
    public static boolean accepts(HistoryTable history, Level level) {
        return judge(history, level) == Verdict.ACCEPTED;
    }

    /** Decides one history, in which transactions of unknown outcome may have committed. */
    public static Verdict judge(HistoryTable table, Level level) {
        Definitions history = Definitions.of(table);
        if (history.vacuous()) {
            return Verdict.INVALID;
        }
        return new Interpreter(history, level, 0, true).exists() ? Verdict.ACCEPTED : Verdict.REJECTED;
    }

    /** Whether there is an execution. */
    boolean exists() {
        List<Version> store = new ArrayList<>();
        for (int key = 0; key < history.keys; key++) {
            store.add(new Version(history.initial(key), 0));
        }
        return run(new State(0, 0, store, Collections.nCopies(n, null)));
    }

    private boolean mayWrite(int t, int key) {
        for (Op op : history.ops[t]) {
            if (op.kind().writes && (op.result() != Result.NONE || op.key() == key)) {
                return true;
            }
        }
        return false;
    }

    private boolean run(State state) {
        history.step();
        if (isOver(state.done)) {
            return true;
        }
        if (failed.contains(state)) {
            return false;
        }
        for (int t = 0; t < n; t++) {
            Open open = state.open.get(t);
            if (open == null && (state.begun >> t & 1) == 0 && mayBegin(t, state)) {
                List<Write> writes = writes(t, state.store);
                open = writes == null ? null : new Open(state.done & rivals[t], writes);
                if (open != null && level.isSnapshot()) {
                    List<@Nullable Open> all = new ArrayList<>(state.open);
                    all.set(t, open);
                    if (run(new State(state.begun | 1 << t, state.done, state.store, all))) {
                        return true;
                    }
                    continue;
                }
            }
            State after = open == null ? null : commit(t, open, state);
            if (after != null && run(after)) {
                return true;
            }
        }
        failed.add(state);
        return false;
    }

    /** Whether all transactions have happened that must happen. */
    private boolean isOver(int done) {
        for (int t = 0; t < n; t++) {
            if (history.status[t] == Definitions.COMMITTED && (done >> t & 1) == 0) {
                return false;
            }
        }
        return true;
    }

    private boolean mayBegin(int t, State state) {
        if (history.status[t] == Definitions.ABORTED || (history.status[t] == Definitions.INDETERMINATE && !maybe)) {
            return false;
        }
        for (int u = 0; u < n; u++) {
            boolean isDone = (state.done >> u & 1) == 1;
            boolean hasBegun = (state.begun >> u & 1) == 1;
            // Of the earlier transactions of the session, committed ones must be done, and others if they have begun.
            boolean isAwaited =
                    history.soBefore(u, t) && !isDone && (history.status[u] == Definitions.COMMITTED || hasBegun);
            // If a later transaction of the session has begun, this one cannot happen any more.
            boolean isLate = history.soBefore(t, u) && hasBegun;
            boolean isBound = level.realTime
                    && u != t
                    && !isDone
                    && history.rtBefore(u, t, skew)
                    && (level != Level.LIN || history.ops[u].length > 0);
            if (isBound || (level != Level.LIN && (isAwaited || isLate))) {
                return false;
            }
        }
        return true;
    }

    /** Runs a transaction on a store. @return what it writes; null if an operation returned something else */
    private @Nullable List<Write> writes(int t, List<Version> store) {
        List<@Nullable Object> view = new ArrayList<>();
        for (Version version : store) {
            view.add(version.state);
        }
        List<Write> writes = new ArrayList<>();
        Deque<Point> points = new ArrayDeque<>();
        for (Op op : history.ops[t]) {
            if (op.kind() == Definitions.Kind.SAVEPOINT) {
                points.push(new Point(op.value(), new ArrayList<>(view), List.copyOf(writes)));
                continue;
            } else if (op.isOfSavepoint()) {
                while (points.element().name != op.value()) {
                    points.pop();
                }
                if (op.kind() == Definitions.Kind.ROLLBACK_TO) {
                    view = new ArrayList<>(points.element().view);
                    writes = new ArrayList<>(points.element().writes);
                } else {
                    points.pop();
                }
                continue;
            }
            if (op.result() != Result.NONE) {
                int rows = 0;
                for (int key = 0; key < history.keys; key++) {
                    Row row = (Row) view.get(key);
                    boolean matches = op.result().where().matches(row);
                    if (!op.permits(key, row)) {
                        return null;
                    }
                    if (matches && op.kind().writes) {
                        rows++;
                        write(new Write(key, op.kind(), op.left()), view, writes);
                    }
                }
                if (op.result().count() >= 0 && op.result().count() != rows) {
                    return null;
                }
            } else if (op.kind() == Definitions.Kind.ADD) {
                Row sum = op.sum(view.get(op.key()));
                if (sum == null) {
                    return null;
                }
                write(new Write(op.key(), Definitions.Kind.WRITE, sum), view, writes);
            } else if (op.kind().writes) {
                Object left = op.kind() == Definitions.Kind.APPEND ? (Object) op.value() : op.left();
                write(new Write(op.key(), op.kind(), left), view, writes);
            } else if (!op.permits(op.key(), view.get(op.key()))) {
                return null;
            } else if (op.kind() == Definitions.Kind.READ_LIST
                    && writes.stream().anyMatch(w -> w.key == op.key())) {
                writes.add(new Write(op.key(), op.kind(), op.list()));
            }
        }
        return writes;
    }

    private static void write(Write write, List<@Nullable Object> view, List<Write> writes) {
        writes.add(write);
        view.set(write.key, after(view.get(write.key), write));
    }

    private static @Nullable Object after(@Nullable Object before, Write write) {
        if (write.kind != Definitions.Kind.APPEND) {
            return write.left;
        }
        List<Object> longer = new ArrayList<>(before instanceof List<?> list ? list : List.of());
        longer.add(Objects.requireNonNull(write.left));
        return longer;
    }

    /** Runs the writes of a transaction. Null if a row is there or not against them, or a rival overlapped. */
    private @Nullable State commit(int t, Open open, State state) {
        if ((history.before[t] & ~state.done) != 0) {
            return null;
        }
        List<Version> store = new ArrayList<>(state.store);
        for (Write write : open.writes) {
            Version found = store.get(write.key);
            boolean deletes = write.kind == Definitions.Kind.DELETE || write.kind == Definitions.Kind.DELETE_ROWS;
            if (write.kind == Definitions.Kind.READ_LIST) {
                if (!Objects.equals(write.left, found.state)) {
                    return null;
                }
                continue;
            }
            boolean isWrong =
                    write.kind == Definitions.Kind.INSERT ? found.state != null : deletes && found.state == null;
            if (isWrong && level != Level.PC) {
                return null;
            }
            int writers = found.state == null ? 0 : found.writers;
            if ((writers & ~open.done & ~(1 << t)) != 0 && level.isSnapshot() && level != Level.PC) {
                return null;
            }
            store.set(write.key, new Version(after(found.state, write), level.isSnapshot() ? writers | 1 << t : 0));
        }
        List<@Nullable Open> all = state.open;
        if (all.get(t) != null) {
            all = new ArrayList<>(all);
            all.set(t, null);
        }
        return new State(state.begun | 1 << t, state.done | 1 << t, store, all);
    }

    /** The value of a row; null if there is none, as in a list. */
    static long value(@Nullable Object state) {
        return state instanceof Row row ? row.value() : ValueDictionary.NULL;
    }
}
