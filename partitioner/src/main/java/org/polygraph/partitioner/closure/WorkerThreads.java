package org.polygraph.partitioner.closure;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.polygraph.storage.model.StoppedException;

/**
 * Independent tasks of one phase on several threads. The calling thread is one of the workers and the only one that
 * asks whether to stop; the others see a flag. The number of workers changes nothing but the time: a task writes its
 * result where no other task writes, or results are put together by number of task.
 */
public final class WorkerThreads {
    /** The most threads, because more would wait for memory. */
    private static final int MOST = 32;

    private static final long LOOK_MILLIS = 20;

    private final int threads;

    private WorkerThreads(int threads) {
        this.threads = threads;
    }

    /** Returns as many workers as the machine has processors. */
    public static WorkerThreads all() {
        return new WorkerThreads(Math.min(MOST, Runtime.getRuntime().availableProcessors()));
    }

    /** Returns the given number of workers, 1 or more. */
    public static WorkerThreads of(int threads) {
        return new WorkerThreads(threads);
    }

    /** The work of one thread. */
    @FunctionalInterface
    public interface Worker {
        /**
         * Does a task.
         *
         * @param stop to be checked now and then, see {@link StoppedException#check}
         */
        void run(int task, BooleanSupplier stop);
    }

    /**
     * Runs all tasks, begun in ascending order.
     *
     * @param workers makes one for each thread
     * @param stop asked by the calling thread
     * @throws StoppedException if stopped; else what a task throws
     */
    public void run(int tasks, Supplier<Worker> workers, BooleanSupplier stop) {
        Run run = new Run(tasks, stop);
        Thread[] others = new Thread[Math.max(0, Math.min(threads, tasks) - 1)];
        try {
            for (int i = 0; i < others.length; i++) {
                Worker worker = workers.get();
                others[i] = new Thread(() -> run.work(worker, run::isEnded), "polygraph-" + (i + 1));
                others[i].setDaemon(true);
                others[i].start();
            }
            run.work(workers.get(), run::look);
        } finally {
            run.await(others);
        }
        run.throwFailure();
    }

    private static final class Run {
        private final int tasks;
        private final BooleanSupplier stop;
        private final AtomicInteger next = new AtomicInteger();
        private final AtomicReference<Throwable> failure = new AtomicReference<>();
        private volatile boolean ended;

        Run(int tasks, BooleanSupplier stop) {
            this.tasks = tasks;
            this.stop = stop;
        }

        boolean isEnded() {
            return ended;
        }

        /** By the calling thread. */
        boolean look() {
            if (!ended && stop.getAsBoolean()) {
                fail(new StoppedException());
            }
            return ended;
        }

        private void fail(Throwable thrown) {
            failure.compareAndSet(null, thrown);
            ended = true;
        }

        void work(Worker worker, BooleanSupplier halted) {
            try {
                for (int task = next.getAndIncrement();
                        task < tasks && !halted.getAsBoolean();
                        task = next.getAndIncrement()) {
                    worker.run(task, halted);
                }
            } catch (RuntimeException | Error e) {
                fail(e);
            }
        }

        void await(Thread[] others) {
            boolean interrupted = false;
            for (Thread thread : others) {
                while (thread != null && thread.isAlive()) {
                    try {
                        thread.join(LOOK_MILLIS);
                        look();
                    } catch (InterruptedException e) {
                        interrupted = true;
                        fail(new StoppedException());
                    }
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }

        void throwFailure() {
            Throwable thrown = failure.get();
            if (thrown instanceof Error error) {
                throw error;
            }
            if (thrown instanceof RuntimeException exception) {
                throw exception;
            }
        }
    }
}
