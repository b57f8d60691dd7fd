package org.polygraph.solver;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.polygraph.storage.testkit.SuiteScale;

/** Large problems with a hidden answer: the answer is found, or the search ends in time. */
class ScaleTest {
    private static final long SECOND = 1_000_000_000L;

    private static HiddenOrder hidden(int transactions, int keys, int values, int eventsPerTxn) {
        HiddenOrder g = new HiddenOrder();
        g.transactions = transactions;
        g.keys = keys;
        g.values = values;
        g.eventsPerTxn = eventsPerTxn;
        return g;
    }

    private static Outcome solve(Polygraph p, double seconds) {
        return ModelCheck.solve(p, SolverOptions.defaults().withStop(after(seconds)));
    }

    private static BooleanSupplier after(double seconds) {
        long start = System.nanoTime();
        return () -> System.nanoTime() - start >= seconds * SECOND;
    }

    private static void assertFound(HiddenOrder g) {
        Outcome outcome = solve(g.build(), 60);
        System.out.println(outcome.getClass().getSimpleName() + " " + outcome.statistics());
        assertThat(outcome).isInstanceOf(Outcome.Satisfiable.class);
    }

    @Test
    void uniqueValues() {
        assertFound(hidden(20_000, 500, 0, 1));
        assertFound(hidden(20_000, 500, 0, 2));
    }

    @Test
    void uniqueValuesOnSkewedKeys() {
        HiddenOrder g = hidden(20_000, 5_000, 0, 2);
        g.skew = 0.9;
        assertFound(g);
    }

    @Test
    void fewValuesOnManyKeys() {
        assertFound(hidden(5_000, 2_500, 5, 1));
        assertFound(hidden(5_000, 2_500, 5, 2));
    }

    /** The search ends in time, with the answer or without, and never with a refutation. */
    @Test
    void fewValuesOnFewKeys() {
        for (int events = 1; events <= 2; events++) {
            Polygraph p = hidden(20_000, 500, 5, events).build();
            long start = System.nanoTime();
            Outcome outcome = solve(p, SuiteScale.isReduced() ? 0.5 : 2);
            assertThat(System.nanoTime() - start).isLessThan(10 * SECOND);
            assertThat(outcome).isNotInstanceOf(Outcome.Unsatisfiable.class);
            System.out.println(outcome.getClass().getSimpleName() + " " + outcome.statistics());
        }
    }

    @Test
    void deadlinesStopAndMemory() {
        Polygraph p = hidden(20_000, 500, 5, 1).build();
        for (double seconds : new double[] {-1, 0, 0.0005, 0.005, 0.05, 0.5}) {
            long start = System.nanoTime();
            Outcome outcome = solve(p, seconds);
            assertThat(outcome).isInstanceOf(Outcome.Unknown.class);
            assertThat(((Outcome.Unknown) outcome).reason()).contains("stopped");
            assertThat(System.nanoTime() - start)
                    .as("deadline of %s s", seconds)
                    .isLessThan(5 * SECOND);
        }
        AtomicInteger asked = new AtomicInteger();
        Outcome stopped = ModelCheck.solve(p, SolverOptions.defaults().withStop(() -> asked.incrementAndGet() > 500));
        assertThat(((Outcome.Unknown) stopped).reason()).contains("was stopped");
        for (long bytes : new long[] {0, 1_000, 100_000, 1_000_000, 10_000_000}) {
            Outcome outcome = ModelCheck.solve(p, SolverOptions.defaults().withMaxBytes(bytes));
            assertThat(((Outcome.Unknown) outcome).reason()).contains("memory budget of " + bytes);
        }
    }

    /** The counted bytes never exceed the budget, and the bytes on the heap stay near them. */
    @Test
    void memoryStaysWithinItsBudget() {
        Polygraph p = hidden(20_000, 500, 5, 2).build();
        for (long bytes : new long[] {4_000_000, 8_000_000, 16_000_000, 32_000_000}) {
            Outcome.Unknown unknown = (Outcome.Unknown) ModelCheck.solve(
                    p, SolverOptions.defaults().withMaxBytes(bytes).withStop(after(40)));
            Statistics s = unknown.statistics();
            assertThat(s.bytes()).isBetween(bytes / 4, bytes);
            assertThat(unknown.reason())
                    .contains("memory budget of " + bytes)
                    .contains(s.decisions() + " decisions and " + s.conflicts() + " conflicts")
                    .contains(s.violated() + " items were left");
            assertThat(s.violated()).isPositive();
        }
    }

    @Test
    void oneKeyOneSessionThousandsOfSessions() {
        for (int sessions : new int[] {1, 5_000}) {
            for (int keys : new int[] {1, 300}) {
                for (int events = 1; events <= 2; events++) {
                    HiddenOrder g = hidden(6_000, keys, 0, events);
                    g.sessions = sessions;
                    assertFound(g);
                }
            }
        }
    }

    @Test
    void sameSeedSameAnswer() {
        Outcome.Satisfiable first =
                (Outcome.Satisfiable) solve(hidden(2_000, 500, 5, 2).build(), 60);
        Outcome.Satisfiable second =
                (Outcome.Satisfiable) solve(hidden(2_000, 500, 5, 2).build(), 60);
        assertThat(first.position()).isEqualTo(second.position());
        assertThat(first.statistics().conflicts())
                .isEqualTo(second.statistics().conflicts())
                .isPositive();
    }

    /**
     * Keys that are given as clean are not checked until one of their events moves; the answer is verified
     * nevertheless.
     */
    @Test
    void onlyDirtyKeys() {
        HiddenOrder g = hidden(5_000, 500, 0, 1);
        g.noise = 0;
        Polygraph p = g.build();
        Polygraph clean = Polygraph.builder(p.transactions, 1)
                .position(p.position)
                .predecessors(new int[p.events() + 1], new int[0])
                .writers(p.writerStart, p.writerTxn, p.writerClass)
                .readers(p.readerStart, p.readerTxn, p.readerClass)
                .dirtyKeys(new int[0])
                .build();
        Outcome outcome = solve(clean, 60);
        assertThat(outcome).isInstanceOf(Outcome.Satisfiable.class);
        assertThat(outcome.statistics().checks()).isZero();
    }

    @Test
    @Tag("full")
    void millions() {
        HiddenOrder g = hidden(1_000_000, 1_000_000, 0, 1);
        g.sessions = 50;
        Outcome outcome = solve(g.build(), 120);
        System.out.println(outcome.getClass().getSimpleName() + " " + outcome.statistics());
        assertThat(outcome).isInstanceOf(Outcome.Satisfiable.class);
    }
}
