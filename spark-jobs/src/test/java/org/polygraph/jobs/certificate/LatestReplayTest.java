package org.polygraph.jobs.certificate;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.polygraph.storage.columnar.HistoryTable;
import org.polygraph.storage.model.Outcome;
import org.polygraph.storage.testkit.HistoryDsl;
import org.polygraph.storage.testkit.HistoryGenerator;
import org.polygraph.storage.testkit.SplitMix;
import org.polygraph.storage.testkit.TinyHistories;

/** The replay that begins with the last write against the one by definition, on orders that are right, nearly right or wrong. */
class LatestReplayTest {
    private static final List<Promise> AXIOMS = List.of(Promise.RC, Promise.RA, Promise.CC);

    @Test
    void agreesWithTheDefinitionOnTinyHistories() {
        long seed = 0x1a7e;
        TinyHistories stream = new TinyHistories(seed);
        Map<Promise, Integer> accepted = new EnumMap<>(Promise.class);
        for (int i = 0; i < 10_000; i++) {
            HistoryTable history = stream.at(i);
            SplitMix random = new SplitMix(SplitMix.seedOf(seed, i));
            for (Promise promise : AXIOMS) {
                Witness witness = witness(history, promise, random, 3);
                String wrong = agree(witness, HistoryDsl.print(history) + " seed " + stream.seedOf(i));
                accepted.merge(promise, wrong == null ? 1 : 0, Integer::sum);
            }
        }
        System.out.println("10000 histories from seed " + seed + ": accepted " + accepted);
        assertThat(accepted.values()).allMatch(count -> count > 300);
    }

    /** Orders of many reads that are nearly those of commits: reads of something older are a few. */
    @Test
    void agreesWithTheDefinitionNearTheOrderOfCommits() {
        Map<Promise, Integer> accepted = new EnumMap<>(Promise.class);
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
            for (Promise promise : AXIOMS) {
                String wrong = agree(witness(history, promise, random, i % 5), "seed 0x1a7f #" + i);
                accepted.merge(promise, wrong == null ? 1 : 0, Integer::sum);
                each++;
            }
        }
        System.out.println(each + " orders from seed 0x1a7f: accepted " + accepted);
        assertThat(accepted.values()).allMatch(count -> count > 50);
    }

    /** What the definition says, after comparing. */
    private static String agree(Witness witness, String what) {
        Placement placement = Placement.of(witness);
        assertThat(placement.discrepancy()).as(what).isNull();
        String wrong = new AxiomReplay(witness).run(placement.eventAt());
        boolean holds = new LatestReplay(witness).holds(placement.eventAt());
        if (wrong == null) {
            assertThat(holds).as("%s %s", witness.terms().promise(), what).isTrue();
        } else if (holds) {
            // Of several that left the value it takes the last one, which the other replay does not.
            assertThat(wrong).as("%s %s", witness.terms().promise(), what).contains("several left there");
            assertThat(BruteForce.judge(witness.table(), witness.terms()))
                    .as(what)
                    .isNotEqualTo(BruteForce.Answer.VIOLATED);
        }
        return wrong;
    }

    /** Sessions merged as their places in the file say, but for so many transactions' worth of chance. */
    private static Witness witness(HistoryTable history, Promise promise, SplitMix random, int chance) {
        int n = history.transactions();
        long[] places = new long[n];
        boolean[] counted = new boolean[n];
        for (int s = 0; s < history.sessions(); s++) {
            long before = Long.MIN_VALUE;
            for (int t = history.sessionStarts()[s]; t < history.sessionStarts()[s + 1]; t++) {
                long place = (history.sourcePosition(t) + (chance == 0 ? 0 : random.nextInt(chance + 1))) * n + t;
                places[t] = Math.max(before + 1, place);
                before = places[t];
                counted[t] = history.outcome(t) == Outcome.COMMITTED;
            }
        }
        Integer[] order = new Integer[n];
        Arrays.setAll(order, t -> t);
        Arrays.sort(order, (a, b) -> places[a] != places[b] ? Long.compare(places[a], places[b]) : a - b);
        int[] position = new int[n];
        for (int i = 0; i < n; i++) {
            position[order[i]] = i;
        }
        return new Witness(history, Terms.of(promise), counted, position);
    }
}
