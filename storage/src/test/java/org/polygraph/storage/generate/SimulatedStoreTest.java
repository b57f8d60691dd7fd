package org.polygraph.storage.generate;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.polygraph.storage.generate.Workload.Distribution;
import org.polygraph.storage.generate.Workload.Level;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.Definitions;
import org.polygraph.storage.testkit.SuiteScale;
import org.polygraph.storage.testkit.Workloads;

/** Compares the store with one that keeps everything in maps and runs one event after the other. */
class SimulatedStoreTest {
    private static final long SEED = 0x9e7e;

    private record Event(long time, long transaction, boolean commit) {}

    /** A transaction of the history as text. */
    private static List<String> rows(GeneratedRows rows, TransactionPlan plan) throws IOException {
        List<String> texts = new ArrayList<>();
        rows.writeTo(0, plan.transactions(), table -> texts.addAll(rows(table)));
        return texts;
    }

    private static List<String> rows(HistoryTable table) {
        List<String> texts = new ArrayList<>();
        long[] starts = table.starts();
        long[] ends = table.ends();
        for (int t = 0; t < table.transactions(); t++) {
            StringBuilder text = new StringBuilder();
            text.append(table.sessionLabel(table.sessionOf(t))).append('#').append(table.index(t));
            text.append(' ').append(table.status(t));
            if (starts != null && ends != null) {
                text.append(' ').append(starts[t]).append("..").append(ends[t]);
            }
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                int key = table.operationKeys()[o];
                text.append((key & 1) != 0 ? " w(" : " r(");
                text.append(table.keys().label(key >>> 1)).append(',');
                text.append(table.values().label(table.value(o))).append(')');
            }
            texts.add(text.toString());
        }
        return texts;
    }

    /** Runs event by event, with a map of versions for the whole store and one for each snapshot. */
    private static List<String> plainly(TransactionPlan plan, boolean timed) {
        List<Event> events = new ArrayList<>();
        for (long t = 0; t < plan.transactions(); t++) {
            events.add(new Event(plan.snapshot(t, plan.commit(t)), t, false));
            events.add(new Event(plan.commit(t), t, true));
        }
        events.sort(Comparator.comparingLong(Event::time)
                .thenComparingLong(Event::transaction)
                .thenComparing(Event::commit));
        Map<Integer, Long> store = new HashMap<>();
        Map<Long, Map<Integer, Long>> snapshots = new HashMap<>();
        String[] texts = new String[(int) plan.transactions()];
        for (Event event : events) {
            long t = event.transaction;
            if (!event.commit) {
                snapshots.put(t, new HashMap<>(store));
                continue;
            }
            Map<Integer, Long> snapshot = snapshots.remove(t);
            StringBuilder text = new StringBuilder();
            text.append(t % plan.sessions()).append('#').append(t / plan.sessions());
            text.append(' ').append(plan.outcome(t));
            if (timed) {
                text.append(' ').append(plan.start(t)).append("..").append(plan.end(t));
            }
            Map<Integer, Long> own = new HashMap<>();
            for (int o = 0; o < plan.operations(t); o++) {
                int key = plan.key(t, o);
                boolean changed =
                        !plan.mayOverlap() && store.getOrDefault(key, 0L) != (long) snapshot.getOrDefault(key, 0L);
                boolean write = plan.isWrite(t, o) && !(plan.takesEffect(t) && changed);
                if (write) {
                    own.put(key, plan.write(t, o));
                }
                Map<Integer, Long> seen = plan.seesCommit(t, o) ? store : snapshot;
                long value = own.getOrDefault(key, seen.getOrDefault(key, 0L));
                text.append(write ? " w(" : " r(").append(key).append(',');
                text.append(plan.value(value, key)).append(')');
            }
            if (plan.takesEffect(t)) {
                store.putAll(own);
            }
            texts[(int) plan.row(t)] = text.toString();
        }
        return List.of(texts);
    }

    private static Workload random(Random random) {
        Workload workload = new Workload()
                .seed(random.nextLong())
                .transactions(1 + random.nextInt(800))
                .sessions(1 + random.nextInt(30))
                .operations(1 + random.nextInt(3), 3 + random.nextInt(7))
                .modifies(random.nextInt(5) / 5.0)
                .keys(1 + random.nextInt(60))
                .reads(random.nextInt(11) / 10.0)
                .distribution(Distribution.values()[random.nextInt(3)])
                .level(Level.values()[random.nextInt(4)])
                .aborted(random.nextInt(3) / 10.0)
                .indeterminate(random.nextInt(3) / 10.0);
        return random.nextBoolean()
                ? workload
                : workload.values(1 + random.nextInt(5)).repeats(random.nextInt(5) / 4.0);
    }

    @Test
    void playsAsPlainMapsDo() throws IOException {
        Random random = new Random(SEED);
        int lost = 0;
        int rounds = SuiteScale.of(400, 80);
        for (int i = 0; i < rounds; i++) {
            TransactionPlan plan = random(random).plan();
            List<String> expected = plainly(plan, true);
            assertThat(rows(GeneratedRows.all(plan, done -> {}), plan))
                    .as("workload %s of seed %s: %s", i, SEED, plan.workload().json())
                    .isEqualTo(expected);
            for (long t = 0; t < plan.transactions(); t++) {
                for (int o = 0; o < plan.operations(t); o++) {
                    String row = expected.get((int) plan.row(t));
                    lost += plan.isWrite(t, o) && row.split(" ")[3 + o].startsWith("r") ? 1 : 0;
                }
            }
        }
        assertThat(lost).as("writes that lost").isGreaterThan(rounds * 5 / 2);
    }

    /** Each level keeps what it guarantees, in real time too. */
    @Test
    void levelsKeepTheirPromise() {
        Random random = new Random(SEED);
        for (int i = 0; i < SuiteScale.of(4_000); i++) {
            Workload workload = random(random)
                    .transactions(6)
                    .sessions(1 + i % 4)
                    .operations(1, 4)
                    .keys(1 + i % 3);
            String promised = List.of("SSER", "SSI", "PC", "RC").get(workload.level.ordinal());
            assertThat(Definitions.accepts(workload.table(), promised))
                    .as("workload %s of seed %s: %s", i, SEED, workload.json())
                    .isTrue();
        }
    }

    @Test
    void modifiesWhatItReadsAndRepeatsWhereAsked() throws IOException {
        TransactionPlan plan = Workloads.of("transactions 2000 keys 40 operations 2 9 modifies 1 values 3 repeats 0.5")
                .plan();
        int[] counts = new int[10];
        Map<Integer, List<Long>> values = new HashMap<>();
        for (long t = 0; t < plan.transactions(); t++) {
            int count = plan.operations(t);
            counts[count]++;
            for (int o = 0; o < count; o++) {
                if (o + 1 < count || o % 2 == 1) {
                    assertThat(plan.isWrite(t, o)).isEqualTo(o % 2 == 1);
                    assertThat(plan.key(t, o)).isEqualTo(plan.key(t, o & ~1));
                }
                if (plan.isWrite(t, o)) {
                    values.computeIfAbsent(plan.key(t, o), k -> new ArrayList<>())
                            .add(plan.value(plan.write(t, o), plan.key(t, o)));
                }
            }
        }
        assertThat(counts).startsWith(0, 0).satisfies(c -> {
            for (int n = 2; n < 10; n++) {
                assertThat(c[n]).isBetween(150, 350);
            }
        });
        assertThat(plan.totalOperations()).isBetween(10_000L, 12_000L);
        long repeating = values.values().stream()
                .filter(written -> written.stream().distinct().count() < written.size())
                .count();
        assertThat(repeating).isBetween(8L, 32L);
        assertThat(values.values().stream()
                        .filter(written -> written.stream().distinct().count() <= 3)
                        .count())
                .isEqualTo(repeating);
    }

    /** More than a batch, so that open transactions are kept for the next one. */
    @Test
    void batchesDoNotShow() throws IOException {
        for (Level level : Level.values()) {
            TransactionPlan plan = Workloads.of("transactions 20000 sessions 37 operations 3 keys 40")
                    .level(level)
                    .seed(SEED)
                    .plan();
            assertThat(rows(GeneratedRows.all(plan, done -> {}), plan)).isEqualTo(plainly(plan, true));
        }
    }

    @Test
    void slicesOfKeysFindTheSame() throws IOException {
        Random random = new Random(SEED);
        for (int i = 0; i < 60; i++) {
            TransactionPlan plan = random(random).plan();
            GeneratedRows whole = GeneratedRows.all(plan, done -> {});
            GeneratedRows sliced = new GeneratedRows(plan, 0, plan.transactions());
            int slices = 1 + random.nextInt(9);
            for (int slice = 0; slice < slices; slice++) {
                SimulatedStore store = new SimulatedStore(
                        plan, slices, slice, (t, o, write) -> sliced.read(sliced.place(t, o), write));
                for (long t = 0; t < plan.transactions(); t++) {
                    for (int o = 0; o < plan.operations(t); o++) {
                        int key = plan.key(t, o);
                        if (key % slices == slice) {
                            store.add(t, o, key, plan.isWrite(t, o));
                        }
                    }
                }
                store.finish();
            }
            assertThat(rows(sliced, plan)).as("workload %s of seed %s", i, SEED).isEqualTo(rows(whole, plan));
        }
    }

    @Test
    void partsAreRangesOfRows() throws IOException {
        TransactionPlan plan = new Workload().transactions(1_003).sessions(7).plan();
        GeneratedRows rows = GeneratedRows.all(plan, done -> {});
        List<String> parts = new ArrayList<>();
        for (int from = 0; from < 1_003; from += 100) {
            rows.writeTo(from, Math.min(1_003, from + 100), table -> parts.addAll(rows(table)));
        }
        assertThat(parts).isEqualTo(rows(rows, plan));
        for (long t = 0; t < 1_003; t++) {
            assertThat(plan.transactionOf(plan.row(t))).isEqualTo(t);
        }
    }

    @Test
    void timesAreInOrderAndOverlap() {
        for (Level level : Level.values()) {
            TransactionPlan plan = new Workload()
                    .transactions(5_000)
                    .sessions(16)
                    .level(level)
                    .seed(SEED)
                    .plan();
            long overlaps = 0;
            for (long t = 0; t < 5_000; t++) {
                long commit = plan.commit(t);
                assertThat(plan.start(t)).isGreaterThanOrEqualTo(plan.slotStart(t));
                assertThat(plan.start(t)).isLessThan(plan.snapshot(t, commit));
                assertThat(commit)
                        .isGreaterThanOrEqualTo(plan.snapshot(t, commit))
                        .isLessThan(plan.end(t));
                assertThat(level == Level.SER || plan.snapshot(t, commit) < commit)
                        .isTrue();
                if (t >= 16) {
                    assertThat(plan.end(t - 16)).isLessThan(plan.start(t));
                }
                for (long other = t + 1; other < Math.min(5_000, t + 16); other++) {
                    overlaps += plan.start(other) < plan.end(t) && plan.start(t) < plan.end(other) ? 1 : 0;
                }
            }
            assertThat(overlaps / 5_000.0).as("others that overlap").isBetween(1.5, 10.0);
        }
    }

    @Test
    void clocksDifferByTheirBoundAndSessionsStayInOrder() {
        TransactionPlan plan =
                new Workload().transactions(2_000).sessions(20).skew(1_000_000).plan();
        TransactionPlan exact = new Workload().transactions(2_000).sessions(20).plan();
        List<Long> ahead = new ArrayList<>();
        for (long t = 0; t < 2_000; t++) {
            long by = plan.start(t) - exact.start(t);
            assertThat(plan.end(t) - exact.end(t)).isEqualTo(by);
            assertThat(by).isBetween(0L, 1_000_000L);
            if (t < 20) {
                ahead.add(by);
            }
            assertThat(by).isEqualTo(ahead.get((int) (t % 20)));
        }
        assertThat(ahead.stream().distinct().count()).isGreaterThan(15);
    }

    @Test
    void sharesAndFrequenciesAreAsAsked() {
        Workload workload =
                Workloads.of("transactions 20000 operations 10 keys 1000 reads 0.3 aborted 0.1 indeterminate 0.2");
        assertThat(frequency(workload, Distribution.UNIFORM)[0]).isBetween(130, 270);
        int[] zipf = frequency(workload.zipf(1), Distribution.ZIPF);
        // Weight 1 / (k + 1) of a sum of 7.485.
        assertThat(zipf[0]).isBetween(25_900, 27_500);
        assertThat(zipf[9]).isBetween(2_450, 2_900);
        int hot = 0;
        int[] hotspot = frequency(workload.hot(0.02, 0.7), Distribution.HOTSPOT);
        for (int k = 0; k < 20; k++) {
            hot += hotspot[k];
        }
        assertThat(hot).isBetween(138_500, 141_500);

        TransactionPlan plan = workload.plan();
        int reads = 0;
        int[] outcomes = new int[3];
        int effects = 0;
        for (long t = 0; t < 20_000; t++) {
            TransactionStatus outcome = plan.outcome(t);
            outcomes[outcome.code()]++;
            effects += outcome == TransactionStatus.INDETERMINATE && plan.takesEffect(t) ? 1 : 0;
            for (int o = 0; o < 10; o++) {
                reads += plan.isWrite(t, o) ? 0 : 1;
            }
        }
        assertThat(reads).isBetween(59_000, 61_000);
        assertThat(outcomes[TransactionStatus.ABORTED.code()]).isBetween(1_850, 2_150);
        assertThat(outcomes[TransactionStatus.INDETERMINATE.code()]).isBetween(3_800, 4_200);
        assertThat(effects).isBetween(1_850, 2_150);
    }

    private static int[] frequency(Workload workload, Distribution distribution) {
        TransactionPlan plan = workload.distribution(distribution).plan();
        int[] count = new int[1_000];
        for (long t = 0; t < 20_000; t++) {
            for (int o = 0; o < 10; o++) {
                count[plan.key(t, o)]++;
            }
        }
        return count;
    }

    /**
     * A seed must always give the same history. A change of these rows changes every history that was measured by its
     * seed.
     */
    @Test
    void aSeedNamesItsHistory() throws IOException {
        TransactionPlan plan = Workloads.of(
                        "transactions 6 sessions 5 operations 3 keys 4 level SI distribution ZIPF indeterminate 0.3")
                .plant(PlantedAnomaly.WRITE_SKEW, 2)
                .seed(7)
                .plan();
        assertThat(rows(GeneratedRows.all(plan, done -> {}), plan))
                .containsExactly(
                        "0#0 COMMITTED 14589..38027 w(0,1) r(0,1) r(3,0)",
                        "0#1 COMMITTED 50873..95770 w(0,16) w(0,17) w(0,18)",
                        "1#0 INDETERMINATE 23837..59910 r(0,0) r(0,0) r(0,0)",
                        "2#0 COMMITTED 20001..37500 r(4,0) r(5,0) w(4,9)",
                        "3#0 COMMITTED 30001..37500 r(4,0) r(5,0) w(5,12)",
                        "4#0 COMMITTED 43754..71539 r(0,1) r(0,1) r(0,1)");
    }
}
