package org.polygraph.jobs.certificate.replay;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Test;
import org.polygraph.jobs.certificate.format.Guarantee;
import org.polygraph.jobs.certificate.format.ReadSources;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.jobs.certificate.judge.BruteForce;
import org.polygraph.storage.generate.Workload;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.Simulator;
import org.polygraph.storage.testkit.SplitMix;
import org.polygraph.storage.testkit.SuiteScale;

/** Compares the serial replay with the replay by definition, on orders that are right, nearly right or wrong. */
class SerialReplayTest {
    private static final List<Guarantee> AXIOMS = List.of(Guarantee.RC, Guarantee.RA, Guarantee.CC);

    @Test
    void agreesWithTheDefinitionOnTinyHistories() {
        agrees(10_000, SerialReplayTest::tiny, 0.03);
    }

    /** Orders that are nearly those of commits: of many reads, a few return an older value. */
    @Test
    void agreesWithTheDefinitionNearTheOrderOfCommits() {
        agrees(600, seed -> larger(seed, 6, 120, 6), 0.084);
    }

    /** Random orders with random sources: what is accepted keeps the level. */
    @Test
    void namedSourcesShowOnlyWhatHolds() {
        int accepted = 0;
        int violated = 0;
        for (int i = 0; i < SuiteScale.of(20_000); i++) {
            SplitMix random = new SplitMix(SplitMix.seedOf(0x1a7f, i));
            HistoryTable history = tiny(SplitMix.seedOf(0x1a80, i));
            Witness order = witness(history, AXIOMS.get(i % 3), random, i % 4);
            ReadSources.Builder sources = new ReadSources.Builder(history.transactions());
            for (int t = 0; t < history.transactions(); t++) {
                for (int o = history.firstOperation(t); o < history.operationsEnd(t); o++) {
                    if (!history.isWrite(o) && random.chance(0.5)) {
                        int source = random.between(ReadSources.INITIAL, history.transactions() - 1);
                        for (int again = 0; again < 3 && !mayBe(source, history, o); again++) {
                            source = random.between(ReadSources.INITIAL, history.transactions() - 1);
                        }
                        sources.add(t, o - history.firstOperation(t), source);
                    }
                }
            }
            boolean holds = Replay.of(order.with(sources.build())).holds();
            boolean isViolated = BruteForce.judge(history, order.terms()) == BruteForce.Answer.VIOLATED;
            assertThat(holds && isViolated).as("history %d", i).isFalse();
            accepted += holds && !Replay.of(order).holds() ? 1 : 0;
            violated += isViolated ? 1 : 0;
        }
        System.out.println(accepted + " orders with older reads accepted, " + violated + " histories violated");
        assertThat(accepted).isGreaterThan(SuiteScale.of(100));
        assertThat(violated).isGreaterThan(SuiteScale.of(1_000));
    }

    /** Whether a transaction writes what a read returns. */
    private static boolean mayBe(int source, HistoryTable history, int read) {
        if (source == ReadSources.INITIAL) {
            return history.value(read) == history.initialValue();
        }
        int write = history.lastWrite(source, history.key(read));
        return write >= 0 && history.value(write) == history.value(read);
    }

    static HistoryTable tiny(long seed) {
        return Simulator.tiny(seed).table();
    }

    static HistoryTable larger(long seed, int sessions, int transactions, int operations) {
        SplitMix random = new SplitMix(seed);
        return new Workload()
                .seed(seed)
                .timed(false)
                .sessions(random.between(1, sessions))
                .transactions(random.between(10, transactions))
                .operations(random.between(1, operations))
                .keys(random.between(1, 40))
                .level(random.chance(0.5) ? Workload.Level.SER : Workload.Level.RC)
                .table();
    }

    private static void agrees(int rounds, LongFunction<HistoryTable> source, double accepted) {
        Map<Guarantee, Integer> counts = new EnumMap<>(Guarantee.class);
        for (int i = 0; i < rounds; i++) {
            long seed = SplitMix.seedOf(0x1a7e, i);
            HistoryTable history = source.apply(seed);
            for (Guarantee guarantee : AXIOMS) {
                boolean isSerial = agrees(witness(history, guarantee, new SplitMix(seed), i % 5), "seed " + seed);
                counts.merge(guarantee, isSerial ? 1 : 0, Integer::sum);
            }
        }
        System.out.println(rounds + " histories: accepted " + counts);
        assertThat(counts.values()).allMatch(count -> count > accepted * rounds);
    }

    /** Checks that a serial order obeys the definition. Returns whether the order is serial. */
    private static boolean agrees(Witness witness, String what) {
        Placement placement = new Placement(witness);
        assertThat(placement.discrepancy()).as(what).isNull();
        boolean isSerial = new SerialReplay(witness.table()).misreads(placement.eventAt(), 1, () -> false).length == 0;
        assertThat(Replay.of(witness).holds()).as(what).isEqualTo(isSerial);
        if (isSerial) {
            // No source is named, so each read has the last writer, and the axiom is checked with these.
            int[] starts = new int[witness.table().transactions() + 1];
            ReadSources none = new ReadSources(starts, new int[0], new int[0]);
            assertThat(Replay.of(witness.with(none)).discrepancy()).as(what).isNull();
            assertThat(BruteForce.judge(witness.table(), witness.terms()))
                    .as(what)
                    .isNotEqualTo(BruteForce.Answer.VIOLATED);
        }
        return isSerial;
    }

    /**
     * Merges the sessions by their places in the file, each of which is changed at random by at most this many
     * transactions.
     */
    static Witness witness(HistoryTable history, Guarantee guarantee, SplitMix random, int chance) {
        int n = history.transactions();
        long[] places = new long[n];
        boolean[] counted = new boolean[n];
        for (int s = 0; s < history.sessions(); s++) {
            long before = Long.MIN_VALUE;
            for (int t = history.firstTransaction(s); t < history.transactionsEnd(s); t++) {
                long place = (history.sourcePosition(t) + (chance == 0 ? 0 : random.nextInt(chance + 1))) * n + t;
                places[t] = Math.max(before + 1, place);
                before = places[t];
                counted[t] = history.status(t) == TransactionStatus.COMMITTED;
            }
        }
        Integer[] order = new Integer[n];
        Arrays.setAll(order, t -> t);
        Arrays.sort(order, (a, b) -> places[a] != places[b] ? Long.compare(places[a], places[b]) : a - b);
        int[] position = new int[n];
        for (int i = 0; i < n; i++) {
            position[order[i]] = i;
        }
        return new Witness(history, Terms.of(guarantee), counted, position);
    }
}
