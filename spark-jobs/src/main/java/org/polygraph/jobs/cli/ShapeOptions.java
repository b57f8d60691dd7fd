package org.polygraph.jobs.cli;

import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.application.Failures;
import org.polygraph.storage.generate.Workload;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.TypeConversionException;

/** The numbers of a workload, which generate and record share. */
final class ShapeOptions {
    /** Converts the argument of {@code --values}; 0 is unique. */
    static final class Values implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            if (text.equals("unique")) {
                return 0;
            }
            boolean isNumber = !text.isEmpty() && Character.isDigit(text.charAt(0));
            int distinct = isNumber ? new Converters.IntCount().convert(text) : 0;
            if (distinct <= 0) {
                throw new TypeConversionException("'" + text + "' is neither unique nor a number of values, 1 or more");
            }
            return distinct;
        }
    }

    /** The number of operations of a transaction. */
    record Operations(int least, int most) {}

    /** {@code 8} or {@code 2-12}. */
    static final class OperationsConverter implements ITypeConverter<Operations> {
        @Override
        public Operations convert(String text) {
            String[] ends = text.split("-", 2);
            try {
                Converters.IntCount count = new Converters.IntCount();
                return new Operations(count.convert(ends[0]), count.convert(ends[ends.length - 1]));
            } catch (TypeConversionException e) {
                throw new TypeConversionException(
                        "'" + text + "' is neither a number of operations nor two, such as 2-12");
            }
        }
    }

    /** Two shares: of keys, and of the operations on these keys. */
    record Hot(double keys, double operations) {}

    /** {@code 0.01:0.9}. */
    static final class HotConverter implements ITypeConverter<Hot> {
        @Override
        public Hot convert(String text) {
            String[] shares = text.split(":", -1);
            try {
                if (shares.length == 2) {
                    return new Hot(Double.parseDouble(shares[0]), Double.parseDouble(shares[1]));
                }
            } catch (NumberFormatException e) {
                // The error is reported below.
            }
            throw new TypeConversionException("'" + text + "' is not KEYS:OPERATIONS, two shares, such as 0.01:0.9");
        }
    }

    @Option(
            names = "--transactions",
            paramLabel = "N",
            defaultValue = "10000",
            description = "How many (default: 10000).")
    private long transactions;

    @Option(
            names = "--sessions",
            paramLabel = "N",
            defaultValue = "10",
            description = "How many run side by side (default: 10).")
    private int sessions;

    @Option(
            names = "--operations",
            paramLabel = "N|MIN-MAX",
            defaultValue = "8",
            converter = OperationsConverter.class,
            description = "Of each transaction (default: 8).")
    @SuppressWarnings("NullAway.Init")
    private Operations operations;

    @Option(
            names = "--keys",
            paramLabel = "N",
            description = "How many (default: 1000; of record 100, of its bank 10).")
    private @Nullable Integer keys;

    @Option(
            names = "--reads",
            paramLabel = "SHARE",
            defaultValue = "0.5",
            description = "Share of operations that read (default: 0.5).")
    private double reads;

    @Option(
            names = "--read-modify-writes",
            paramLabel = "SHARE",
            defaultValue = "0",
            description = "Share of pairs of operations that read a key, then write it (default: 0); --reads is of the"
                    + " others.")
    private double modifies;

    @Option(
            names = "--distribution",
            paramLabel = "SHAPE",
            defaultValue = "uniform",
            description = "Of keys: uniform, zipf, hotspot or exponential.")
    @SuppressWarnings("NullAway.Init")
    private Workload.Distribution distribution;

    @Option(
            names = "--zipf",
            paramLabel = "EXPONENT",
            description = "Of --distribution zipf: key k has weight (k + 1)^-EXPONENT (default: 0.99).")
    private @Nullable Double zipf;

    @Option(
            names = "--hot",
            paramLabel = "KEYS:OPERATIONS",
            converter = HotConverter.class,
            description = "Of --distribution hotspot: share of the keys, share of the operations that they have"
                    + " (default: 0.01:0.9).")
    private @Nullable Hot hot;

    @Option(
            names = "--values",
            paramLabel = "unique|N",
            defaultValue = "unique",
            converter = Values.class,
            description = "Every write its own value, or N different values in all.")
    @SuppressWarnings("NullAway.Init")
    private Integer values;

    @Option(
            names = "--aborted",
            paramLabel = "SHARE",
            defaultValue = "0",
            description = "Share of transactions that roll back (default: 0).")
    private double aborted;

    @Option(
            names = "--savepoints",
            paramLabel = "SHARE",
            defaultValue = "0",
            description = "Share of transactions that roll back to a savepoint and go on (default: 0).")
    private double savepoints;

    @Option(names = "--seed", paramLabel = "N", defaultValue = "1", description = "Of the random choices (default: 1).")
    private long seed;

    boolean areValuesUnique() {
        return values == 0;
    }

    /** @param defaultKeys the number of keys if none is given */
    Workload workload(CommandSpec spec, int defaultKeys) {
        String conflict = zipf != null && distribution != Workload.Distribution.ZIPF
                ? "--zipf is for --distribution zipf; give both"
                : hot != null && distribution != Workload.Distribution.HOTSPOT
                        ? "--hot is for --distribution hotspot; give both"
                        : null;
        if (conflict != null) {
            throw new ParameterException(spec.commandLine(), conflict);
        }
        try {
            Workload workload = new Workload()
                    .seed(seed)
                    .transactions(transactions)
                    .sessions(sessions)
                    .operations(operations.least, operations.most)
                    .keys(keys == null ? defaultKeys : keys)
                    .reads(reads)
                    .modifies(modifies)
                    .distribution(distribution)
                    .values(values)
                    .savepoints(savepoints)
                    .aborted(aborted);
            if (zipf != null) {
                workload.zipf(zipf);
            }
            if (hot != null) {
                workload.hot(hot.keys, hot.operations);
            }
            return workload;
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--" + Failures.text(e), e);
        }
    }
}
