package org.polygraph.solver;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.polygraph.solver.sat.SearchBudget;
import org.polygraph.storage.testkit.SuiteScale;

/**
 * At any moment the bytes that a solve counts differ from those on the heap by at most 5 %, and they stay within the
 * limit.
 */
class MemoryTest {
    private static final int SAMPLES = 8;
    /** The bytes that the JVM itself may hold more or less than at the start. */
    private static final long NOISE = 1L << 17;

    private static Polygraph blind(int eventsPerTxn, int values, int keys, int transactions) {
        HiddenOrder g = new HiddenOrder();
        g.seed = 7;
        g.sessions = 20;
        g.transactions = transactions;
        g.keys = keys;
        g.values = values;
        g.operations = 8;
        g.noise = 4_000;
        g.eventsPerTxn = eventsPerTxn;
        return g.build();
    }

    @Test
    void accountedIsWhatTheHeapHolds() throws IOException, InterruptedException {
        // The parallel collector counts objects; others count regions. It is what the command runs with.
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseParallelGC",
                        "-Xmx512m",
                        "-Dpolygraph.test.scale=" + System.getProperty("polygraph.test.scale", "0.1"),
                        "-cp",
                        System.getProperty("java.class.path"),
                        MemoryTest.class.getName())
                .redirectErrorStream(true)
                .start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        System.out.print(out);
        assertThat(process.waitFor()).as(out).isZero();
    }

    /** Runs in a JVM of its own; the exit code is the result. */
    public static void main(String[] args) {
        compare("two events", blind(2, 0, 1_000, 20_000));
        compare("five values", blind(1, 5, 1_000, 20_000));
        if (!SuiteScale.isReduced()) {
            compare("unique values", blind(1, 0, 1_000, 20_000));
            compare("hot keys", blind(2, 0, 40, 8_000));
        }
    }

    private static void compare(String what, Polygraph polygraph) {
        SolverOptions options = SolverOptions.defaults();
        long[] asked = {0};
        new Solver().solve(polygraph, options.withStop(() -> ++asked[0] > 30_000));
        long every = Math.max(1, asked[0] / SAMPLES);
        long[] asks = {0};
        // The second sample (the JVM first frees memory of its start): the counted and the live bytes. Then the largest
        // difference and its total.
        long[] first = {0, 0};
        long[] worst = {0, 1};
        SearchBudget[] held = new SearchBudget[1];
        BooleanSupplier sample = () -> {
            if (++asks[0] % every == 0 && held[0] != null) {
                long accounted = held[0].bytes();
                long live = live();
                if (asks[0] <= 2 * every) {
                    first[0] = accounted;
                    first[1] = live;
                }
                long grown = accounted - first[0];
                long off = Math.abs(live - first[1] - grown);
                System.out.println(
                        "  " + what + ": accounted " + grown + " more than at first, live " + (live - first[1]));
                if (off > NOISE && off * worst[1] > worst[0] * grown) {
                    worst[0] = off;
                    worst[1] = Math.max(1, grown);
                }
            }
            return asks[0] > 30_000;
        };
        SearchBudget budget = new SearchBudget(sample, Long.MAX_VALUE);
        held[0] = budget;
        Outcome outcome = Solver.solve(polygraph, options, budget);
        System.out.println("  " + what + ": " + outcome.statistics());
        assertThat(worst[0]).as("%s: bytes off, of %d", what, worst[1]).isLessThanOrEqualTo(worst[1] / 20);
        long bytes = outcome.statistics().bytes();
        Outcome less = new Solver().solve(polygraph, options.withMaxBytes(bytes / 2));
        assertThat(less.statistics().bytes()).as(what).isBetween(bytes / 4, bytes / 2);
        Outcome least = new Solver().solve(polygraph, options.withMaxBytes(bytes / 5));
        assertThat(least).as(what).isInstanceOf(Outcome.Unknown.class);
        assertThat(least.statistics().bytes()).as(what).isBetween(bytes / 10, bytes / 5);
    }

    private static long live() {
        System.gc();
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }
}
