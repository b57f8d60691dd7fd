package org.polygraph.jobs.windows;

import it.unimi.dsi.fastutil.ints.IntArrays;
import it.unimi.dsi.fastutil.ints.IntComparator;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import org.polygraph.jobs.certificate.format.Guarantee;
import org.polygraph.jobs.certificate.format.RankRange;
import org.polygraph.jobs.certificate.format.RankWriter;
import org.polygraph.jobs.certificate.format.TransactionHash;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.storage.artifact.Location;

/**
 * Writes the rows of one range to a certificate. Result: the {@link RankRange}. Memory: 60 bytes an event.
 *
 * @param sections what {@link RankDealTask}s dealt to the range
 * @param run the folder of the run, which all workers see
 */
record RankTask(ArrayList<Section> sections, int range, String run, Guarantee guarantee) implements Task<RankRange> {
    private static final long serialVersionUID = 1L;

    @Override
    public RankRange run(Budget budget) throws IOException {
        LongArrayList sessions = new LongArrayList();
        LongArrayList indexes = new LongArrayList();
        LongArrayList places = new LongArrayList();
        ByteArrayOutputStream hashes = new ByteArrayOutputStream();
        for (Section section : sections) {
            budget.require();
            BlockReader in = new BlockReader(section.block(range));
            while (in.hasMore()) {
                sessions.add(in.signed());
                indexes.add(in.signed());
                places.add(in.unsigned() - 1);
                hashes.writeBytes(in.bytes());
            }
        }
        int[] order = new int[sessions.size()];
        Arrays.setAll(order, i -> i);
        IntComparator byTransaction = (a, b) -> {
            int bySession = Long.compare(sessions.getLong(a), sessions.getLong(b));
            return bySession != 0 ? bySession : Long.compare(indexes.getLong(a), indexes.getLong(b));
        };
        // The sort is stable: the snapshot of a transaction stays before its commit.
        IntArrays.mergeSort(order, byTransaction);
        RankWriter writer = new RankWriter(Location.of(run), guarantee);
        byte[] all = hashes.toByteArray();
        long snapshot = 0;
        for (int at = 0; at < order.length; at++) {
            int i = order[at];
            if (at + 1 < order.length && byTransaction.compare(i, order[at + 1]) == 0) {
                snapshot = places.getLong(i);
                continue;
            }
            writer.hash(all, i * TransactionHash.BYTES);
            if (places.getLong(i) >= 0) {
                writer.row(sessions.getLong(i), indexes.getLong(i), snapshot, places.getLong(i));
            }
        }
        return writer.end();
    }
}
