package org.polygraph.jobs.certificate.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.polygraph.jobs.certificate.format.Guarantee;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryTableBuilder;
import org.polygraph.storage.testkit.HistoryDsl;

/** Compares the replay by slices of keys with the replay of the whole: counts and first discrepancy are equal. */
class KeyReplayTest {
    private static final long SEED = 0x6e7;
    private static final int[] SLICES = {1, 3, 17};
    /**
     * The most operations of a window of a key: with 1, keys of three or more operations are split; with a large
     * number, none.
     */
    private static final int[] PER_RANGE = {1, 2, 1_000};

    private static final List<Guarantee> ORDERS =
            Arrays.stream(Guarantee.values()).filter(p -> !p.isAxiom()).toList();

    /** Transactions and their order. The order is executed to make the reads; then one value may be made wrong. */
    static final class Execution {
        private final Random random;
        private final Guarantee guarantee;
        private final int transactions;
        private final int[] position;
        private final HistoryTable table;
        private final boolean[] counted;

        Execution(long seed, Guarantee guarantee) throws HistoryException {
            this.random = new Random(seed);
            this.guarantee = guarantee;
            this.transactions = 1 + random.nextInt(14);
            int events = guarantee.events();
            this.position = new int[transactions * events];
            int sessions = 1 + random.nextInt(4);
            int keys = 1 + random.nextInt(random.nextBoolean() ? 4 : 40);
            boolean values = random.nextBoolean();
            List<Integer> order = new ArrayList<>();
            for (int t = 0; t < transactions; t++) {
                int at = order.size();
                for (int e = 0; e < events; e++) {
                    order.add(t * events + e);
                }
                // A snapshot may be older than the last commits of other sessions.
                while (events == 2
                        && at > 0
                        && order.get(at - 1) / 2 % sessions != t % sessions
                        && random.nextBoolean()) {
                    Collections.swap(order, at - 1, at);
                    at--;
                }
            }
            for (int p = 0; p < order.size(); p++) {
                position[order.get(p)] = p;
            }
            TransactionStatus[] outcomes = new TransactionStatus[transactions];
            int[][] operations = new int[transactions][];
            for (int t = 0; t < transactions; t++) {
                int roll = random.nextInt(12);
                outcomes[t] = roll == 0
                        ? TransactionStatus.ABORTED
                        : roll == 1 ? TransactionStatus.INDETERMINATE : TransactionStatus.COMMITTED;
                operations[t] = random.ints(random.nextInt(6), 0, 2 * keys).toArray();
            }
            boolean[] applied = new boolean[transactions];
            for (int t = 0; t < transactions; t++) {
                applied[t] = outcomes[t] == TransactionStatus.COMMITTED
                        || (outcomes[t] == TransactionStatus.INDETERMINATE && random.nextBoolean());
            }
            long[][] executed = execute(order, operations, applied, keys, values ? 3 : 1_000);
            // The builder sorts transactions by session, so their numbers differ there.
            int[] renamed = new int[transactions];
            int next = 0;
            HistoryTableBuilder builder = new HistoryTableBuilder(HistoryTable.Unit.LINE);
            builder.file("random");
            builder.initialValue(builder.values().code(0));
            for (int s = 0; s < sessions; s++) {
                for (int t = s; t < transactions; t += sessions) {
                    renamed[t] = next++;
                    builder.begin(s, t, outcomes[t], t + 1L);
                    if (guarantee.realTime()) {
                        builder.times(
                                10L * position[t * events],
                                10L * position[t * events + events - 1] + 1 + random.nextInt(9));
                    }
                    for (int i = 0; i < operations[t].length; i++) {
                        int key = builder.keys().id(operations[t][i] >> 1);
                        long value = builder.values().code(executed[t][i]);
                        if ((operations[t][i] & 1) == 1) {
                            builder.write(key, value);
                        } else {
                            builder.read(key, value);
                        }
                    }
                    builder.end();
                }
            }
            this.table = builder.build();
            this.counted = new boolean[transactions];
            int[] places = position.clone();
            for (int t = 0; t < transactions; t++) {
                counted[renamed[t]] = applied[t];
                System.arraycopy(places, t * events, position, renamed[t] * events, events);
            }
        }

        /** Executes the operations; in one of four executions one value is wrong. */
        private long[][] execute(List<Integer> order, int[][] operations, boolean[] applied, int keys, int values) {
            long[] current = new long[keys];
            long[][] executed = new long[transactions][];
            for (int e : order) {
                int t = e / guarantee.events();
                if (guarantee.events() == 1 || (e & 1) == 0) {
                    long[] mine = current.clone();
                    executed[t] = new long[operations[t].length];
                    for (int i = 0; i < executed[t].length; i++) {
                        int key = operations[t][i] >> 1;
                        if ((operations[t][i] & 1) == 1) {
                            mine[key] = 1L + random.nextInt(values);
                        }
                        executed[t][i] = mine[key];
                    }
                }
                if (applied[t] && e % guarantee.events() == guarantee.events() - 1) {
                    for (int i = 0; i < executed[t].length; i++) {
                        if ((operations[t][i] & 1) == 1) {
                            current[operations[t][i] >> 1] = executed[t][i];
                        }
                    }
                }
            }
            int victim = random.nextInt(transactions);
            if (random.nextInt(4) == 0 && executed[victim].length > 0) {
                executed[victim][random.nextInt(executed[victim].length)] = random.nextInt(4);
            }
            return executed;
        }

        /**
         * The order itself, or a changed one: two events exchanged, a place out of range or used twice, or another
         * transaction counts.
         */
        Witness witness() {
            int[] places = position.clone();
            boolean[] who = counted.clone();
            int m = places.length;
            switch (random.nextInt(8)) {
                case 0, 1 -> {
                    int a = random.nextInt(m);
                    int b = random.nextInt(m);
                    int x = places[a];
                    places[a] = places[b];
                    places[b] = x;
                }
                case 2 -> {
                    // Neighbours are exchanged, which often keeps the order of sessions.
                    int p = random.nextInt(m);
                    for (int e = 0; e < m; e++) {
                        places[e] = position[e] == p ? (p + 1) % m : position[e] == (p + 1) % m ? p : position[e];
                    }
                }
                case 3 -> places[random.nextInt(m)] = random.nextInt(m + 2) - 1;
                case 4 -> who[random.nextInt(who.length)] ^= true;
                default -> {}
            }
            return new Witness(table, Terms.of(guarantee), who, places);
        }
    }

    @Test
    void agreesWithTheReplayOfAll() throws HistoryException {
        int rounds = 20_000;
        int held = 0;
        int reads = 0;
        int overlaps = 0;
        int own = 0;
        for (int i = 0; i < rounds; i++) {
            Witness witness = new Execution(SEED + i, ORDERS.get(i % ORDERS.size())).witness();
            Replay.Result expected = Replay.of(witness);
            for (int slices : SLICES) {
                int perRange = PER_RANGE[(i + slices) % PER_RANGE.length];
                assertThat(Slices.replay(witness, slices, perRange))
                        .as(
                                "seed %d, %s, %d slices, %d",
                                SEED + i, witness.terms().guarantee(), slices, perRange)
                        .isEqualTo(expected);
            }
            String wrong = expected.discrepancy();
            held += wrong == null ? 1 : 0;
            reads += wrong != null && wrong.contains("the last value committed") ? 1 : 0;
            own += wrong != null && wrong.contains("its own latest write") ? 1 : 0;
            overlaps += wrong != null && wrong.contains("overlap") ? 1 : 0;
        }
        assertThat(held).isBetween(rounds / 4, rounds * 3 / 4);
        assertThat(reads).isGreaterThan(rounds / 20);
        assertThat(own).isGreaterThan(rounds / 200);
        assertThat(overlaps).isGreaterThan(rounds / 100);
    }

    /**
     * All orders of tiny histories with one transaction a session: every discrepancy of keys occurs, in all
     * combinations.
     */
    @Test
    void agreesOnAnyOrderOfTinyHistories() throws HistoryException {
        int held = 0;
        for (int i = 0; i < 30_000; i++) {
            Random random = new Random(SEED - i);
            int n = 1 + random.nextInt(4);
            HistoryTableBuilder builder = new HistoryTableBuilder(HistoryTable.Unit.LINE);
            builder.file("tiny");
            builder.initialValue(0);
            for (int t = 0; t < n; t++) {
                builder.begin(t, 0, TransactionStatus.COMMITTED, t + 1L);
                for (int o = random.nextInt(5); o > 0; o--) {
                    int key = builder.keys().id(random.nextInt(3));
                    long value = builder.values().code(random.nextInt(2));
                    if (random.nextBoolean()) {
                        builder.write(key, value);
                    } else {
                        builder.read(key, value);
                    }
                }
                builder.end();
            }
            Guarantee guarantee = ORDERS.get(i % 2);
            List<Integer> places = new ArrayList<>();
            for (int p = 0; p < n * guarantee.events(); p++) {
                places.add(p);
            }
            Collections.shuffle(places, random);
            int[] position = places.stream().mapToInt(p -> p).toArray();
            if (guarantee.events() == 2) {
                for (int t = 0; t < n; t++) {
                    int from = Math.min(position[2 * t], position[2 * t + 1]);
                    position[2 * t + 1] = position[2 * t] + position[2 * t + 1] - from;
                    position[2 * t] = from;
                }
            }
            boolean[] all = new boolean[n];
            Arrays.fill(all, true);
            Witness witness = new Witness(builder.build(), Terms.of(guarantee), all, position);
            Replay.Result expected = Replay.of(witness);
            for (int slices : SLICES) {
                int perRange = PER_RANGE[(i + slices) % PER_RANGE.length];
                assertThat(Slices.replay(witness, slices, perRange))
                        .as("seed %d, %s, %d slices, %d", SEED - i, guarantee, slices, perRange)
                        .isEqualTo(expected);
            }
            held += expected.holds() ? 1 : 0;
        }
        assertThat(held).isBetween(3_000, 27_000);
    }

    @Test
    void axiomsAreReplayedWhole() {
        HistoryTable table = HistoryDsl.parse("init 0; s0: w(x,1); s1: r(x,1)");
        Witness witness = new Witness(table, Terms.of(Guarantee.RA), new boolean[] {true, true}, new int[] {0, 1});
        assertThat(SlicedReplay.of(witness, 3, 10).known())
                .isEqualTo(Replay.of(witness))
                .matches(r -> r != null && r.holds());
    }

    /** An order must not hold because a slice was lost. */
    @Test
    void everySliceCountsOnce() {
        HistoryTable table = HistoryDsl.parse("init 0; s0: w(x,1) w(y,1); s1: r(x,1)");
        Witness witness = new Witness(table, Terms.of(Guarantee.SER), new boolean[] {true, true}, new int[] {0, 1});
        SlicedReplay replay = SlicedReplay.of(witness, 2, 10);
        List<byte[]> rows = Slices.deal(replay, witness);
        byte[] x = KeyReplay.of(rows.get(0), table.initialValue());
        byte[] y = KeyReplay.of(rows.get(1), table.initialValue());
        assertThat(replay.merge(List.of(y, x))).isEqualTo(Replay.of(witness));
        assertThatThrownBy(() -> replay.merge(List.of(x)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("slice 1 replayed 0 operations of 1");
        assertThatThrownBy(() -> replay.merge(List.of(x, y, x)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("slice 0 replayed 4 operations of 2");
        byte[] cut = Arrays.copyOf(rows.get(0), rows.get(0).length - 1);
        assertThatThrownBy(() -> KeyReplay.of(cut, 0)).hasMessageContaining("not a whole number of rows");
    }
}
