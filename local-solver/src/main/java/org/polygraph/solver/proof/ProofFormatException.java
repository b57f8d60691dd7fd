package org.polygraph.solver.proof;

import java.io.IOException;

/** A text is not a proof file; the message names the line, what was found and what was expected. */
public final class ProofFormatException extends IOException {
    private static final long serialVersionUID = 1L;

    ProofFormatException(long line, String found, String expected) {
        super("line " + line + ": " + found + "; expected " + expected
                + " (the format is in local-solver/docs/proof.md)");
    }
}
