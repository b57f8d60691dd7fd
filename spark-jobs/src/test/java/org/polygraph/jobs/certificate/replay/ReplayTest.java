package org.polygraph.jobs.certificate.replay;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.polygraph.jobs.certificate.format.Guarantee;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryTableBuilder;
import org.polygraph.storage.table.SourceFiles;
import org.polygraph.storage.testkit.HistoryDsl;

class ReplayTest {
    private static final List<Guarantee> GUARANTEES =
            Arrays.stream(Guarantee.values()).filter(p -> !p.isAxiom()).toList();
    private static final Guarantee SER = Guarantee.SER;
    private static final Guarantee SI = Guarantee.SI;

    /**
     * A short notation of a history: each string is a transaction, {@code session[!?][@start..end] ops}, such as {@code
     * "0 r1=0 w1=5"}; {@code !} aborted, {@code ?} indeterminate. Initial value 0. Sessions must ascend.
     */
    private static HistoryTable history(String... transactions) throws HistoryException {
        HistoryTableBuilder builder = new HistoryTableBuilder(SourceFiles.Unit.LINE);
        builder.file("h");
        builder.initialValue(0);
        for (int t = 0; t < transactions.length; t++) {
            String[] words = transactions[t].split(" ", -1);
            String[] head = words[0].split("@", 2);
            TransactionStatus outcome = head[0].endsWith("!")
                    ? TransactionStatus.ABORTED
                    : head[0].endsWith("?") ? TransactionStatus.INDETERMINATE : TransactionStatus.COMMITTED;
            builder.begin(Long.parseLong(head[0].replaceAll("[!?]", "")), t, outcome, t + 1);
            if (head.length == 2) {
                String[] times = head[1].split("\\.\\.", 2);
                builder.times(Long.parseLong(times[0]), Long.parseLong(times[1]));
            }
            for (int i = 1; i < words.length; i++) {
                String[] sides = words[i].substring(1).split("=", 2);
                int key = builder.keys().id(Long.parseLong(sides[0]));
                long value = builder.values().code(Long.parseLong(sides[1]));
                if (words[i].charAt(0) == 'w') {
                    builder.write(key, value);
                } else {
                    builder.read(key, value);
                }
            }
            builder.end();
        }
        return builder.build();
    }

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

    /** @param order the events from the first to the last */
    private static String check(HistoryTable table, Guarantee level, int... order) {
        int[] position = new int[order.length];
        for (int p = 0; p < order.length; p++) {
            position[order[p]] = p;
        }
        return replay(table, Terms.of(level), committed(table), position);
    }

    @Test
    void acceptsASerialOrder() throws HistoryException {
        HistoryTable table = history("0 w1=5 r1=5 w1=6 r1=6", "0 r1=6", "1 r1=0 r2=0", "2! w1=9 r2=7");
        assertThat(check(table, SER, 2, 0, 1, 3)).isNull();
        assertThat(check(table, SER, 3, 2, 0, 1)).isNull();
    }

    @Test
    void rejectsAStaleRead() throws HistoryException {
        HistoryTable table = history("0 w1=5", "1 r1=0");
        assertThat(check(table, SER, 0, 1))
                .isEqualTo("transaction (session 1, index 1) at h:2 read key 1 = 0, but the last value committed before"
                        + " it is 5");
        assertThat(check(table, SER, 1, 0)).isNull();
    }

    /** RC would allow each of these reads, and it does not consider refused compare-and-sets. */
    @Test
    void linearizabilityIsReplayedByItsOwnDefinition() throws HistoryException {
        HistoryTable table = history("0@0..9 w1=5", "1@0..9 w1=6", "2@0..9 r1=5");
        for (int[] position : new int[][] {{0, 1, 2}, {1, 0, 2}, {0, 2, 1}}) {
            Witness witness = new Witness(table, Terms.of(Guarantee.LIN), committed(table), position);
            assertThat(Replay.byDefinition(witness))
                    .as(Arrays.toString(position))
                    .isEqualTo(Replay.of(witness));
            assertThat(Replay.of(witness).holds())
                    .as(Arrays.toString(position))
                    .isEqualTo(position[0] > 0 || position[2] == 1);
        }
        HistoryTable refused = HistoryDsl.parse("init 0; s0: @0..9 w(x,5); s1: @0..9 r(x,5)");
        refused.operationValues()[1] = refused.values().otherThan(7);
        Witness witness = new Witness(refused, Terms.of(Guarantee.LIN), committed(refused), new int[] {0, 1});
        assertThat(Replay.byDefinition(witness).discrepancy()).isNull();
    }

    @Test
    void rejectsAReadThatMissesItsOwnWrite() throws HistoryException {
        assertThat(check(history("0 w1=5 w1=6 r1=5"), SER, 0)).contains("its own latest write is 6");
        assertThat(check(history("0 w1=5 r1=0"), SI, 0, 1)).contains("its own latest write is 5");
    }

    @Test
    void rejectsIntermediateAbortedAndFutureReads() throws HistoryException {
        assertThat(check(history("0 w1=5 w1=6", "1 r1=5"), SER, 0, 1)).contains("read key 1 = 5");
        assertThat(check(history("0! w1=5", "1 r1=5"), SER, 0, 1)).contains("before it is 0");
        assertThat(check(history("0 r1=5 w1=5"), SER, 0)).contains("before it is 0");
    }

    @Test
    void rejectsAnOrderAgainstASession() throws HistoryException {
        HistoryTable table = history("0 w1=5", "0 w2=6");
        assertThat(check(table, SER, 1, 0)).contains("which its session ran earlier");
        assertThat(check(table, SI, 0, 2, 1, 3)).contains("which its session ran earlier");
        assertThat(check(table, SI, 0, 1, 2, 3)).isNull();
    }

    @Test
    void sessionOrderHoldsAcrossATransactionThatDoesNotCount() throws HistoryException {
        HistoryTable table = history("0 w1=5", "0! w2=6", "0 w3=7");
        assertThat(check(table, SER, 1, 2, 0)).contains("which its session ran earlier");
        assertThat(check(table, SER, 1, 0, 2)).isNull();
    }

    @Test
    void snapshotIsolationAcceptsWriteSkewAndRejectsLostUpdate() throws HistoryException {
        HistoryTable skew = history("0 r1=0 r2=0 w1=5", "1 r1=0 r2=0 w2=6");
        assertThat(check(skew, SI, 0, 2, 1, 3)).isNull();
        assertThat(check(skew, SER, 0, 1)).isNotNull();
        assertThat(check(skew, SER, 1, 0)).isNotNull();
        HistoryTable lost = history("0 r1=0 w1=5", "1 r1=0 w1=6");
        assertThat(check(lost, SI, 0, 2, 1, 3)).contains("overlap and both write key 1");
        assertThat(check(lost, SI, 0, 1, 2, 3)).contains("before it is 5");
    }

    @Test
    void aNestedWriterOverlapsToo() throws HistoryException {
        HistoryTable table = history("0 w1=5", "1 w1=6");
        assertThat(check(table, SI, 0, 2, 3, 1)).contains("overlap");
        assertThat(check(table, SI, 2, 0, 1, 3)).contains("overlap");
        assertThat(check(table, SI, 2, 3, 0, 1)).isNull();
    }

    @Test
    void rejectsACommitBeforeItsSnapshot() throws HistoryException {
        assertThat(check(history("0 w1=5"), SI, 1, 0)).contains("commits before its snapshot");
    }

    @Test
    void rejectsWhatIsNoPermutation() throws HistoryException {
        HistoryTable table = history("0 w1=5", "1 w1=6");
        boolean[] all = {true, true};
        assertThat(replay(table, Terms.of(SER), all, new int[] {1, 1}))
                .isEqualTo(
                        "transaction (session 0, index 0) at h:1 and transaction (session 1, index 1) at h:2 have the same place");
        assertThat(replay(table, Terms.of(SER), all, new int[] {0, 2}))
                .isEqualTo("transaction (session 1, index 1) at h:2 has place 2 of 2");
        assertThat(replay(table, Terms.of(SER), all, new int[] {-1, 0})).contains("place -1");
        assertThat(replay(table, Terms.of(SER), all, new int[] {0})).isEqualTo("1 places for 2 events");
        assertThat(replay(table, Terms.of(SER), new boolean[1], new int[] {0, 1}))
                .isEqualTo("1 flags for 2 transactions");
    }

    @Test
    void flagsMustAgreeWithOutcomes() throws HistoryException {
        HistoryTable table = history("0 w1=5", "1! w1=6", "2? w1=7");
        int[] order = {0, 1, 2};
        assertThat(replay(table, Terms.of(SER), new boolean[] {false, false, false}, order))
                .contains("committed but is not counted");
        assertThat(replay(table, Terms.of(SER), new boolean[] {true, true, false}, order))
                .contains("aborted but is counted");
        assertThat(replay(table, Terms.of(SER), new boolean[] {true, false, true}, order))
                .isNull();
        assertThat(replay(table, Terms.of(SER), new boolean[] {true, false, false}, order))
                .isNull();
    }

    @Test
    void anIndeterminateTransactionExplainsAReadOnlyIfCounted() throws HistoryException {
        HistoryTable table = history("0? w1=5", "1 r1=5");
        int[] order = {0, 1};
        assertThat(replay(table, Terms.of(SER), new boolean[] {true, true}, order))
                .isNull();
        assertThat(replay(table, Terms.of(SER), new boolean[] {false, true}, order))
                .contains("before it is 0");
    }

    @Test
    void termsMayDropIndeterminateTransactions() throws HistoryException {
        HistoryTable table = history("0? w1=5", "1 r2=0");
        Terms dropped = new Terms(SER, 0, IndeterminateMode.ABORT);
        assertThat(replay(table, dropped, new boolean[] {true, true}, new int[] {0, 1}))
                .contains("is indeterminate, which the terms ignore, but is counted");
        assertThat(replay(table, dropped, new boolean[] {false, true}, new int[] {-1, 1}))
                .isNull();
    }

    @Test
    void counts() {
        HistoryTable table = HistoryDsl.parse("init 0; s0: w(x,1) r(x,1) r(y,0) w(x,2); s1: !w(x,3) r(x,3)");
        Replay.Result result =
                Replay.of(new Witness(table, Terms.of(SER), new boolean[] {true, false}, new int[] {0, 1}));
        assertThat(result).isEqualTo(new Replay.Result(null, 1, 2, 1, 2));
    }

    @Test
    void realTimeIsPartOfTheStrictPromises() {
        HistoryTable table = HistoryDsl.parse("init 0; s0: @0..10 w(x,1); s1: @15..20 r(x,0)");
        boolean[] all = {true, true};
        int[] against = {1, 0};
        assertThat(replay(table, Terms.of(SER), all, against)).isNull();
        assertThat(replay(table, Terms.of(Guarantee.SSER), all, against))
                .isEqualTo("transaction (session 1, index 0) at dsl:32 is ordered before transaction (session 0, index"
                        + " 0) at dsl:13, which had ended when it started");
        // 10 + 4 < 15, and 10 + 5 is not.
        assertThat(replay(table, new Terms(Guarantee.SSER, 4, IndeterminateMode.MAYBE), all, against))
                .contains("which had ended when it started");
        assertThat(replay(table, new Terms(Guarantee.SSER, 5, IndeterminateMode.MAYBE), all, against))
                .isNull();
        assertThat(replay(table, Terms.of(Guarantee.SSI), all, new int[] {0, 2, 1, 3}))
                .contains("which had ended when it started");
        assertThat(replay(table, Terms.of(SI), all, new int[] {0, 2, 1, 3})).isNull();
    }

    @Test
    void noTransactionPrecedesItselfOrIsBoundByWhatMayNotHaveHappened() {
        HistoryTable backwards = HistoryDsl.parse("s0: @20..10 w(x,1); s1: @0..5 w(y,1); s2: @0..1 ?w(z,1)");
        assertThat(replay(backwards, Terms.of(Guarantee.SSI), new boolean[] {true, true, true}, new int[] {
                    2, 3, 0, 1, 4, 5
                }))
                .isNull();
    }

    /** Compares random small histories and orders with a replay that keeps a full snapshot for every transaction. */
    @Test
    void agreesWithANaiveReplay() throws HistoryException {
        long seed = 7;
        Random random = new Random(seed);
        int accepted = 0;
        for (int round = 0; round < 20_000; round++) {
            int n = 1 + random.nextInt(4);
            String[] transactions = new String[n];
            for (int t = 0; t < n; t++) {
                StringBuilder text = new StringBuilder().append(t / 2);
                text.append(random.nextInt(8) == 0 ? "!" : random.nextInt(8) == 0 ? "?" : "");
                int start = random.nextInt(20);
                text.append("@").append(start).append("..").append(start + random.nextInt(10));
                int operations = 1 + random.nextInt(2);
                for (int o = 0; o < operations; o++) {
                    text.append(random.nextBoolean() ? " r" : " w").append(random.nextInt(2));
                    text.append('=').append(random.nextInt(2));
                }
                transactions[t] = text.toString();
            }
            HistoryTable table = history(transactions);
            Guarantee level = GUARANTEES.get(random.nextInt(GUARANTEES.size()));
            int[] order = shuffled(n * level.events(), random);
            boolean[] counted = committed(table);
            for (int t = 0; t < n; t++) {
                counted[t] |= table.status(t) == TransactionStatus.INDETERMINATE && random.nextBoolean();
            }
            int[] position = new int[order.length];
            for (int p = 0; p < order.length; p++) {
                position[order[p]] = p;
            }
            boolean ok = replay(table, Terms.of(level), counted, position) == null;
            assertThat(ok)
                    .as(
                            "seed %d round %d: %s %s %s",
                            seed, round, level, Arrays.toString(transactions), Arrays.toString(order))
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
        long[] begin = new long[table.transactions()];
        long[] commit = new long[table.transactions()];
        for (int p = 0; p < order.length; p++) {
            if (level.events() == 1) {
                begin[order[p]] = p;
                commit[order[p]] = p;
            } else if (order[p] % 2 == 0) {
                begin[order[p] / 2] = p;
            } else {
                commit[order[p] / 2] = p;
            }
        }
        return NaiveReplay.explains(table, level, counted, begin, commit);
    }
}
