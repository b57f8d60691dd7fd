package org.polygraph.jobs.spark;

import java.io.PrintStream;
import java.util.Properties;
import org.apache.spark.SparkUserAppException;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.application.ClusterDriver;

/**
 * The driver in YARN's application master ({@code --deploy-mode cluster}), whose promises are these (Spark's
 * ApplicationMaster, 4.1):
 *
 * <ul>
 *   <li>An application that has no SparkContext 100 s after main has begun (spark.yarn.am.waitTime), or none when main
 *       returns, has failed, and YARN may start it again: hashing and reading on the driver can take longer, and a
 *       verdict of an earlier run takes no session at all. So one is started first.
 *   <li>System.exit in main is a failure, code 16, whatever it was given.
 *   <li>Main that returns is success. A SparkUserAppException is a failure with the code that it has.
 * </ul>
 *
 * <p>A failure is tried again as often as spark.yarn.maxAppAttempts says, which counts at submission only: profiles come too
 * late to say 1.
 */
public final class YarnDriver implements ClusterDriver {
    private static final String ATTEMPTS = "spark.yarn.maxAppAttempts";

    private final Properties properties;
    private final PrintStream err;
    private final LazySession session;

    /**
     * Starts nothing yet.
     *
     * @param properties of the system, as the application master has set them
     * @param err hears what is wrong with the submission
     */
    public YarnDriver(Properties properties, PrintStream err) {
        this(properties, err, "yarn");
    }

    /** For tests. */
    YarnDriver(Properties properties, PrintStream err, String master) {
        this.properties = properties;
        this.err = err;
        this.session = new LazySession(master);
    }

    @Override
    public void begin() {
        if (!"1".equals(properties.getProperty(ATTEMPTS))) {
            err.println("polygraph: found " + ATTEMPTS + " = " + given()
                    + "; expected 1, or YARN may start again what ends with"
                    + " VIOLATION or UNKNOWN; give spark-submit --conf " + ATTEMPTS + "=1");
        }
        session.get();
    }

    private String given() {
        @Nullable String given = properties.getProperty(ATTEMPTS);
        return given == null ? "nothing" : given;
    }

    @Override
    public void end(int exitCode) throws SparkUserAppException {
        // Stopped before main returns: executors go at once, and stage folders that are deleted with the process are.
        SparkSession.getDefaultSession().foreach(running -> {
            running.stop();
            return null;
        });
        session.close();
        if (exitCode != 0) {
            throw new SparkUserAppException(exitCode, null);
        }
    }
}
