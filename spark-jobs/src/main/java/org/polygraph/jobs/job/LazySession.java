package org.polygraph.jobs.job;

import java.io.IOException;
import java.util.function.Function;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.SparkConf;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.pipeline.EngineException;

/** A Spark session that starts when it is first used, and lives until {@link #close} or the end of the process. */
final class LazySession implements AutoCloseable {
    /** Where stage files go on a cluster, any Hadoop path that driver and executors see. */
    static final String STAGE_FOLDER = "spark.polygraph.stage.dir";

    /** Spark does not start with less: one and a half times what it reserves. */
    static final long LEAST_HEAP = 450L << 20;

    private final String master;
    private @Nullable SparkSession session;

    /**
     * Starts nothing yet.
     *
     * @param master Spark master URL
     * @throws IllegalArgumentException if it is none
     */
    LazySession(String master) {
        Sessions.quiet();
        Sessions.profile(master);
        this.master = master;
    }

    /** The master that the session has, or will have. */
    String master() {
        return Sessions.configuration(master).get("spark.master");
    }

    /** The session, started if there is none, or none that lives. */
    synchronized SparkSession get() {
        SparkSession running = session;
        if (running == null || running.sparkContext().isStopped()) {
            SparkConf conf = Sessions.configuration(master);
            try {
                running = Sessions.start(conf);
            } catch (RuntimeException e) {
                throw new EngineException("Spark does not start on " + conf.get("spark.master") + ": " + e, e);
            }
            session = running;
        }
        return running;
    }

    /** Works with the session. */
    <T> T use(Function<SparkSession, T> work) {
        SparkSession spark = get();
        try {
            return work.apply(spark);
        } catch (IllegalStateException | EngineException e) {
            // A master that cannot be reached, or is lost, stops the context; whoever uses it then gets pages of text.
            if (spark.sparkContext().isStopped()) {
                throw new EngineException(
                        "Spark has stopped: there is no cluster at " + master + ", or it is gone; check --master", e);
            }
            throw e;
        }
    }

    /** The configured folder; else the user's home in the default file system, or this machine's temporary folder. */
    static Path stageFolder(SparkSession spark) {
        String configured = spark.sparkContext().getConf().get(STAGE_FOLDER, "");
        if (!configured.isEmpty()) {
            return new Path(configured);
        }
        Configuration hadoop = spark.sparkContext().hadoopConfiguration();
        if ("file".equals(FileSystem.getDefaultUri(hadoop).getScheme())) {
            return new Path("file://" + System.getProperty("java.io.tmpdir"));
        }
        try {
            return FileSystem.get(hadoop).getHomeDirectory();
        } catch (IOException e) {
            throw new EngineException("no file system for stage files: " + e.getMessage(), e);
        }
    }

    /** Stops the session. */
    @Override
    public synchronized void close() {
        SparkSession running = session;
        if (running != null) {
            running.stop();
            session = null;
        }
    }
}
