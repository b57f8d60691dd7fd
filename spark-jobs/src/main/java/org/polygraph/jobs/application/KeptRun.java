package org.polygraph.jobs.application;

import java.util.function.LongFunction;
import org.polygraph.jobs.decision.Checkpoints;
import org.polygraph.jobs.report.RunDirectory;
import org.polygraph.storage.artifact.Location;

/**
 * A run that keeps the evidence of a verdict, and until then checkpoints.
 *
 * @param input fingerprint of the bytes of the history
 * @param checkpoints of a history with so many operations
 */
public record KeptRun(RunDirectory folder, String input, LongFunction<Checkpoints> checkpoints) {
    /** The folder for scratch files, from which a later process can continue. */
    Location scratch() {
        return folder.stages().child("windows");
    }
}
