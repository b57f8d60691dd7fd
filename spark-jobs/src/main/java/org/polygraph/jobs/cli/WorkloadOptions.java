package org.polygraph.jobs.cli;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.application.Failures;
import org.polygraph.storage.generate.PlantedAnomaly;
import org.polygraph.storage.generate.TransactionPlan;
import org.polygraph.storage.generate.Workload;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The options of the history to generate. */
final class WorkloadOptions {
    private static final int DEFAULT_KEYS = 1000;

    /** A planted anomaly by its label. */
    static final class AnomalyConverter extends Converters.Labelled<PlantedAnomaly> {
        AnomalyConverter() {
            super("anomaly", "anomalies: ", PlantedAnomaly.values(), PlantedAnomaly::label);
        }
    }

    @Mixin
    private final ShapeOptions shape = new ShapeOptions();

    @Option(
            names = "--repeat",
            paramLabel = "SHARE",
            description = "Of --values N: share of the keys on which values repeat (default: 1).")
    private @Nullable Double repeats;

    @Option(
            names = {"-l", "--level"},
            paramLabel = "LEVEL",
            defaultValue = "ser",
            description = "What the store guarantees: ser (each transaction at one instant), si (snapshot, first"
                    + " committer wins), pc (snapshot, updates may be lost) or rc (later reads see later commits).")
    @SuppressWarnings("NullAway.Init")
    private Workload.Level level;

    @Option(
            names = "--indeterminate",
            paramLabel = "SHARE",
            defaultValue = "0",
            description = "Share of unknown outcome, half of which took effect (default: 0).")
    private double indeterminate;

    @Option(
            names = "--inserts",
            paramLabel = "SHARE",
            defaultValue = "0",
            description = "Share of writes that insert a row; no row exists at first (default: 0).")
    private double inserts;

    @Option(
            names = "--deletes",
            paramLabel = "SHARE",
            defaultValue = "0",
            description = "Share of writes that delete a row (default: 0).")
    private double deletes;

    @Option(
            names = "--predicates",
            paramLabel = "SHARE",
            defaultValue = "0",
            description =
                    "Share of operations on the rows that have a column in a range (default: 0). All rows exist at"
                            + " first, with columns v1 and v2.")
    private double predicates;

    @Option(
            names = "--selectivity",
            paramLabel = "N",
            description =
                    "Of --predicates: the most rows of a range, which has a random number up to that (default: 10).")
    private @Nullable Integer selectivity;

    @Option(
            names = "--versions",
            description = "Reads, and writes of committed transactions, have the versions that the store gave.")
    private boolean versions;

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

    TransactionPlan plan(CommandSpec spec) {
        String conflict = untimed && skewNanos > 0
                ? "--skew is of times, and --no-time leaves them out; give one"
                : selectivity != null && predicates == 0
                        ? "--selectivity is for --predicates; give both"
                        : repeats != null && shape.areValuesUnique()
                                ? "--repeat is for --values N; give both"
                                : !places.isEmpty() && places.size() != anomalies.size()
                                        ? "--at " + places.size() + " times and --anomaly " + anomalies.size()
                                                + " times; give one --at for each --anomaly, or none"
                                        : null;
        if (conflict != null) {
            throw new ParameterException(spec.commandLine(), conflict);
        }
        try {
            return workload(spec).plan();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--" + Failures.text(e), e);
        }
    }

    private Workload workload(CommandSpec spec) {
        Workload workload = shape.workload(spec, DEFAULT_KEYS)
                .level(level)
                .indeterminate(indeterminate)
                .rows(inserts, deletes)
                .timed(!untimed)
                .versions(versions)
                .skew(skewNanos);
        if (predicates != 0) {
            workload.predicates(predicates, selectivity == null ? workload.selectivity() : selectivity);
        }
        if (repeats != null) {
            workload.repeats(repeats);
        }
        for (int i = 0; i < anomalies.size(); i++) {
            long transactions = workload.transactions();
            long even = transactions / (anomalies.size() + 1) * (i + 1);
            long most = Math.max(0, transactions - anomalies.get(i).players());
            workload.plant(anomalies.get(i), places.isEmpty() ? Math.min(even, most) : places.get(i));
        }
        return workload;
    }
}
