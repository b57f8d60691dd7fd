package org.polygraph.jobs.verdict;

import java.io.IOException;

/** A refutation by search as text. A checker can check it step by step without trusting the search. */
@FunctionalInterface
public interface Refutation {
    /** Writes the refutation; the solver's README describes the format. */
    void writeTo(Appendable out) throws IOException;
}
