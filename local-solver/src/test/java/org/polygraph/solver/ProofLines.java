package org.polygraph.solver;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.polygraph.solver.proof.Proof;
import org.polygraph.solver.proof.ProofChecker;
import org.polygraph.solver.proof.ProofFormatException;
import org.polygraph.solver.proof.ProofResult;
import org.polygraph.solver.proof.ProofText;
import org.polygraph.solver.proof.ProofTrace;

/** The lines of proof files. */
final class ProofLines {
    private ProofLines() {}

    static String text(Polygraph polygraph, ProofTrace trace) throws IOException {
        StringBuilder out = new StringBuilder();
        ProofText.write(polygraph.proofProblem(), trace, out);
        return out.toString();
    }

    static ProofResult check(List<String> lines) throws IOException {
        Proof proof = ProofText.read(new StringReader(String.join("\n", lines) + "\n"), 1 << 24);
        return ProofChecker.check(proof.problem(), proof.trace());
    }

    /** Whether lines are accepted, which need not be a proof file. */
    static boolean accepts(List<String> lines) throws IOException {
        try {
            return check(lines).accepted();
        } catch (ProofFormatException e) {
            assertThat(e).hasMessageStartingWith("line ").hasMessageContaining("expected");
            return false;
        }
    }

    /** The index of the first line of a kind, or -1. */
    static int first(List<String> lines, char kind) {
        return IntStream.range(0, lines.size())
                .filter(i -> lines.get(i).charAt(0) == kind)
                .findFirst()
                .orElse(-1);
    }

    static List<String> without(List<String> lines, int index) {
        List<String> copy = new ArrayList<>(lines);
        copy.remove(index);
        return copy;
    }

    static List<String> with(List<String> lines, int index, String line) {
        List<String> copy = new ArrayList<>(lines);
        copy.set(index, line);
        return copy;
    }
}
