package org.polygraph.jobs.cli;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.application.Engines.EngineMissingException;
import org.polygraph.jobs.application.Failures;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Where a command does its work: in this process, or on Spark. */
final class EngineOptions {
    enum Engine {
        AUTO,
        EMBEDDED,
        SPARK
    }

    /** Makes what works on a cluster. */
    @FunctionalInterface
    interface OnSpark<T> {
        T of(String master) throws EngineMissingException;
    }

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Option(
            names = "--engine",
            paramLabel = "ENGINE",
            description = "auto, embedded (this process) or spark. auto: embedded, but for a check that fits its memory"
                    + " only with spark.")
    private Engine engine = Engine.AUTO;

    @Option(names = "--master", paramLabel = "URL", description = "Spark master (default: local[*]).")
    private @Nullable String master;

    boolean isAuto() {
        return engine == Engine.AUTO;
    }

    boolean isSpark() {
        return engine == Engine.SPARK;
    }

    /** A master is for Spark. With auto it stands ready where auto may come to mean Spark. */
    void validate(boolean autoMayBeSpark) {
        if (master != null && (autoMayBeSpark ? engine == Engine.EMBEDDED : !isSpark())) {
            throw wrong("--master is for --engine spark; the embedded engine has none");
        }
    }

    /** What does the work: one of the two, and of the other no class is loaded. */
    <T> T choose(Supplier<T> embedded, OnSpark<T> spark) {
        if (!isSpark()) {
            return embedded.get();
        }
        try {
            return spark.of(master());
        } catch (EngineMissingException e) {
            throw wrong(Failures.text(e));
        }
    }

    /** Of Spark, if there is to be one. */
    String master() {
        return master == null ? "local[*]" : master;
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
