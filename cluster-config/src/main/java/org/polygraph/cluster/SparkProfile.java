package org.polygraph.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.TreeMap;

/**
 * A named set of Spark settings: those of {@code common}, then the profile's own. Its files are properties;
 * the comment before each key is {@code # [unit] reason}.
 */
public final class SparkProfile {
    /** The names of all profiles, smallest first. */
    public static final List<String> NAMES = List.of("local", "standalone", "yarn", "kubernetes", "managed");

    private static final String COMMON = "common";

    private final String name;
    private final Map<String, String> settings;

    private SparkProfile(String name, Map<String, String> settings) {
        this.name = name;
        this.settings = settings;
    }

    /** @throws IllegalArgumentException if there is no such profile; the message lists all */
    public static SparkProfile named(String name) {
        if (!NAMES.contains(name)) {
            throw new IllegalArgumentException(
                    "found profile '" + name + "'; expected one of " + String.join(", ", NAMES));
        }
        Properties settings = new Properties();
        for (String each : List.of(COMMON, name)) {
            try (InputStream in = SparkProfile.class.getResourceAsStream("profiles/" + each + ".properties")) {
                settings.load(Objects.requireNonNull(in, each));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        Map<String, String> values = new TreeMap<>();
        settings.stringPropertyNames().forEach(key -> values.put(key, settings.getProperty(key)));
        return new SparkProfile(name, Collections.unmodifiableMap(values));
    }

    /**
     * The profile for a master, unless another one is asked for.
     *
     * @param asked the name of one, or empty
     * @throws IllegalArgumentException if {@code master} is not a master URL or {@code asked} not a profile
     */
    public static SparkProfile of(String master, String asked) {
        SparkProfile profile = named(nameOf(master));
        return asked.isEmpty() ? profile : named(asked);
    }

    private static String nameOf(String master) {
        if (master.startsWith("local-cluster[") || master.startsWith("spark://")) {
            return "standalone";
        }
        if (master.matches("local(\\[(\\*|[1-9][0-9]*)(\\s*,\\s*[0-9]+)?])?")) {
            return "local";
        }
        if (master.startsWith("k8s://")) {
            return "kubernetes";
        }
        if (master.equals("yarn")) {
            return "yarn";
        }
        throw new IllegalArgumentException(
                "found --master '" + master + "'; expected local[*], local[N], spark://HOST:PORT, yarn or k8s://URL");
    }

    public String name() {
        return name;
    }

    /** Key to value, for SparkConf. */
    public Map<String, String> settings() {
        return settings;
    }
}
