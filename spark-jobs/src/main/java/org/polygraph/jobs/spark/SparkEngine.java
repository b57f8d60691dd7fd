package org.polygraph.jobs.spark;

import java.util.Locale;
import org.apache.spark.SparkConf;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.application.Engine;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.Progress;
import org.polygraph.jobs.windows.Workers;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.model.BudgetException;

/**
 * The Spark engine: executors run the tasks of windows, so no process holds a history. There is one session, which the
 * first history starts and which lives until {@link #close} or the end of the process.
 */
public final class SparkEngine implements Engine, AutoCloseable {
    private final LazySession session;

    /**
     * Starts no session yet.
     *
     * @throws IllegalArgumentException if it is not a master URL
     */
    public SparkEngine(String master) {
        this.session = new LazySession(master);
    }

    /**
     * Rejects wrong settings before anything is read, including a scratch folder that executors cannot see, which may
     * need a session.
     */
    @Override
    public void prepare(@Nullable Location scratch, Progress progress, Budget budget) {
        SparkConf conf = session.configuration();
        ScratchParent.validate(conf, scratch);
        if (ScratchParent.isInDoubt(conf, scratch) && Runtime.getRuntime().maxMemory() >= LazySession.LEAST_HEAP) {
            SparkSession spark = started(progress, budget);
            try (SparkWorkers workers = new SparkWorkers(session, spark, null, budget, Progress.NONE)) {
                workers.requireSeen();
            }
        }
    }

    private SparkSession started(Progress progress, Budget budget) {
        progress.phase("start of Spark");
        return session.get(budget);
    }

    @Override
    public Workers workers(@Nullable Location scratch, Progress progress, Budget budget) {
        if (Runtime.getRuntime().maxMemory() < LazySession.LEAST_HEAP) {
            throw new BudgetException(budget.shortage("a Spark session", LazySession.LEAST_HEAP));
        }
        SparkSession spark = started(progress, budget);
        return session.use(spark, live -> {
            SparkWorkers workers = new SparkWorkers(session, live, scratch, budget, progress);
            progress.note("scratch files in=" + workers.folder());
            progress.note("driver heap=" + (Runtime.getRuntime().maxMemory() >> 20) + "m");
            SparkSessions.shown(live.sparkContext().getConf()).forEach(progress::note);
            return workers;
        });
    }

    @Override
    public Progress listening(Progress progress) {
        return CheckMetrics.OF_THIS_PROCESS.listening(progress);
    }

    @Override
    public void ended(String how) {
        CheckMetrics.OF_THIS_PROCESS.ended(how.toLowerCase(Locale.ROOT));
    }

    /** The session, started if there is no live one. */
    SparkSession session() {
        return session.get();
    }

    /** Stops the session. */
    @Override
    public void close() {
        session.close();
    }
}
