package org.polygraph.jobs.decision;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.polygraph.jobs.application.EmbeddedChecker;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.generate.PlantedAnomaly;
import org.polygraph.storage.generate.Workload;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.Formula;
import org.polygraph.storage.testkit.SuiteScale;
import org.polygraph.storage.testkit.Workloads;

/**
 * A stop at any poll ends a check within a few further polls, in each phase, and the verdict is then UNKNOWN or the one
 * of the whole check. Polls are counted, because the time of a test depends on the machine.
 */
class StopTest {
    private static final long HEAP = 512L << 20;
    /** What called the stopped code polls too on its way out, in each of the worker threads. */
    private static final long MOST_FURTHER = 200;
    /** The polls of the whole check, at most: a search of repeated values takes minutes, and a stop of it is like another. */
    private static final long MOST_POLLS = 1_000;

    /** A stop that counts its polls and comes true with one of them. */
    private static final class Counted extends Budget.Cancellation {
        private final AtomicLong polls = new AtomicLong();
        private final long last;

        Counted(long last) {
            this.last = last;
        }

        @Override
        boolean isCancelled() {
            return polls.incrementAndGet() >= last || super.isCancelled();
        }
    }

    private static Verdict check(HistoryTable history, IsolationLevel level, Counted stop) {
        return new EmbeddedChecker().check(history, CheckRequest.of(level), Progress.NONE, Budget.until(stop, HEAP));
    }

    private static void stopAnywhere(String name, HistoryTable history, IsolationLevel... levels) {
        for (IsolationLevel level : levels) {
            Counted late = new Counted(MOST_POLLS);
            Verdict whole = check(history, level, late);
            long all = late.polls.get();
            TreeSet<Long> lasts = new TreeSet<>();
            for (long last = 1; last < all; last *= 4) {
                lasts.add(last);
                lasts.add(all - last);
            }
            int evenly = SuiteScale.of(16, 3);
            for (int i = 1; i < evenly; i++) {
                lasts.add(1 + all * i / evenly);
            }
            int unknown = 0;
            for (long last : lasts) {
                Counted stop = new Counted(last);
                Verdict verdict = check(history, level, stop);
                String what = name + " at " + level + ", stopped at poll " + last + " of " + all;
                assertThat(verdict.status()).as(what).isIn(Verdict.Status.UNKNOWN, whole.status());
                unknown += verdict.status() == Verdict.Status.UNKNOWN ? 1 : 0;
                assertThat(stop.polls.get() - last)
                        .as("%s, polls after it", what)
                        .isLessThanOrEqualTo(MOST_FURTHER);
            }
            // A check that never polls is not stopped at all.
            assertThat(unknown)
                    .as(name + " at " + level + ": checks that a stop ended")
                    .isPositive();
            System.out.println(name + " at " + level + ": " + whole.status() + ", " + all + " polls");
        }
    }

    private static Workload register(long seed) {
        return Workloads.of(seed, "sessions 6 transactions 150 operations 4 keys 40");
    }

    @Test
    void registers() {
        Map<String, HistoryTable> histories = new LinkedHashMap<>();
        histories.put("serializable", register(1).timed(false).table());
        histories.put(
                "snapshots",
                register(2).timed(false).level(Workload.Level.SI).keys(12).table());
        histories.put(
                "repeated values", register(3).timed(false).keys(12).values(3).table());
        histories.put(
                "repeated values, refuted",
                register(4)
                        .timed(false)
                        .values(4)
                        .plant(PlantedAnomaly.LOST_UPDATE, 70)
                        .table());
        histories.forEach(
                (name, history) -> stopAnywhere(name, history, Checks.UNTIMED.toArray(new IsolationLevel[0])));
    }

    @Test
    void realTime() {
        stopAnywhere("times", register(5).table(), IsolationLevel.SSER, IsolationLevel.SSI);
        stopAnywhere("single operations", register(6).operations(1).keys(4).table(), IsolationLevel.LIN);
    }

    @Test
    void refutationsOfTheSolver() {
        HistoryTable formula = Formula.random3Sat(new Random(51_000), 20, 7).history("formula");
        stopAnywhere("formula", formula, IsolationLevel.SER, IsolationLevel.SI);
        stopAnywhere("pigeons", Formula.pigeons(4, 3).history("pigeons"), IsolationLevel.SER);
    }
}
