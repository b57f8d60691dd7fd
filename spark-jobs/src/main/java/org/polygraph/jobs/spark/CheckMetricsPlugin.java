package org.polygraph.jobs.spark;

import org.apache.spark.TaskContext;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.api.plugin.SparkPlugin;

/**
 * Publishes {@link CheckMetrics} in the driver's metrics system of Spark, under {@code plugin.} and this class's name;
 * a plugin is the only public way. Spark creates it on executors too. There, spill and memory of tasks are Spark's own
 * metrics, and the plugin unmaps the files of a closure, which outlive a task.
 */
public final class CheckMetricsPlugin implements SparkPlugin {
    /** The local property of a job that names the folder whose files may stay mapped. */
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
