package org.polygraph.jobs.cli;

import org.polygraph.jobs.application.Checker;
import org.polygraph.jobs.application.Engines;
import org.polygraph.jobs.certificate.judge.Verification;

/** Engines with a single checker and without Spark. */
record OnlyEmbedded(Checker embedded) implements Engines {
    @Override
    public Checker auto(String master) {
        return embedded;
    }

    @Override
    public Checker spark(String master) throws EngineMissingException {
        throw new EngineMissingException("no spark for " + master);
    }

    @Override
    public Verification.Replayer sparkReplayer(String master) throws EngineMissingException {
        throw new EngineMissingException("no spark for " + master);
    }
}
