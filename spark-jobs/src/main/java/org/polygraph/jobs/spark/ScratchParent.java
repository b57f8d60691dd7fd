package org.polygraph.jobs.spark;

import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkExecutorInfo;
import org.apache.spark.deploy.SparkHadoopUtil;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.application.ConfigurationException;
import org.polygraph.jobs.application.EngineException;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.storage.artifact.Location;

/**
 * The parent of the folders for scratch files, and whether executors can see it. If nothing is configured and the
 * default file system is a local one, it is this machine's temporary folder, which executors on other machines cannot
 * see.
 */
final class ScratchParent {
    /**
     * How long to wait for the first executor, whose host is needed: longer than a JVM and a container take to start.
     */
    private static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(20);

    private static final long POLL_MILLIS = 50;

    private ScratchParent() {}

    /** The configured folder; else the user's home in the default file system, or this machine's temporary folder. */
    static Path of(SparkSession spark) {
        Path configured = configured(spark.sparkContext().getConf());
        if (configured != null) {
            return configured;
        }
        Configuration hadoop = spark.sparkContext().hadoopConfiguration();
        if (isLocal(hadoop)) {
            return new Path("file://" + System.getProperty("java.io.tmpdir"));
        }
        try {
            return FileSystem.get(hadoop).getHomeDirectory();
        } catch (IOException e) {
            throw new EngineException("no file system for scratch files: " + e.getMessage(), e);
        }
    }

    /**
     * The folder for scratch files of a run that a later process can continue: in the configured folder, or else where
     * the run is.
     *
     * @param scratch a folder within the run
     * @return null if the run is on this machine only, and the default file system is not
     */
    static @Nullable Path ofKept(SparkSession spark, Location scratch) {
        Path configured = configured(spark.sparkContext().getConf());
        if (configured == null
                && scratch.isLocal()
                && !isLocal(spark.sparkContext().hadoopConfiguration())) {
            return null;
        }
        Path own = new Path(scratch.isLocal() ? "file://" + scratch.absolute() : scratch.name());
        return configured == null
                ? own
                : new Path(
                        configured,
                        "polygraph-" + own.getParent().getParent().getName().replace('=', '-') + "-"
                                + Integer.toHexString(own.toString().hashCode()));
    }

    /** @throws ConfigurationException if the configured value is not a path */
    private static @Nullable Path configured(SparkConf conf) {
        String configured = conf.get(LazySession.SCRATCH_FOLDER, "");
        try {
            return configured.isEmpty() ? null : new Path(configured);
        } catch (IllegalArgumentException e) {
            throw new ConfigurationException("found " + LazySession.SCRATCH_FOLDER + " = '" + configured + "' ("
                    + e.getMessage() + "); expected a path such as hdfs://HOST/scratch");
        }
    }

    private static boolean isLocal(Configuration hadoop) {
        return "file".equals(FileSystem.getDefaultUri(hadoop).getScheme());
    }

    /**
     * Whether scratch files go to this machine and executors may be on other machines. Starts no session.
     *
     * @param scratch where scratch files go that a later process may need; null if none does
     */
    static boolean isInDoubt(SparkConf conf, @Nullable Location scratch) {
        return !conf.get("spark.master").startsWith("local")
                && (scratch == null || scratch.isLocal())
                && conf.get(LazySession.SCRATCH_FOLDER, "").isEmpty()
                && isLocal(SparkHadoopUtil.get().newConfiguration(conf));
    }

    /**
     * Checks what can be known without a session.
     *
     * @throws ConfigurationException if the configured value is not a path, or executors are in pods, which cannot see
     *     a folder of this machine
     */
    static void validate(SparkConf conf, @Nullable Location scratch) {
        configured(conf);
        if (conf.get("spark.master").startsWith("k8s://") && isInDoubt(conf, scratch)) {
            throw unseen("pods");
        }
    }

    /**
     * Checks the hosts of executors. It waits for the first executor, as the first job would.
     *
     * @param spark a session whose folder is {@linkplain #isInDoubt in doubt}
     * @param warn gets a warning if no executor has started in time
     * @throws ConfigurationException if one is on another machine
     */
    static void validate(SparkSession spark, Budget budget, Consumer<String> warn) {
        SparkContext context = spark.sparkContext();
        String driver = context.getConf().get("spark.driver.host", "");
        long start = System.nanoTime();
        // The first entry is the driver.
        SparkExecutorInfo[] executors = context.statusTracker().getExecutorInfos();
        while (executors.length < 2
                && System.nanoTime() - start < WAIT_NANOS
                && !budget.exhausted()
                && !context.isStopped()) {
            try {
                Thread.sleep(POLL_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new EngineException("interrupted while waiting for executors", e);
            }
            executors = context.statusTracker().getExecutorInfos();
        }
        List<String> hosts = Stream.of(executors).map(SparkExecutorInfo::host).toList();
        validate(hosts, driver, executors.length > 1, warn);
    }

    /**
     * @param driver the name of this machine in the cluster
     * @param isKnown whether the host of any executor is known
     */
    static void validate(List<String> hosts, String driver, boolean isKnown, Consumer<String> warn) {
        Set<String> others = new TreeSet<>();
        for (String host : hosts) {
            if (!host.equals(driver) && isElsewhere(host)) {
                others.add(host);
            }
        }
        if (!others.isEmpty()) {
            throw unseen("executors on " + String.join(", ", others));
        }
        if (!isKnown) {
            warn.accept("scratch files go to " + System.getProperty("java.io.tmpdir")
                    + " of this machine; found no executor yet; expected none on another machine, or give "
                    + LazySession.SCRATCH_FOLDER);
        }
    }

    /** Whether a name certainly belongs to another machine. */
    private static boolean isElsewhere(String host) {
        try {
            InetAddress address = InetAddress.getByName(host);
            return !address.isLoopbackAddress() && NetworkInterface.getByInetAddress(address) == null;
        } catch (UnknownHostException | SocketException e) {
            return false;
        }
    }

    private static ConfigurationException unseen(String who) {
        return new ConfigurationException("scratch files would go to " + System.getProperty("java.io.tmpdir")
                + " of this machine; found " + who
                + ", which cannot see it; expected a folder that driver and executors see;"
                + " give JAVA_OPTS=-D" + LazySession.SCRATCH_FOLDER + "=hdfs://... or spark-submit --conf "
                + LazySession.SCRATCH_FOLDER + "=hdfs://...");
    }
}
