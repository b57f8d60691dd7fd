package org.polygraph.jobs.decision;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.testkit.SplitMix;

/**
 * Tiny histories with inserts, deletes and predicates, and the definitions of docs/predicates.md and docs/rows.md,
 * tried over every order of events and every choice of unknown outcomes. It shares no code with the checker.
 */
public final class ConditionHistories {
    static final int KEYS = 2;
    /** Stands for a count: the keys are given, or neither keys nor count. */
    private static final int KEYS_GIVEN = -2;

    private static final int NOTHING_GIVEN = -1;
    private static final int NULL = -1;
    private static final int ABSENT = -2;
    private static final String[] NAMES = {"x", "y"};

    private enum Kind {
        R,
        W,
        I,
        D,
        PR,
        PW,
        PD
    }

    private enum Status {
        COMMITTED,
        ABORTED,
        INDETERMINATE
    }

    /** A row: its value, and its columns or ABSENT. */
    private record Row(int value, int v1, int v2) {}

    /**
     * Bounds of the value, or of v1 beside a set of values of v2.
     *
     * @param names the set, as bits; beside bounds of the value, what divides it so that the bounds are those of the
     *     remainder, or 0
     */
    private record Where(boolean ofColumns, int lo, int hi, int names) {
        boolean matches(@Nullable Row row) {
            if (row == null) {
                return false;
            }
            if (!ofColumns) {
                int bounded = names == 0 || row.value < 0 ? row.value : row.value % names;
                return bounded >= Math.max(0, lo) && bounded <= hi;
            }
            boolean first = lo > hi || (row.v1 >= Math.max(0, lo) && row.v1 <= hi);
            return first && (names == 0 || (row.v2 >= 0 && (names >> row.v2 & 1) != 0));
        }

        String json() {
            if (!ofColumns) {
                return "\"lo\":" + lo + ",\"hi\":" + hi + (names == 0 ? "" : ",\"mod\":" + names);
            }
            List<String> terms = new ArrayList<>();
            if (lo <= hi) {
                terms.add("\"v1\":[" + lo + "," + hi + "]");
            }
            if (names != 0) {
                List<String> set = new ArrayList<>();
                for (int i = 0; i < NAMES.length; i++) {
                    if ((names >> i & 1) != 0) {
                        set.add("\"" + NAMES[i] + "\"");
                    }
                }
                terms.add("\"v2\":[" + String.join(",", set) + "]");
            }
            return "\"where\":{" + String.join(",", terms) + "}";
        }
    }

    /**
     * @param rows by key: the value that was returned, or ABSENT; if the keys are not given, the search writes the rows
     *     that match here
     * @param count of the rows, if their keys are not given
     */
    private record Operation(Kind kind, int key, Row row, Where where, int[] rows, int count) {
        Operation(Kind kind, int key, Row row, Where where, int[] rows) {
            this(kind, key, row, where, rows, KEYS_GIVEN);
        }

        private String keys() {
            return switch (count) {
                case KEYS_GIVEN -> ",\"keys\":" + list(false);
                case NOTHING_GIVEN -> "";
                default -> ",\"count\":" + count;
            };
        }

        boolean isPredicate() {
            return kind.ordinal() >= Kind.PR.ordinal();
        }

        boolean writes(int k) {
            return switch (kind) {
                case R, PR -> false;
                case W, I, D -> key == k;
                case PW, PD -> rows[k] != ABSENT;
            };
        }

        /** The row that it leaves where it writes. */
        @Nullable
        Row left() {
            return kind == Kind.D || kind == Kind.PD ? null : row;
        }

        String json() {
            String columns =
                    row.v1 == ABSENT ? "" : ",\"row\":{\"v1\":" + row.v1 + ",\"v2\":\"" + NAMES[row.v2] + "\"}";
            String value = ",\"value\":" + value(row.value);
            return "{\"op\":\"" + kind.name().toLowerCase(Locale.ROOT) + "\","
                    + switch (kind) {
                        case R -> "\"key\":" + key + value;
                        case W, I -> "\"key\":" + key + value + columns;
                        case D -> "\"key\":" + key;
                        case PR -> where.json() + ",\"rows\":" + list(true);
                        case PW -> where.json() + value + columns + keys();
                        case PD -> where.json() + keys();
                    }
                    + "}";
        }

        private List<String> list(boolean values) {
            List<String> all = new ArrayList<>();
            for (int k = 0; k < KEYS; k++) {
                if (rows[k] != ABSENT) {
                    all.add(values ? "[" + k + "," + value(rows[k]) + "]" : "" + k);
                }
            }
            return all;
        }
    }

    private record Transaction(int session, Status status, int start, int end, List<Operation> operations) {}

    private static String value(int value) {
        return value == NULL ? "null" : "" + value;
    }

    private final List<Transaction> transactions = new ArrayList<>();
    private final int initial;
    /** By key. */
    private final int[] initials = new int[KEYS];

    private final boolean timed;

    // The search.
    private int perTransaction;
    private boolean realTime;
    private boolean[] committed = {};
    private int[] place = {};

    /** The state of a key, and the transactions that wrote its incarnation. */
    private record Version(@Nullable Row row, List<Integer> writers) {}

    public ConditionHistories(SplitMix random) {
        this(random, false);
    }

    /** A history in which some writes by a condition lack the keys of their rows. */
    public static ConditionHistories withUnknownRows(SplitMix random) {
        return new ConditionHistories(random, true);
    }

    /** If some keys are not given, values are unique in half of the histories. */
    private int nextValue;

    private final boolean hidesKeys;

    private ConditionHistories(SplitMix random, boolean hidesKeys) {
        this.hidesKeys = hidesKeys;
        nextValue = hidesKeys && random.nextInt(2) == 0 ? 10 : 0;
        initial = random.nextInt(3) == 0 ? 0 : NULL;
        Arrays.fill(initials, initial);
        if (random.nextInt(3) == 0) {
            initials[random.nextInt(KEYS)] = random.nextInt(4) - 1;
        }
        timed = random.nextInt(2) == 0;
        boolean rows = random.nextInt(4) != 0;
        boolean columns = nextValue > 0 || random.nextInt(2) == 0;
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
            Status status = drawn == 0 ? Status.ABORTED : drawn < 3 ? Status.INDETERMINATE : Status.COMMITTED;
            boolean applies = status == Status.COMMITTED || (status == Status.INDETERMINATE && random.nextInt(2) == 0);
            Row[] own = applies ? state : state.clone();
            List<Operation> operations = new ArrayList<>();
            for (int o = 1 + random.nextInt(3); o > 0; o--) {
                Operation operation = operation(random, seen, own, rows, columns);
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
            transactions.add(new Transaction(session, status, start, end, operations));
            states.add(state.clone());
        }
    }

    private Operation operation(
            SplitMix random, @Nullable Row[] seen, @Nullable Row[] now, boolean rows, boolean columns) {
        int key = random.nextInt(KEYS);
        boolean wide = columns && random.nextInt(4) != 0;
        Row row = new Row(
                nextValue > 0 ? nextValue++ : random.nextInt(8) == 0 ? NULL : random.nextInt(4),
                wide ? random.nextInt(3) : ABSENT,
                wide ? random.nextInt(2) : ABSENT);
        int[] nothing = new int[0];
        Where none = new Where(false, 0, 0, 0);
        int drawn = random.nextInt(10);
        if (drawn < 1) {
            Row found = seen[key];
            return new Operation(
                    Kind.R, key, new Row(found == null ? NULL : found.value, ABSENT, ABSENT), none, nothing);
        }
        if (drawn < 5) {
            Kind kind = !rows || random.nextInt(3) == 0 ? Kind.W : now[key] == null ? Kind.I : Kind.D;
            if (rows && random.nextInt(20) == 0) {
                kind = random.nextInt(2) == 0 ? Kind.I : Kind.D;
            }
            return new Operation(kind, key, row, none, nothing);
        }
        boolean ofColumns = columns && (nextValue > 0 || random.nextInt(3) != 0);
        int lo = random.nextInt(ofColumns ? 3 : 4);
        int names = ofColumns ? random.nextInt(4) : random.nextInt(3) == 0 ? 2 + random.nextInt(2) : 0;
        boolean isSetAlone = ofColumns && names != 0 && random.nextInt(3) == 0;
        Where where = new Where(ofColumns, lo, lo + random.nextInt(3) - (isSetAlone ? 9 : 0), names);
        int[] result = new int[KEYS];
        for (int k = 0; k < KEYS; k++) {
            Row found = seen[k];
            result[k] = found != null && where.matches(found) ? found.value : ABSENT;
        }
        if (random.nextInt(10) == 0) {
            result[key] = random.nextInt(2) == 0 ? ABSENT : random.nextInt(4);
        }
        Kind kind = drawn < 8 ? Kind.PR : rows && random.nextInt(2) == 0 ? Kind.PD : Kind.PW;
        int count = KEYS_GIVEN;
        if (hidesKeys && kind != Kind.PR && random.nextInt(5) != 0) {
            count = random.nextInt(3) == 0
                    ? NOTHING_GIVEN
                    : (int) Arrays.stream(result).filter(v -> v != ABSENT).count();
        }
        return new Operation(kind, key, row, where, result, count);
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
                    .append(one.session)
                    .append(",\"index\":")
                    .append(t);
            if (timed) {
                text.append(",\"start\":").append(one.start).append(",\"end\":").append(one.end);
            }
            text.append(",\"status\":\"").append(one.status.name().toLowerCase(Locale.ROOT));
            text.append("\",\"ops\":")
                    .append(one.operations.stream().map(Operation::json).toList())
                    .append("}\n");
        }
        // The table has the keys that some operation names.
        text.append(
                "{\"session\":90,\"index\":0,\"status\":\"aborted\",\"ops\":[{\"op\":\"r\",\"key\":0,\"value\":0},");
        return text.append("{\"op\":\"r\",\"key\":1,\"value\":0}]}\n").toString();
    }

    /** Whether a statement is a read of a version that it permits. */
    private interface Permitted {
        boolean permits(@Nullable Row row);
    }

    /** A read of a key by a statement. The source is a transaction or INITIAL. */
    private record Read(int reader, int statement, int key, Permitted permitted) {}

    private static final int INITIAL = 0;

    /**
     * Whether RC, RA or CC holds: some choice of the version that each statement read of each row, of those that match
     * its result, has an order of commits that the level permits. The rows of one statement have no order. Where keys are
     * not given, any rows as many as the count may have been written.
     */
    public boolean holdsAtCommits(IsolationLevel level) {
        List<Operation> hidden = new ArrayList<>();
        transactions.forEach(
                t -> t.operations.stream().filter(o -> o.count != KEYS_GIVEN).forEach(hidden::add));
        return holdsWithRows(level, hidden, 0);
    }

    private boolean holdsWithRows(IsolationLevel level, List<Operation> hidden, int chosen) {
        if (chosen == hidden.size()) {
            return holdsWithRows(level);
        }
        Operation o = hidden.get(chosen);
        for (int rows = 0; rows < 1 << KEYS; rows++) {
            for (int k = 0; k < KEYS; k++) {
                o.rows[k] = (rows >> k & 1) != 0 ? 0 : ABSENT;
            }
            boolean isPossible = o.count == NOTHING_GIVEN || o.count == Integer.bitCount(rows);
            if (isPossible && holdsWithRows(level, hidden, chosen + 1)) {
                return true;
            }
        }
        return false;
    }

    private boolean holdsWithRows(IsolationLevel level) {
        int n = transactions.size();
        for (int choice = 0; choice < 1 << n; choice++) {
            boolean possible = true;
            committed = new boolean[n];
            for (int t = 0; t < n; t++) {
                committed[t] = (choice >> t & 1) != 0;
                Status status = transactions.get(t).status;
                possible &= status == Status.INDETERMINATE || committed[t] == (status == Status.COMMITTED);
            }
            List<Read> reads = new ArrayList<>();
            for (int t = 0; t < n && possible; t++) {
                possible = !committed[t] || addReads(t, reads);
            }
            if (possible && choose(level, reads, new int[reads.size()], 0)) {
                return true;
            }
        }
        return false;
    }

    /** Adds the reads of other transactions' versions. @return whether those of own versions are right */
    private boolean addReads(int t, List<Read> reads) {
        Row[] own = new Row[KEYS];
        boolean[] isOwn = new boolean[KEYS];
        List<Operation> operations = transactions.get(t).operations;
        for (int s = 0; s < operations.size(); s++) {
            Operation o = operations.get(s);
            for (int k = 0; k < KEYS; k++) {
                int key = k;
                Permitted permitted = o.isPredicate()
                        ? row -> o.where.matches(row)
                                ? o.rows[key] != ABSENT
                                        && (o.kind != Kind.PR || o.rows[key] == Objects.requireNonNull(row).value)
                                : o.rows[key] == ABSENT
                        : row -> o.row.value == (row == null ? NULL : row.value);
                if (!o.isPredicate() && (o.kind != Kind.R || o.key != k)) {
                    continue;
                }
                if (!isOwn[k]) {
                    reads.add(new Read(t + 1, s, k, permitted));
                } else if (!permitted.permits(own[k])) {
                    return false;
                }
            }
            for (int k = 0; k < KEYS; k++) {
                isOwn[k] |= o.writes(k);
                own[k] = o.writes(k) ? o.left() : own[k];
            }
        }
        return true;
    }

    private boolean choose(IsolationLevel level, List<Read> reads, int[] sources, int chosen) {
        if (!hasOrder(level, reads, sources, chosen)) {
            return false;
        }
        if (chosen == reads.size()) {
            return true;
        }
        Read read = reads.get(chosen);
        for (int source = INITIAL; source <= transactions.size(); source++) {
            boolean isWriter = source == INITIAL || (committed[source - 1] && writesKey(source, read.key));
            if (source != read.reader && isWriter && read.permitted.permits(version(source, read.key))) {
                sources[chosen] = source;
                if (choose(level, reads, sources, chosen + 1)) {
                    return true;
                }
            }
        }
        return false;
    }

    private boolean writesKey(int node, int key) {
        return transactions.get(node - 1).operations.stream().anyMatch(o -> o.writes(key));
    }

    private @Nullable Row version(int node, int key) {
        Row last = initialRow(key);
        for (Operation o : node == INITIAL ? List.<Operation>of() : transactions.get(node - 1).operations) {
            last = o.writes(key) ? o.left() : last;
        }
        return last;
    }

    private boolean hasOrder(IsolationLevel level, List<Read> reads, int[] sources, int chosen) {
        int nodes = transactions.size() + 1;
        boolean[][] direct = new boolean[nodes][nodes];
        for (int a = 1; a < nodes; a++) {
            direct[INITIAL][a] = true;
            for (int b = a + 1; b < nodes; b++) {
                direct[a][b] = committed[a - 1]
                        && committed[b - 1]
                        && transactions.get(a - 1).session == transactions.get(b - 1).session;
            }
        }
        for (int i = 0; i < chosen; i++) {
            direct[sources[i]][reads.get(i).reader] = true;
        }
        boolean[][] before = closed(direct);
        boolean[][] order = closed(direct);
        for (int i = 0; i < chosen; i++) {
            Read read = reads.get(i);
            for (int writer = 1; writer < nodes; writer++) {
                if (writer == sources[i]
                        || writer == read.reader
                        || !committed[writer - 1]
                        || !writesKey(writer, read.key)) {
                    continue;
                }
                boolean isSeen = level == IsolationLevel.CC ? before[writer][read.reader] : direct[writer][read.reader];
                if (level == IsolationLevel.RC) {
                    isSeen = false;
                    for (int j = 0; j < chosen; j++) {
                        Read other = reads.get(j);
                        isSeen |=
                                sources[j] == writer && other.reader == read.reader && other.statement < read.statement;
                    }
                }
                order[writer][sources[i]] |= isSeen;
            }
        }
        boolean[][] all = closed(order);
        for (int a = 0; a < nodes; a++) {
            if (all[a][a]) {
                return false;
            }
        }
        return true;
    }

    private static boolean[][] closed(boolean[][] pairs) {
        boolean[][] all = Arrays.stream(pairs).map(boolean[]::clone).toArray(boolean[][]::new);
        for (int via = 0; via < all.length; via++) {
            for (int a = 0; a < all.length; a++) {
                for (int b = 0; b < all.length; b++) {
                    all[a][b] |= all[a][via] && all[via][b];
                }
            }
        }
        return all;
    }

    public boolean holds(IsolationLevel level) {
        perTransaction = level.eventsPerTransaction();
        realTime = level.realTime() && timed;
        int n = transactions.size();
        committed = new boolean[n];
        for (int choice = 0; choice < 1 << n; choice++) {
            boolean possible = true;
            for (int t = 0; t < n; t++) {
                committed[t] = (choice >> t & 1) != 0;
                Status status = transactions.get(t).status;
                possible &= status == Status.INDETERMINATE || committed[t] == (status == Status.COMMITTED);
            }
            place = new int[n * perTransaction];
            Arrays.fill(place, -1);
            Version[] state = new Version[KEYS];
            Arrays.setAll(state, k -> new Version(initialRow(k), List.of()));
            if (possible && extend(0, state)) {
                return true;
            }
        }
        return false;
    }

    private boolean extend(int at, Version[] state) {
        boolean ended = true;
        for (int e = 0; e < place.length; e++) {
            int t = e / perTransaction;
            if (!committed[t] || place[e] >= 0) {
                continue;
            }
            ended = false;
            boolean isSnapshot = e % perTransaction == 0;
            if (!(isSnapshot ? mayStart(t) : place[e - 1] >= 0)) {
                continue;
            }
            Version[] after = state.clone();
            place[e] = at;
            boolean found = (!isSnapshot || reads(t, state))
                    && ((e + 1) % perTransaction != 0 || commit(t, after))
                    && extend(at + 1, after);
            place[e] = -1;
            if (found) {
                return true;
            }
        }
        return ended;
    }

    private boolean mayStart(int t) {
        Transaction one = transactions.get(t);
        for (int u = 0; u < transactions.size(); u++) {
            Transaction other = transactions.get(u);
            boolean before = (other.session == one.session && u < t)
                    || (realTime && other.status == Status.COMMITTED && other.end < one.start);
            if (before && committed[u] && place[(u + 1) * perTransaction - 1] < 0) {
                return false;
            }
        }
        return true;
    }

    private boolean reads(int t, Version[] state) {
        Row[] seen = new Row[KEYS];
        for (int k = 0; k < KEYS; k++) {
            seen[k] = state[k].row;
        }
        for (Operation o : transactions.get(t).operations) {
            if (o.count != KEYS_GIVEN) {
                int matching = 0;
                for (int k = 0; k < KEYS; k++) {
                    o.rows[k] = o.where.matches(seen[k]) ? 0 : ABSENT;
                    matching += o.rows[k] == ABSENT ? 0 : 1;
                }
                if (o.count != NOTHING_GIVEN && o.count != matching) {
                    return false;
                }
            }
            if (o.kind == Kind.R && o.row.value != (seen[o.key] == null ? NULL : seen[o.key].value)) {
                return false;
            }
            for (int k = 0; k < KEYS; k++) {
                if (o.isPredicate()) {
                    boolean matches = o.where.matches(seen[k]);
                    boolean wrongValue = matches && o.kind == Kind.PR && seen[k].value != o.rows[k];
                    if (matches != (o.rows[k] != ABSENT) || wrongValue) {
                        return false;
                    }
                }
                seen[k] = o.writes(k) ? o.left() : seen[k];
            }
        }
        return true;
    }

    /**
     * Runs the writes: an insert must find no row, a delete must find one, and writers of one incarnation must not
     * overlap.
     */
    private boolean commit(int t, Version[] state) {
        for (Operation o : transactions.get(t).operations) {
            for (int k = 0; k < KEYS; k++) {
                if (!o.writes(k)) {
                    continue;
                }
                Version found = state[k];
                boolean deletes = o.kind == Kind.D || o.kind == Kind.PD;
                if (o.kind == Kind.I ? found.row != null : deletes && found.row == null) {
                    return false;
                }
                List<Integer> writers = new ArrayList<>();
                if (found.row != null) {
                    writers.addAll(found.writers);
                    for (int u : found.writers) {
                        if (u != t && perTransaction == 2 && place[2 * u + 1] > place[2 * t]) {
                            return false;
                        }
                    }
                }
                writers.add(t);
                state[k] = new Version(o.left(), writers);
            }
        }
        return true;
    }
}
