package org.polygraph.jobs.spark;

import java.io.IOException;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.apache.spark.JobExecutionStatus;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkException;
import org.apache.spark.SparkJobInfo;
import org.apache.spark.SparkStageInfo;
import org.apache.spark.SparkStatusTracker;
import org.polygraph.jobs.application.EngineException;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.Progress;
import org.polygraph.storage.model.BudgetException;

/**
 * Runs the jobs of one check: gives them names for Spark's UI, cancels them when the budget ends, and classifies their
 * failures.
 *
 * <p>A cancelled job does not wait for its tasks. They are interrupted, which ends tasks that read, write or wait. A
 * task that only computes continues to the end of its slice, and its result is dropped; on a cluster it ends with its
 * executor when the command ends. spark.task.reaper would end the executor's JVM sooner, together with its shuffle
 * files.
 */
final class Jobs {
    private static final long POLL_MILLIS = 50;
    /** The messages of Linux for a full disk, a quota and a file size limit. */
    private static final Pattern FULL = Pattern.compile("No space left on device|quota exceeded|File too large");

    private static final int POLLS_BETWEEN_REPORTS = 10;

    private final SparkContext context;
    private final Budget budget;
    private final Progress progress;
    private final String scratch;
    private final String group = "polygraph-" + UUID.randomUUID();

    Jobs(SparkContext context, Budget budget) {
        this(context, budget, Progress.NONE, "");
    }

    /**
     * Jobs of one check.
     *
     * @param progress receives the numbers of ended tasks
     * @param scratch the folder that tasks write to, for messages; empty if there is none
     */
    Jobs(SparkContext context, Budget budget, Progress progress, String scratch) {
        this.context = context;
        this.budget = budget;
        this.progress = progress;
        this.scratch = scratch;
    }

    /**
     * Runs an action.
     *
     * @param description what it does, for people
     * @throws BudgetException if the budget ended
     * @throws EngineException if storage or the cluster failed
     * @throws OutOfMemoryError if a task ran out of memory
     * @throws IllegalStateException if a task threw anything else
     */
    <T> T run(String description, Callable<T> action) {
        budget.require();
        progress.job(description);
        Thread watcher = watch();
        context.setJobGroup(group, description, true);
        try {
            return action.call();
        } catch (Exception e) {
            budget.require();
            throw sorted(description, e);
        } finally {
            synchronized (progress) {
                watcher.interrupt();
                progress.job("");
            }
            context.clearJobGroup();
        }
    }

    private Thread watch() {
        Thread watcher = new Thread(() -> {
            try {
                for (int polls = 1; !context.isStopped(); polls++) {
                    if (budget.exhausted()) {
                        // This is repeated, because an action may have several jobs, and this one may not have begun.
                        context.cancelJobGroup(group);
                    }
                    Thread.sleep(POLL_MILLIS);
                    if (polls % POLLS_BETWEEN_REPORTS == 0) {
                        report();
                    }
                }
            } catch (InterruptedException e) {
                // The action has ended.
            }
        });
        watcher.setName("spark-budget");
        watcher.setDaemon(true);
        watcher.start();
        return watcher;
    }

    /** Reports how many tasks of the running jobs have ended. */
    private void report() {
        SparkStatusTracker tracker = context.statusTracker();
        long done = 0;
        long total = 0;
        for (int job : tracker.getJobIdsForGroup(group)) {
            SparkJobInfo info = tracker.getJobInfo(job).getOrElse(() -> null);
            if (info == null || info.status() != JobExecutionStatus.RUNNING) {
                continue;
            }
            for (int stage : info.stageIds()) {
                SparkStageInfo tasks = tracker.getStageInfo(stage).getOrElse(() -> null);
                // A stage whose output is cached is never submitted.
                if (tasks != null && tasks.submissionTime() > 0) {
                    done += tasks.numCompletedTasks();
                    total += tasks.numTasks();
                }
            }
        }
        synchronized (progress) {
            // The count of an ended job must not be reported for the next one.
            if (total > 0 && !Thread.currentThread().isInterrupted()) {
                progress.items(done, total);
            }
        }
    }

    /**
     * Classifies the failure of a job. A task's own exception is the innermost cause; if there is none, the task was
     * lost with its executor, or the cluster with its master.
     */
    private RuntimeException sorted(String description, Exception failure) {
        Throwable root = failure;
        boolean io = context.isStopped();
        boolean full = false;
        for (Throwable t = failure; t != null && t != t.getCause(); t = t.getCause()) {
            if (t instanceof OutOfMemoryError memory) {
                throw memory;
            }
            if (t instanceof BudgetException exhausted) {
                return exhausted;
            }
            io |= t instanceof IOException || t instanceof InterruptedException;
            full |= t.getMessage() != null && FULL.matcher(t.getMessage()).find();
            root = t;
        }
        io |= root instanceof SparkException;
        String message = "Spark could not " + description + ": " + firstLine(root);
        return io
                ? new EngineException(message + remedy(full) + ScratchParent.AGAIN, failure)
                : new IllegalStateException(message, failure);
    }

    private String remedy(boolean full) {
        if (!full) {
            return "; expected executors and their files to last; see their logs";
        }
        String local = context.getConf().get("spark.local.dir", System.getProperty("java.io.tmpdir"));
        return "; expected disks with room; make room in "
                + (scratch.isEmpty() ? "" : scratch + " (" + LazySession.SCRATCH_FOLDER + " or --out) and ")
                + "spark.local.dir (" + local + "), or give others";
    }

    /** Returns the first line of the exception's message, or its class if it has none. */
    static String firstLine(Throwable t) {
        String message = t.getMessage();
        return message == null || message.isBlank()
                ? t.getClass().getSimpleName()
                : message.strip().lines().findFirst().orElse("");
    }
}
