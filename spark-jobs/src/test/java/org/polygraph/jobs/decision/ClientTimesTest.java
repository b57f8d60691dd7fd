package org.polygraph.jobs.decision;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.polygraph.jobs.application.EmbeddedChecker;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.verdict.Phase;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.generate.Workload;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.ClientTimes;
import org.polygraph.storage.testkit.HistoryDsl;
import org.polygraph.storage.testkit.SplitMix;

/** Named cases of client times. The laws "client-times" and "larger" have every kind of clock, also absurd ones. */
class ClientTimesTest {

    /**
     * 100 sessions run side by side all the time, so times show little, and lines are in the order of commits. Times
     * must not keep the order of lines from being found.
     */
    @Test
    void linesInTheOrderOfCommitsNeedNoSearch() {
        SplitMix random = new SplitMix(7);
        int[] state = new int[20];
        int[] sessions = IntStream.range(0, 100).toArray();
        StringBuilder text = new StringBuilder("init 0");
        int written = 0;
        for (int round = 0; round < 20; round++) {
            for (int i = 0; i < sessions.length; i++) {
                int other = i + random.nextInt(sessions.length - i);
                int session = sessions[other];
                sessions[other] = sessions[i];
                sessions[i] = session;
                text.append("; s%d: @%d..%d".formatted(session, 1_000 * round, 1_000 * round + 999));
                for (int o = 0; o < 4; o++) {
                    written = operation(text, state, random, written, 1);
                }
            }
        }
        HistoryTable history = HistoryDsl.parse(text.toString());
        for (IsolationLevel level :
                List.of(IsolationLevel.SER, IsolationLevel.SI, IsolationLevel.SSER, IsolationLevel.SSI)) {
            for (TimeMode time : level.realTime() ? List.of(TimeMode.STRICT) : List.of(TimeMode.HINT, TimeMode.NONE)) {
                Verdict verdict = Checks.check(history, new CheckRequest(level, time, 0, IndeterminateMode.MAYBE));
                assertThat(verdict.status()).isEqualTo(Verdict.Status.PASS);
                assertThat(verdict.phases())
                        .as(level + " " + time)
                        .extracting(Phase::name)
                        .doesNotContain("saturation", "solve");
            }
        }
    }

    /** Adds a read of what a key has, or a write of a value of its own; returns how many were written. */
    private static int operation(StringBuilder text, int[] state, SplitMix random, int written, int factor) {
        int key = random.nextInt(state.length);
        boolean isWrite = random.chance(0.5);
        state[key] = isWrite ? factor * (written + 1) % 1_000_003 : state[key];
        text.append(isWrite ? " w(" : " r(")
                .append(key)
                .append(',')
                .append(state[key])
                .append(')');
        return written + (isWrite ? 1 : 0);
    }

    /** Sessions ran at one pace, and the file lists them one after another, without times, with values in no order. */
    @Test
    void sessionsAtOnePaceNeedNoRules() {
        SplitMix random = new SplitMix(8);
        int[] state = new int[20];
        StringBuilder[] lines = new StringBuilder[20];
        Arrays.setAll(lines, session -> new StringBuilder());
        int written = 0;
        for (int i = 0; i < 1_000; i++) {
            StringBuilder line = lines[i % lines.length];
            line.append(i < lines.length ? "" : " |");
            for (int o = 0; o < 4; o++) {
                written = operation(line, state, random, written, 7_919);
            }
        }
        HistoryTable history = HistoryDsl.parse("init 0; " + String.join(";", lines));
        for (IsolationLevel level : List.of(IsolationLevel.SER, IsolationLevel.SI)) {
            Verdict verdict = check(history, level, TimeMode.HINT, 0, Tuning.DEFAULT);
            assertThat(verdict.status()).isEqualTo(Verdict.Status.PASS);
            assertThat(verdict.phases()).extracting(Phase::name).doesNotContain("saturation", "solve");
        }
    }

    /**
     * Times cost little, right or wrong: orders that are made in vain, and closures of times. The phases count the work.
     */
    @Test
    void timesCostLittleMoreThanNone() {
        double most = 0;
        for (ClientTimes.Kind kind : ClientTimes.Kind.values()) {
            long with = 0;
            long without = 0;
            for (int seed = 0; seed < 5; seed++) {
                SplitMix random = new SplitMix(SplitMix.seedOf(0x71e5, 100 * seed + kind.ordinal()));
                HistoryTable history = new Workload()
                        .seed(random.nextLong())
                        .sessions(random.between(5, 100))
                        .transactions(1_000)
                        .operations(4)
                        .keys(random.between(30, 1_000))
                        .table();
                ClientTimes.set(history, kind, 0, random);
                for (IsolationLevel level : List.of(IsolationLevel.SER, IsolationLevel.SI)) {
                    long hint = work(history, level, TimeMode.HINT);
                    long none = work(history, level, TimeMode.NONE);
                    with += hint;
                    without += none;
                    most = Math.max(most, (double) hint / none);
                }
            }
            System.out.println(kind + " times: counted " + with + ", without times " + without);
            assertThat((double) with / without).as("%s", kind).isLessThan(2);
        }
        System.out.println("at most " + most + " times");
        assertThat(most).isLessThan(3);
    }

    /** What the phases count that find an order or a cycle. */
    private static long work(HistoryTable history, IsolationLevel level, TimeMode time) {
        return check(history, level, time, 0, Tuning.DEFAULT).phases().stream()
                .filter(phase -> List.of("order", "closure", "saturation", "check", "solve")
                        .contains(phase.name()))
                .mapToLong(Phase::items)
                .sum();
    }

    private static Verdict check(HistoryTable history, IsolationLevel level, TimeMode time, long skew, Tuning tuning) {
        return new EmbeddedChecker(tuning)
                .check(
                        history,
                        new CheckRequest(level, time, skew, IndeterminateMode.MAYBE),
                        Progress.NONE,
                        Budget.unlimited());
    }
}
