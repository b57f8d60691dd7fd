package org.polygraph.jobs.spark;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.spark.SparkConf;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;
import org.polygraph.cluster.OwnSetting;
import org.polygraph.jobs.application.EngineException;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.storage.model.BudgetException;

/** A Spark session that starts when it is first used, and lives until {@link #close} or the end of the process. */
final class LazySession implements AutoCloseable {
    /** The setting for the scratch folder on a cluster: any Hadoop path that driver and executors see. */
    static final String SCRATCH_FOLDER = OwnSetting.STAGE_DIR.key();

    private static final long POLL_MILLIS = 20;

    /** Spark requires one and a half times the memory that it reserves, and does not start with less. */
    static final long LEAST_HEAP = 450L << 20;

    /** Work with a session. */
    @FunctionalInterface
    interface Work<T, E extends Exception, F extends Exception> {
        T with(SparkSession spark) throws E, F;
    }

    private final String master;
    private @Nullable FutureTask<SparkSession> session;

    /**
     * Starts nothing yet.
     *
     * @throws IllegalArgumentException if it is not a master URL
     */
    LazySession(String master) {
        SparkSessions.quiet();
        SparkSessions.profile(master);
        this.master = master;
    }

    /** Returns the master that the session has, or will have. */
    String master() {
        return configuration().get("spark.master");
    }

    /** Returns the settings that the session has, or will have. */
    SparkConf configuration() {
        return SparkSessions.configuration(master);
    }

    /** Returns the session. If there is no live one, starts it without a time limit. */
    SparkSession get() {
        return get(Budget.unlimited());
    }

    /**
     * Returns the session, started if there is no live one. It starts on a thread of its own, because Spark repeats its
     * request for a quarter of an hour if a resource manager does not answer. A session that starts after the end of
     * the budget serves the next caller.
     *
     * @throws BudgetException if the budget ended first
     * @throws EngineException if Spark does not start
     */
    SparkSession get(Budget budget) {
        FutureTask<SparkSession> start = start();
        while (true) {
            try {
                return start.get(POLL_MILLIS, TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                if (budget.exhausted()) {
                    throw new BudgetException(budget.exhaustion("the start of Spark on " + master()));
                }
            } catch (ExecutionException e) {
                forget(start);
                Throwable why = e.getCause() == null ? e : e.getCause();
                throw new EngineException("Spark does not start on " + master() + ": " + why, why);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new EngineException("interrupted while Spark starts on " + master(), e);
            }
        }
    }

    private synchronized FutureTask<SparkSession> start() {
        FutureTask<SparkSession> before = session;
        if (before != null && !(before.isDone() && hasStopped(before))) {
            return before;
        }
        SparkConf conf = configuration();
        FutureTask<SparkSession> start = new FutureTask<>(() -> SparkSessions.start(conf));
        SparkSession living = SparkSession.getDefaultSession().getOrElse(() -> null);
        if (living != null && !living.sparkContext().isStopped()) {
            // A session that another part of the process started is shared.
            start.run();
        } else {
            Thread thread = new Thread(start, "spark-start");
            thread.setDaemon(true);
            thread.start();
        }
        session = start;
        return start;
    }

    private synchronized void forget(FutureTask<SparkSession> start) {
        if (session == start) {
            session = null;
        }
    }

    /** Whether the session of a task that is done has stopped. Throws nothing. */
    private static boolean hasStopped(FutureTask<SparkSession> done) {
        try {
            return done.get().sparkContext().isStopped();
        } catch (ExecutionException | InterruptedException e) {
            return true;
        }
    }

    /** Does work with the session, started if there is no live one. */
    <T, E extends Exception, F extends Exception> T use(Budget budget, Work<T, E, F> work) throws E, F {
        return use(get(budget), work);
    }

    /** Does work with a session that this one started. */
    <T, E extends Exception, F extends Exception> T use(SparkSession spark, Work<T, E, F> work) throws E, F {
        try {
            return work.with(spark);
        } catch (IllegalStateException | EngineException e) {
            // An unreachable or lost master stops the context; Spark then answers each use with pages of text.
            if (spark.sparkContext().isStopped()) {
                throw new EngineException(
                        "Spark has stopped: there is no cluster at " + master + ", or it is gone; check --master", e);
            }
            throw e;
        }
    }

    /** Stops the session, if it has started. */
    @Override
    public synchronized void close() {
        FutureTask<SparkSession> started = session;
        session = null;
        if (started != null && started.isDone()) {
            try {
                started.get().stop();
            } catch (ExecutionException | InterruptedException e) {
                // The session did not start.
            }
        }
    }
}
