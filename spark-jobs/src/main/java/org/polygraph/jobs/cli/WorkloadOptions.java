package org.polygraph.jobs.cli;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.application.Failures;
import org.polygraph.storage.generate.PlantedAnomaly;
import org.polygraph.storage.generate.TransactionPlan;
import org.polygraph.storage.generate.Workload;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.TypeConversionException;

/** What history to generate. */
final class WorkloadOptions {
    /** As {@code --values} takes it; 0 is unique. */
    static final class Values implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            if (text.equals("unique")) {
                return 0;
            }
            try {
                int distinct = Integer.parseInt(text);
                if (distinct > 0) {
                    return distinct;
                }
            } catch (NumberFormatException e) {
                // Reported below.
            }
            throw new TypeConversionException("'" + text + "' is neither unique nor a number of values, 1 or more");
        }
    }

    /** Of a transaction. */
    record Operations(int least, int most) {}

    /** {@code 8} or {@code 2-12}. */
    static final class OperationsConverter implements ITypeConverter<Operations> {
        @Override
        public Operations convert(String text) {
            String[] ends = text.split("-", 2);
            try {
                return new Operations(Integer.parseInt(ends[0]), Integer.parseInt(ends[ends.length - 1]));
            } catch (NumberFormatException e) {
                throw new TypeConversionException(
                        "'" + text + "' is neither a number of operations nor two, such as 2-12");
            }
        }
    }

    /** Two shares: of keys, of the operations that they have. */
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
                // Reported below.
            }
            throw new TypeConversionException("'" + text + "' is not KEYS:OPERATIONS, two shares, such as 0.01:0.9");
        }
    }

    /** A planted anomaly by its label. */
    static final class AnomalyConverter implements ITypeConverter<PlantedAnomaly> {
        @Override
        public PlantedAnomaly convert(String text) {
            List<String> labels = new ArrayList<>();
            for (PlantedAnomaly anomaly : PlantedAnomaly.values()) {
                if (anomaly.label().equals(text)) {
                    return anomaly;
                }
                labels.add(anomaly.label());
            }
            throw new TypeConversionException("unknown anomaly '" + text + "'" + Suggestion.forWord(text, labels)
                    + " (anomalies: " + String.join(", ", labels) + ")");
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

    @Option(names = "--keys", paramLabel = "N", defaultValue = "1000", description = "How many (default: 1000).")
    private int keys;

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
            description = "Of keys: uniform, zipf or hotspot.")
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
            names = "--repeat",
            paramLabel = "SHARE",
            description = "Of --values N: share of the keys on which values repeat (default: 1).")
    private @Nullable Double repeats;

    @Option(
            names = {"-l", "--level"},
            paramLabel = "LEVEL",
            defaultValue = "ser",
            description = "What the store guarantees: ser (each transaction at one instant) or si (snapshot, first"
                    + " committer wins).")
    @SuppressWarnings("NullAway.Init")
    private Workload.Level level;

    @Option(
            names = "--aborted",
            paramLabel = "SHARE",
            defaultValue = "0",
            description = "Share of transactions that roll back (default: 0).")
    private double aborted;

    @Option(
            names = "--indeterminate",
            paramLabel = "SHARE",
            defaultValue = "0",
            description = "Share of unknown outcome, half of which took effect (default: 0).")
    private double indeterminate;

    @Option(names = "--no-time", description = "No start and end.")
    private boolean untimed;

    @Option(
            names = "--skew",
            paramLabel = "DUR",
            converter = Converters.DurationNanos.class,
            defaultValue = "0",
            description = "Clocks of two sessions differ by at most that (default: 0).")
    private long skewNanos;

    @Option(
            names = "--anomaly",
            paramLabel = "NAME",
            converter = AnomalyConverter.class,
            description = "Plant one, such as write-skew, lost-update, long-fork, stale-read; may be repeated.")
    private List<PlantedAnomaly> anomalies = new ArrayList<>();

    @Option(
            names = "--at",
            paramLabel = "N",
            description = "Number of the first transaction of each --anomaly, in time from 0 (default: the middle).")
    private List<Long> places = new ArrayList<>();

    @Option(names = "--seed", paramLabel = "N", defaultValue = "1", description = "The same seed, the same history.")
    private long seed;

    /** What each transaction does. */
    TransactionPlan plan(CommandSpec spec) {
        String conflict = zipf != null && distribution != Workload.Distribution.ZIPF
                ? "--zipf is for --distribution zipf; give both"
                : hot != null && distribution != Workload.Distribution.HOTSPOT
                        ? "--hot is for --distribution hotspot; give both"
                        : untimed && skewNanos > 0
                                ? "--skew is of times, and --no-time leaves them out; give one"
                                : repeats != null && values == 0
                                        ? "--repeat is for --values N; give both"
                                        : !places.isEmpty() && places.size() != anomalies.size()
                                                ? "--at " + places.size() + " times and --anomaly " + anomalies.size()
                                                        + " times; give one --at for each --anomaly, or none"
                                                : null;
        if (conflict != null) {
            throw new ParameterException(spec.commandLine(), conflict);
        }
        try {
            return workload().plan();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--" + Failures.text(e), e);
        }
    }

    private Workload workload() {
        Workload workload = new Workload()
                .seed(seed)
                .transactions(transactions)
                .sessions(sessions)
                .operations(operations.least, operations.most)
                .keys(keys)
                .reads(reads)
                .modifies(modifies)
                .distribution(distribution)
                .values(values)
                .level(level)
                .aborted(aborted)
                .indeterminate(indeterminate)
                .timed(!untimed)
                .skew(skewNanos);
        if (repeats != null) {
            workload.repeats(repeats);
        }
        if (zipf != null) {
            workload.zipf(zipf);
        }
        if (hot != null) {
            workload.hot(hot.keys, hot.operations);
        }
        for (int i = 0; i < anomalies.size(); i++) {
            long even = transactions / (anomalies.size() + 1) * (i + 1);
            long most = Math.max(0, transactions - anomalies.get(i).players());
            workload.plant(anomalies.get(i), places.isEmpty() ? Math.min(even, most) : places.get(i));
        }
        return workload;
    }
}
