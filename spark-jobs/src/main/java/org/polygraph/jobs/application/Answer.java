package org.polygraph.jobs.application;

import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.report.RunDirectory;
import org.polygraph.jobs.report.StoredVerdict;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;

/**
 * The answer for one level of a PATH: a verdict that was found now, or that of an earlier run.
 *
 * @param found null if the verdict is that of an earlier run
 * @param stored the verdict of an earlier run; null if the verdict was found now
 * @param run the run that has the verdict; null if there is none
 */
public record Answer(
        IsolationLevel level,
        Verdict.Status status,
        @Nullable Verdict found,
        @Nullable StoredVerdict stored,
        @Nullable RunDirectory run) {
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
}
