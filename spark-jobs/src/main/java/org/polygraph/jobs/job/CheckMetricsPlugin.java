package org.polygraph.jobs.job;

import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.api.plugin.SparkPlugin;
import org.jspecify.annotations.Nullable;

/**
 * Brings {@link CheckMetrics} into Spark's metrics system: the driver's, under {@code plugin.} and this class's name. The only
 * way there that is public. Spark makes it, on executors too, where it does nothing: spill and memory of tasks are Spark's
 * own metrics.
 */
public final class CheckMetricsPlugin implements SparkPlugin {
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
    public @Nullable ExecutorPlugin executorPlugin() {
        return null;
    }
}
