package org.polygraph.jobs.application;

import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.generate.Generator;

/**
 * The engines of this build. The Spark engine is found by name, because Spark may be missing from the class path, and
 * an embedded run must not load any of its classes.
 */
public final class InstalledEngines implements Engines {
    private static final String SPARK = "org.polygraph.jobs.spark.";
    private static final String MISSING = "the Spark engine needs Spark, which this installation does not contain; set"
            + " SPARK_HOME to a Spark 4.1 for Scala 2.13, or use --engine embedded";

    @Override
    public Checker embedded() {
        return Checker.EMBEDDED;
    }

    @Override
    public Checker auto(String master) throws EngineMissingException {
        // spark-submit sets the property.
        boolean isLocal =
                SparkSettings.isLocal(master) && SparkSettings.isLocal(System.getProperty("spark.master", master));
        return Checker.auto(isLocal ? Engine.LOCAL : engine(master));
    }

    @Override
    public Checker spark(String master) throws EngineMissingException {
        return Checker.byWindows(engine(master));
    }

    private static Engine engine(String master) throws EngineMissingException {
        return ofSpark("SparkEngine", Engine.class, master);
    }

    @Override
    public Generator sparkGenerator(String master) throws EngineMissingException {
        return ofSpark("SparkGenerator", Generator.class, master);
    }

    /**
     * Returns the cluster that runs this process; null if the process ends with main. Spark's ApplicationMaster sets
     * both properties before it calls main; on any other cluster the driver is a separate process.
     *
     * @param err receives errors of the submission
     */
    @Nullable
    public ClusterDriver driver(Properties system, PrintStream err) {
        boolean isInYarn = "yarn".equals(system.getProperty("spark.master"))
                && "cluster".equals(system.getProperty("spark.submit.deployMode"));
        if (!isInYarn) {
            return null;
        }
        try {
            return Class.forName(SPARK + "YarnDriver")
                    .asSubclass(ClusterDriver.class)
                    .getConstructor(Properties.class, PrintStream.class)
                    .newInstance(system, err);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("YarnDriver could not be made", e);
        }
    }

    private static <T> T ofSpark(String name, Class<T> type, String master) throws EngineMissingException {
        try {
            return Class.forName(SPARK + name)
                    .asSubclass(type)
                    .getConstructor(String.class)
                    .newInstance(master);
        } catch (ClassNotFoundException | NoClassDefFoundError e) {
            throw new EngineMissingException(MISSING);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof NoClassDefFoundError) {
                throw new EngineMissingException(MISSING);
            }
            if (e.getCause() instanceof IllegalArgumentException wrong && wrong.getMessage() != null) {
                throw new EngineMissingException(wrong.getMessage());
            }
            throw new IllegalStateException(name + " could not be made", e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(name + " has no public constructor (String master)", e);
        }
    }
}
