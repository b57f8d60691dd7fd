package org.polygraph.jobs.cli;

import java.util.function.Function;
import org.polygraph.jobs.application.Checker;
import org.polygraph.jobs.application.Engines;
import org.polygraph.jobs.decision.Check;
import org.polygraph.jobs.decision.Finding;

/** Engines with a single checker and without Spark. */
record OnlyEmbedded(Checker embedded) implements Engines {
    OnlyEmbedded(Function<Check, Finding> finder) {
        this(Checker.EMBEDDED.finding(finder));
    }

    @Override
    public Checker auto(String master) {
        return embedded;
    }

    @Override
    public Checker spark(String master) throws EngineMissingException {
        throw new EngineMissingException("no spark for " + master);
    }
}
