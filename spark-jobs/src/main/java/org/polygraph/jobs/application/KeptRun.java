package org.polygraph.jobs.application;

import java.util.function.LongFunction;
import org.polygraph.jobs.decision.Checkpoints;
import org.polygraph.jobs.report.RunDirectory;
import org.polygraph.storage.artifact.Location;

/**
 * A folder that keeps the evidence of a verdict. Until there is a verdict, it keeps checkpoints.
 *
 * @param input fingerprint of the bytes of the history
 * @param checkpoints gives the checkpoints of a history with this many operations
 */
public record KeptRun(RunDirectory folder, String input, LongFunction<Checkpoints> checkpoints) {
    /** The folder of the scratch files of windows. A later process continues from them. */
    Location scratch() {
        return folder.stages().child("windows");
    }
}
