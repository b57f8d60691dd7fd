package org.polygraph.jobs.decision;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.application.EmbeddedChecker;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.verdict.Phase;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.partitioner.isolation.EdgeKind;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.prune.Rules;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.BruteForceChecker;
import org.polygraph.storage.testkit.ClientTimes;
import org.polygraph.storage.testkit.HistoryDsl;
import org.polygraph.storage.testkit.HistoryGenerator;
import org.polygraph.storage.testkit.SplitMix;
import org.polygraph.storage.testkit.SuiteScale;
import org.polygraph.storage.testkit.TinyHistories;

/**
 * Every kind of client time, also absurd ones: compares strict levels with all orders, and the hint with checks without
 * times.
 */
class ClientTimesTest {
    private static final ClientTimes.Kind[] KINDS = ClientTimes.Kind.values();
    /** No first order is tried, so that rules and solver decide. */
    private static final Tuning RULES = Tuning.DEFAULT.withRounds(2);

    @Test
    void strictLevelsAgreeWithAllOrders() {
        strict(0xc10c, SuiteScale.of(20_000));
    }

    private static void strict(long seed, int histories) {
        TinyHistories stream = new TinyHistories(seed);
        Map<ClientTimes.Kind, int[]> accepted = new EnumMap<>(ClientTimes.Kind.class);
        int judged = 0;
        for (int i = 0; i < histories; i++) {
            HistoryTable history = stream.at(i);
            if (history.starts() == null) {
                continue;
            }
            // The numbers are other ones than those that made the history.
            SplitMix random = new SplitMix(~stream.seedOf(i));
            boolean isTrue = random.chance(0.5);
            ClientTimes.Kind kind = isTrue ? ClientTimes.Kind.TRUE : KINDS[random.nextInt(KINDS.length)];
            ClientTimes.set(history, kind, !isTrue && random.chance(0.3) ? 0.3 : 0, random);
            long skew = isTrue || random.chance(0.5) ? 0 : random.nextInt(40);
            for (IsolationLevel level : List.of(IsolationLevel.SSER, IsolationLevel.SSI)) {
                String what = HistoryDsl.print(history) + " " + level + " " + kind + " skew " + skew + " seed "
                        + stream.seedOf(i);
                Verdict.Status orders = status(history, level, TimeMode.STRICT, skew, Tuning.DEFAULT);
                Verdict.Status rules = status(history, level, TimeMode.STRICT, skew, RULES);
                Verdict.Status clocks =
                        status(history, level, TimeMode.STRICT, skew, RULES.withRows(Rules.RealTimeRows.CHAINS));
                Verdict.Status search =
                        status(history, level, TimeMode.STRICT, skew, Tuning.DEFAULT.withRounds(Tuning.NO_RULES));
                long[] starts = history.starts().clone();
                long[] ends = history.ends().clone();
                delayEnds(history, skew);
                BruteForceChecker.Verdict truth =
                        BruteForceChecker.judge(history, BruteForceChecker.Level.valueOf(level.name()));
                System.arraycopy(starts, 0, history.starts(), 0, starts.length);
                System.arraycopy(ends, 0, history.ends(), 0, ends.length);
                if (truth == BruteForceChecker.Verdict.INVALID) {
                    continue;
                }
                Verdict.Status expected =
                        truth == BruteForceChecker.Verdict.ACCEPTED ? Verdict.Status.PASS : Verdict.Status.VIOLATION;
                assertThat(orders).as("first orders too " + what).isEqualTo(expected);
                assertThat(rules).as(what).isEqualTo(expected);
                assertThat(clocks).as("by clocks " + what).isEqualTo(expected);
                assertThat(search).as("by search " + what).isEqualTo(expected);
                judged++;
                accepted.computeIfAbsent(kind, k -> new int[2])[expected == Verdict.Status.PASS ? 0 : 1]++;
            }
        }
        System.out.println(histories + " histories from seed " + seed + ": " + judged
                + " verdicts; accepted and rejected by kind of time:");
        accepted.forEach((kind, counts) -> System.out.println("  " + kind + " " + counts[0] + " " + counts[1]));
        assertThat(judged).isGreaterThan(histories / 2);
    }

    /** The same real-time order with a skew of 0: a precedes b iff end(a) + skew < start(b). */
    private static void delayEnds(HistoryTable history, long skew) {
        long[] ends = history.ends();
        for (int t = 0; t < ends.length; t++) {
            if (ends[t] != HistoryTable.NO_TIME) {
                ends[t] = ends[t] > Long.MAX_VALUE - skew ? Long.MAX_VALUE : ends[t] + skew;
            }
        }
    }

    /**
     * Times alone contradict a session, and one of the two transactions has no operation that a sub-history could
     * contain.
     */
    @Test
    void aTransactionWithoutOperationsViolates() {
        HistoryTable history = HistoryDsl.parse(
                "init 0; s0: @3..3 w(x,1); s1: @-2..0 ?r(x,0); s2: @1..5 () | @-2..0 r(x,0); s3: @2..3 !w(x,1)");
        for (IsolationLevel level : List.of(IsolationLevel.SSER, IsolationLevel.SSI)) {
            Verdict verdict = new EmbeddedChecker()
                    .check(
                            history,
                            new CheckRequest(level, TimeMode.STRICT, 0, IndeterminateMode.MAYBE),
                            Progress.NONE,
                            Budget.unlimited());
            assertThat(verdict.status()).isEqualTo(Verdict.Status.VIOLATION);
            assertThat(verdict.violations()).singleElement().satisfies(violation -> assertThat(violation.cycle())
                    .hasSize(2));
        }
    }

    /**
     * 100 sessions run side by side all the time, so times show little, and lines are in the order of commits. Times
     * must not keep the order of lines from being found.
     */
    @Test
    void linesInTheOrderOfCommitsNeedNoSearch(@TempDir Path folder) throws Exception {
        SplitMix random = new SplitMix(7);
        int[] state = new int[20];
        int[] sessions = IntStream.range(0, 100).toArray();
        StringBuilder text = new StringBuilder("{\"format\":\"history\",\"version\":1,\"initial\":{\"value\":0}}\n");
        int written = 0;
        for (int round = 0; round < 20; round++) {
            for (int i = 0; i < sessions.length; i++) {
                int other = i + random.nextInt(sessions.length - i);
                int session = sessions[other];
                sessions[other] = sessions[i];
                sessions[i] = session;
                text.append("{\"session\":" + session + ",\"index\":" + round + ",\"start\":" + 1_000 * round
                        + ",\"end\":" + (1_000 * round + 999) + ",\"status\":\"committed\",\"ops\":[");
                for (int o = 0; o < 4; o++) {
                    int key = random.nextInt(state.length);
                    boolean isWrite = random.chance(0.5);
                    state[key] = isWrite ? ++written : state[key];
                    text.append(o == 0 ? "" : ",")
                            .append("{\"op\":\"" + (isWrite ? "w" : "r") + "\",\"key\":" + key + ",\"value\":"
                                    + state[key] + "}");
                }
                text.append("]}\n");
            }
        }
        Path file = Files.writeString(folder.resolve("lines.jsonl"), text);
        HistoryTable history = HistoryReader.read(file.toString(), HistoryFormat.JSONL);
        for (IsolationLevel level :
                List.of(IsolationLevel.SER, IsolationLevel.SI, IsolationLevel.SSER, IsolationLevel.SSI)) {
            for (TimeMode time : level.realTime() ? List.of(TimeMode.STRICT) : List.of(TimeMode.HINT, TimeMode.NONE)) {
                Verdict verdict = new EmbeddedChecker()
                        .check(
                                history,
                                new CheckRequest(level, time, 0, IndeterminateMode.MAYBE),
                                Progress.NONE,
                                Budget.unlimited());
                assertThat(verdict.status()).isEqualTo(Verdict.Status.PASS);
                assertThat(verdict.phases())
                        .as(level + " " + time)
                        .extracting(Phase::name)
                        .doesNotContain("saturation", "solve");
            }
        }
    }

    /** A transaction reads all its keys as they were long ago, as from a replica. */
    @Test
    void anOldSnapshotBreaksRealTimeOnly() {
        int violations = 0;
        int shown = 0;
        for (int seed = 0; seed < 40; seed++) {
            HistoryTable history = HistoryGenerator.withSeed(seed)
                    .sessions(20)
                    .transactions(1_000)
                    .operations(2)
                    .keys(100)
                    .readShare(0.7)
                    .withTimestamps()
                    .staleSnapshot(100)
                    .generate();
            if (status(history, IsolationLevel.SER, TimeMode.HINT, 0, Tuning.DEFAULT) != Verdict.Status.PASS) {
                continue;
            }
            Verdict strict = new EmbeddedChecker()
                    .check(
                            history,
                            new CheckRequest(IsolationLevel.SER, TimeMode.STRICT, 0, IndeterminateMode.MAYBE),
                            Progress.NONE,
                            Budget.unlimited());
            if (strict.status() == Verdict.Status.VIOLATION) {
                violations++;
                assertThat(strict.violations())
                        .as("seed %d", seed)
                        .allMatch(violation -> violation.anomaly() == Anomaly.REAL_TIME_VIOLATION);
                // Otherwise, real time is in the reason of a version order of the cycle.
                shown += strict.violations().get(0).cycle().stream().anyMatch(edge -> edge.kind() == EdgeKind.RT)
                        ? 1
                        : 0;
            }
        }
        System.out.println(violations + " of 40 histories with an old snapshot are SER and not SSER, " + shown
                + " by a cycle with a step of real time");
        assertThat(shown).isGreaterThan(0);
    }

    @Test
    void hintEqualsNone() {
        hint(0x417, SuiteScale.of(2_500), SuiteScale.of(150));
    }

    private static void hint(long seed, int tiny, int larger) {
        int judged = 0;
        int passed = 0;
        TinyHistories stream = new TinyHistories(seed);
        int timed = 0;
        for (long i = 0; timed < tiny; i++) {
            HistoryTable history = stream.at(i);
            if (history.starts() != null) {
                passed += sameByHint(history, stream.seedOf(i));
                judged += 2;
                timed++;
            }
        }
        HistoryGenerator.Isolation[] isolations = HistoryGenerator.Isolation.values();
        for (int i = 0; i < larger; i++) {
            SplitMix random = new SplitMix(SplitMix.seedOf(seed, -1L - i));
            boolean repeated = random.chance(0.4);
            HistoryGenerator generator = HistoryGenerator.withSeed(random.nextLong())
                    .isolation(isolations[random.nextInt(isolations.length - 1)])
                    .sessions(random.between(2, 20))
                    .transactions(random.between(30, repeated ? 80 : 300))
                    .operations(1, 5)
                    .keys(random.between(repeated ? 20 : 3, 100))
                    .indeterminateShare(random.chance(0.5) ? 0 : 0.05)
                    .withTimestamps();
            // Histories with few keys and few values are hard for the search, with times or without.
            if (repeated) {
                generator.repeatedValues(1, random.between(8, 30), 1);
            }
            passed += sameByHint(generator.generate(), seed + i);
            judged += 2;
        }
        System.out.println(judged + " verdicts by hint and without time, " + passed + " passes, from seed " + seed);
        assertThat(passed).isBetween(judged / 5, judged * 4 / 5);
    }

    private static int sameByHint(HistoryTable history, long seed) {
        SplitMix random = new SplitMix(seed);
        ClientTimes.Kind kind = KINDS[random.nextInt(KINDS.length)];
        ClientTimes.set(history, kind, random.chance(0.3) ? 0.3 : 0, random);
        int passed = 0;
        for (IsolationLevel level : List.of(IsolationLevel.SER, IsolationLevel.SI)) {
            Verdict.Status none = status(history, level, TimeMode.NONE, 0, RULES);
            assertThat(status(history, level, TimeMode.HINT, random.nextInt(2) * 20L, Tuning.DEFAULT))
                    .as("%s %s seed %d of %d transactions", level, kind, seed, history.transactions())
                    .isEqualTo(none);
            passed += none == Verdict.Status.PASS ? 1 : 0;
        }
        return passed;
    }

    private static Verdict.Status status(
            HistoryTable history, IsolationLevel level, TimeMode time, long skew, Tuning tuning) {
        return new EmbeddedChecker(tuning)
                .check(
                        history,
                        new CheckRequest(level, time, skew, IndeterminateMode.MAYBE),
                        Progress.NONE,
                        Budget.unlimited())
                .status();
    }
}
