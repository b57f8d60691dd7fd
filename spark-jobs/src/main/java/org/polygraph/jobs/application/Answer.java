package org.polygraph.jobs.application;

import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.report.StoredVerdict;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;

/** The answer for one level of a PATH: a verdict that was found now, or that of an earlier run. */
public final class Answer {
    private final IsolationLevel level;
    private final Verdict.Status status;
    private final @Nullable Verdict found;
    private final @Nullable StoredVerdict stored;

    private Answer(
            IsolationLevel level, Verdict.Status status, @Nullable Verdict found, @Nullable StoredVerdict stored) {
        this.level = level;
        this.status = status;
        this.found = found;
        this.stored = stored;
    }

    public static Answer found(Verdict verdict) {
        return new Answer(verdict.level(), verdict.status(), verdict, null);
    }

    public static Answer stored(IsolationLevel level, StoredVerdict verdict) {
        return new Answer(level, verdict.status(), null, verdict);
    }

    public IsolationLevel level() {
        return level;
    }

    public Verdict.Status status() {
        return status;
    }

    /** Null if it was stored. */
    @Nullable
    public Verdict found() {
        return found;
    }

    /** Null if it was found. */
    @Nullable
    public StoredVerdict stored() {
        return stored;
    }
}
