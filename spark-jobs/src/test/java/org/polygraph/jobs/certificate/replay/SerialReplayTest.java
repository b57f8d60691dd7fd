package org.polygraph.jobs.certificate.replay;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.polygraph.jobs.certificate.format.Guarantee;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.jobs.certificate.judge.BruteForce;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.HistoryDsl;
import org.polygraph.storage.testkit.HistoryGenerator;
import org.polygraph.storage.testkit.SplitMix;
import org.polygraph.storage.testkit.TinyHistories;

/** Compares the serial replay with the replay by definition, on orders that are right, nearly right or wrong. */
class SerialReplayTest {
    private static final List<Guarantee> AXIOMS = List.of(Guarantee.RC, Guarantee.RA, Guarantee.CC);

    @Test
    void agreesWithTheDefinitionOnTinyHistories() {
        long seed = 0x1a7e;
        TinyHistories stream = new TinyHistories(seed);
        Map<Guarantee, Integer> accepted = new EnumMap<>(Guarantee.class);
        for (int i = 0; i < 10_000; i++) {
            HistoryTable history = stream.at(i);
            SplitMix random = new SplitMix(SplitMix.seedOf(seed, i));
            for (Guarantee guarantee : AXIOMS) {
                Witness witness = witness(history, guarantee, random, 3);
                boolean isSerial = agrees(witness, HistoryDsl.print(history) + " seed " + stream.seedOf(i));
                accepted.merge(guarantee, isSerial ? 1 : 0, Integer::sum);
            }
        }
        System.out.println("10000 histories from seed " + seed + ": accepted " + accepted);
        assertThat(accepted.values()).allMatch(count -> count > 300);
    }

    /** Orders that are nearly those of commits: of many reads, a few return an older value. */
    @Test
    void agreesWithTheDefinitionNearTheOrderOfCommits() {
        Map<Guarantee, Integer> accepted = new EnumMap<>(Guarantee.class);
        int each = 0;
        for (int i = 0; i < 600; i++) {
            SplitMix random = new SplitMix(SplitMix.seedOf(0x1a7f, i));
            HistoryTable history = HistoryGenerator.withSeed(i)
                    .sessions(random.between(1, 6))
                    .transactions(random.between(10, 120))
                    .operations(random.between(1, 6))
                    .keys(random.between(2, 40))
                    .isolation(
                            i % 2 == 0 ? HistoryGenerator.Isolation.SERIAL : HistoryGenerator.Isolation.READ_COMMITTED)
                    .generate();
            for (Guarantee guarantee : AXIOMS) {
                boolean isSerial = agrees(witness(history, guarantee, random, i % 5), "seed 0x1a7f #" + i);
                accepted.merge(guarantee, isSerial ? 1 : 0, Integer::sum);
                each++;
            }
        }
        System.out.println(each + " orders from seed 0x1a7f: accepted " + accepted);
        assertThat(accepted.values()).allMatch(count -> count > 50);
    }

    /** Checks that a serial order obeys the definition. Returns whether the order is serial. */
    private static boolean agrees(Witness witness, String what) {
        Placement placement = new Placement(witness);
        assertThat(placement.discrepancy()).as(what).isNull();
        String wrong = new AxiomReplay(witness).run(placement.eventAt());
        boolean isSerial = new SerialReplay(witness.table()).misreads(placement.eventAt(), 1, () -> false).length == 0;
        if (isSerial && wrong != null) {
            // The definition needs the writer of a value. If several transactions wrote it, a serial order does not.
            assertThat(wrong).as("%s %s", witness.terms().guarantee(), what).contains("several left there");
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
