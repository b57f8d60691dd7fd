package org.polygraph.jobs.windows;

import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
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
        String run,
        RankHeader header,
        int part,
        ArrayList<Layout.PieceSession> sessions,
        long perSample,
        Section.Files files)
        implements Task<RankPlaceTask.Result> {
    /**
     * The result.
     *
     * @param section with a block for each piece; null if the part cannot be read
     * @param sample of the places of commits
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Result(@Nullable Section section, long[] sample) implements Serializable {}

    @Override
    public Result run(Budget budget) throws IOException {
        int targets =
                sessions.stream().mapToInt(Layout.PieceSession::piece).max().orElse(0) + 1;
        Section.Output out = new Section.Output(0, targets);
        LongArrayList sample = new LongArrayList();
        boolean isTwoEvents = header.terms().guarantee().events() == 2;
        long[] passed = new long[1];
        int[] at = {-1};
        try {
            RankReader.part(Location.of(run), header, part, budget::exhausted, (session, index, snapshot, commit) -> {
                while (at[0] + 1 < sessions.size() && sessions.get(at[0] + 1).begins(session, index)) {
                    at[0]++;
                }
                if (at[0] >= 0) {
                    BlockWriter block = out.block(sessions.get(at[0]).piece())
                            .signed(session)
                            .signed(index);
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
