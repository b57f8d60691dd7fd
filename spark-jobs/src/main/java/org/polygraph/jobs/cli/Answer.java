package org.polygraph.jobs.cli;

import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.report.StoredVerdict;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;

/** What one level of a PATH gets: a verdict that was found now, or one that an earlier run kept. */
final class Answer {
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

    static Answer found(Verdict verdict) {
        return new Answer(verdict.level(), verdict.status(), verdict, null);
    }

    static Answer stored(IsolationLevel level, StoredVerdict verdict) {
        return new Answer(level, verdict.status(), null, verdict);
    }

    IsolationLevel level() {
        return level;
    }

    Verdict.Status status() {
        return status;
    }

    /** Null if it was stored. */
    @Nullable
    Verdict found() {
        return found;
    }

    /** Null if it was found. */
    @Nullable
    StoredVerdict stored() {
        return stored;
    }
}
