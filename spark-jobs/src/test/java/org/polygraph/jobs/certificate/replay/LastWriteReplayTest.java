package org.polygraph.jobs.certificate.replay;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.polygraph.jobs.certificate.format.Guarantee;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.jobs.certificate.judge.BruteForce;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryTableBuilder;
import org.polygraph.storage.testkit.HistoryDsl;
import org.polygraph.storage.testkit.HistoryGenerator;
import org.polygraph.storage.testkit.SplitMix;
import org.polygraph.storage.testkit.TinyHistories;

/** The replay that begins with the last write against the one by definition, on orders that are right, nearly right or wrong. */
class LastWriteReplayTest {
    private static final List<Guarantee> AXIOMS = List.of(Guarantee.RC, Guarantee.RA, Guarantee.CC);

    @Test
    void agreesWithTheDefinitionOnTinyHistories() {
        long seed = 0x1a7e;
        TinyHistories stream = new TinyHistories(seed);
        Map<Guarantee, Integer> accepted = new EnumMap<>(Guarantee.class);
        for (int i = 0; i < 10_000; i++) {
            HistoryTable history = stream.at(i);
            SplitMix random = new SplitMix(SplitMix.seedOf(seed, i));
            for (Guarantee promise : AXIOMS) {
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
            for (Guarantee promise : AXIOMS) {
                String wrong = agree(witness(history, promise, random, i % 5), "seed 0x1a7f #" + i);
                accepted.merge(promise, wrong == null ? 1 : 0, Integer::sum);
                each++;
            }
        }
        System.out.println(each + " orders from seed 0x1a7f: accepted " + accepted);
        assertThat(accepted.values()).allMatch(count -> count > 50);
    }

    /** Where values repeat: each write renamed to a value of its own, and each read to that of its source. */
    @Test
    void sourcesOfRepeatedValuesSatisfyTheDefinition() {
        Map<Guarantee, Integer> accepted = new EnumMap<>(Guarantee.class);
        Map<Guarantee, Integer> older = new EnumMap<>(Guarantee.class);
        for (int i = 0; i < 1_500; i++) {
            SplitMix random = new SplitMix(SplitMix.seedOf(0x1a80, i));
            HistoryTable history = HistoryGenerator.withSeed(i)
                    .sessions(random.between(2, 6))
                    .transactions(random.between(5, 60))
                    .operations(random.between(1, 6))
                    .keys(random.between(4, 60))
                    .repeatedValues(i % 2, random.between(2, 6), 1.0)
                    .isolation(
                            i % 3 == 0 ? HistoryGenerator.Isolation.SERIAL : HistoryGenerator.Isolation.READ_COMMITTED)
                    .generate();
            for (Guarantee promise : AXIOMS) {
                String what = promise + " seed 0x1a80 #" + i;
                Witness witness = witness(history, promise, random, i % 5);
                int[] order = Placement.of(witness).eventAt();
                LastWriteReplay latest = new LastWriteReplay(witness);
                if (!latest.holds(order)) {
                    continue;
                }
                HistoryTable renamed = renamed(history, latest.sources(), witness.counted());
                Witness same = new Witness(renamed, witness.terms(), witness.counted(), witness.position());
                assertThat(new AxiomReplay(same).run(order)).as(what).isNull();
                accepted.merge(promise, 1, Integer::sum);
                older.merge(promise, older(history, latest.sources(), order) > 0 ? 1 : 0, Integer::sum);
            }
        }
        System.out.println(
                "1500 histories from seed 0x1a80: accepted " + accepted + ", of them with older reads " + older);
        assertThat(older).hasSize(3).allSatisfy((promise, count) -> assertThat(count)
                .isGreaterThan(30));
    }

    /** How many reads are of something else than the last write. */
    private static int older(HistoryTable history, int[] sources, int[] order) {
        int[] last = new int[history.keys().size()];
        Arrays.fill(last, SourcesByValue.INITIAL);
        int older = 0;
        for (int t : order) {
            if (t < 0) {
                continue;
            }
            for (int o = history.firstOperation(t); o < history.operationsEnd(t); o++) {
                int key = history.key(o);
                if (history.isWrite(o)) {
                    last[key] = t;
                } else {
                    older += sources[o] != SourcesByValue.NONE && sources[o] != last[key] ? 1 : 0;
                }
            }
        }
        return older;
    }

    private static HistoryTable renamed(HistoryTable history, int[] sources, boolean[] counted) {
        int[] starts = history.operationStarts();
        int[] keys = history.operationKeys();
        long[] values = history.operationValues();
        HistoryTableBuilder builder = new HistoryTableBuilder(HistoryTable.Unit.ROW);
        builder.initialValue(history.initialValue());
        try {
            for (int t = 0; t < history.transactions(); t++) {
                builder.begin(history.sessionLabel(history.sessionOf(t)), history.index(t), history.status(t), t);
                for (int o = starts[t]; o < starts[t + 1]; o++) {
                    int key = builder.keys().id(history.keys().integer(keys[o] >>> 1));
                    if ((keys[o] & 1) == 1) {
                        builder.write(key, nameOf(o));
                        continue;
                    }
                    int write = -1;
                    int source = !counted[t] || sources[o] == SourcesByValue.INITIAL ? -1 : sources[o];
                    source = source == SourcesByValue.NONE ? t : source;
                    int end = source == t ? o : source < 0 ? 0 : starts[source + 1];
                    for (int w = source < 0 ? 0 : starts[source]; w < end; w++) {
                        write = keys[w] == (keys[o] | 1) ? w : write;
                    }
                    assertThat(write >= 0 ? values[write] : history.initialValue())
                            .as("source of operation %s", o)
                            .isEqualTo(counted[t] ? values[o] : history.initialValue());
                    builder.read(key, write >= 0 ? nameOf(write) : history.initialValue());
                }
                builder.end();
            }
            return Objects.requireNonNull(builder.build());
        } catch (HistoryException e) {
            throw new AssertionError(e);
        }
    }

    private static long nameOf(int write) {
        return 1_000L + write;
    }

    /** What the definition says, after comparing. */
    private static String agree(Witness witness, String what) {
        Placement placement = Placement.of(witness);
        assertThat(placement.discrepancy()).as(what).isNull();
        String wrong = new AxiomReplay(witness).run(placement.eventAt());
        boolean holds = new LastWriteReplay(witness).holds(placement.eventAt());
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
    private static Witness witness(HistoryTable history, Guarantee promise, SplitMix random, int chance) {
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
        return new Witness(history, Terms.of(promise), counted, position);
    }
}
