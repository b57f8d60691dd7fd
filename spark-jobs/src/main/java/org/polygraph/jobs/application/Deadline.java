package org.polygraph.jobs.application;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.decision.Budget;

/**
 * Runs a step on a thread of its own if its budget has an end, and waits for it until then. A step checks its budget,
 * but it cannot do so while a read blocks, or in a loop that does not check it. The caller does not wait for such a
 * step: it ends at its next check, or with the process.
 */
public final class Deadline extends Thread {
    /** The time that a step gets after the end of its budget, to end by itself. */
    private static final long GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** The time between two looks at the budget, which can be cancelled, so its end is not known beforehand. */
    private static final long STEP_MILLIS = 20;

    /** Work with a result. */
    @FunctionalInterface
    public interface Step<T, E extends Exception, F extends Exception> {
        @Nullable
        T run() throws E, F;
    }

    private Deadline(Runnable task) {
        super(task, "step of a check");
        setDaemon(true);
    }

    /**
     * Runs a step.
     *
     * @throws org.polygraph.storage.model.BudgetException if it outlasts its budget
     */
    public static <T, E extends Exception, F extends Exception> @Nullable T run(Budget budget, Step<T, E, F> step)
            throws E, F {
        if (!budget.hasDeadline() || Thread.currentThread() instanceof Deadline) {
            return step.run();
        }
        FutureTask<@Nullable T> task = new FutureTask<>(step::run);
        new Deadline(task).start();
        return Deadline.<@Nullable T, E>await(task, budget);
    }

    @SuppressWarnings("unchecked") // a step throws nothing else
    private static <T, E extends Exception> T await(FutureTask<T> task, Budget budget) throws E {
        long end = 0;
        while (true) {
            try {
                return task.get(STEP_MILLIS, TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                long now = System.nanoTime();
                if (end == 0 && budget.exhausted()) {
                    end = now + GRACE_NANOS;
                }
                if (end != 0 && now - end >= 0) {
                    throw Budget.ended();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                budget.cancel();
                throw Budget.ended();
            } catch (ExecutionException e) {
                if (e.getCause() instanceof Error error) {
                    throw error;
                }
                throw (E) e.getCause();
            }
        }
    }
}
