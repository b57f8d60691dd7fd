package org.polygraph.jobs.spark;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.hadoop.fs.Path;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.Function;
import org.apache.spark.sql.SparkSession;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.Progress;
import org.polygraph.jobs.windows.Task;
import org.polygraph.jobs.windows.Workers;

/**
 * Runs the tasks of a check by windows on executors, with scratch files in a folder that driver and executors see. A
 * task that runs twice writes the same file twice.
 */
final class SparkWorkers implements Workers {
    private final JavaSparkContext context;
    private final ScratchFolder folder;
    private final Jobs jobs;

    /** @param parent a folder that the driver and all tasks see */
    SparkWorkers(SparkSession spark, Path parent, Budget budget, Progress progress) throws IOException {
        this.context = JavaSparkContext.fromSparkContext(spark.sparkContext());
        this.folder = new ScratchFolder(parent, spark.sparkContext().hadoopConfiguration());
        this.jobs = new Jobs(spark.sparkContext(), budget, progress);
    }

    @Override
    public String folder() {
        return folder.path().toString();
    }

    @Override
    public List<byte[]> run(String what, List<? extends Task> tasks) {
        List<Integer> numbers = IntStream.range(0, tasks.size()).boxed().toList();
        return tasks.isEmpty()
                ? List.of()
                : Budget.unlessEnded(jobs.run(what, () -> context.parallelize(numbers, numbers.size())
                        .map(new Run(new ArrayList<>(tasks)))
                        .collect()));
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
