package org.polygraph.jobs.spark;

import org.apache.spark.TaskContext;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.api.plugin.SparkPlugin;

/**
 * Brings {@link CheckMetrics} into Spark's metrics system: the driver's, under {@code plugin.} and this class's name. The only
 * way there that is public. Spark makes it, on executors too, where spill and memory of tasks are Spark's own metrics, but what
 * outlives a task has its end here: files of a closure that are mapped there.
 */
public final class CheckMetricsPlugin implements SparkPlugin {
    /** What tells a task which folder's files may stay mapped: a local property of its job. */
    static final String MAPPED = "polygraph.mapped";

    @Override
    public DriverPlugin driverPlugin() {
        return new DriverPlugin() {
            @Override
            public void registerMetrics(String application, PluginContext context) {
                CheckMetrics.OF_THIS_PROCESS.showIn(context.metricRegistry());
            }
        };
    }

    @Override
    public ExecutorPlugin executorPlugin() {
        return new ExecutorPlugin() {
            @Override
            public void onTaskStart() {
                String folder = TaskContext.get().getLocalProperty(MAPPED);
                MappedFiles.OF_THIS_PROCESS.keepOnly(folder == null ? "" : folder);
            }

            @Override
            public void shutdown() {
                MappedFiles.OF_THIS_PROCESS.close();
            }
        };
    }
}
