package org.polygraph.jobs.record;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Clients that run side by side, each with a session and a thread of its own:
 *
 * <pre>{@code
 * Clients.run(recorder, 8, 100, 42, (session, random) -> {
 *     try (HistoryRecorder.Transaction tx = session.begin()) {
 *         ...
 *     }
 * });
 * }</pre>
 */
public final class Clients {
    private static final long SPREAD = 0x9E3779B97F4A7C15L;

    private Clients() {}

    /** What a client does, as often as requested. */
    @FunctionalInterface
    public interface Body {
        /**
         * Runs once.
         *
         * @param session of the thread; the body ends each transaction that it begins
         * @param random of the thread; its numbers depend on the seed and the number of the thread
         */
        void run(HistoryRecorder.Session session, Random random) throws Exception;
    }

    /**
     * Runs a body a number of times on each of some threads, which begin together, and returns after all have ended.
     * The seed decides what the bodies choose by their random numbers, and not how the threads overlap. After a body
     * has thrown something, the other threads end after their current run.
     *
     * @param threads 1 or more
     * @param times runs of each thread
     * @throws AssertionError if a body throws something, which is the cause; the message names thread, run and seed
     * @throws InterruptedException if the caller is interrupted; the threads are interrupted then
     */
    public static void run(HistoryRecorder recorder, int threads, int times, long seed, Body body)
            throws InterruptedException {
        CountDownLatch ready = new CountDownLatch(threads);
        AtomicBoolean hasFailed = new AtomicBoolean();
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                int number = thread;
                all.add(pool.submit(() -> {
                    HistoryRecorder.Session session = recorder.session();
                    Random random = new Random(seed + SPREAD * number);
                    ready.countDown();
                    ready.await();
                    for (int i = 0; i < times && !hasFailed.get(); i++) {
                        try {
                            body.run(session, random);
                        } catch (Exception | Error e) {
                            hasFailed.set(true);
                            throw new AssertionError(
                                    "thread " + number + " of " + threads + ", run " + i + " of " + times + ", seed "
                                            + seed + ": " + e,
                                    e);
                        }
                    }
                    return null;
                }));
            }
            AssertionError first = null;
            for (Future<?> each : all) {
                try {
                    each.get();
                } catch (ExecutionException e) {
                    if (!(e.getCause() instanceof AssertionError failure)) {
                        throw new IllegalStateException(e.getCause());
                    }
                    if (first == null) {
                        first = failure;
                    } else {
                        first.addSuppressed(failure);
                    }
                }
            }
            if (first != null) {
                throw first;
            }
        } finally {
            pool.shutdownNow();
        }
    }
}
