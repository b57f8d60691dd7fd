package org.polygraph.jobs.decision;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.application.EmbeddedChecker;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.HistoryDsl;
import org.polygraph.storage.testkit.SplitMix;
import org.polygraph.storage.testkit.SuiteScale;

/**
 * Compares the two halves of docs/predicates.md over every order of tiny histories: a predicate read that is evaluated
 * on the replayed state, and its reduction to reads of keys with candidates.
 */
class PredicateReductionTest {
    private static final int KEYS = 2;
    /** The value of a version without a row, and of a key that is not in a result. */
    private static final int NONE = -1;

    private enum Kind {
        WRITE,
        DELETE,
        PREDICATE_READ,
        PREDICATE_WRITE
    }

    /** @param rows by key: its value in the result, or NONE */
    private record Operation(Kind kind, int key, int value, int lo, int hi, int[] rows) {
        @Override
        public String toString() {
            return switch (kind) {
                case WRITE -> "w(" + key + "," + value + ")";
                case DELETE -> "d(" + key + ")";
                case PREDICATE_READ -> "pr[" + lo + "," + hi + "]=" + Arrays.toString(rows);
                case PREDICATE_WRITE -> "pw[" + lo + "," + hi + "]" + Arrays.toString(rows) + "=" + value;
            };
        }

        boolean isPredicate() {
            return kind == Kind.PREDICATE_READ || kind == Kind.PREDICATE_WRITE;
        }

        boolean writes(int k) {
            return kind == Kind.PREDICATE_WRITE ? rows[k] != NONE : kind != Kind.PREDICATE_READ && key == k;
        }

        int left() {
            return kind == Kind.DELETE ? NONE : value;
        }
    }

    /**
     * A read of a key from outside of its transaction: the transactions whose version explains it, and whether the
     * initial one does.
     */
    private record ClassRead(int reader, int key, boolean[] candidates, boolean initial) {}

    @TempDir
    private Path folder;

    private boolean hasPredicateWrites;
    private List<List<Operation>> transactions = List.of();
    private int initial;
    /** Events in their order: the only one of a transaction, or its snapshot and its commit. */
    private int perTransaction;

    private boolean[] committed = {};
    private int[] place = {};

    @Test
    void everyOrderIsJudgedAlike() {
        long seed = 0x9ed1ca7e;
        int[][] counts = new int[2][2];
        int histories = SuiteScale.of(2_500);
        for (int i = 0; i < histories; i++) {
            SplitMix random = new SplitMix(seed + i);
            draw(random);
            for (perTransaction = 1; perTransaction <= 2; perTransaction++) {
                place = new int[transactions.size() * perTransaction];
                Arrays.fill(place, -1);
                // Each choice of outcomes; the last one, in which all commit, is counted.
                boolean holds = false;
                for (int choice = 0; choice < 1 << transactions.size(); choice++) {
                    for (int t = 0; t < transactions.size(); t++) {
                        committed[t] = (choice >> t & 1) != 0;
                    }
                    holds = extend(0, classReads(), "seed " + (seed + i) + " " + transactions);
                }
                counts[perTransaction - 1][holds ? 1 : 0]++;
            }
        }
        for (int[] count : counts) {
            assertThat(count[0]).isGreaterThan(histories / 10);
            assertThat(count[1]).isGreaterThan(histories / 10);
        }
    }

    /**
     * The checker on the same histories with replaced predicates: for each bounds and key there is a key of whether the
     * row matches, which each writer of the row writes too. Deletes are writes of null.
     */
    @Test
    void checkerDecidesKeysOfMatching() {
        long seed = 0x3a7c4;
        int histories = SuiteScale.of(1_000);
        int[][] counts = new int[2][2];
        for (int i = 0; i < histories; i++) {
            draw(new SplitMix(seed + i));
            Arrays.fill(committed, true);
            String replaced = replaced();
            for (perTransaction = 1; perTransaction <= 2; perTransaction++) {
                place = new int[transactions.size() * perTransaction];
                Arrays.fill(place, -1);
                boolean holds = extend(0, classReads(), "seed " + (seed + i));
                CheckRequest request = CheckRequest.of(perTransaction == 1 ? IsolationLevel.SER : IsolationLevel.SI);
                Verdict verdict = new EmbeddedChecker(Tuning.DEFAULT)
                        .check(HistoryDsl.parse(replaced), request, Progress.NONE, Budget.unlimited());
                assertThat(verdict.status())
                        .as("%s seed %s %s as %s", request.level(), seed + i, transactions, replaced)
                        .isEqualTo(holds ? Verdict.Status.PASS : Verdict.Status.VIOLATION);
                counts[perTransaction - 1][holds ? 1 : 0]++;
            }
        }
        for (int[] count : counts) {
            assertThat(count[0]).isGreaterThan(histories / 10);
            assertThat(count[1]).isGreaterThan(histories / 10);
        }
    }

    /** The checker on the same histories, as JSON Lines with pr. */
    @Test
    void checkerDecidesPredicates() throws Exception {
        long seed = 0x9d0c1;
        int histories = SuiteScale.of(5_000);
        int[][] counts = new int[2][2];
        hasPredicateWrites = true;
        for (int i = 0; i < histories; i++) {
            draw(new SplitMix(seed + i));
            boolean isReadable = transactions.stream()
                    .flatMap(List::stream)
                    .allMatch(o -> o.kind != Kind.PREDICATE_READ
                            || Arrays.stream(o.rows).allMatch(v -> v == NONE || (v >= o.lo && v <= o.hi)));
            if (!isReadable) {
                continue;
            }
            Arrays.fill(committed, true);
            String lines = lines();
            Files.writeString(folder.resolve("history.jsonl"), lines);
            HistoryTable table =
                    HistoryReader.read(folder.resolve("history.jsonl").toString(), HistoryFormat.JSONL);
            for (perTransaction = 1; perTransaction <= 2; perTransaction++) {
                place = new int[transactions.size() * perTransaction];
                Arrays.fill(place, -1);
                boolean holds = extend(0, classReads(), "seed " + (seed + i));
                CheckRequest request = CheckRequest.of(perTransaction == 1 ? IsolationLevel.SER : IsolationLevel.SI);
                Verdict verdict =
                        new EmbeddedChecker(Tuning.DEFAULT).check(table, request, Progress.NONE, Budget.unlimited());
                assertThat(verdict.status())
                        .as("%s seed %s %s", request.level(), seed + i, lines)
                        .isEqualTo(holds ? Verdict.Status.PASS : Verdict.Status.VIOLATION);
                counts[perTransaction - 1][holds ? 1 : 0]++;
            }
        }
        System.out.println(
                "predicates: violations and passes at ser and si " + Arrays.deepToString(counts) + ", seed " + seed);
        for (int[] count : counts) {
            assertThat(count[0]).isGreaterThan(histories / 10);
            assertThat(count[1]).isGreaterThan(histories / 10);
        }
    }

    private String lines() {
        StringBuilder text = new StringBuilder(
                "{\"format\":\"history\",\"version\":1,\"initial\":{\"value\":" + value(initial) + "}}\n");
        for (int t = 0; t < transactions.size(); t++) {
            List<String> operations = new ArrayList<>();
            for (Operation o : transactions.get(t)) {
                if (o.kind == Kind.PREDICATE_WRITE) {
                    int[] keys = IntStream.range(0, KEYS).filter(o::writes).toArray();
                    operations.add("{\"op\":\"pw\",\"lo\":" + o.lo + ",\"hi\":" + o.hi + ",\"value\":" + value(o.value)
                            + (keys.length == 0 ? ",\"count\":0" : ",\"keys\":" + Arrays.toString(keys)) + "}");
                } else if (o.kind == Kind.PREDICATE_READ) {
                    List<String> rows = new ArrayList<>();
                    for (int k = 0; k < KEYS; k++) {
                        if (o.rows[k] != NONE) {
                            rows.add("[" + k + "," + o.rows[k] + "]");
                        }
                    }
                    operations.add("{\"op\":\"pr\",\"lo\":" + o.lo + ",\"hi\":" + o.hi + ",\"rows\":" + rows + "}");
                } else {
                    operations.add("{\"op\":\"w\",\"key\":" + o.key + ",\"value\":" + value(o.left()) + "}");
                }
            }
            text.append("{\"session\":").append(t);
            text.append(",\"index\":0,\"status\":\"committed\",\"ops\":")
                    .append(operations)
                    .append("}\n");
        }
        // The table has the keys that some operation names.
        for (int k = 0; k < KEYS; k++) {
            text.append("{\"session\":").append(90 + k).append(",\"index\":0,\"status\":\"aborted\",\"ops\":[");
            text.append("{\"op\":\"r\",\"key\":").append(k).append(",\"value\":0}]}\n");
        }
        return text.toString();
    }

    private String replaced() {
        List<Operation> predicates = transactions.stream()
                .flatMap(List::stream)
                .filter(o -> o.kind == Kind.PREDICATE_READ)
                .toList();
        StringBuilder text = new StringBuilder("init ").append(value(initial));
        for (int t = 0; t < transactions.size(); t++) {
            text.append("; s").append(t).append(':');
            for (Operation o : transactions.get(t)) {
                for (int k = 0; k < KEYS; k++) {
                    if (o.kind == Kind.PREDICATE_READ) {
                        if (o.rows[k] != NONE) {
                            operation(text, "r", "k" + k, value(o.rows[k]));
                        }
                        operation(text, "r", keyOfMatching(o, k), code(o, o.rows[k] != NONE));
                    }
                }
                if (o.kind != Kind.PREDICATE_READ) {
                    operation(text, "w", "k" + o.key, value(o.left()));
                    predicates.forEach(
                            p -> operation(text, "w", keyOfMatching(p, o.key), code(p, matches(p, o.left()))));
                }
            }
        }
        return text.toString();
    }

    private static void operation(StringBuilder text, String kind, String key, String value) {
        text.append(' ')
                .append(kind)
                .append('(')
                .append(key)
                .append(',')
                .append(value)
                .append(')');
    }

    private static String keyOfMatching(Operation predicate, int key) {
        return "k" + key + "_" + predicate.lo + "_" + predicate.hi;
    }

    /** The initial value represents the initial version. */
    private String code(Operation predicate, boolean matches) {
        return matches == matches(predicate, initial) ? value(initial) : "9";
    }

    private static boolean matches(Operation predicate, int version) {
        return version >= Math.max(predicate.lo, 0) && version <= predicate.hi;
    }

    private static String value(int version) {
        return version == NONE ? "null" : Integer.toString(version);
    }

    /**
     * Draws transactions that run one after the other in a random order and each see a prefix of it; some results are
     * changed.
     */
    private void draw(SplitMix random) {
        int n = 2 + random.nextInt(3);
        initial = random.nextInt(2) == 0 ? NONE : 0;
        committed = new boolean[n];
        transactions = new ArrayList<>();
        List<int[]> states = new ArrayList<>();
        int[] state = new int[KEYS];
        Arrays.fill(state, initial);
        states.add(state.clone());
        for (int t = 0; t < n; t++) {
            int[] seen = states.get(random.nextInt(2) == 0 ? states.size() - 1 : random.nextInt(states.size()))
                    .clone();
            List<Operation> operations = new ArrayList<>();
            for (int o = 1 + random.nextInt(3); o > 0; o--) {
                int key = random.nextInt(KEYS);
                if (random.nextInt(2) == 0) {
                    boolean deletes = random.nextInt(3) == 0;
                    // Values repeat.
                    int value = deletes ? NONE : random.nextInt(4);
                    operations.add(new Operation(deletes ? Kind.DELETE : Kind.WRITE, key, value, 0, 0, new int[0]));
                    seen[key] = value;
                    state[key] = value;
                } else {
                    int lo = random.nextInt(4);
                    int hi = lo + random.nextInt(3);
                    int[] rows = new int[KEYS];
                    for (int k = 0; k < KEYS; k++) {
                        rows[k] = seen[k] >= lo && seen[k] <= hi ? seen[k] : NONE;
                    }
                    if (random.nextInt(8) == 0) {
                        rows[key] = random.nextInt(5) - 1;
                    }
                    if (hasPredicateWrites && random.nextInt(3) == 0) {
                        int value = random.nextInt(4);
                        Operation update = new Operation(Kind.PREDICATE_WRITE, -1, value, lo, hi, rows);
                        operations.add(update);
                        for (int k = 0; k < KEYS; k++) {
                            seen[k] = update.writes(k) ? value : seen[k];
                            state[k] = update.writes(k) ? value : state[k];
                        }
                        continue;
                    }
                    operations.add(new Operation(Kind.PREDICATE_READ, -1, 0, lo, hi, rows));
                }
            }
            transactions.add(operations);
            states.add(state.clone());
        }
    }

    /** Whether any order of the events after these explains the history; at each order both judgements must agree. */
    private boolean extend(int at, List<ClassRead> reads, String what) {
        boolean found = false;
        boolean ended = true;
        for (int e = 0; e < place.length; e++) {
            boolean mayCome =
                    committed[e / perTransaction] && place[e] < 0 && (e % perTransaction == 0 || place[e - 1] >= 0);
            if (mayCome) {
                ended = false;
                place[e] = at;
                found |= extend(at + 1, reads, what);
                place[e] = -1;
            }
        }
        if (ended) {
            found = replays();
            assertThat(reduced(reads))
                    .as("%s with %s events a transaction, places %s", what, perTransaction, Arrays.toString(place))
                    .isEqualTo(found);
            found &= perTransaction == 1 || !writersOverlap();
        }
        return found;
    }

    private boolean writersOverlap() {
        for (int k = 0; k < KEYS; k++) {
            for (int a = 0; a < transactions.size(); a++) {
                for (int b = 0; b < a; b++) {
                    boolean write =
                            committed[a] && lastWrite(a, transactions.get(a).size(), k) >= 0;
                    write &= committed[b] && lastWrite(b, transactions.get(b).size(), k) >= 0;
                    if (write && commit(a) > begin(b) && commit(b) > begin(a)) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    private int begin(int t) {
        return place[t * perTransaction];
    }

    private int commit(int t) {
        return place[(t + 1) * perTransaction - 1];
    }

    /** The definition: each predicate is evaluated on the state at its place. */
    private boolean replays() {
        for (int t = 0; t < transactions.size(); t++) {
            if (!committed[t]) {
                continue;
            }
            int[] state = new int[KEYS];
            Arrays.fill(state, initial);
            for (int p = 0; p < begin(t); p++) {
                for (int u = 0; u < transactions.size(); u++) {
                    if (committed[u] && commit(u) == p) {
                        for (Operation o : transactions.get(u)) {
                            for (int k = 0; k < KEYS; k++) {
                                state[k] = o.writes(k) ? o.left() : state[k];
                            }
                        }
                    }
                }
            }
            for (Operation o : transactions.get(t)) {
                for (int k = 0; k < KEYS; k++) {
                    if (o.isPredicate() && !isRight(o, k, state[k])) {
                        return false;
                    }
                    state[k] = o.writes(k) ? o.left() : state[k];
                }
            }
        }
        return true;
    }

    /** Whether a result is right about a key in this state. */
    private static boolean isRight(Operation o, int key, int state) {
        boolean matches = state != NONE && state >= o.lo && state <= o.hi;
        return o.kind == Kind.PREDICATE_WRITE ? o.writes(key) == matches : o.rows[key] == (matches ? state : NONE);
    }

    /**
     * The reduction: reads of single keys, which no order changes. A result that own writes contradict is a read
     * without candidates.
     */
    private List<ClassRead> classReads() {
        int n = transactions.size();
        List<ClassRead> reads = new ArrayList<>();
        for (int t = 0; t < n; t++) {
            for (int o = 0; committed[t] && o < transactions.get(t).size(); o++) {
                Operation read = transactions.get(t).get(o);
                for (int k = 0; k < KEYS && read.isPredicate(); k++) {
                    int own = lastWrite(t, o, k);
                    boolean[] candidates = new boolean[n];
                    boolean all = own < 0
                            ? fits(read, k, initial)
                            : fits(read, k, transactions.get(t).get(own).left());
                    boolean first = all;
                    for (int u = 0; u < n; u++) {
                        int last = lastWrite(u, transactions.get(u).size(), k);
                        if (own < 0 && u != t && committed[u] && last >= 0) {
                            candidates[u] =
                                    fits(read, k, transactions.get(u).get(last).left());
                            all &= candidates[u];
                        }
                    }
                    if (!all) {
                        reads.add(new ClassRead(t, k, candidates, first));
                    }
                }
            }
        }
        return reads;
    }

    /** Whether a version is in the class of what the result has for the key. */
    private static boolean fits(Operation read, int key, int version) {
        boolean matches = matches(read, version);
        return read.rows[key] == NONE
                ? !matches
                : matches && (read.kind == Kind.PREDICATE_WRITE || version == read.rows[key]);
    }

    private int lastWrite(int t, int end, int key) {
        int last = -1;
        for (int o = 0; o < end; o++) {
            Operation operation = transactions.get(t).get(o);
            last = operation.writes(key) ? o : last;
        }
        return last;
    }

    /**
     * The clauses of a read with several candidates: each other writer comes after the read, or a candidate comes
     * between them; and unless the initial version is a candidate, one comes before the read.
     */
    private boolean reduced(List<ClassRead> reads) {
        for (ClassRead read : reads) {
            boolean explained = read.initial;
            for (int t = 0; t < transactions.size(); t++) {
                explained |= read.candidates[t] && commit(t) < begin(read.reader);
            }
            for (int w = 0; w < transactions.size() && explained; w++) {
                boolean writes = committed[w]
                        && w != read.reader
                        && !read.candidates[w]
                        && lastWrite(w, transactions.get(w).size(), read.key) >= 0;
                if (writes && commit(w) < begin(read.reader)) {
                    explained = false;
                    for (int t = 0; t < transactions.size(); t++) {
                        explained |= read.candidates[t] && commit(w) < commit(t) && commit(t) < begin(read.reader);
                    }
                }
            }
            if (!explained) {
                return false;
            }
        }
        return true;
    }
}
