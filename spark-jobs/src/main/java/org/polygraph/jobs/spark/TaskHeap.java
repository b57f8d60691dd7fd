package org.polygraph.jobs.spark;

import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;

/** The memory that a task may take of its executor's heap, which it shares with as many tasks as there are cores. */
final class TaskHeap {
    private TaskHeap() {}

    /** Half of a task's share of the heap, in bytes; the other half is for Spark and garbage. */
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
