package org.polygraph.jobs.verdict;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.table.HistoryTable;

/** The answer for one history, immutable. A class with a builder, not a record, so that fields can be added. */
public final class Verdict implements Cloneable {
    /** The first word of the result line. */
    public enum Status {
        /** The level holds. */
        PASS(ExitCode.PASS),
        /** The level does not hold; {@link Verdict#violations} has the reasons. */
        VIOLATION(ExitCode.VIOLATION),
        /**
         * No answer was found; {@link Verdict#reason} states what is missing: time, memory, or the next part of a
         * chain.
         */
        UNKNOWN(ExitCode.UNKNOWN),
        /** The input is not a history, or nothing in it was committed. */
        INVALID(ExitCode.INVALID),
        /** The check failed: by I/O, or by a bug if {@link Builder#exitCode} is that of a bug. */
        ERROR(ExitCode.IO);

        private final ExitCode exitCode;

        Status(ExitCode exitCode) {
            this.exitCode = exitCode;
        }

        /** The exit code that follows from the status alone. */
        public ExitCode exitCode() {
            return exitCode;
        }
    }

    private final Status status;
    private final IsolationLevel level;
    private String path = "";
    private Counts counts = Counts.NONE;
    private List<Violation> violations = List.of();
    private List<Violation> unexplained = List.of();
    private int violationsFound;
    private @Nullable HistoryTable table;
    private @Nullable HistoryTable recorded;
    private String reason = "";
    private @Nullable Assumptions assumptions;
    private List<Phase> phases = List.of();
    private ResidualSize residual = ResidualSize.NONE;
    private @Nullable WindowCounts windows;
    private @Nullable CoveredParts parts;
    private @Nullable PartViolations inPart;
    private long peakMemoryBytes;
    private @Nullable Certificate certificate;
    private @Nullable Witness witness;
    private @Nullable Refutation refutation;
    private long millis;
    private int exitCode;

    private Verdict(Status status, IsolationLevel level) {
        this.status = status;
        this.level = level;
        this.exitCode = status.exitCode.code();
    }

    private Verdict copy() {
        try {
            return (Verdict) clone();
        } catch (CloneNotSupportedException e) {
            throw new IllegalStateException(e);
        }
    }

    public Status status() {
        return status;
    }

    public IsolationLevel level() {
        return level;
    }

    /** The PATH as the user gave it. */
    public String path() {
        return path;
    }

    public Counts counts() {
        return counts;
    }

    /** Returns the violations, the clearest first. Empty unless the status is VIOLATION. */
    public List<Violation> violations() {
        return violations;
    }

    /** Returns further violations as they were found, without sub-histories. */
    public List<Violation> unexplained() {
        return unexplained;
    }

    /** The number of independent violations found, including those in neither list. */
    public int violationsFound() {
        return violationsFound;
    }

    /** Returns the history of {@link #violations}; null if there are none to show. */
    public @Nullable HistoryTable table() {
        return table;
    }

    /**
     * Returns the history as it was read, with the status of its loaders, whose contents a run names; null if it was
     * not read as a whole.
     */
    public @Nullable HistoryTable recorded() {
        return recorded;
    }

    /** Returns one line: why there is no answer, or what the user should know about the answer; else empty. */
    public String reason() {
        return reason;
    }

    /** Returns null if the history was not judged. */
    public @Nullable Assumptions assumptions() {
        return assumptions;
    }

    /** Returns the phases in the order in which they ran. */
    public List<Phase> phases() {
        return phases;
    }

    public ResidualSize residual() {
        return residual;
    }

    /** Returns the counts of windows; null if the check does not decide by windows. */
    public @Nullable WindowCounts windows() {
        return windows;
    }

    /** Returns the parts that the verdict covers; null if no run lists them. */
    public @Nullable CoveredParts parts() {
        return parts;
    }

    /** Returns what the last part of a chain adds to its violations; null for other verdicts. */
    public @Nullable PartViolations inPart() {
        return inPart;
    }

    public long peakMemoryBytes() {
        return peakMemoryBytes;
    }

    public @Nullable Certificate certificate() {
        return certificate;
    }

    /**
     * Returns the order that a PASS rests on, or that explains all transactions of a part of a chain but those that
     * only a later part can explain; null otherwise.
     */
    public @Nullable Witness witness() {
        return witness;
    }

    /** Returns the search's refutation; null if there was no search, or if the refutation was too long to keep. */
    public @Nullable Refutation refutation() {
        return refutation;
    }

    /** Returns the elapsed time from opening the PATH to this verdict. */
    public long millis() {
        return millis;
    }

    /** Returns the exit code of the process if this is its only PATH. */
    public int exitCode() {
        return exitCode;
    }

    public static Builder of(Status status, IsolationLevel level) {
        return new Builder(new Verdict(status, level));
    }

    /** Returns a copy to change. */
    public Builder with() {
        return new Builder(copy());
    }

    /**
     * Returns another verdict in place of this one: with the same facts of the history and of the check, and without
     * evidence.
     */
    public Builder instead(Status other, String why) {
        Builder made = new Builder(new Verdict(other, level))
                .path(path)
                .counts(counts)
                .reason(why)
                .residual(residual)
                .peakMemoryBytes(peakMemoryBytes)
                .millis(millis);
        phases.forEach(made::phase);
        return assumptions == null ? made : made.assumptions(assumptions);
    }

    /** Everything but status and level is optional. */
    public static final class Builder {
        private final Verdict made;
        private final List<Phase> phases;

        private Builder(Verdict made) {
            this.made = made;
            this.phases = new ArrayList<>(made.phases);
        }

        public Status status() {
            return made.status;
        }

        public @Nullable Assumptions assumptions() {
            return made.assumptions;
        }

        public @Nullable Witness witness() {
            return made.witness;
        }

        public Builder path(String value) {
            made.path = value;
            return this;
        }

        public Builder counts(Counts value) {
            made.counts = value;
            return this;
        }

        /**
         * Sets the violations.
         *
         * @param of the history whose transactions and keys they number
         */
        public Builder violations(List<Violation> value, HistoryTable of) {
            made.violations = List.copyOf(value);
            made.table = of;
            return this;
        }

        /**
         * Sets violations of the same history that are not explained.
         *
         * @param found how many there are in all, if more than in both lists
         */
        public Builder furtherViolations(List<Violation> value, int found) {
            made.unexplained = List.copyOf(value);
            made.violationsFound = found;
            return this;
        }

        /** Sets the history as it was read. */
        public Builder recorded(@Nullable HistoryTable value) {
            made.recorded = value;
            return this;
        }

        public Builder reason(String value) {
            made.reason = value;
            return this;
        }

        public Builder assumptions(Assumptions value) {
            made.assumptions = value;
            return this;
        }

        /** Adds a phase before those given so far. */
        public Builder firstPhase(Phase value) {
            phases.add(0, value);
            return this;
        }

        /** Adds a phase. */
        public Builder phase(Phase value) {
            phases.add(value);
            return this;
        }

        public Builder residual(ResidualSize value) {
            made.residual = value;
            return this;
        }

        /** Sets the counts of a check by windows. */
        public Builder windows(@Nullable WindowCounts value) {
            made.windows = value;
            return this;
        }

        /** Sets the parts that the run of the verdict lists. */
        public Builder parts(CoveredParts value) {
            made.parts = value;
            return this;
        }

        /** Sets what the last part of a chain adds to its violations. */
        public Builder inPart(PartViolations value) {
            made.inPart = value;
            return this;
        }

        public Builder peakMemoryBytes(long value) {
            made.peakMemoryBytes = value;
            return this;
        }

        public Builder certificate(@Nullable Certificate value) {
            made.certificate = value;
            return this;
        }

        /** Sets the refutation of a violation that was found by search. */
        public Builder refutation(@Nullable Refutation value) {
            made.refutation = value;
            return this;
        }

        public Builder witness(Witness value) {
            made.witness = value;
            return this;
        }

        public Builder millis(long value) {
            made.millis = value;
            return this;
        }

        /** Replaces the exit code that follows from the status. */
        public Builder exitCode(ExitCode value) {
            made.exitCode = value.code();
            return this;
        }

        public Verdict build() {
            Verdict built = made.copy();
            built.phases = List.copyOf(phases);
            built.violationsFound = Math.max(made.violationsFound, made.violations.size() + made.unexplained.size());
            return built;
        }
    }
}
