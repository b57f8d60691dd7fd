package org.polygraph.jobs.certificate.replay;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.polygraph.jobs.certificate.format.Guarantee;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.HistoryDsl;

class ReplayTest {
    private static final List<Guarantee> GUARANTEES =
            Arrays.stream(Guarantee.values()).filter(p -> !p.hasPlainWrites()).toList();
    private static final Guarantee SER = Guarantee.SER;

    private static boolean[] committed(HistoryTable table) {
        boolean[] counted = new boolean[table.transactions()];
        for (int t = 0; t < counted.length; t++) {
            counted[t] = table.status(t) == TransactionStatus.COMMITTED;
        }
        return counted;
    }

    private static String replay(HistoryTable table, Terms terms, boolean[] counted, int[] position) {
        return Replay.of(new Witness(table, terms, counted, position)).discrepancy();
    }

    private static int[] positions(int[] order) {
        int[] position = new int[order.length];
        for (int p = 0; p < order.length; p++) {
            position[order[p]] = p;
        }
        return position;
    }

    /**
     * Terms, whether each transaction counts (or those that committed), the order of the events from the first to the
     * last, and a part of what is wrong with it.
     */
    @ParameterizedTest
    @CsvFileSource(resources = "/replays.txt", delimiter = '/')
    void judges(String history, String terms, String counted, String order, String wrong) {
        HistoryTable table = HistoryDsl.parse("init 0; " + history);
        boolean[] flags = committed(table);
        for (int t = 0; counted != null && t < flags.length; t++) {
            flags[t] = counted.charAt(t) == '1';
        }
        String[] events = order.split(" ");
        int[] position = new int[events.length];
        Arrays.fill(position, -1);
        for (int p = 0; p < events.length; p++) {
            if (!events[p].equals("-")) {
                position[Integer.parseInt(events[p])] = p;
            }
        }
        String[] of = terms.split(" ");
        Terms given = new Terms(
                Guarantee.valueOf(of[0]),
                terms.matches(".* \\d") ? Long.parseLong(of[1]) : 0,
                terms.endsWith("ABORT") ? IndeterminateMode.ABORT : IndeterminateMode.MAYBE);
        String found = replay(table, given, flags, position);
        if (wrong == null) {
            assertThat(found).isNull();
        } else {
            assertThat(found).contains(wrong);
        }
    }

    /** RC would allow each of these reads, and it does not consider refused compare-and-sets. */
    @Test
    void linearizabilityIsReplayedByItsOwnDefinition() {
        HistoryTable table = HistoryDsl.parse("init 0; s0: @0..9 w(1,5); s1: @0..9 w(1,6); s2: @0..9 r(1,5)");
        for (int[] position : new int[][] {{0, 1, 2}, {1, 0, 2}, {0, 2, 1}}) {
            Witness witness = new Witness(table, Terms.of(Guarantee.LIN), committed(table), position);
            assertThat(Replay.of(witness).holds())
                    .as(Arrays.toString(position))
                    .isEqualTo(position[0] > 0 || position[2] == 1);
        }
        HistoryTable refused = HistoryDsl.parse("init 0; s0: @0..9 w(x,5); s1: @0..9 r(x,5)");
        refused.operationValues()[1] = refused.values().otherThan(7);
        Witness witness = new Witness(refused, Terms.of(Guarantee.LIN), committed(refused), new int[] {0, 1});
        assertThat(Replay.of(witness).discrepancy()).isNull();
    }

    @Test
    void rejectsWhatIsNoPermutation() {
        HistoryTable table = HistoryDsl.parse("init 0; s0: w(1,5); s1: w(1,6)");
        boolean[] all = {true, true};
        assertThat(replay(table, Terms.of(SER), all, new int[] {1, 1}))
                .isEqualTo(
                        "transaction (session 0, index 0) at dsl:2 and transaction (session 1, index 0) at dsl:3 have the same place");
        assertThat(replay(table, Terms.of(SER), all, new int[] {0, 2}))
                .isEqualTo("transaction (session 1, index 0) at dsl:3 has place 2 of 2");
        assertThat(replay(table, Terms.of(SER), all, new int[] {-1, 0})).contains("place -1");
        assertThat(replay(table, Terms.of(SER), all, new int[] {0})).isEqualTo("1 places for 2 events");
        assertThat(replay(table, Terms.of(SER), new boolean[1], new int[] {0, 1}))
                .isEqualTo("1 flags for 2 transactions");
    }

    @Test
    void counts() {
        HistoryTable table = HistoryDsl.parse("init 0; s0: w(x,1) r(x,1) r(y,0) w(x,2); s1: !w(x,3) r(x,3)");
        Replay.Result result =
                Replay.of(new Witness(table, Terms.of(SER), new boolean[] {true, false}, new int[] {0, 1}));
        assertThat(result).isEqualTo(new Replay.Result(null, 1, 2, 1, 2));
    }

    /** Compares random small histories and orders with a replay that keeps a full snapshot for every transaction. */
    @Test
    void agreesWithANaiveReplay() {
        long seed = 7;
        Random random = new Random(seed);
        int accepted = 0;
        for (int round = 0; round < 20_000; round++) {
            int n = 1 + random.nextInt(4);
            StringBuilder text = new StringBuilder("init 0");
            for (int t = 0; t < n; t++) {
                int start = random.nextInt(20);
                text.append(t % 2 == 0 ? "; s" + t / 2 + ": " : " | ");
                text.append("@%d..%d ".formatted(start, start + random.nextInt(10)));
                text.append(random.nextInt(8) == 0 ? "!" : random.nextInt(8) == 0 ? "?" : "");
                for (int o = 1 + random.nextInt(2); o > 0; o--) {
                    String kind = random.nextBoolean() ? "r" : "w";
                    text.append("%s(%d,%d) ".formatted(kind, random.nextInt(2), random.nextInt(2)));
                }
            }
            HistoryTable table = HistoryDsl.parse(text.toString());
            Guarantee level = GUARANTEES.get(random.nextInt(GUARANTEES.size()));
            int[] order = shuffled(n * level.events(), random);
            boolean[] counted = committed(table);
            for (int t = 0; t < n; t++) {
                counted[t] |= table.status(t) == TransactionStatus.INDETERMINATE && random.nextBoolean();
            }
            boolean ok = replay(table, Terms.of(level), counted, positions(order)) == null;
            assertThat(ok)
                    .as("seed %d round %d: %s %s %s", seed, round, level, text, Arrays.toString(order))
                    .isEqualTo(naive(table, level, counted, order));
            accepted += ok ? 1 : 0;
        }
        assertThat(accepted).isBetween(2_000, 18_000);
    }

    private static int[] shuffled(int m, Random random) {
        int[] order = new int[m];
        for (int e = 0; e < m; e++) {
            int j = random.nextInt(e + 1);
            order[e] = order[j];
            order[j] = e;
        }
        return order;
    }

    private static boolean naive(HistoryTable table, Guarantee level, boolean[] counted, int[] order) {
        int events = level.events();
        int[] position = positions(order);
        long[] begin = new long[table.transactions()];
        long[] commit = new long[table.transactions()];
        for (int t = 0; t < begin.length; t++) {
            begin[t] = position[events * t];
            commit[t] = position[events * t + events - 1];
        }
        return NaiveReplay.explains(table, level, counted, begin, commit);
    }
}
