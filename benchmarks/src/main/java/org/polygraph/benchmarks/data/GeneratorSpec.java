package org.polygraph.benchmarks.data;

import java.util.Arrays;
import java.util.Locale;
import org.polygraph.storage.testkit.HistoryGenerator;
import org.polygraph.storage.testkit.HistoryGenerator.Isolation;

/**
 * A generated history in words: {@code gen:} and then {@code name=value}, separated by commas, in any order.
 *
 * <table>
 *   <caption>Settings; those not given have the default</caption>
 *   <tr><td>txns</td><td>transactions, 100000</td></tr>
 *   <tr><td>keys</td><td>keys, 100000</td></tr>
 *   <tr><td>sessions</td><td>sessions, 50</td></tr>
 *   <tr><td>ops</td><td>operations a transaction, 8</td></tr>
 *   <tr><td>reads</td><td>share of reads, 0.5</td></tr>
 *   <tr><td>rmw</td><td>share of read-modify-writes, 0</td></tr>
 *   <tr><td>zipf</td><td>exponent of the key distribution, 0 (uniform)</td></tr>
 *   <tr><td>values</td><td>unique, or how many different values a key takes; unique</td></tr>
 *   <tr><td>isolation</td><td>serial, optimistic, snapshot or read_committed; serial</td></tr>
 *   <tr><td>seed</td><td>1</td></tr>
 * </table>
 */
public final class GeneratorSpec {
    /** What every spec begins with. */
    public static final String PREFIX = "gen:";

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
    public static HistoryGenerator parse(String spec) {
        if (!isSpec(spec)) {
            throw new IllegalArgumentException("'" + spec + "' does not begin with " + PREFIX);
        }
        String[] settings = spec.substring(PREFIX.length()).split(",", -1);
        HistoryGenerator generator = HistoryGenerator.withSeed(seed(settings))
                .transactions(100_000)
                .keys(100_000)
                .sessions(50)
                .operations(8)
                .readShare(0.5);
        for (String setting : settings) {
            if (setting.isEmpty() && settings.length == 1) {
                break;
            }
            int equals = setting.indexOf('=');
            if (equals < 0) {
                throw new IllegalArgumentException("'" + setting + "' in " + spec + "; name=value expected");
            }
            try {
                set(generator, setting.substring(0, equals), setting.substring(equals + 1));
            } catch (NumberFormatException e) {
                throw new IllegalArgumentException("'" + setting + "' in " + spec + "; a number expected", e);
            }
        }
        return generator;
    }

    /** The seed is needed before all else. */
    private static long seed(String[] settings) {
        return Arrays.stream(settings)
                .filter(s -> s.startsWith("seed="))
                .mapToLong(s -> Long.parseLong(s.substring("seed=".length())))
                .reduce(1, (before, last) -> last);
    }

    private static void set(HistoryGenerator generator, String name, String value) {
        switch (name) {
            case "txns" -> generator.transactions(Integer.parseInt(value));
            case "keys" -> generator.keys(Integer.parseInt(value));
            case "sessions" -> generator.sessions(Integer.parseInt(value));
            case "ops" -> generator.operations(Integer.parseInt(value));
            case "reads" -> generator.readShare(Double.parseDouble(value));
            case "rmw" -> generator.readModifyWriteShare(Double.parseDouble(value));
            case "zipf" -> generator.zipf(Double.parseDouble(value));
            case "values" -> {
                if (!value.equals("unique")) {
                    generator.repeatedValues(1, Integer.parseInt(value), 1);
                }
            }
            case "isolation" -> generator.isolation(Isolation.valueOf(value.toUpperCase(Locale.ROOT)));
            case "seed" -> {}
            default ->
                throw new IllegalArgumentException("setting '" + name
                        + "'; expected txns, keys, sessions, ops, reads, rmw, zipf, values, isolation or seed");
        }
    }
}
