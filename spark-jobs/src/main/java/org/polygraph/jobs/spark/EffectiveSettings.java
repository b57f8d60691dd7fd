package org.polygraph.jobs.spark;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.SparkConf;
import org.apache.spark.sql.SparkSession;
import org.polygraph.cluster.OwnSetting;

/** The settings in force for a session, from a profile, spark-submit, a system property or a default. */
final class EffectiveSettings {
    /** The settings of Spark that decide the size and parallelism of a run, with the defaults of Spark. */
    private static final String[][] SIZES = {
        {"spark.executor.memory", "1g"},
        {"spark.executor.cores", "all of a worker"},
        {"spark.executor.instances", "as many as there are"},
        {"spark.memory.offHeap.size", "0"},
        {"spark.memory.fraction", "0.6"},
        {"spark.sql.shuffle.partitions", "200"},
        {"spark.dynamicAllocation.enabled", "false"},
        {"spark.speculation", "false"},
    };

    private final List<String> lines = new ArrayList<>();

    /** @param scratch the folder of scratch files of a check */
    EffectiveSettings(SparkSession spark, String scratch) {
        SparkConf conf = spark.sparkContext().getConf();
        boolean isLocal = spark.sparkContext().isLocal();
        line("spark.master", spark.sparkContext().master());
        line("spark.submit.deployMode", conf.get("spark.submit.deployMode", "client"));
        line(
                OwnSetting.PROFILE.key(),
                SparkSessions.profile(spark.sparkContext().master()).name());
        line(OwnSetting.STAGE_DIR.key(), conf.get(OwnSetting.STAGE_DIR.key(), "not given"));
        line("scratch files in", scratch);
        // This is the heap of the running JVM; a profile cannot change it.
        line("driver heap", (Runtime.getRuntime().maxMemory() >> 20) + "m");
        line("driver cores", Integer.toString(Runtime.getRuntime().availableProcessors()));
        line("tasks at once, now", Integer.toString(spark.sparkContext().defaultParallelism()));
        for (String[] size : SIZES) {
            if (!isLocal || !size[0].startsWith("spark.executor.")) {
                line(size[0], conf.get(size[0], size[1]));
            }
        }
        line("spark.local.dir", conf.get("spark.local.dir", System.getProperty("java.io.tmpdir")));
    }

    private void line(String key, String value) {
        lines.add(key + "=" + value);
    }

    /** The settings, each as {@code key=value}. */
    List<String> lines() {
        return lines;
    }
}
