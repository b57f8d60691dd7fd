package org.polygraph.storage.testkit;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.ListReduction;
import org.polygraph.storage.table.ListVersions;

/**
 * Decides levels by definitions that {@link BruteForceChecker} does not use. It tries every choice of the transactions
 * of unknown outcome that committed, of the writers that reads read from, and of the order of each key's versions, and
 * makes a graph for each. SER has no cycle of dependencies and anti-dependencies. SI has none in which no two
 * anti-dependencies are adjacent (Adya 1999; Cerone and Gotsman, PODC 2016). At the strict levels the graph has edges
 * of real time too. RC, RA and CC are those of Biswas and Enea (OOPSLA 2019, figure 2): there is a commit order iff the
 * graph has no cycle. Lists and level lin have no such graph here: every execution is tried, or every order of commits
 * ({@link CommitOrders}).
 *
 * <p>Exponential; for up to some eight transactions.
 */
public final class Definitions {
    public static final char COMMITTED = 'c';
    public static final char ABORTED = 'a';
    public static final char INDETERMINATE = 'u';
    private static final long NONE = HistoryTable.NO_TIME;
    private static final long MOST_STEPS = 1_000_000;

    /** What an operation is. */
    public enum Kind {
        READ,
        WRITE,
        /** A read of any value but this one. */
        READ_OTHER,
        APPEND,
        READ_LIST
    }

    /** A level. */
    public enum Level {
        SSER(true),
        SER(false),
        SSI(true),
        SI(false),
        CC(false),
        RA(false),
        RC(false),
        LIN(true);

        final boolean realTime;

        Level(boolean realTime) {
            this.realTime = realTime;
        }

        boolean isSnapshot() {
            return this == SI || this == SSI;
        }

        boolean isAxiom() {
            return this == CC || this == RA || this == RC;
        }
    }

    /** An operation. */
    public record Op(Kind kind, int key, long value, List<Long> list) {
        public static Op read(int key, long value) {
            return new Op(Kind.READ, key, value, List.of());
        }

        public static Op write(int key, long value) {
            return new Op(Kind.WRITE, key, value, List.of());
        }
    }

    /** A transaction. Missing times are NO_TIME. */
    public record Transaction(int session, char status, long start, long end, List<Op> ops) {}

    private static final class TooMuchException extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    final int n;
    final int[] session;
    final char[] status;
    private final long[] start;
    private final long[] end;
    final Op[][] ops;
    final long initial;
    private long steps;
    private long mostSteps = MOST_STEPS;

    /** @param transactions in session order */
    public Definitions(List<Transaction> transactions, long initial) {
        n = transactions.size();
        session = transactions.stream().mapToInt(Transaction::session).toArray();
        status = new char[n];
        start = transactions.stream().mapToLong(Transaction::start).toArray();
        end = transactions.stream().mapToLong(Transaction::end).toArray();
        ops = new Op[n][];
        for (int t = 0; t < n; t++) {
            status[t] = transactions.get(t).status;
            ops[t] = transactions.get(t).ops.toArray(new Op[0]);
        }
        this.initial = initial;
    }

    /** The operations of a table; lists as they were recorded. */
    public static Definitions of(HistoryTable judged) {
        ListVersions lists = ListReduction.of(judged).listVersions();
        HistoryTable table = lists == null ? judged : lists.recorded();
        List<Transaction> all = new ArrayList<>();
        long[] starts = table.starts();
        long[] ends = table.ends();
        for (int t = 0; t < table.transactions(); t++) {
            List<Op> list = new ArrayList<>();
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                int key = table.key(o);
                long value = table.value(o);
                long[] elements = table.elements(o);
                boolean isList = lists != null && lists.isList(key);
                if (isList && table.isWrite(o)) {
                    list.add(new Op(Kind.APPEND, key, value, List.of()));
                } else if (isList) {
                    List<Long> codes = elements == null
                            ? List.of()
                            : LongStream.of(elements).boxed().toList();
                    list.add(new Op(Kind.READ_LIST, key, 0, codes));
                } else if (table.isWrite(o)) {
                    list.add(Op.write(key, value));
                } else if (table.values().isOther(value)) {
                    list.add(new Op(Kind.READ_OTHER, key, table.values().excluded(value), List.of()));
                } else {
                    list.add(Op.read(key, value));
                }
            }
            TransactionStatus outcome = table.status(t);
            all.add(new Transaction(
                    table.sessionOf(t),
                    outcome == TransactionStatus.COMMITTED
                            ? COMMITTED
                            : outcome == TransactionStatus.ABORTED ? ABORTED : INDETERMINATE,
                    starts == null ? NONE : starts[t],
                    ends == null ? NONE : ends[t],
                    list));
        }
        return new Definitions(all, table.initialValue());
    }

    /**
     * Whether a small history keeps a level; transactions of unknown outcome may have committed, and at least one has
     * committed. All choices are tried, however many.
     */
    public static boolean accepts(HistoryTable table, String level) {
        Definitions definitions = of(table);
        definitions.mostSteps = Long.MAX_VALUE;
        return Objects.requireNonNull(definitions.holds(Level.valueOf(level), 0, true), "not bounded");
    }

    /** Whether no transaction committed. */
    public boolean vacuous() {
        for (char c : status) {
            if (c == COMMITTED) {
                return false;
            }
        }
        return true;
    }

    private boolean lists() {
        for (Op[] each : ops) {
            for (Op op : each) {
                if (op.kind == Kind.APPEND || op.kind == Kind.READ_LIST) {
                    return true;
                }
            }
        }
        return false;
    }

    boolean soBefore(int a, int b) {
        return session[a] == session[b] && a < b;
    }

    boolean rtBefore(int a, int b, long skew) {
        return status[a] == COMMITTED
                && end[a] != NONE
                && start[b] != NONE
                && end[a] < start[b]
                && Long.compareUnsigned(start[b] - end[a], skew) > 0;
    }

    /** Null if there are too many choices to try. */
    public @Nullable Boolean holds(Level level, long skew, boolean maybe) {
        steps = 0;
        try {
            if (level == Level.LIN) {
                return new Executions(this, level, skew, maybe).lin(0, new HashMap<>());
            }
            if (lists() && !level.isAxiom()) {
                return new Executions(this, level, skew, maybe).run(0, 0, Map.of());
            }
            int unknown = 0;
            int certain = 0;
            for (int t = 0; t < n; t++) {
                certain |= status[t] == COMMITTED ? 1 << t : 0;
                unknown |= status[t] == INDETERMINATE && maybe ? 1 << t : 0;
            }
            for (int subset = unknown; ; subset = (subset - 1) & unknown) {
                boolean exists = lists()
                        ? new CommitOrders(this, level, certain | subset).exist()
                        : new Graphs(certain | subset, level, skew).exist();
                if (exists) {
                    return true;
                }
                if (subset == 0) {
                    return false;
                }
            }
        } catch (TooMuchException e) {
            return null;
        }
    }

    /** Counts a step of the search, which gives up after too many. */
    void step() {
        if (++steps > mostSteps) {
            throw new TooMuchException();
        }
    }

    private record Read(int t, int position, int key, long value) {}

    private final class Graphs {
        /** The transactions that count, as a set of bits. */
        private final int counted;

        private final Level level;
        private final long skew;
        private final List<Read> reads = new ArrayList<>();
        /** By key and writer: the value that it leaves. */
        private final Map<Integer, Map<Integer, Long>> finals = new HashMap<>();

        private int[] source = new int[0];
        /** Edges of sessions and of real time. */
        private int[] base = new int[0];

        private List<Integer> keysWritten = List.of();

        Graphs(int counted, Level level, long skew) {
            this.counted = counted;
            this.level = level;
            this.skew = skew;
        }

        boolean in(int t) {
            return (counted >> t & 1) == 1;
        }

        boolean exist() {
            for (int t = 0; t < n; t++) {
                if (in(t) && !look(t)) {
                    return false;
                }
            }
            source = new int[reads.size()];
            base = new int[n];
            for (int a = 0; a < n; a++) {
                for (int b = 0; b < n; b++) {
                    if (a != b && in(a) && in(b)) {
                        boolean rt = level.realTime && rtBefore(a, b, skew);
                        if (soBefore(a, b) || rt) {
                            base[a] |= 1 << b;
                        }
                    }
                }
            }
            keysWritten = new ArrayList<>(finals.keySet());
            keysWritten.sort((a, b) -> Boolean.compare(isRead(b), isRead(a)));
            return choose(0);
        }

        private boolean isRead(int key) {
            return reads.stream().anyMatch(r -> r.key == key);
        }

        private boolean look(int t) {
            Map<Integer, Long> own = new HashMap<>();
            Map<Integer, Long> before = new HashMap<>();
            for (int o = 0; o < ops[t].length; o++) {
                Op op = ops[t][o];
                if (op.kind == Kind.WRITE) {
                    own.put(op.key, op.value);
                } else if (op.kind == Kind.READ) {
                    if (own.containsKey(op.key)) {
                        if (own.get(op.key) != op.value) {
                            return false;
                        }
                        continue;
                    }
                    Long seen = before.put(op.key, op.value);
                    if (seen != null && seen != op.value && level != Level.RC) {
                        return false;
                    }
                    reads.add(new Read(t, o, op.key, op.value));
                }
            }
            own.forEach(
                    (k, v) -> finals.computeIfAbsent(k, x -> new HashMap<>()).put(t, v));
            return true;
        }

        private boolean choose(int r) {
            step();
            if (r == reads.size()) {
                return level.isAxiom() ? axiomHolds() : versions(0, dependencies(), new int[n]);
            }
            Read read = reads.get(r);
            if (read.value == initial) {
                source[r] = -1;
                if (choose(r + 1)) {
                    return true;
                }
            }
            for (Map.Entry<Integer, Long> w :
                    finals.getOrDefault(read.key, Map.of()).entrySet()) {
                if (w.getKey() != read.t && w.getValue() == read.value) {
                    source[r] = w.getKey();
                    if (choose(r + 1)) {
                        return true;
                    }
                }
            }
            return false;
        }

        private int[] dependencies() {
            int[] edges = base.clone();
            for (int r = 0; r < source.length; r++) {
                if (source[r] >= 0) {
                    edges[source[r]] |= 1 << reads.get(r).t;
                }
            }
            return edges;
        }

        /** Tries the version orders of the keys from k on, with the dependencies and anti-dependencies so far. */
        private boolean versions(int k, int[] dep, int[] anti) {
            step();
            if (!acyclic(dep, anti)) {
                return false;
            }
            if (k == keysWritten.size()) {
                return true;
            }
            int key = keysWritten.get(k);
            List<Integer> writers = new ArrayList<>(finals.get(key).keySet());
            return permute(k, key, writers, new ArrayList<>(), dep, anti);
        }

        private boolean permute(int k, int key, List<Integer> left, List<Integer> order, int[] dep, int[] anti) {
            if (left.isEmpty()) {
                int[] d = dep.clone();
                int[] a = anti.clone();
                for (int i = 0; i < order.size(); i++) {
                    for (int j = i + 1; j < order.size(); j++) {
                        d[order.get(i)] |= 1 << order.get(j);
                    }
                }
                for (int r = 0; r < source.length; r++) {
                    Read read = reads.get(r);
                    if (read.key == key) {
                        int at = source[r] < 0 ? -1 : order.indexOf(source[r]);
                        for (int j = at + 1; j < order.size(); j++) {
                            if (order.get(j) != read.t) {
                                a[read.t] |= 1 << order.get(j);
                            }
                        }
                    }
                }
                return versions(k + 1, d, a);
            }
            for (int i = 0; i < left.size(); i++) {
                int w = left.get(i);
                boolean blocked = false;
                for (int other : left) {
                    blocked |= other != w && (dep[other] >> w & 1) == 1;
                }
                if (blocked) {
                    continue;
                }
                List<Integer> rest = new ArrayList<>(left);
                rest.remove(i);
                order.add(w);
                if (permute(k, key, rest, order, dep, anti)) {
                    return true;
                }
                order.remove(order.size() - 1);
            }
            return false;
        }

        private boolean acyclic(int[] dep, int[] anti) {
            int[] edges = dep.clone();
            for (int t = 0; t < n; t++) {
                if (level.isSnapshot()) {
                    for (int u = 0; u < n; u++) {
                        if ((dep[t] >> u & 1) == 1) {
                            edges[t] |= anti[u];
                        }
                    }
                } else {
                    edges[t] |= anti[t];
                }
            }
            return isAcyclic(edges);
        }

        private boolean axiomHolds() {
            int[] known = dependencies();
            int[] reach = closure(known);
            for (int t = 0; t < n; t++) {
                if ((reach[t] >> t & 1) == 1) {
                    return false;
                }
            }
            int[] commit = known.clone();
            for (int r = 0; r < source.length; r++) {
                Read read = reads.get(r);
                int t1 = source[r];
                for (int t2 : finals.getOrDefault(read.key, Map.of()).keySet()) {
                    if (t2 == t1 || t2 == read.t) {
                        continue;
                    }
                    boolean sees;
                    if (level == Level.CC) {
                        sees = (reach[t2] >> read.t & 1) == 1;
                    } else if (level == Level.RA) {
                        sees = (known[t2] >> read.t & 1) == 1;
                    } else {
                        sees = false;
                        for (int q = 0; q < source.length; q++) {
                            sees |= source[q] == t2
                                    && reads.get(q).t == read.t
                                    && reads.get(q).position < read.position;
                        }
                    }
                    if (sees) {
                        if (t1 < 0) {
                            return false;
                        }
                        commit[t2] |= 1 << t1;
                    }
                }
            }
            return isAcyclic(commit);
        }
    }

    private int[] closure(int[] edges) {
        int[] reach = edges.clone();
        for (int k = 0; k < n; k++) {
            for (int i = 0; i < n; i++) {
                if ((reach[i] >> k & 1) == 1) {
                    reach[i] |= reach[k];
                }
            }
        }
        return reach;
    }

    private boolean isAcyclic(int[] edges) {
        int[] reach = closure(edges);
        for (int t = 0; t < n; t++) {
            if ((reach[t] >> t & 1) == 1) {
                return false;
            }
        }
        return true;
    }
}
