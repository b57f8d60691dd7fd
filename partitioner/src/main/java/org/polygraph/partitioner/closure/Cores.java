package org.polygraph.partitioner.closure;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Independent pieces of one stage, on the cores of this machine. The caller is one of the threads and the only one that asks
 * whether to stop; the others are told. How many threads there are decides nothing but how long it takes: what a piece makes
 * is put where only it writes, or put together by number of piece.
 */
public final class Cores {
    /** More would wait for memory. */
    private static final int MOST = 32;

    private static final long LOOK_MILLIS = 20;

    private final int threads;

    private Cores(int threads) {
        this.threads = threads;
    }

    /** As many threads as there are cores. */
    public static Cores all() {
        return new Cores(Math.min(MOST, Runtime.getRuntime().availableProcessors()));
    }

    /** So many threads, 1 or more. */
    public static Cores of(int threads) {
        return new Cores(threads);
    }

    /** Threads. */
    public int count() {
        return threads;
    }

    /** What one thread does with the pieces that it gets. */
    @FunctionalInterface
    public interface Worker {
        /**
         * Does a piece.
         *
         * @param stop asked now and then; true: what was made so far is of no use
         */
        void run(int piece, BooleanSupplier stop);
    }

    /**
     * Runs all pieces, begun in ascending order.
     *
     * @param workers makes one for each thread
     * @param stop asked by the calling thread
     * @return false if stopped
     */
    public boolean run(int pieces, Supplier<Worker> workers, BooleanSupplier stop) {
        int helpers = Math.min(threads, pieces) - 1;
        Turn turn = new Turn(pieces, stop);
        Thread[] crew = new Thread[Math.max(0, helpers)];
        try {
            for (int i = 0; i < crew.length; i++) {
                Worker worker = workers.get();
                crew[i] = new Thread(() -> turn.work(worker, turn::isEnded), "polygraph-" + (i + 1));
                crew[i].setDaemon(true);
                crew[i].start();
            }
            turn.work(workers.get(), turn::look);
        } finally {
            turn.await(crew);
        }
        return turn.succeeded();
    }

    private static final class Turn {
        private final int pieces;
        private final BooleanSupplier stop;
        private final AtomicInteger next = new AtomicInteger();
        private final AtomicReference<Throwable> failure = new AtomicReference<>();
        private volatile boolean ended;

        Turn(int pieces, BooleanSupplier stop) {
            this.pieces = pieces;
            this.stop = stop;
        }

        boolean isEnded() {
            return ended;
        }

        /** By the calling thread. */
        boolean look() {
            if (!ended && stop.getAsBoolean()) {
                ended = true;
            }
            return ended;
        }

        void work(Worker worker, BooleanSupplier halted) {
            try {
                for (int piece = next.getAndIncrement();
                        piece < pieces && !halted.getAsBoolean();
                        piece = next.getAndIncrement()) {
                    worker.run(piece, halted);
                }
            } catch (RuntimeException | Error e) {
                failure.compareAndSet(null, e);
                ended = true;
            }
        }

        void await(Thread[] crew) {
            boolean interrupted = false;
            for (Thread thread : crew) {
                while (thread != null && thread.isAlive()) {
                    try {
                        thread.join(LOOK_MILLIS);
                        look();
                    } catch (InterruptedException e) {
                        interrupted = true;
                        ended = true;
                    }
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }

        boolean succeeded() {
            Throwable thrown = failure.get();
            if (thrown instanceof Error error) {
                throw error;
            }
            if (thrown instanceof RuntimeException exception) {
                throw exception;
            }
            return !ended;
        }
    }
}
