package org.polygraph.jobs.windows;

import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.io.IOException;
import java.io.Serializable;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.RankHeader;
import org.polygraph.jobs.certificate.format.RankReader;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.model.HistoryException;

/**
 * Deals the rows of a part of a certificate to the pieces of the input that may have their transactions, as {@link PlacedRows} reads
 * them. Result: {@link Result}.
 *
 * @param run the folder of the run, which all workers see
 * @param sessions of pieces, of which each row belongs to the last one that begins with it or before it
 * @param perSample commits for which one place of the sample stands
 */
record RankPlaceTask(
        String run, RankHeader header, int part, PieceSessions sessions, long perSample, Section.Files files)
        implements Task<RankPlaceTask.Result> {
    private static final long serialVersionUID = 1L;

    /**
     * Sessions of pieces, ascending by label and index.
     *
     * @param leasts the index of the first transaction of each
     * @param pieces its piece
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record PieceSessions(long[] labels, long[] leasts, int[] pieces) implements Serializable {
        private static final long serialVersionUID = 1L;

        /** Whether a session begins with a transaction or before it. */
        private boolean begins(int number, long label, long index) {
            return labels[number] < label || (labels[number] == label && leasts[number] <= index);
        }

        /** Returns the last session that begins with a transaction or before it; -1 if there is none. */
        int of(long label, long index) {
            int low = 0;
            int high = labels.length;
            while (low < high) {
                int middle = (low + high) >>> 1;
                if (begins(middle, label, index)) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            return low - 1;
        }

        PieceSessions range(int from, int to) {
            return new PieceSessions(
                    Arrays.copyOfRange(labels, from, to),
                    Arrays.copyOfRange(leasts, from, to),
                    Arrays.copyOfRange(pieces, from, to));
        }
    }

    /**
     * The result.
     *
     * @param section with a block for each piece; null if the part cannot be read
     * @param sample of the places of commits
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Result(@Nullable Section section, long[] sample) implements Serializable {
        private static final long serialVersionUID = 1L;
    }

    @Override
    public Result run(Budget budget) throws IOException {
        int targets = Arrays.stream(sessions.pieces).max().orElse(0) + 1;
        Section.Output out = new Section.Output(0, targets);
        LongArrayList sample = new LongArrayList();
        boolean isTwoEvents = header.terms().guarantee().events() == 2;
        long[] passed = new long[1];
        int[] at = {-1};
        try {
            RankReader.part(Location.of(run), header, part, budget::exhausted, (session, index, snapshot, commit) -> {
                while (at[0] + 1 < sessions.labels.length && sessions.begins(at[0] + 1, session, index)) {
                    at[0]++;
                }
                if (at[0] >= 0) {
                    BlockWriter block =
                            out.block(sessions.pieces[at[0]]).signed(session).signed(index);
                    (isTwoEvents ? block.signed(snapshot) : block).signed(commit);
                }
                if (passed[0]++ % perSample == perSample / 2) {
                    sample.add(commit);
                }
            });
        } catch (HistoryException e) {
            return new Result(null, new long[0]);
        }
        return new Result(out.write(files, part), sample.toLongArray());
    }
}
