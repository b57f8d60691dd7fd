package org.polygraph.jobs.application;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Checkpoints;
import org.polygraph.jobs.decision.CpuClock;
import org.polygraph.jobs.report.RunDirectory;
import org.polygraph.jobs.verdict.Certificate;
import org.polygraph.jobs.verdict.CoveredParts;
import org.polygraph.jobs.verdict.Phase;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.model.HistoryException;

/**
 * The runs of one PATH, one for each level.
 *
 * @param name of the file of the PATH
 * @param input SHA-256 of the PATH
 * @param before the parts before the PATH
 */
record PathRuns(OnePath path, Location folder, String name, String input, Chain before) {
    /** The run of a request. */
    RunDirectory of(CheckRequest request) {
        return path.settings().run(folder, request, name, input, before);
    }

    /** The run of a request, with its checkpoints. */
    KeptRun kept(CheckRequest request) {
        RunDirectory run = of(request);
        return new KeptRun(
                run,
                input,
                operations -> path.settings().keepsCheckpoints(operations)
                        ? new CheckpointFiles(run.stages(), path.listener()::message)
                        : Checkpoints.NONE);
    }

    /**
     * Writes the run of a verdict.
     *
     * @param check that made the verdict
     * @param leastTail the least number of transactions in the tail of a seam
     */
    Answer written(Verdict found, ChainCheck check, int leastTail) {
        RunDirectory directory = of(path.settings().request(found.level()));
        long evidence = System.nanoTime();
        Verdict.Builder kept = found.with();
        try {
            if (found.status() == Verdict.Status.ERROR && hasVerdict(directory)) {
                // The verdict of an earlier check says more than a failure of this one.
                return Answer.found(found);
            }
            long cpu = CpuClock.millis();
            Certificate decided = found.certificate();
            Certificate written = evidence(kept, found, directory);
            kept.certificate(written);
            if (written != null && (decided == null || decided.path() == null)) {
                long millis = CheckRun.millisSince(evidence);
                kept.phase(new Phase(
                                "certificate",
                                millis,
                                CpuClock.millis() - cpu,
                                found.counts().transactions()))
                        .millis(found.millis() + millis);
            }
            if (!path.isStdin() || !before.isEmpty()) {
                Seam seam = check.seam(found.level());
                Chain chain =
                        before.on(seam).then(input, Location.of(found.path()).absolute());
                if (seam != null && !seam.isCurrent()) {
                    return Answer.found(path.error(
                            found,
                            directory.name() + ": not written, because another job replaced the seam of "
                                    + seam.run().name() + " after it was read; the verdict on it was "
                                    + found.status() + "; check again"));
                }
                kept.parts(parts(chain, found, check.kept(found.level()), Location.of(directory.name()), leastTail));
            }
            Verdict verdict = kept.build();
            directory.finish(verdict, path.budget()::exhausted);
            return Answer.kept(verdict, directory);
        } catch (OutOfMemoryError e) {
            return Answer.found(found.instead(
                            Verdict.Status.UNKNOWN, "memory ran out while the evidence was written; give --memory more")
                    .millis(found.millis() + CheckRun.millisSince(evidence))
                    .build());
        } catch (IOException e) {
            return Answer.found(path.error(
                    found,
                    directory.name() + ": the run cannot be written there (" + Failures.cause(e) + "); the verdict was "
                            + found.status() + "; give another --out"));
        }
    }

    private static boolean hasVerdict(RunDirectory run) throws IOException {
        try {
            return run.finalVerdict().isPresent();
        } catch (HistoryException e) {
            return false;
        }
    }

    /** Writes the parts that the verdict covers, and if it has an order the seam for the next part. */
    private CoveredParts parts(
            Chain chain, Verdict verdict, @Nullable StandingViolations violations, Location run, int leastTail)
            throws IOException {
        CoveredParts listed = chain.write(run).with(sizes(chain, verdict));
        long[] writes = path.content().writes;
        if (writes != null) {
            new Writes(input, writes).write(run);
        }
        Witness witness = verdict.witness();
        if (violations == null) {
            Seam.file(run, StandingViolations.FILE).delete();
        } else {
            violations.write(run);
        }
        // An order of pl2 need not have sessions in their order, so no beginning of it is one of each session.
        if (!path.isOfChain() || witness == null || verdict.level() == IsolationLevel.PL2) {
            return listed;
        }
        try {
            SeamCut.write(
                    run,
                    witness,
                    chain,
                    leastTail,
                    path.budget()::exhausted,
                    path.budget().bytes());
        } catch (BudgetException | HistoryException e) {
            path.listener()
                    .message(run.name() + ": no seam was written, so the next part is decided with earlier ones ("
                            + Failures.text(e) + ")"
                            + (path.budget().exhausted()
                                    ? "; to write it, check again with --overwrite and --timeout more"
                                    : ""));
        }
        return listed;
    }

    /** The sizes of the last part and of its chain; null if the part was not read. */
    private CoveredParts.@Nullable Sizes sizes(Chain chain, Verdict verdict) throws IOException {
        OnePath.Content content = path.content();
        if (content.transactions < 0) {
            return null;
        }
        long all = verdict.counts().transactions();
        Seam seam = chain.seam();
        if (seam != null) {
            try {
                long before = new RunDirectory(seam.run()).verdict().chainTransactions();
                all = before < 0 ? before : before + all - seam.transactions();
            } catch (HistoryException e) {
                all = -1;
            }
        }
        return new CoveredParts.Sizes(content.transactions, content.operations, all);
    }

    /**
     * Writes the evidence of a verdict. If the time ends before the certificate of a PASS is written, or a program that
     * checks what it records has no Parquet, the verdict is kept without it, and {@code kept} gets the reason.
     */
    private @Nullable Certificate evidence(Verdict.Builder kept, Verdict found, RunDirectory directory)
            throws IOException {
        String why;
        try {
            return directory.writeEvidence(found, input, path.budget()::exhausted);
        } catch (BudgetException e) {
            why = "the time ended before the certificate was written";
        } catch (NoClassDefFoundError e) {
            String library = Failures.missingLibrary(e);
            if (library == null) {
                throw e;
            }
            why = "no certificate was written, because " + library;
        }
        kept.reason(found.reason().isEmpty() ? why : found.reason() + "; " + why);
        return found.certificate();
    }
}
