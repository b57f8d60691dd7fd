package org.polygraph.jobs.cli;

import java.io.IOException;
import org.polygraph.storage.artifact.Location;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code --overwrite} of commands whose output the user names. */
final class OverwriteOption {
    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Option(names = "--overwrite", description = "Replace the output if it exists.")
    private boolean given;

    /** Returns whether the output exists. Refuses to replace it unless the option is given. */
    boolean replaces(Location out) throws IOException {
        // Writing to a device or a pipe replaces nothing.
        boolean isTaken = out.exists() && !out.isStream();
        if (isTaken && !given) {
            throw new ParameterException(
                    spec.commandLine(), "'" + out.name() + "' exists; give --overwrite to replace it");
        }
        return isTaken;
    }
}
