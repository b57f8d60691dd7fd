package org.polygraph.jobs.application;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.polygraph.cluster.OwnSetting;
import org.polygraph.cluster.SparkProfile;

/** The settings of a run on Spark, without Spark: the profile of the master, overridden by system properties. */
public final class SparkSettings {
    private static final Pattern LOCAL = Pattern.compile("local(?:\\[([0-9]+|\\*).*)?");

    private final String master;
    private final Map<String, String> settings = new LinkedHashMap<>();

    /** @throws IllegalArgumentException if there is no such master or profile; the message names what was expected */
    public SparkSettings(String master) {
        this.master = master;
        settings.putAll(SparkProfile.of(master, System.getProperty(OwnSetting.PROFILE.key(), ""))
                .settings());
        for (String key : System.getProperties().stringPropertyNames()) {
            if (key.startsWith("spark.")) {
                settings.put(key, System.getProperty(key));
            }
        }
    }

    /** Whether executors are threads of this process. */
    static boolean isLocal(String master) {
        return LOCAL.matcher(master).matches();
    }

    /**
     * Returns the cores: those of local[N]; of all executors if settings have their number; otherwise of this machine.
     */
    public int cores() {
        Matcher local = LOCAL.matcher(master);
        String machine = Integer.toString(Runtime.getRuntime().availableProcessors());
        if (local.matches()) {
            String cores = local.group(1);
            return cores == null ? 1 : Integer.parseInt(cores.equals("*") ? machine : cores);
        }
        if (settings.containsKey("spark.executor.instances")) {
            return count("spark.executor.instances", "1") * count("spark.executor.cores", "1");
        }
        return count("spark.cores.max", machine);
    }

    /** Returns the tasks that run in the process of the driver at once: 0 if executors are processes of their own. */
    public int threadsOfDriver() {
        return isLocal(master) ? cores() : 0;
    }

    private int count(String key, String defaultValue) {
        String value = settings.getOrDefault(key, defaultValue);
        if (!value.matches("[1-9][0-9]{0,8}")) {
            throw new IllegalArgumentException("found " + key + " = '" + value + "'; expected a number from 1");
        }
        return Integer.parseInt(value);
    }
}
