package org.polygraph.jobs.verdict;

import java.io.IOException;

/** A refutation by search as text, step by step, which a checker can check without trusting the search. */
@FunctionalInterface
public interface Refutation {
    /** Writes the refutation; the solver's README describes the format. */
    void writeTo(Appendable out) throws IOException;
}
