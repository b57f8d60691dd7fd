package org.polygraph.jobs.decision;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.Definitions;
import org.polygraph.storage.testkit.Definitions.Kind;
import org.polygraph.storage.testkit.Definitions.Op;
import org.polygraph.storage.testkit.Definitions.Result;
import org.polygraph.storage.testkit.Definitions.Row;
import org.polygraph.storage.testkit.Definitions.Transaction;
import org.polygraph.storage.testkit.Definitions.Where;
import org.polygraph.storage.testkit.SplitMix;

/**
 * Tiny histories with inserts, deletes and conditions on values and columns, as JSON Lines and as the input of {@link
 * Definitions}.
 */
public final class ConditionHistories implements Example {
    static final int KEYS = 2;
    private static final long NULL = ValueDictionary.NULL;
    private static final long ABSENT = Definitions.ABSENT;
    private static final String[] NAMES = {"x", "y"};

    private final List<Transaction> transactions;
    private final long initial;
    /** By key. */
    private final long[] initials = new long[KEYS];

    private final boolean timed;

    /** If some keys are not given, values are unique in half of the histories. */
    private int nextValue;

    private final boolean hidesKeys;
    private final boolean hasConditions;

    public ConditionHistories(SplitMix random) {
        this(random, false, true);
    }

    /** A history of reads, writes, inserts and deletes alone. */
    public static ConditionHistories rows(SplitMix random) {
        return new ConditionHistories(random, false, false);
    }

    /** A history in which some writes by a condition lack the keys of their rows. */
    public static ConditionHistories withUnknownRows(SplitMix random) {
        return new ConditionHistories(random, true, true);
    }

    private ConditionHistories(SplitMix random, boolean hidesKeys, boolean hasConditions) {
        this.hidesKeys = hidesKeys;
        this.hasConditions = hasConditions;
        transactions = new ArrayList<>();
        nextValue = (hidesKeys || !hasConditions) && random.nextInt(2) == 0 ? 10 : 0;
        initial = random.nextInt(3) == 0 ? 0 : NULL;
        Arrays.fill(initials, initial);
        if (random.nextInt(3) == 0) {
            int key = random.nextInt(KEYS);
            int value = random.nextInt(4) - 1;
            initials[key] = value < 0 ? NULL : value;
        }
        timed = random.nextInt(2) == 0;
        boolean rows = !hasConditions || random.nextInt(4) != 0;
        boolean columns = hasConditions && (nextValue > 0 || random.nextInt(2) == 0);
        int n = 2 + random.nextInt(3);
        int sessions = 1 + random.nextInt(n);
        List<Row[]> states = new ArrayList<>();
        Row[] state = new Row[KEYS];
        Arrays.setAll(state, this::initialRow);
        states.add(state.clone());
        int[] lastEnd = new int[sessions];
        for (int t = 0; t < n; t++) {
            Row[] seen = states.get(random.nextInt(3) != 0 ? states.size() - 1 : random.nextInt(states.size()))
                    .clone();
            int drawn = random.nextInt(10);
            char status =
                    drawn == 0 ? Definitions.ABORTED : drawn < 3 ? Definitions.INDETERMINATE : Definitions.COMMITTED;
            boolean applies =
                    status == Definitions.COMMITTED || (status == Definitions.INDETERMINATE && random.nextInt(2) == 0);
            Row[] own = applies ? state : state.clone();
            List<Op> operations = new ArrayList<>();
            for (int o = 1 + random.nextInt(3); o > 0; o--) {
                Op operation = operation(random, seen, own, rows, columns);
                operations.add(operation);
                for (int k = 0; k < KEYS; k++) {
                    if (operation.writes(k)) {
                        seen[k] = operation.left();
                        own[k] = operation.left();
                    }
                }
            }
            int session = random.nextInt(sessions);
            int start = Math.max(lastEnd[session] + 1, 10 * t + random.nextInt(10));
            int end = start + 1 + random.nextInt(20);
            lastEnd[session] = end;
            transactions.add(new Transaction(
                    session, status, timed ? start : Definitions.NONE, timed ? end : Definitions.NONE, operations));
            states.add(state.clone());
        }
    }

    private Op operation(SplitMix random, @Nullable Row[] seen, @Nullable Row[] now, boolean rows, boolean columns) {
        int key = random.nextInt(KEYS);
        boolean wide = columns && random.nextInt(4) != 0;
        Row row = new Row(
                nextValue > 0 ? nextValue++ : random.nextInt(8) == 0 ? NULL : random.nextInt(4),
                wide ? random.nextInt(3) : ABSENT,
                wide ? random.nextInt(2) : ABSENT);
        int drawn = random.nextInt(hasConditions ? 10 : 5);
        if (drawn < (hasConditions ? 1 : 2)) {
            Row found = seen[key];
            boolean lies = !hasConditions && random.nextInt(6) == 0;
            return Op.read(key, lies ? invented(random) : found == null ? NULL : found.value());
        }
        if (drawn < 5) {
            Kind kind = !rows || random.nextInt(3) == 0 ? Kind.WRITE : now[key] == null ? Kind.INSERT : Kind.DELETE;
            if (rows && random.nextInt(20) == 0) {
                kind = random.nextInt(2) == 0 ? Kind.INSERT : Kind.DELETE;
            }
            return Op.of(kind, key, row);
        }
        boolean ofColumns = columns && (nextValue > 0 || random.nextInt(3) != 0);
        int lo = random.nextInt(ofColumns ? 3 : 4);
        int names = ofColumns ? random.nextInt(4) : random.nextInt(3) == 0 ? 2 + random.nextInt(2) : 0;
        boolean isSetAlone = ofColumns && names != 0 && random.nextInt(3) == 0;
        Where where = new Where(ofColumns, lo, lo + random.nextInt(3) - (isSetAlone ? 9 : 0), names);
        long[] result = new long[KEYS];
        for (int k = 0; k < KEYS; k++) {
            Row found = seen[k];
            result[k] = found != null && where.matches(found) ? found.value() : ABSENT;
        }
        if (random.nextInt(10) == 0) {
            result[key] = random.nextInt(2) == 0 ? ABSENT : random.nextInt(4);
        }
        Kind kind = drawn < 8 ? Kind.READ_ROWS : rows && random.nextInt(2) == 0 ? Kind.DELETE_ROWS : Kind.WRITE_ROWS;
        int count = Result.GIVEN;
        if (hidesKeys && kind != Kind.READ_ROWS && random.nextInt(5) != 0) {
            count = random.nextInt(3) == 0
                    ? Result.UNKNOWN
                    : (int) Arrays.stream(result).filter(v -> v != ABSENT).count();
        }
        return new Op(kind, 0, row, List.of(), new Result(where, result, count));
    }

    /** A value that some transaction may have written before. */
    private long invented(SplitMix random) {
        if (nextValue > 0) {
            return 10 + random.nextInt(nextValue - 9);
        }
        int value = random.nextInt(5) - 1;
        return value < 0 ? NULL : value;
    }

    private @Nullable Row initialRow(int key) {
        return initials[key] == NULL ? null : new Row(initials[key], ABSENT, ABSENT);
    }

    public boolean isTimed() {
        return timed;
    }

    public String lines() {
        StringBuilder text = new StringBuilder("{\"format\":\"history\",\"version\":1,\"initial\":{\"value\":"
                + value(initial) + ",\"state\":[[0," + value(initials[0]) + "],[1," + value(initials[1]) + "]]}}\n");
        for (int t = 0; t < transactions.size(); t++) {
            Transaction one = transactions.get(t);
            text.append("{\"session\":")
                    .append(one.session())
                    .append(",\"index\":")
                    .append(t);
            if (timed) {
                text.append(",\"start\":")
                        .append(one.start())
                        .append(",\"end\":")
                        .append(one.end());
            }
            text.append(",\"status\":\"")
                    .append(
                            one.status() == Definitions.COMMITTED
                                    ? "committed"
                                    : one.status() == Definitions.ABORTED ? "aborted" : "indeterminate");
            text.append("\",\"ops\":")
                    .append(one.ops().stream().map(ConditionHistories::json).toList())
                    .append("}\n");
        }
        // The table has the keys that some operation names.
        text.append(
                "{\"session\":90,\"index\":0,\"status\":\"aborted\",\"ops\":[{\"op\":\"r\",\"key\":0,\"value\":0},");
        return text.append("{\"op\":\"r\",\"key\":1,\"value\":0}]}\n").toString();
    }

    private static String json(Op op) {
        Row row = op.row();
        Where where = op.result().where();
        String key = "\"key\":" + op.key();
        String value = ",\"value\":" + value(row.value());
        String columns =
                row.v1() == ABSENT ? "" : ",\"row\":{\"v1\":" + row.v1() + ",\"v2\":\"" + NAMES[(int) row.v2()] + "\"}";
        return switch (op.kind()) {
            case READ -> "{\"op\":\"r\"," + key + value + "}";
            case WRITE -> "{\"op\":\"w\"," + key + value + columns + "}";
            case INSERT -> "{\"op\":\"i\"," + key + value + columns + "}";
            case DELETE -> "{\"op\":\"d\"," + key + "}";
            case READ_ROWS -> "{\"op\":\"pr\"," + json(where) + ",\"rows\":" + rows(op.result(), true) + "}";
            case WRITE_ROWS -> "{\"op\":\"pw\"," + json(where) + value + columns + keys(op.result()) + "}";
            default -> "{\"op\":\"pd\"," + json(where) + keys(op.result()) + "}";
        };
    }

    private static String json(Where where) {
        if (!where.ofColumns()) {
            return "\"lo\":" + where.lo() + ",\"hi\":" + where.hi()
                    + (where.names() == 0 ? "" : ",\"mod\":" + where.names());
        }
        List<String> terms = new ArrayList<>();
        if (where.lo() <= where.hi()) {
            terms.add("\"v1\":[" + where.lo() + "," + where.hi() + "]");
        }
        if (where.names() != 0) {
            List<String> set = new ArrayList<>();
            for (int i = 0; i < NAMES.length; i++) {
                if ((where.names() >> i & 1) != 0) {
                    set.add("\"" + NAMES[i] + "\"");
                }
            }
            terms.add("\"v2\":[" + String.join(",", set) + "]");
        }
        return "\"where\":{" + String.join(",", terms) + "}";
    }

    private static String keys(Result result) {
        return switch (result.count()) {
            case Result.GIVEN -> ",\"keys\":" + rows(result, false);
            case Result.UNKNOWN -> "";
            default -> ",\"count\":" + result.count();
        };
    }

    private static List<String> rows(Result result, boolean values) {
        List<String> all = new ArrayList<>();
        for (int k = 0; k < KEYS; k++) {
            if (result.rows()[k] != ABSENT) {
                all.add(values ? "[" + k + "," + value(result.rows()[k]) + "]" : "" + k);
            }
        }
        return all;
    }

    private static String value(long value) {
        return value == NULL ? "null" : "" + value;
    }

    private ConditionHistories(ConditionHistories whole, List<Transaction> transactions) {
        this.transactions = transactions;
        initial = whole.initial;
        System.arraycopy(whole.initials, 0, initials, 0, KEYS);
        timed = whole.timed;
        hidesKeys = whole.hidesKeys;
        hasConditions = whole.hasConditions;
    }

    @Override
    public List<Example> smaller() {
        List<Example> all = new ArrayList<>();
        for (int t = 0; t < transactions.size(); t++) {
            List<Transaction> left = new ArrayList<>(transactions);
            Transaction one = left.remove(t);
            all.add(new ConditionHistories(this, left));
            for (int o = 0; o < one.ops().size(); o++) {
                List<Op> ops = new ArrayList<>(one.ops());
                ops.remove(o);
                List<Transaction> changed = new ArrayList<>(transactions);
                changed.set(t, new Transaction(one.session(), one.status(), one.start(), one.end(), ops));
                all.add(new ConditionHistories(this, changed));
            }
        }
        return all;
    }

    @Override
    public HistoryTable table() throws HistoryException {
        return Example.read(lines());
    }

    @Override
    public String text() {
        return lines();
    }

    @Override
    public Definitions definitions(IsolationLevel level) {
        Row[] rows = new Row[KEYS];
        Arrays.setAll(rows, this::initialRow);
        return new Definitions(transactions, rows, initial);
    }

    /** Whether the definition of a level holds; a strict one where there are times. */
    public boolean holds(IsolationLevel level) {
        return definitions(level).accepts(Definitions.Level.valueOf(level.name()));
    }
}
