package org.polygraph.jobs.verdict;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.table.HistoryTable;

/** The answer for one history, immutable. A class with a builder, not a record, so that fields can be added. */
public final class Verdict {
    /** The first word of the result line. */
    public enum Status {
        /** The level holds. */
        PASS(ExitCode.PASS),
        /** It does not; {@link Verdict#violations} says why. */
        VIOLATION(ExitCode.VIOLATION),
        /** A budget ran out; {@link Verdict#reason} says which. */
        UNKNOWN(ExitCode.UNKNOWN),
        /** The input is no history, or has nothing to judge. */
        INVALID(ExitCode.INVALID),
        /** The check could not be made: I/O, unless {@link Builder#exitCode} says it was a bug. */
        ERROR(ExitCode.IO);

        private final ExitCode exitCode;

        Status(ExitCode exitCode) {
            this.exitCode = exitCode;
        }

        /** What follows from the status alone. */
        public ExitCode exitCode() {
            return exitCode;
        }
    }

    private final Status status;
    private final IsolationLevel level;
    private final String path;
    private final Counts counts;
    private final List<Violation> violations;
    private final int violationsFound;
    private final @Nullable HistoryTable table;
    private final String reason;
    private final @Nullable Assumptions assumptions;
    private final List<Phase> phases;
    private final ResidualSize residual;
    private final long peakMemoryBytes;
    private final @Nullable Certificate certificate;
    private final @Nullable Witness witness;
    private final @Nullable Refutation refutation;
    private final long millis;
    private final int exitCode;

    private Verdict(Builder b) {
        status = b.status;
        level = b.level;
        path = b.path;
        counts = b.counts;
        violations = List.copyOf(b.violations);
        violationsFound = Math.max(b.violationsFound, violations.size());
        table = b.table;
        reason = b.reason;
        assumptions = b.assumptions;
        phases = List.copyOf(b.phases);
        residual = b.residual;
        peakMemoryBytes = b.peakMemoryBytes;
        certificate = b.certificate;
        witness = b.witness;
        refutation = b.refutation;
        millis = b.millis;
        exitCode = b.exitCode;
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

    /** Empty unless the status is VIOLATION; the clearest first. */
    public List<Violation> violations() {
        return violations;
    }

    /** How many independent violations were found, those that are not in {@link #violations} included. */
    public int violationsFound() {
        return violationsFound;
    }

    /** The history that {@link #violations} speaks of; null where there are none to show. */
    public @Nullable HistoryTable table() {
        return table;
    }

    /** One line for people: the budget that ran out, the error; empty if there is nothing to say. */
    public String reason() {
        return reason;
    }

    /** Null if the history could not be read. */
    public @Nullable Assumptions assumptions() {
        return assumptions;
    }

    /** In the order they ran. */
    public List<Phase> phases() {
        return phases;
    }

    public ResidualSize residual() {
        return residual;
    }

    public long peakMemoryBytes() {
        return peakMemoryBytes;
    }

    public @Nullable Certificate certificate() {
        return certificate;
    }

    /** The order that a PASS rests on; null for anything else. */
    public @Nullable Witness witness() {
        return witness;
    }

    /** The search's refutation; null where there was no search, or it was too long to keep. */
    public @Nullable Refutation refutation() {
        return refutation;
    }

    /** Elapsed, from opening the PATH to this verdict. */
    public long millis() {
        return millis;
    }

    /** What the process would exit with if this were its only PATH. */
    public int exitCode() {
        return exitCode;
    }

    public static Builder of(Status status, IsolationLevel level) {
        return new Builder(status, level);
    }

    /** A copy to change. */
    public Builder with() {
        Builder b = new Builder(status, level);
        b.path = path;
        b.counts = counts;
        b.violations = violations;
        b.violationsFound = violationsFound;
        b.table = table;
        b.reason = reason;
        b.assumptions = assumptions;
        b.phases = new ArrayList<>(phases);
        b.residual = residual;
        b.peakMemoryBytes = peakMemoryBytes;
        b.certificate = certificate;
        b.witness = witness;
        b.refutation = refutation;
        b.millis = millis;
        b.exitCode = exitCode;
        return b;
    }

    /** All but status and level is optional. */
    public static final class Builder {
        private final Status status;
        private final IsolationLevel level;
        private String path = "";
        private Counts counts = Counts.NONE;
        private List<Violation> violations = List.of();
        private int violationsFound;
        private @Nullable HistoryTable table;
        private String reason = "";
        private @Nullable Assumptions assumptions;
        private List<Phase> phases = new ArrayList<>();
        private ResidualSize residual = ResidualSize.NONE;
        private long peakMemoryBytes;
        private @Nullable Certificate certificate;
        private @Nullable Witness witness;
        private @Nullable Refutation refutation;
        private long millis;
        private int exitCode;

        private Builder(Status status, IsolationLevel level) {
            this.status = status;
            this.level = level;
            this.exitCode = status.exitCode.code();
        }

        public Status status() {
            return status;
        }

        public Builder path(String value) {
            path = value;
            return this;
        }

        public Builder counts(Counts value) {
            counts = value;
            return this;
        }

        /**
         * What was found.
         *
         * @param of the history whose transactions and keys the violations number
         */
        public Builder violations(List<Violation> value, HistoryTable of) {
            violations = value;
            table = of;
            return this;
        }

        /** How many there are in all, where not all are given. */
        public Builder violationsFound(int value) {
            violationsFound = value;
            return this;
        }

        public Builder reason(String value) {
            reason = value;
            return this;
        }

        public Builder assumptions(Assumptions value) {
            assumptions = value;
            return this;
        }

        /** Adds a phase that came before those given so far. */
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
            residual = value;
            return this;
        }

        public Builder peakMemoryBytes(long value) {
            peakMemoryBytes = value;
            return this;
        }

        public Builder certificate(Certificate value) {
            certificate = value;
            return this;
        }

        /** Of a violation that was found by search. */
        public Builder refutation(@Nullable Refutation value) {
            refutation = value;
            return this;
        }

        public Builder witness(Witness value) {
            witness = value;
            return this;
        }

        public Builder millis(long value) {
            millis = value;
            return this;
        }

        /** Replaces the exit code that follows from the status. */
        public Builder exitCode(ExitCode value) {
            exitCode = value.code();
            return this;
        }

        public Verdict build() {
            return new Verdict(this);
        }
    }
}
