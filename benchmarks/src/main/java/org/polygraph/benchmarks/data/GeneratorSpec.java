package org.polygraph.benchmarks.data;

import java.util.Arrays;
import java.util.Locale;
import org.polygraph.storage.generate.Workload;

/**
 * Describes a generated history in words: {@code gen:}, then pairs {@code name=value} in any order, separated by
 * commas.
 *
 * <table>
 *   <caption>Settings; those not given have the default</caption>
 *   <tr><td>txns</td><td>transactions, 100000</td></tr>
 *   <tr><td>keys</td><td>keys, 100000; or a number for each transaction: 0.1/txn</td></tr>
 *   <tr><td>sessions</td><td>sessions, 50</td></tr>
 *   <tr><td>ops</td><td>operations a transaction, 8</td></tr>
 *   <tr><td>reads</td><td>share of reads, 0.5</td></tr>
 *   <tr><td>rmw</td><td>share of read-modify-writes, 0</td></tr>
 *   <tr><td>zipf</td><td>exponent of the key distribution, 0 (uniform)</td></tr>
 *   <tr><td>hotspot</td><td>{@code 0.01:0.9}: 1 % of the keys take 90 % of the operations</td></tr>
 *   <tr><td>values</td><td>unique, or how many different values a key takes; unique</td></tr>
 *   <tr><td>repeat</td><td>share of the keys whose values repeat, 1; the others have unique ones</td></tr>
 *   <tr><td>level</td><td>what the store guarantees: ser, si, pc or rc; ser</td></tr>
 *   <tr><td>times</td><td>whether transactions have start and end, false</td></tr>
 *   <tr><td>skew</td><td>ns by which clocks differ at most, 0</td></tr>
 *   <tr><td>aborted</td><td>share of transactions that roll back, 0</td></tr>
 *   <tr><td>indeterminate</td><td>share of transactions with unknown outcome, 0</td></tr>
 *   <tr><td>seed</td><td>1</td></tr>
 * </table>
 */
public final class GeneratorSpec {
    /** The beginning of every spec. */
    public static final String PREFIX = "gen:";

    private static final String PER_TRANSACTION = "/txn";

    private GeneratorSpec() {}

    /** Whether the words are a spec, not a path. */
    public static boolean isSpec(String source) {
        return source.startsWith(PREFIX);
    }

    /**
     * Reads a spec.
     *
     * @throws IllegalArgumentException naming the setting that is unknown or out of range
     */
    public static Workload parse(String spec) {
        if (!isSpec(spec)) {
            throw new IllegalArgumentException("'" + spec + "' does not begin with " + PREFIX);
        }
        String[] settings = spec.substring(PREFIX.length()).split(",", -1);
        Workload generator = new Workload()
                .seed(Long.parseLong(last(settings, "seed", "1")))
                .transactions(100_000)
                .keys(100_000)
                .sessions(50)
                .timed(false);
        for (String setting : settings) {
            if (setting.isEmpty() && settings.length == 1) {
                break;
            }
            int equals = setting.indexOf('=');
            if (equals < 0) {
                throw new IllegalArgumentException("'" + setting + "' in " + spec + "; name=value expected");
            }
            try {
                set(generator, settings, setting.substring(0, equals), setting.substring(equals + 1));
            } catch (NumberFormatException e) {
                throw new IllegalArgumentException("'" + setting + "' in " + spec + "; a number expected", e);
            }
        }
        return generator;
    }

    /** Returns the last value of a setting, or the given one if there is none. */
    private static String last(String[] settings, String name, String otherwise) {
        return Arrays.stream(settings)
                .filter(s -> s.startsWith(name + "="))
                .map(s -> s.substring(name.length() + 1))
                .reduce(otherwise, (before, last) -> last);
    }

    private static int keys(String value, String[] settings) {
        if (!value.endsWith(PER_TRANSACTION)) {
            return Integer.parseInt(value);
        }
        double each = Double.parseDouble(value.substring(0, value.length() - PER_TRANSACTION.length()));
        return (int) Math.max(1, Math.round(each * Integer.parseInt(last(settings, "txns", "100000"))));
    }

    private static void set(Workload generator, String[] settings, String name, String value) {
        switch (name) {
            case "txns" -> generator.transactions(Integer.parseInt(value));
            case "keys" -> generator.keys(keys(value, settings));
            case "sessions" -> generator.sessions(Integer.parseInt(value));
            case "ops" -> generator.operations(Integer.parseInt(value));
            case "reads" -> generator.reads(Double.parseDouble(value));
            case "rmw" -> generator.modifies(Double.parseDouble(value));
            case "zipf" -> {
                if (Double.parseDouble(value) > 0) {
                    generator.distribution(Workload.Distribution.ZIPF).zipf(Double.parseDouble(value));
                }
            }
            case "values" -> {
                if (!value.equals("unique")) {
                    double share = Double.parseDouble(last(settings, "repeat", "1"));
                    generator.values(Integer.parseInt(value)).repeats(share);
                }
            }
            case "hotspot" -> {
                String[] shares = pair(name, value);
                generator
                        .distribution(Workload.Distribution.HOTSPOT)
                        .hot(Double.parseDouble(shares[0]), Double.parseDouble(shares[1]));
            }
            case "times" -> generator.timed(Boolean.parseBoolean(value));
            case "skew" -> generator.skew(Long.parseLong(value));
            case "aborted" -> generator.aborted(Double.parseDouble(value));
            case "indeterminate" -> generator.indeterminate(Double.parseDouble(value));
            case "level" -> generator.level(Workload.Level.valueOf(value.toUpperCase(Locale.ROOT)));
            case "seed", "repeat" -> {}
            default ->
                throw new IllegalArgumentException("setting '" + name
                        + "'; expected txns, keys, sessions, ops, reads, rmw, zipf, hotspot, values, repeat, level,"
                        + " times, skew, aborted, indeterminate or seed");
        }
    }

    private static String[] pair(String name, String value) {
        String[] parts = value.split(":", -1);
        if (parts.length != 2) {
            throw new IllegalArgumentException(name + "=" + value + "; two parts with a colon between them expected");
        }
        return parts;
    }
}
