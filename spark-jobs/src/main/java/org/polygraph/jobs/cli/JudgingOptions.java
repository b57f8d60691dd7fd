package org.polygraph.jobs.cli;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.application.CheckSettings;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.verdict.SessionOrder;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.jobs.verdict.VersionUse;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.analysis.InitialChoice;
import picocli.CommandLine.Option;

/** What of a history levels are judged by, and within which limits. */
final class JudgingOptions {
    @Option(
            names = "--timeout",
            paramLabel = "DUR",
            converter = Converters.DurationNanos.class,
            description = "Time for each PATH, all its levels together, such as 10s, 5m, 1h; then UNKNOWN."
                    + " With watch: for each part.")
    private @Nullable Long timeoutNanos;

    @Option(
            names = "--memory",
            paramLabel = "SIZE",
            converter = Converters.Bytes.class,
            description = "Memory for the heap, such as 512m, 4g (default: 75 %% of the machine's); a history"
                    + " that needs more than 85 %% of it is decided by windows, or is UNKNOWN.")
    private @Nullable Long memoryBytes;

    @Option(
            names = "--time",
            paramLabel = "MODE",
            description = "none: ignore timestamps; hint: they may help to accept; strict: real time is part of the"
                    + " level.")
    private TimeMode time = TimeMode.HINT;

    @Option(
            names = "--clock-skew",
            paramLabel = "DUR",
            converter = Converters.DurationNanos.class,
            description = "Bound on the difference between any two clients' clocks.")
    private long clockSkewNanos;

    @Option(
            names = "--versions",
            paramLabel = "WHICH",
            description = "Versions that the database gave: use (they order writes and name writers) or ignore.")
    private VersionUse versions = VersionUse.USE;

    @Option(
            names = "--indeterminate",
            paramLabel = "MODE",
            description = "Transactions of unknown outcome: maybe (committed if observed) or abort.")
    private IndeterminateMode indeterminate = IndeterminateMode.MAYBE;

    /** Sets an option as picocli would. Returns false for words that only picocli can handle. */
    boolean take(String name, String value) {
        switch (name) {
            case "--timeout" -> timeoutNanos = new Converters.DurationNanos().convert(value);
            case "--memory" -> memoryBytes = new Converters.Bytes().convert(value);
            default -> {
                return false;
            }
        }
        return true;
    }

    /** What is odd about the memory that was given; null if nothing is. */
    @Nullable
    String oddMemory() {
        if (memoryBytes == null || memoryBytes <= Runtime.getRuntime().maxMemory()) {
            return null;
        }
        // The heap is smaller than what was given, so it is worth the time to ask the machine.
        long physical = ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean machine
                ? machine.getTotalMemorySize()
                : Long.MAX_VALUE;
        return memoryBytes <= physical
                ? null
                : "--memory is more than the " + (physical >> 20) + " MB of this machine, so the check takes up to "
                        + (Runtime.getRuntime().maxMemory() >> 20) + " MB";
    }

    /** Returns the message for levels that these options exclude; null if there are none. */
    @Nullable
    String conflict(List<IsolationLevel> levels) {
        for (IsolationLevel level : levels) {
            if (time == TimeMode.STRICT && !level.strict().realTime()) {
                return "--time strict with level " + level.label()
                        + ", which has no form with real-time order; levels that have are ser and si";
            }
            if (time == TimeMode.STRICT && !level.realTime() && levels.contains(level.strict())) {
                return "--time strict makes level " + level.label() + " "
                        + level.strict().label() + ", which is asked for too; give one of them";
            }
            if (time == TimeMode.NONE && level.realTime()) {
                return "--time none with level " + level.label()
                        + ", of which real-time order is a part; use ser or si, or leave --time out";
            }
        }
        return null;
    }

    /** Returns a request for each level, as {@link CheckRequest} has it; --time strict adds real-time order to them. */
    List<CheckRequest> requests(
            Levels levels, InitialChoice initial, SessionOrder sessions, boolean replayed, int mostViolations) {
        return levels.strongestFirst().stream()
                .map(level -> new CheckRequest(
                        level,
                        time,
                        clockSkewNanos,
                        indeterminate,
                        initial,
                        sessions,
                        versions,
                        replayed,
                        mostViolations))
                .toList();
    }

    CheckSettings.Limits limits() {
        long heap = Runtime.getRuntime().maxMemory();
        return new CheckSettings.Limits(
                timeoutNanos == null ? Long.MAX_VALUE : timeoutNanos,
                memoryBytes == null ? heap : Math.min(memoryBytes, heap));
    }
}
