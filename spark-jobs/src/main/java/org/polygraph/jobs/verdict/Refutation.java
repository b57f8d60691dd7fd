package org.polygraph.jobs.verdict;

import java.io.IOException;

/** A refutation by search, step by step, as text that a checker reads without trusting who wrote it. */
@FunctionalInterface
public interface Refutation {
    /** Writes it; see the solver's README for the format. */
    void writeTo(Appendable out) throws IOException;
}
