package org.polygraph.jobs.spark;

import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.api.plugin.SparkPlugin;
import org.jspecify.annotations.Nullable;

/**
 * Publishes {@link CheckMetrics} in the driver's metrics system of Spark, under {@code plugin.} and this class's name;
 * a plugin is the only public way. Memory of tasks is a metric of Spark's own.
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
