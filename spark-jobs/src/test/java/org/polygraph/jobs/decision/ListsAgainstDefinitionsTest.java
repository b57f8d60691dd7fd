package org.polygraph.jobs.decision;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.application.EmbeddedChecker;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.jobs.certificate.judge.BruteForce;
import org.polygraph.jobs.certificate.replay.Replay;
import org.polygraph.jobs.decision.ShapedHistory.Kind;
import org.polygraph.jobs.decision.ShapedHistory.Op;
import org.polygraph.jobs.decision.ShapedHistory.Txn;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.SubHistory;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.format.HistoryWriter;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.RecordedSelection;
import org.polygraph.storage.testkit.Definitions;
import org.polygraph.storage.testkit.HistoryDsl;
import org.polygraph.storage.testkit.SplitMix;
import org.polygraph.storage.testkit.SuiteScale;

/**
 * Lists at all seven levels against {@link Definitions}, from the bytes of a file to the evidence. The sub-history of
 * each violation is written, read and checked again: it has the same verdict and the same name.
 */
class ListsAgainstDefinitionsTest {
    private static final long SEED = 0x1157;

    @TempDir
    private Path folder;

    private final Map<IsolationLevel, int[]> found = new EnumMap<>(IsolationLevel.class);
    private final Map<Anomaly, Integer> named = new EnumMap<>(Anomaly.class);
    private final ShownVerdicts shown = new ShownVerdicts();
    private int skipped;

    @Test
    void agrees() throws IOException, HistoryException {
        int histories = SuiteScale.of(4_000, 1_000);
        for (int i = 0; i < histories; i++) {
            examine(SplitMix.seedOf(SEED, i));
        }
        System.out.println(histories + " histories of lists from seed " + SEED + ", " + skipped
                + " verdicts not judged; accepted and rejected:");
        found.forEach((level, counts) -> System.out.println("  " + level + " " + counts[0] + " " + counts[1]));
        System.out.println("  named " + named);
        assertThat(found.values()).allMatch(counts -> Math.min(counts[0], counts[1]) > 20);
        assertThat(found.get(IsolationLevel.RC)[0]).isGreaterThan(found.get(IsolationLevel.RA)[0]);
        assertThat(found.get(IsolationLevel.RA)[0]).isGreaterThan(found.get(IsolationLevel.CC)[0]);
        assertThat(named).containsKeys(Anomaly.DIRTY_WRITE, Anomaly.INCOMPATIBLE_ORDER, Anomaly.ABORTED_READ);
        assertThat(skipped).isLessThan(histories / 100 + 3);
        assertThat(shown.withoutOrder()).isZero();
        assertThat(shown.withoutPart()).isZero();
    }

    /**
     * A transaction of unknown outcome that counts if a plain value of it was read: its appends, which no list has, come
     * after those that lists have. So it cannot have run before one of these in its session.
     */
    @Test
    void plainValuesMayShowThatAnAppendCounts() {
        String open = "?a(L,2) w(x,1) | a(L,1)";
        // Only the first transaction wrote 1 before the read.
        assertViolated("init null; s0: " + open + "; s1: r(L,[1]) r(x,1)");
        assertViolated("init null; s0: " + open + "; s1: r(L,[1]) r(x,1) | w(x,1)");
        // Another writer may have written it.
        for (IsolationLevel level : List.of(IsolationLevel.RC, IsolationLevel.RA, IsolationLevel.CC)) {
            assertThat(status(level, "init null; s0: " + open + "; s1: r(L,[1]) r(x,1); s2: w(x,1)"))
                    .isEqualTo(Verdict.Status.PASS);
        }
        // It wrote y too, whose old value was read.
        String other = "; s2: w(x,1) w(y,1); s3: r(y,null) r(x,1)";
        assertThat(status(IsolationLevel.RC, "init null; s0: " + open + "; s1: r(L,[1])" + other))
                .isEqualTo(Verdict.Status.PASS);
        for (IsolationLevel level : List.of(IsolationLevel.RA, IsolationLevel.CC)) {
            assertThat(status(level, "init null; s0: " + open + "; s1: r(L,[1])" + other))
                    .isEqualTo(Verdict.Status.VIOLATION);
        }
    }

    private void assertViolated(String history) {
        for (IsolationLevel level : List.of(IsolationLevel.RC, IsolationLevel.RA, IsolationLevel.CC)) {
            assertThat(status(level, history)).as(level + " " + history).isEqualTo(Verdict.Status.VIOLATION);
        }
    }

    private static Verdict.Status status(IsolationLevel level, String history) {
        return new EmbeddedChecker()
                .check(HistoryDsl.parse(history), CheckRequest.of(level), Progress.NONE, Budget.unlimited())
                .status();
    }

    private void examine(long seed) throws IOException, HistoryException {
        SplitMix random = new SplitMix(seed);
        ShapedHistory history = new ShapedHistory();
        history.drawStyle(random);
        if (random.chance(0.5)) {
            new ShapedLists(random, history.txns).run();
        } else {
            new Orders(random, history.txns).run();
        }
        if (random.chance(0.4)) {
            addRegisters(random, history);
        }
        boolean timed = random.chance(0.5);
        for (int i = 0; timed && i < history.txns.size(); i++) {
            Txn t = history.txns.get(i);
            t.start = random.between(0, 3) + 4L * i;
            t.end = t.start + random.between(1, 14);
        }
        HistoryTable table = read(history.json());
        IndeterminateMode mode = random.chance(0.75) ? IndeterminateMode.MAYBE : IndeterminateMode.ABORT;
        Definitions definitions = history.definitions(false);
        for (IsolationLevel level : IsolationLevel.values()) {
            if (level == IsolationLevel.LIN || definitions.vacuous() || (level.realTime() && !timed)) {
                continue;
            }
            Boolean holds =
                    definitions.holds(Definitions.Level.valueOf(level.name()), 0, mode == IndeterminateMode.MAYBE);
            if (holds == null) {
                skipped++;
                continue;
            }
            found.computeIfAbsent(level, l -> new int[2])[holds ? 0 : 1]++;
            String what = level + " seed " + seed + " " + mode + "\n" + history.json();
            CheckRequest request = new CheckRequest(level, timed ? TimeMode.HINT : TimeMode.NONE, 0, mode);
            Verdict verdict = check(table, request);
            assertThat(verdict.status()).as(what).isEqualTo(holds ? Verdict.Status.PASS : Verdict.Status.VIOLATION);
            verifies(table, verdict, holds, request.terms(), what);
            shown.isShown(verdict, table, request, what);
            for (Violation violation : verdict.violations()) {
                again(violation, request.judged(table), request, what);
            }
        }
    }

    /** The judge and the replays of verification take lists as they were recorded. */
    private static void verifies(HistoryTable table, Verdict verdict, boolean holds, Terms terms, String what) {
        assertThat(BruteForce.judge(table, terms))
                .as(what)
                .isIn(BruteForce.Answer.TOO_LARGE, holds ? BruteForce.Answer.HOLDS : BruteForce.Answer.VIOLATED);
        Witness found = verdict.witness();
        if (found != null) {
            Witness order = new Witness(table, found.terms(), found.counted(), found.position());
            assertThat(Replay.byDefinition(order).discrepancy()).as(what).isNull();
        }
        boolean[] counted = new boolean[table.transactions()];
        for (int t = 0; t < counted.length; t++) {
            counted[t] = table.status(t) == TransactionStatus.COMMITTED;
        }
        int[] position =
                IntStream.range(0, terms.guarantee().events() * counted.length).toArray();
        if (!holds) {
            assertThat(Replay.byDefinition(new Witness(table, terms, counted, position))
                            .holds())
                    .as(what)
                    .isFalse();
        }
    }

    /** Adds reads and writes of single values, each written once, which show too that transactions of unknown outcome count. */
    private static void addRegisters(SplitMix random, ShapedHistory history) {
        int keys = random.between(1, 2);
        List<List<Long>> seen = List.of(new ArrayList<>(), new ArrayList<>());
        seen.forEach(each -> each.add(history.initial));
        double late = random.chance(0.5) ? 1 : 0.7;
        long fresh = 20;
        for (Txn txn : history.txns) {
            long[] own = new long[keys];
            // The reader refuses one of unknown outcome that reads lists and writes values.
            boolean mayWrite = txn.status != Definitions.INDETERMINATE
                    || txn.ops.stream().noneMatch(op -> op.kind == Kind.READ_LIST);
            for (int count = random.between(0, 3), at = 0; count > 0; count--) {
                int key = random.nextInt(keys);
                List<Long> of = seen.get(key);
                boolean isWrite = mayWrite && random.chance(0.5);
                long read = own[key] != 0 && random.chance(0.95)
                        ? own[key]
                        : of.get(random.chance(late) ? of.size() - 1 : random.nextInt(of.size()));
                long value = isWrite ? ++fresh : read;
                at = random.between(at, txn.ops.size());
                txn.ops.add(at++, new Op(isWrite ? Kind.WRITE : Kind.READ, 5 + key, value));
                own[key] = isWrite ? value : own[key];
            }
            for (int key = 0; key < keys; key++) {
                if (own[key] != 0 && txn.effect) {
                    seen.get(key).add(own[key]);
                }
            }
        }
    }

    /** Checks the file of a sub-history. */
    private void again(Violation violation, HistoryTable whole, CheckRequest request, String what)
            throws IOException, HistoryException {
        SubHistory sub = Objects.requireNonNull(violation.minimal(), what);
        Path file = folder.resolve("sub.jsonl");
        try (OutputStream out = Files.newOutputStream(file)) {
            HistoryWriter.writeJsonl(RecordedSelection.written(whole, sub.operations(), sub.recorded(), false), out);
        }
        String text = Files.readString(file);
        Verdict alone = check(HistoryReader.read(file.toString(), HistoryFormat.JSONL), request);
        String as = violation + "\n" + text + "of " + what;
        assertThat(alone.status()).as(as).isEqualTo(Verdict.Status.VIOLATION);
        if (!sub.minimal()) {
            // Less of it violates real time alone, which may be found first.
            return;
        }
        // A transaction that writes in the whole history may only read in the sub-history.
        Anomaly name = alone.violations().get(0).anomaly();
        assertThat(name == Anomaly.READ_ONLY_ANOMALY ? Anomaly.ITEM_CYCLE : name)
                .as(as)
                .isEqualTo(violation.anomaly() == Anomaly.READ_ONLY_ANOMALY ? Anomaly.ITEM_CYCLE : violation.anomaly());
        named.merge(violation.anomaly(), 1, Integer::sum);
    }

    private static Verdict check(HistoryTable table, CheckRequest request) {
        return new EmbeddedChecker().check(table, request, Progress.NONE, Budget.unlimited());
    }

    private HistoryTable read(String json) throws IOException, HistoryException {
        Path file = folder.resolve("history.jsonl");
        Files.writeString(file, json);
        return HistoryReader.read(file.toString(), HistoryFormat.JSONL);
    }

    /**
     * Appends that have an order of their own for each key, in most histories near the order of the transactions; each
     * transaction reads beginnings of it, now and then one between two appends of a transaction.
     */
    private static final class Orders {
        private final SplitMix random;
        private final List<Txn> txns;
        private final List<List<Op>> orders = new ArrayList<>();

        Orders(SplitMix random, List<Txn> txns) {
            this.random = random;
            this.txns = txns;
        }

        void run() {
            int n = random.between(2, 6);
            int keys = random.between(1, 3);
            double near = random.nextDouble();
            double whole = random.chance(0.5) ? 1 : 0.5;
            double unknown = random.chance(0.6) ? 0 : 0.3;
            long element = 0;
            int[] next = new int[4];
            for (int t = 0; t < n; t++) {
                Txn txn = new Txn();
                txn.session = random.nextInt(4);
                txn.index = next[txn.session]++;
                txn.fate(random, 0.05, unknown);
                for (int count = random.between(1, 4); count > 0; count--) {
                    boolean isAppend = random.chance(0.45);
                    txn.ops.add(new Op(
                            isAppend ? Kind.APPEND : Kind.READ_LIST, random.nextInt(keys), isAppend ? ++element : 0));
                }
                txns.add(txn);
            }
            for (int key = 0; key < keys; key++) {
                orders.add(new ArrayList<>());
                for (Txn txn : random.chance(near) ? txns : shuffled()) {
                    for (Op op : txn.ops) {
                        if (op.kind == Kind.APPEND && op.key == key && txn.effect) {
                            orders.get(key).add(op);
                        }
                    }
                }
            }
            for (Txn txn : txns) {
                for (int o = 0; o < txn.ops.size(); o++) {
                    if (txn.ops.get(o).kind == Kind.READ_LIST) {
                        read(txn, o, whole);
                    }
                }
            }
        }

        private List<Txn> shuffled() {
            List<Txn> shuffled = new ArrayList<>(txns);
            for (int i = shuffled.size() - 1; i > 0; i--) {
                shuffled.add(shuffled.remove(random.nextInt(i + 1)));
            }
            return shuffled;
        }

        private void read(Txn txn, int o, double whole) {
            List<Op> order = orders.get(txn.ops.get(o).key);
            List<Long> list = new ArrayList<>();
            List<Long> own = new ArrayList<>();
            int most = order.size();
            for (Op op : txn.ops) {
                most = order.contains(op) ? Math.min(most, order.indexOf(op)) : most;
                if (txn.ops.indexOf(op) < o && op.kind == Kind.APPEND && op.key == txn.ops.get(o).key) {
                    own.add(op.value);
                }
            }
            int length = !own.isEmpty() || random.chance(whole) ? most : random.nextInt(most + 1);
            order.subList(0, length).forEach(op -> list.add(op.value));
            list.addAll(own);
            txn.ops.get(o).list = list;
        }
    }
}
