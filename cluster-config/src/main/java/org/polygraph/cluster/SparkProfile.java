package org.polygraph.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * A named set of Spark settings: those of {@code common}, then the profile's own. Files are properties with one rule
 * more: the comment before a key is {@code # [unit] reason}, and the unit is checked.
 */
public final class SparkProfile {
    /** The profiles there are, smallest first. */
    public static final List<String> NAMES = List.of("local", "standalone", "yarn", "kubernetes", "managed");

    private static final String COMMON = "common";

    /** What a value may look like. */
    enum Unit {
        BOOLEAN("true|false"),
        BYTES("[1-9][0-9]*[kmgt]"),
        COUNT("0|[1-9][0-9]*"),
        SECONDS("[1-9][0-9]*s"),
        RATIO("0\\.[0-9]+"),
        CLASS("([a-z0-9]+\\.)+[A-Z][A-Za-z0-9]*"),
        FLAGS("-\\S+( -\\S+)*"),
        TEXT("\\S(.*\\S)?");

        private final Pattern pattern;

        Unit(String pattern) {
            this.pattern = Pattern.compile(pattern);
        }
    }

    /**
     * One setting.
     *
     * @param reason why it has this value, one sentence or two
     */
    record Setting(String key, String value, Unit unit, String reason) {}

    private final String name;
    private final Map<String, Setting> settings;

    private SparkProfile(String name, Map<String, Setting> settings) {
        this.name = name;
        this.settings = settings;
    }

    /** @throws IllegalArgumentException if there is no such profile; the message lists those there are */
    public static SparkProfile named(String name) {
        if (!NAMES.contains(name)) {
            throw new IllegalArgumentException(
                    "found profile '" + name + "'; expected one of " + String.join(", ", NAMES));
        }
        Map<String, Setting> settings = new LinkedHashMap<>();
        for (String file : List.of(COMMON, name)) {
            for (Setting setting : parse(file + ".properties", text(file))) {
                settings.put(setting.key, setting);
            }
        }
        return new SparkProfile(name, settings);
    }

    /**
     * The profile for a master, unless another one is asked for.
     *
     * @param asked the name of one, or empty
     * @throws IllegalArgumentException if it is no master URL, or no profile: says what was expected
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

    /** Key to value, common settings first; for SparkConf. */
    public Map<String, String> settings() {
        Map<String, String> values = new LinkedHashMap<>();
        settings.forEach((key, setting) -> values.put(key, setting.value));
        return Collections.unmodifiableMap(values);
    }

    /** Each setting with its unit and reason. */
    List<Setting> documented() {
        return List.copyOf(settings.values());
    }

    private static String text(String profile) {
        String file = "profiles/" + profile + ".properties";
        try (InputStream in = SparkProfile.class.getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalStateException(file + " is not beside " + SparkProfile.class.getName());
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * @throws IllegalArgumentException at the first line that breaks the rules: says where, what and what was expected
     */
    static List<Setting> parse(String file, String text) {
        List<Setting> settings = new ArrayList<>();
        String comment = "";
        int number = 0;
        for (String line : text.split("\n", -1)) {
            number++;
            String where = file + ":" + number;
            if (line.isBlank()) {
                comment = "";
            } else if (line.startsWith("#")) {
                comment = line.substring(1).strip();
            } else {
                Setting setting = setting(where, line, comment);
                for (Setting other : settings) {
                    if (other.key.equals(setting.key)) {
                        throw new IllegalArgumentException(
                                where + ": found " + setting.key + " again; expected it once");
                    }
                }
                settings.add(setting);
                comment = "";
            }
        }
        return settings;
    }

    private static Setting setting(String where, String line, String comment) {
        int equals = line.indexOf('=');
        if (equals <= 0 || !line.startsWith("spark.")) {
            throw new IllegalArgumentException(where + ": found '" + line + "'; expected spark.key=value");
        }
        String key = line.substring(0, equals);
        String value = line.substring(equals + 1);
        int close = comment.indexOf(']');
        if (!comment.startsWith("[")
                || close < 0
                || comment.substring(close + 1).isBlank()) {
            throw new IllegalArgumentException(
                    where + ": found " + key + " without its comment; expected '# [unit] reason' on the line before");
        }
        Unit unit = unit(where, comment.substring(1, close));
        if (!unit.pattern.matcher(value).matches()) {
            throw new IllegalArgumentException(where + ": found " + key + " = '" + value + "'; expected "
                    + comment.substring(1, close) + " matching " + unit.pattern);
        }
        return new Setting(key, value, unit, comment.substring(close + 1).strip());
    }

    private static Unit unit(String where, String name) {
        for (Unit unit : Unit.values()) {
            if (unit.name().equalsIgnoreCase(name)) {
                return unit;
            }
        }
        throw new IllegalArgumentException(
                where + ": found unit [" + name + "]; expected one of " + List.of(Unit.values()));
    }
}
