package org.polygraph.jobs.spark;

import java.io.File;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.SparkConf;
import org.apache.spark.sql.SparkSession;
import org.polygraph.cluster.OwnSetting;
import org.polygraph.cluster.SparkProfile;

/** Spark sessions, configured by the profile that fits the master. */
final class SparkSessions {
    private static final String DEFAULT_MASTER = "local[*]";
    /** The setting for a profile other than the master's, such as managed. */
    static final String PROFILE = OwnSetting.PROFILE.key();

    /** The names of the jars that executors need besides those of Spark: those that bin/thin-jars copies. */
    static final Pattern OWN = Pattern.compile("(polygraph|picocli|fastutil|jmustache)-.*\\.jar");

    private static final String PLUGINS = "spark.plugins";

    private static final String LOGGING = "log4j2.configurationFile";

    /** The settings that decide where a run is, its size and its parallelism. Others may be secrets. */
    private static final Pattern SHOWN = Pattern.compile(
            "spark\\.(master|submit\\.deployMode|local\\.dir|speculation|executor\\.(memory|cores|instances)"
                    + "|memory\\..*|sql\\.shuffle\\.partitions|dynamicAllocation\\.enabled|polygraph\\..*)");

    private SparkSessions() {}

    /** The settings in force that are not defaults of Spark, each as {@code key=value}. */
    static List<String> shown(SparkConf conf) {
        return Stream.of(conf.getAll())
                .filter(setting -> SHOWN.matcher(setting._1).matches())
                .map(setting -> setting._1 + "=" + setting._2)
                .sorted()
                .toList();
    }

    /**
     * Returns the profile that is configured, or else that of the master.
     *
     * @throws IllegalArgumentException if it is neither a master URL nor a profile; the message names what was expected
     */
    static SparkProfile profile(String master) {
        return SparkProfile.of(master, new SparkConf().get(PROFILE, ""));
    }

    /** Returns the settings of a session; spark-submit and system properties override the profile. */
    static SparkConf configuration(String master) {
        SparkConf given = new SparkConf();
        String url = master.equals(DEFAULT_MASTER) ? given.get("spark.master", master) : master;
        SparkConf conf = new SparkConf();
        profile(url).settings().forEach(conf::setIfMissing);
        conf.setMaster(url);
        String jars = ownJars();
        if (!url.startsWith("local[") && !url.equals("local") && !jars.isEmpty()) {
            // Executors on other machines have no jars but Spark's. The option --jars of spark-submit takes precedence.
            conf.setIfMissing("spark.jars", jars);
        }
        conf.setAppName("polygraph");
        String plugins = conf.get(PLUGINS, "");
        String own = CheckMetricsPlugin.class.getName();
        if (!plugins.contains(own)) {
            conf.set(PLUGINS, plugins.isEmpty() ? own : plugins + "," + own);
        }
        return conf;
    }

    /** The jars on the class path that are not part of a Spark distribution, separated by commas. */
    private static String ownJars() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .filter(each -> OWN.matcher(new File(each).getName()).matches() && new File(each).isFile())
                .collect(Collectors.joining(","));
    }

    /** Starts a session, which takes 6 to 13 seconds of CPU. Logging is off, unless the caller has configured it. */
    static SparkSession start(SparkConf conf) {
        return SparkSession.builder().config(conf).getOrCreate();
    }

    /**
     * Turns off logging, unless the caller has configured it. It must be called before the first class of Spark is
     * loaded, because that creates a logger.
     */
    static void quiet() {
        if (System.getProperty(LOGGING) == null) {
            System.setProperty(LOGGING, "classpath:org/polygraph/jobs/spark/log4j2.properties");
        }
    }
}
