package org.polygraph.jobs.spark;

import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;

/** What a task may take of its executor's heap, where as many run at once as the executor has cores for. */
final class TaskHeap {
    private TaskHeap() {}

    /** Half of what each of the tasks that may run here has; the other half is Spark's and garbage. In bytes. */
    static long half() {
        SparkConf conf = SparkEnv.get().conf();
        Runtime here = Runtime.getRuntime();
        int cores = conf.getInt("spark.executor.cores", here.availableProcessors());
        return half(here.maxMemory(), cores, conf.getInt("spark.task.cpus", 1));
    }

    static long half(long heap, int cores, int coresOfTask) {
        return heap / 2 / Math.max(1, cores / coresOfTask);
    }
}
