package org.polygraph.jobs.spark;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;

/** The memory that a task may take of its executor's heap, which it shares with as many tasks as there are cores. */
final class TaskHeap {
    private static final Pattern THREADS = Pattern.compile("local\\[([0-9]+).*");

    private TaskHeap() {}

    /** Half of a task's share of the heap, in bytes; the other half is for Spark and garbage. */
    static long half() {
        SparkConf conf = SparkEnv.get().conf();
        Runtime here = Runtime.getRuntime();
        int cores = conf.getInt("spark.executor.cores", cores(conf.get("spark.master", ""), here));
        return half(here.maxMemory(), cores, conf.getInt("spark.task.cpus", 1));
    }

    /** The threads of a local master, or the cores of this machine. */
    private static int cores(String master, Runtime here) {
        Matcher local = THREADS.matcher(master);
        return local.matches() ? Integer.parseInt(local.group(1)) : here.availableProcessors();
    }

    static long half(long heap, int cores, int coresOfTask) {
        return heap / 2 / Math.max(1, cores / coresOfTask);
    }
}
