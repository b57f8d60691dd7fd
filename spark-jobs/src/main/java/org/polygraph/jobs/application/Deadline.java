package org.polygraph.jobs.application;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.decision.Budget;

/**
 * Runs a step on a thread of its own if its budget has an end, and waits for it until then. A step checks its budget,
 * but it cannot do so while a read blocks, or in a loop that does not check it. The caller does not wait for such a
 * step: it ends at its next check, or with the process.
 */
final class Deadline<T> extends Thread {
    /** The time that a step gets after the end of its budget, to end by itself. */
    private static final long GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** The time between two looks at the budget, which can be cancelled, so its end is not known beforehand. */
    private static final long STEP_MILLIS = 20;

    /** Work with a result. */
    @FunctionalInterface
    interface Step<T, E extends Exception, F extends Exception> {
        @Nullable
        T run() throws E, F;
    }

    private final Step<T, ?, ?> step;
    private final CountDownLatch done = new CountDownLatch(1);
    private @Nullable T result;
    private @Nullable Throwable failure;

    private Deadline(Step<T, ?, ?> step) {
        super("step of a check");
        this.step = step;
        setDaemon(true);
    }

    /**
     * Runs a step.
     *
     * @throws org.polygraph.storage.model.BudgetException if it outlasts its budget
     */
    static <T, E extends Exception, F extends Exception> @Nullable T run(Budget budget, Step<T, E, F> step)
            throws E, F {
        if (!budget.hasDeadline() || Thread.currentThread() instanceof Deadline) {
            return step.run();
        }
        Deadline<T> thread = new Deadline<>(step);
        thread.start();
        return thread.<E>await(budget);
    }

    @Override
    public void run() {
        try {
            result = step.run();
        } catch (Throwable e) {
            failure = e;
        } finally {
            done.countDown();
        }
    }

    @SuppressWarnings("unchecked") // a step throws nothing else
    private <E extends Exception> @Nullable T await(Budget budget) throws E {
        long end = 0;
        try {
            while (!done.await(STEP_MILLIS, TimeUnit.MILLISECONDS)) {
                long now = System.nanoTime();
                if (end == 0 && budget.exhausted()) {
                    end = now + GRACE_NANOS;
                }
                if (end != 0 && now - end >= 0) {
                    throw Budget.ended();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            budget.cancel();
            throw Budget.ended();
        }
        if (failure instanceof Error error) {
            throw error;
        }
        if (failure != null) {
            throw (E) failure;
        }
        return result;
    }
}
