package org.polygraph.jobs.spark;

import java.io.PrintStream;
import java.util.Properties;
import org.apache.spark.SparkUserAppException;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.application.ClusterDriver;

/**
 * The driver in YARN's application master ({@code --deploy-mode cluster}), which behaves as follows (Spark's
 * ApplicationMaster, 4.1):
 *
 * <ul>
 *   <li>An application that has no SparkContext 100 s after main has begun (spark.yarn.am.waitTime), or none when main
 *       returns, has failed, and YARN may start it again. Hashing and reading on the driver can take longer, and a
 *       verdict of an earlier run needs no session. Therefore a session is started first.
 *   <li>System.exit in main is a failure with code 16, whatever its argument is.
 *   <li>If main returns, the application has succeeded. A SparkUserAppException is a failure with its exit code.
 * </ul>
 *
 * <p>YARN starts a failed application again, up to spark.yarn.maxAppAttempts. It reads this setting at submission,
 * before a profile can set it to 1.
 */
public final class YarnDriver implements ClusterDriver {
    private static final String ATTEMPTS = "spark.yarn.maxAppAttempts";

    private final Properties properties;
    private final PrintStream err;
    private final LazySession session;

    /**
     * Starts no session yet.
     *
     * @param properties the system properties, which the application master has set
     * @param err gets the message about a wrong submission
     */
    public YarnDriver(Properties properties, PrintStream err) {
        this(properties, err, "yarn");
    }

    /** Creates a driver for tests. */
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
        // The session is stopped before main returns, so that executors end at once and scratch folders are deleted.
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
