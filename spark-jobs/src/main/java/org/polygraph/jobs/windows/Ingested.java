package org.polygraph.jobs.windows;

import java.io.Serializable;
import java.util.List;

/**
 * What a piece of the input has, once its transactions are in cells.
 *
 * @param problem why the piece cannot be decided by windows; empty if it can
 * @param section with a block for each cell
 * @param events by cell: how many it gets
 * @param operations how many operations these events have, including intents
 * @param tally of the transactions
 * @param sample of {@link SessionClocks}; empty if it was not asked for
 * @param leading the first transactions of its sessions
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Ingested(
        String problem,
        Section section,
        long[] events,
        long operations,
        long reads,
        long writes,
        long tally,
        byte[] sample,
        Leading leading)
        implements Serializable {
    private static final long serialVersionUID = 1L;

    static Ingested problem(String problem) {
        return new Ingested(problem, new Section("", "", 0, 0, 0), new long[0], 0, 0, 0, 0, new byte[0], Leading.NONE);
    }

    /** The same of all pieces. */
    record Input(List<Ingested> pieces) {
        /** Why the history cannot be decided by windows; empty if it can. */
        String problem() {
            String first = "";
            for (Ingested piece : pieces) {
                if (piece.problem.equals(Survey.UNREADABLE)) {
                    return piece.problem;
                }
                first = first.isEmpty() ? piece.problem : first;
            }
            return first;
        }

        List<Section> sections() {
            return pieces.stream().map(Ingested::section).toList();
        }

        /** By piece. */
        List<byte[]> samples() {
            return pieces.stream().map(Ingested::sample).toList();
        }

        /** By cell. */
        long[] events(int cells) {
            long[] sums = new long[cells];
            for (Ingested piece : pieces) {
                for (int c = 0; c < cells; c++) {
                    sums[c] += piece.events[c];
                }
            }
            return sums;
        }

        long operations() {
            return pieces.stream().mapToLong(Ingested::operations).sum();
        }

        long reads() {
            return pieces.stream().mapToLong(Ingested::reads).sum();
        }

        long writes() {
            return pieces.stream().mapToLong(Ingested::writes).sum();
        }

        long tally() {
            return pieces.stream().mapToLong(Ingested::tally).sum();
        }
    }
}
