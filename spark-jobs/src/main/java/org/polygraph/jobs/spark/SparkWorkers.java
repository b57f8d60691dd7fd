package org.polygraph.jobs.spark;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.Function;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.application.EngineException;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.Progress;
import org.polygraph.jobs.windows.Task;
import org.polygraph.jobs.windows.Workers;
import org.polygraph.storage.artifact.Location;

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
        Configuration hadoop = spark.sparkContext().hadoopConfiguration();
        try {
            Path own = kept == null ? null : ScratchParent.ofKept(spark, kept);
            ScratchFolder made = own == null ? null : ScratchFolder.kept(own, hadoop);
            folder = made == null ? ScratchFolder.in(ScratchParent.of(spark), hadoop) : made;
        } catch (IOException e) {
            throw ScratchFolder.failed(ScratchParent.of(spark), e);
        }
        jobs = new Jobs(spark.sparkContext(), budget, progress);
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
        return folder.path().toString();
    }

    @Override
    public List<byte[]> run(String what, List<? extends Task> tasks) {
        if (tasks.isEmpty()) {
            return List.of();
        }
        List<Integer> numbers = IntStream.range(0, tasks.size()).boxed().toList();
        try {
            return session.use(
                    spark,
                    () -> Budget.unlessEnded(
                            jobs.run(what, () -> JavaSparkContext.fromSparkContext(spark.sparkContext())
                                    .parallelize(numbers, numbers.size())
                                    .map(new Run(new ArrayList<>(tasks)))
                                    .collect())));
        } catch (EngineException e) {
            if (Workers.showsDamage(e)) {
                keep(false);
            }
            throw e;
        }
    }

    /** Runs the task of a number with the memory of a task of its executor. Java serializes it with all tasks. */
    private record Run(ArrayList<Task> tasks) implements Function<Integer, byte[]> {
        private static final long serialVersionUID = 1L;

        @Override
        public byte[] call(Integer number) throws IOException {
            return tasks.get(number).run(Budget.starting(Long.MAX_VALUE, TaskHeap.half()));
        }
    }

    @Override
    public void close() {
        folder.close();
    }
}
