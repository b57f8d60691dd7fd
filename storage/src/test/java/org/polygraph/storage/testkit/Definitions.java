package org.polygraph.storage.testkit;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistorySelection;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.ListReduction;
import org.polygraph.storage.table.ListVersions;

/**
 * A small history as the judges know it, operations as they were recorded. {@link Interpreter} tries every execution of
 * it; {@link Graphs} looks for what the definitions of levels by graphs require. {@link SatChecker} has clauses for single values.
 *
 * <p>Exponential; for up to some eight transactions.
 */
public final class Definitions {
    public static final char COMMITTED = 'c';
    public static final char ABORTED = 'a';
    public static final char INDETERMINATE = 'u';
    /** A missing time. */
    public static final long NONE = HistoryTable.NO_TIME;

    private static final long MOST_STEPS = 1_000_000;

    /** In a {@link Row}: it has no such column. In a {@link Result}: it does not have the row. */
    public static final long ABSENT = NONE + 2;

    /** What an operation is. */
    public enum Kind {
        READ(false),
        WRITE(true),
        /** A read of any value but this one. */
        READ_OTHER(false),
        APPEND(true),
        READ_LIST(false),
        INSERT(true),
        DELETE(true),
        /** The rows that match a condition are read, written or deleted. */
        READ_ROWS(false),
        WRITE_ROWS(true),
        DELETE_ROWS(true),
        /** Adds the value to that of the key; the list has the sum, if it was returned. */
        ADD(true),
        /** A savepoint is set, given up, or the transaction is rolled back to it; the value is its name. */
        SAVEPOINT(false),
        RELEASE(false),
        ROLLBACK_TO(false);

        final boolean writes;

        Kind(boolean writes) {
            this.writes = writes;
        }
    }

    /** A level. */
    public enum Level {
        SSER(true),
        SER(false),
        SSI(true),
        SI(false),
        PC(false),
        CC(false),
        RA(false),
        RC(false),
        PL2(false),
        LIN(true);

        final boolean realTime;

        Level(boolean realTime) {
            this.realTime = realTime;
        }

        boolean isSnapshot() {
            return this == SI || this == SSI || this == PC;
        }

        boolean isAxiom() {
            return this == CC || this == RA || readsAlone();
        }

        /** Whether a transaction may read two values of a key. */
        boolean readsAlone() {
            return this == RC || this == PL2;
        }
    }

    /** A row or a single value, with the columns v1 and v2 or ABSENT. */
    public record Row(long value, long v1, long v2) {
        static Row of(long value) {
            return new Row(value, ABSENT, ABSENT);
        }
    }

    /**
     * Bounds of the value, or of v1 beside a set of values of v2.
     *
     * @param names the set, as bits; beside bounds of the value, what divides it so that the bounds are those of the
     *     remainder, or 0
     */
    public record Where(boolean ofColumns, int lo, int hi, int names) {
        public boolean matches(@Nullable Object state) {
            if (!(state instanceof Row row)) {
                return false;
            }
            if (!ofColumns) {
                long bounded = names == 0 || row.value < 0 ? row.value : row.value % names;
                return bounded >= Math.max(0, lo) && bounded <= hi;
            }
            boolean first = lo > hi || (row.v1 >= Math.max(0, lo) && row.v1 <= hi);
            return first && (names == 0 || (row.v2 >= 0 && (names >> row.v2 & 1) != 0));
        }
    }

    /**
     * The rows that matched a condition.
     *
     * @param rows by key: the value that was returned, or ABSENT
     * @param count {@link #GIVEN} if the keys are given, else how many rows there are or {@link #UNKNOWN}
     */
    public record Result(Where where, long[] rows, int count) {
        public static final int GIVEN = -2;
        public static final int UNKNOWN = -1;
        static final Result NONE = new Result(new Where(false, 1, 0, 0), new long[0], UNKNOWN);
    }

    /** An operation. @param row the value that was read or appended, or the row that was written */
    public record Op(Kind kind, int key, Row row, List<Long> list, Result result) {
        public Op(Kind kind, int key, long value, List<Long> list) {
            this(kind, key, Row.of(value), list, Result.NONE);
        }

        public static Op of(Kind kind, int key, Row row) {
            return new Op(kind, key, row, List.of(), Result.NONE);
        }

        /** An operation on a savepoint, which is on no key. */
        static Op of(Kind kind, long name) {
            return new Op(kind, -1, name, List.of());
        }

        boolean isOfSavepoint() {
            return key < 0;
        }

        public static Op read(int key, long value) {
            return new Op(Kind.READ, key, value, List.of());
        }

        public static Op write(int key, long value) {
            return new Op(Kind.WRITE, key, value, List.of());
        }

        long value() {
            return row.value;
        }

        /** Whether it looks at a key. */
        boolean reads(int other) {
            return result != Result.NONE || (!kind.writes && key == other);
        }

        /** Whether it writes a key. The rows of a result are given. */
        public boolean writes(int other) {
            return kind.writes && (result == Result.NONE ? key == other : result.rows[other] != ABSENT);
        }

        /** The sum that an addition leaves of a state; null if it is not the one that was returned. */
        @Nullable
        Row sum(@Nullable Object state) {
            Row sum = state instanceof Row before && before.value != ValueDictionary.NULL
                    ? Row.of(before.value + row.value)
                    : null;
            return sum == null || list.isEmpty() || list.get(0) == sum.value ? sum : null;
        }

        /** The row that it leaves where it writes. */
        public @Nullable Row left() {
            return kind == Kind.DELETE || kind == Kind.DELETE_ROWS ? null : row;
        }

        /** Whether it may return what it did if this is the state of a key that it reads. */
        boolean permits(int other, @Nullable Object state) {
            boolean isRight = Interpreter.value(state) == (result == Result.NONE ? row.value : result.rows[other]);
            return switch (kind) {
                case READ -> isRight;
                case READ_OTHER -> !isRight;
                case READ_LIST -> list.equals(state instanceof List<?> ? state : List.of());
                default -> {
                    boolean isIn = result.count != Result.GIVEN || result.rows[other] != ABSENT;
                    yield result.where.matches(state)
                            ? isIn && (kind != Kind.READ_ROWS || isRight)
                            : result.count != Result.GIVEN || !isIn;
                }
            };
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
    /** How many keys there are, from 0. */
    final int keys;

    private final @Nullable Row[] initial;
    /** By transaction: those, as bits, that versions which the database gave put before it. */
    int[] before;

    private long steps;
    private long mostSteps = MOST_STEPS;

    /** @param transactions in session order */
    public Definitions(List<Transaction> transactions, long initial) {
        this(transactions, new Row[0], initial);
    }

    /** @param initial by key: its first row; other keys have the value {@code others} */
    public Definitions(List<Transaction> transactions, @Nullable Row[] initial, long others) {
        n = transactions.size();
        before = new int[n];
        session = transactions.stream().mapToInt(Transaction::session).toArray();
        status = new char[n];
        start = transactions.stream().mapToLong(Transaction::start).toArray();
        end = transactions.stream().mapToLong(Transaction::end).toArray();
        ops = new Op[n][];
        for (int t = 0; t < n; t++) {
            status[t] = transactions.get(t).status;
            ops[t] = transactions.get(t).ops.toArray(new Op[0]);
        }
        int most = initial.length;
        for (Op[] each : ops) {
            for (Op op : each) {
                most = Math.max(most, Math.max(op.key + 1, op.result.rows.length));
            }
        }
        keys = most;
        this.initial = Arrays.copyOf(initial, keys);
        for (int key = initial.length; key < keys; key++) {
            this.initial[key] = others == ValueDictionary.NULL ? null : Row.of(others);
        }
    }

    /** Puts committed transactions before others. @param earlier by transaction, as bits */
    Definitions ordered(int[] earlier) {
        before = earlier;
        return this;
    }

    @Nullable
    Row initial(int key) {
        return initial[key];
    }

    /** The operations of a table; lists as they were recorded. */
    public static Definitions of(HistoryTable judged) {
        ListVersions lists = ListReduction.of(judged).listVersions();
        HistoryTable read = lists == null ? judged : lists.recorded();
        long[] names = names(read);
        HistoryTable table = read.withValues(names);
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
                    Kind kind = table.isAddition(o)
                            ? Kind.ADD
                            : table.isInsert(o) ? Kind.INSERT : table.isDelete(o) ? Kind.DELETE : Kind.WRITE;
                    list.add(new Op(kind, key, value, List.of()));
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
        Row[] rows = new Row[table.keys().size()];
        for (int key = 0; key < rows.length; key++) {
            long value = table.initialValue(key);
            rows[key] = value != ValueDictionary.NULL || table.existsAtFirst(key) ? Row.of(value) : null;
        }
        int[] before = new int[all.size()];
        for (int a = 0; a < read.operations(); a++) {
            for (int b = 0; b < read.operations(); b++) {
                if (read.key(a) == read.key(b) && isGivenLast(read, a) && isGivenLast(read, b)) {
                    boolean isEarlier = read.values().givenVersion(read.value(a))
                            < read.values().givenVersion(read.value(b));
                    int t = HistorySelection.transactionOf(read, b);
                    before[t] |= isEarlier ? 1 << HistorySelection.transactionOf(read, a) : 0;
                }
            }
        }
        return new Definitions(all, rows, table.initialValue()).ordered(before);
    }

    private static boolean isGivenLast(HistoryTable table, int o) {
        int t = HistorySelection.transactionOf(table, o);
        return table.status(t) == TransactionStatus.COMMITTED
                && table.values().isGiven(table.value(o))
                && table.lastWrite(t, table.key(o)) == o;
    }

    /** By operation: its value; of a read, that of the write that its version names or that alone has its value. */
    private static long[] names(HistoryTable read) {
        ValueDictionary values = read.values();
        long[] names = read.operationValues().clone();
        for (int o = 0; values.hasGiven() && o < names.length; o++) {
            if (read.isWrite(o)) {
                continue;
            }
            int t = HistorySelection.transactionOf(read, o);
            int key = read.key(o);
            long plain = values.withoutVersion(names[o]);
            int own = read.lastWrite(t, key, o);
            Set<Long> codes = new HashSet<>();
            if (own < 0 && plain == read.initialValue(key)) {
                codes.add(plain);
            }
            boolean isNamed = false;
            for (int w = 0; w < read.operations(); w++) {
                int writer = HistorySelection.transactionOf(read, w);
                if (read.isWriteOf(w, key)) {
                    isNamed |= values.isGiven(names[o]) && read.value(w) == names[o];
                    boolean isLeft = read.status(writer) == TransactionStatus.ABORTED
                            ? w == own
                            : own < 0 ? writer != t && read.lastWrite(writer, key) == w : w == own;
                    if (isLeft && values.withoutVersion(read.value(w)) == plain) {
                        codes.add(read.value(w));
                    }
                }
            }
            if (!isNamed && values.isGiven(names[o])) {
                codes.removeIf(values::isGiven);
            }
            names[o] = isNamed || codes.isEmpty()
                    ? names[o]
                    : codes.contains(plain) ? plain : codes.iterator().next();
        }
        return names;
    }

    /**
     * Whether a small history keeps a level; transactions of unknown outcome may have committed, and at least one has
     * committed. All choices are tried, however many.
     */
    public static boolean accepts(HistoryTable table, String level) {
        return of(table).accepts(Level.valueOf(level));
    }

    /** See {@link #accepts(HistoryTable, String)}. */
    public boolean accepts(Level level) {
        mostSteps = Long.MAX_VALUE;
        return Objects.requireNonNull(holds(level, 0, true), "not bounded");
    }

    /** The operations that no rollback to a savepoint among them has undone, with the savepoints that are still set. */
    static List<Op> inEffect(List<Op> all) {
        List<Op> left = new ArrayList<>();
        for (Op op : all) {
            int at = left.size() - 1;
            while (op.isOfSavepoint() && at > 0 && !left.get(at).equals(Op.of(Kind.SAVEPOINT, op.value()))) {
                at--;
            }
            if (op.kind == Kind.ROLLBACK_TO) {
                left.subList(at + 1, left.size()).clear();
            } else if (op.kind == Kind.RELEASE) {
                left.subList(at, left.size()).removeIf(Op::isOfSavepoint);
            } else {
                left.add(op);
            }
        }
        return left;
    }

    /** The operations of a transaction. */
    public List<Op> operations(int transaction) {
        return List.of(ops[transaction]);
    }

    /** Other transactions on the same initial rows. */
    public Definitions with(List<Transaction> others) {
        return new Definitions(others, initial, ValueDictionary.NULL);
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

    private boolean has(Kind... kinds) {
        for (Op[] each : ops) {
            for (Op op : each) {
                if (List.of(kinds).contains(op.kind)) {
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
        boolean lists = has(Kind.APPEND, Kind.READ_LIST);
        lists |= Arrays.stream(before).anyMatch(bits -> bits != 0);
        boolean rows = has(Kind.INSERT, Kind.DELETE, Kind.WRITE_ROWS, Kind.DELETE_ROWS);
        Boolean runs = null;
        try {
            boolean isBlind =
                    Arrays.stream(ops).flatMap(Arrays::stream).anyMatch(op -> op.kind == Kind.ADD && op.list.isEmpty());
            if (isBlind && (level.isAxiom() || level == Level.PC || level == Level.LIN)) {
                return null;
            }
            boolean runsOnly = has(Kind.ROLLBACK_TO, Kind.ADD);
            if (level == Level.LIN || level == Level.PC || ((lists || rows || runsOnly) && !level.isAxiom())) {
                runs = new Interpreter(this, level, skew, maybe).exists();
            }
            if (runs != null && (level == Level.LIN || isBlind || (rows && level != Level.PC))) {
                return runs;
            }
            steps = 0;
            Op[][] recorded = ops.clone();
            Arrays.setAll(ops, t -> ofRegisters(recorded[t]));
            boolean hasGraph = hasGraph(level, skew, maybe);
            System.arraycopy(recorded, 0, ops, 0, n);
            if (runs != null && runs != hasGraph) {
                throw new AssertionError(level + ": the interpreter says " + runs + ", the graphs " + hasGraph);
            }
            return hasGraph;
        } catch (TooMuchException e) {
            return runs;
        }
    }

    /** Operations with a read and a write in place of each addition whose sum was returned. */
    private static Op[] ofRegisters(Op[] all) {
        return Arrays.stream(all)
                .flatMap(op -> op.kind != Kind.ADD
                        ? Stream.of(op)
                        : Stream.of(Op.read(op.key, op.list.get(0) - op.row.value), Op.write(op.key, op.list.get(0))))
                .toArray(Op[]::new);
    }

    private boolean hasGraph(Level level, long skew, boolean maybe) {
        int unknown = 0;
        int certain = 0;
        for (int t = 0; t < n; t++) {
            certain |= status[t] == COMMITTED ? 1 << t : 0;
            unknown |= status[t] == INDETERMINATE && maybe ? 1 << t : 0;
        }
        for (int subset = unknown; ; subset = (subset - 1) & unknown) {
            if (exists(certain | subset, level, skew, 0, 0)) {
                return true;
            }
            if (subset == 0) {
                return false;
            }
        }
    }

    /** Whether some choice of the rows that are not given, from an operation on, has a graph. */
    private boolean exists(int counted, Level level, long skew, int t, int o) {
        if (t == n) {
            return new Graphs(this, counted, level, skew).exist();
        }
        if (o == ops[t].length) {
            return exists(counted, level, skew, t + 1, 0);
        }
        Op op = ops[t][o];
        if (op.result == Result.NONE || op.result.count == Result.GIVEN) {
            return exists(counted, level, skew, t, o + 1);
        }
        boolean exists = false;
        for (int some = 0; some < 1 << keys && !exists; some++) {
            if (op.result.count == Result.UNKNOWN || op.result.count == Integer.bitCount(some)) {
                long[] rows = new long[keys];
                for (int key = 0; key < keys; key++) {
                    rows[key] = (some >> key & 1) != 0 ? 0 : ABSENT;
                }
                ops[t][o] = new Op(op.kind, op.key, op.row, op.list, new Result(op.result.where, rows, Result.GIVEN));
                exists = exists(counted, level, skew, t, o + 1);
            }
        }
        ops[t][o] = op;
        return exists;
    }

    /** Counts a step of the search, which gives up after too many. */
    void step() {
        if (++steps > mostSteps) {
            throw new TooMuchException();
        }
    }
}
