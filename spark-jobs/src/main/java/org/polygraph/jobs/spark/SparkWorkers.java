package org.polygraph.jobs.spark;

import java.io.IOException;
import java.io.Serializable;
import java.net.InetAddress;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.Function;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.application.ConfigurationException;
import org.polygraph.jobs.application.EngineException;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.Progress;
import org.polygraph.jobs.windows.Task;
import org.polygraph.jobs.windows.Workers;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.artifact.ScratchFolder;

/**
 * Runs the tasks of a check by windows on executors, with scratch files in a folder that driver and executors see. A
 * task that runs twice writes the same file twice.
 */
final class SparkWorkers implements Workers {
    private final LazySession session;
    private final SparkSession spark;
    private final ScratchFolder folder;
    private final Jobs jobs;

    /**
     * Makes the folder of scratch files.
     *
     * @param kept where scratch files go that a later process may need, unless a folder is configured; null if none does
     */
    SparkWorkers(LazySession session, SparkSession spark, @Nullable Location kept, Budget budget, Progress progress) {
        this.session = session;
        this.spark = spark;
        try {
            Location own = kept == null ? null : ScratchParent.ofKept(spark.sparkContext(), kept);
            ScratchFolder made = own == null ? null : ScratchFolder.kept(own, budget::exhausted);
            if (own != null && made == null) {
                progress.warning(own.name()
                        + ": found that another process uses the scratch files of this run; this check has a folder of its"
                        + " own, and cannot be continued if it is stopped");
            }
            folder = made != null
                    ? made
                    : ScratchFolder.temporary(
                            ScratchParent.of(spark.sparkContext()).child("polygraph-scratch-" + UUID.randomUUID()));
        } catch (IOException e) {
            throw ScratchParent.failed(e);
        }
        jobs = new Jobs(spark.sparkContext(), budget, progress, folder());
    }

    /** Looks for a file. Result: empty if it is there; else the name of this machine. */
    record Look(String file) implements Task<String> {
        @Override
        public String run(Budget budget) throws IOException {
            return Location.of(file).exists() ? "" : InetAddress.getLocalHost().getHostName();
        }
    }

    /**
     * Has executors look for the folder of scratch files.
     *
     * @throws ConfigurationException if one does not see it
     */
    void requireSeen() {
        Location file = folder.location().child("seen");
        try {
            file.write(out -> {});
        } catch (IOException e) {
            throw ScratchParent.failed(e);
        }
        Task<String> look = new Look(file.name());
        Set<String> elsewhere = new TreeSet<>(run(
                "look for scratch files",
                Collections.nCopies(spark.sparkContext().defaultParallelism(), look)));
        elsewhere.remove("");
        if (!elsewhere.isEmpty()) {
            throw ScratchParent.unseen("executors on " + String.join(", ", elsewhere));
        }
    }

    @Override
    public boolean mayKeep() {
        return folder.mayKeep();
    }

    @Override
    public void keep(boolean forLater) {
        folder.keep(forLater);
    }

    @Override
    public String folder() {
        return folder.location().name();
    }

    @Override
    @SuppressWarnings("unchecked") // the result of task i has number i
    public <R extends Serializable> List<R> run(String what, List<? extends Task<R>> tasks) {
        if (tasks.isEmpty()) {
            return List.of();
        }
        try {
            List<byte[]> results = session.use(
                    spark,
                    live -> jobs.run(what, () -> JavaSparkContext.fromSparkContext(live.sparkContext())
                            .parallelize(tasks.stream().map(Task::bytes).toList(), tasks.size())
                            .map(RUN)
                            .collect()));
            return results.stream()
                    .map(result -> (R) Task.object(result, Serializable.class))
                    .toList();
        } catch (EngineException e) {
            if (Workers.showsDamage(e)) {
                keep(false);
            }
            throw e;
        }
    }

    /**
     * Runs a task with the memory of a task of its executor. Tasks are data of their job and not part of its code, because an executor reads the
     * code of a job again for each task.
     */
    private static final Function<byte[], byte[]> RUN = bytes -> {
        Task<?> task = Task.object(bytes, Task.class);
        return Task.bytes(task.run(Budget.starting(Long.MAX_VALUE, TaskHeap.half())));
    };

    @Override
    public void close() {
        folder.close();
    }
}
