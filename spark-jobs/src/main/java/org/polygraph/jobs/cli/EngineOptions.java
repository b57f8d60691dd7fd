package org.polygraph.jobs.cli;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.application.Engines.EngineMissingException;
import org.polygraph.jobs.application.Failures;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The engine of a command: this process, or Spark. */
final class EngineOptions {
    enum Choice {
        AUTO,
        EMBEDDED,
        SPARK
    }

    /** Makes what runs on Spark, such as a checker. */
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
            description =
                    "auto, embedded (this process) or spark. auto: embedded; by windows where the whole history does not"
                            + " fit in memory.")
    private Choice engine = Choice.AUTO;

    @Option(names = "--master", paramLabel = "URL", description = "Spark master (default: local[*]).")
    private @Nullable String master;

    boolean isAuto() {
        return engine == Choice.AUTO;
    }

    boolean isSpark() {
        return engine == Choice.SPARK;
    }

    /** Rejects a master without Spark. */
    void validate() {
        String conflict = conflict(false);
        if (conflict != null) {
            throw wrong(conflict);
        }
    }

    /**
     * Returns the message for a master without Spark; null if there is none. With auto it is allowed if auto may choose
     * Spark.
     */
    @Nullable
    String conflict(boolean autoMayBeSpark) {
        return master != null && (autoMayBeSpark ? engine == Choice.EMBEDDED : !isSpark())
                ? "--master is for --engine spark; the embedded engine has none"
                : null;
    }

    /** Makes what runs on the chosen engine; no class of the other engine is loaded. */
    <T> T choose(Supplier<T> embedded, OnSpark<T> spark) {
        return isSpark() ? made(spark) : embedded.get();
    }

    /** Makes what runs on Spark, with the given master. */
    <T> T made(OnSpark<T> worker) {
        try {
            return worker.of(master == null ? "local[*]" : master);
        } catch (EngineMissingException e) {
            throw wrong(Failures.text(e));
        }
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
