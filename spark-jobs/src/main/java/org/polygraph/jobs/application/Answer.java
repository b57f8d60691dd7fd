package org.polygraph.jobs.application;

import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.report.RunDirectory;
import org.polygraph.jobs.report.StoredVerdict;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;

/** The answer for one level of a PATH: a verdict that was found now, or that of an earlier run. */
public final class Answer {
    private final IsolationLevel level;
    private final Verdict.Status status;
    private final @Nullable Verdict found;
    private final @Nullable StoredVerdict stored;
    private final @Nullable RunDirectory run;

    private Answer(
            IsolationLevel level,
            Verdict.Status status,
            @Nullable Verdict found,
            @Nullable StoredVerdict stored,
            @Nullable RunDirectory run) {
        this.level = level;
        this.status = status;
        this.found = found;
        this.stored = stored;
        this.run = run;
    }

    static Answer found(Verdict verdict) {
        return new Answer(verdict.level(), verdict.status(), verdict, null, null);
    }

    /** A verdict that was found now and is kept in a run. */
    static Answer kept(Verdict verdict, RunDirectory run) {
        return new Answer(verdict.level(), verdict.status(), verdict, null, run);
    }

    static Answer stored(IsolationLevel level, StoredVerdict verdict, RunDirectory run) {
        return new Answer(level, verdict.status(), null, verdict, run);
    }

    /** Returns the run that has the verdict; null if there is none. */
    @Nullable
    public RunDirectory run() {
        return run;
    }

    public IsolationLevel level() {
        return level;
    }

    public Verdict.Status status() {
        return status;
    }

    /** Returns the verdict; null if it is that of an earlier run. */
    @Nullable
    public Verdict found() {
        return found;
    }

    /** Returns the verdict of an earlier run; null if the verdict was found now. */
    @Nullable
    public StoredVerdict stored() {
        return stored;
    }
}
