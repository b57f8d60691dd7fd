package org.polygraph.jobs.windows;

import java.io.IOException;
import org.polygraph.jobs.certificate.format.RankRanges;
import org.polygraph.jobs.certificate.format.TransactionHash;
import org.polygraph.jobs.decision.Budget;

/**
 * Deals the events of some cells to the ranges of a certificate, as {@link RankTask} reads them. Result: the section with a block for
 * each range.
 *
 * @param labels by number of a session: its label
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record RankDealTask(Cells cells, long[] labels, RankRanges ranges, Section.Files files) implements Task<Section> {
    private static final long serialVersionUID = 1L;
    private static final byte[] NO_HASH = new byte[TransactionHash.BYTES];

    @Override
    public Section run(Budget budget) throws IOException {
        Section.Output out = new Section.Output(0, ranges.count());
        TransactionHash hash = new TransactionHash();
        byte[] bytes = new byte[TransactionHash.BYTES];
        for (int c = cells.from(); c < cells.to(); c++) {
            budget.require();
            long place = cells.first(c);
            for (EventReader event = cells.events(c); event.next(); place++) {
                long session = labels[event.session()];
                if (!event.hasHash() && !event.isSnapshot()) {
                    hash(event, session, hash, bytes);
                }
                // The snapshot of a transaction has no hash and comes before its commit.
                out.block(ranges.of(session, event.index()))
                        .signed(session)
                        .signed(event.index())
                        .unsigned(event.isCounted() ? place + 1 : 0)
                        .bytes(event.isSnapshot() ? NO_HASH : event.hasHash() ? event.hash() : bytes);
            }
        }
        return out.write(files, cells.from());
    }

    private static void hash(EventReader event, long session, TransactionHash hash, byte[] to) {
        hash.begin(session, event.index(), event.status().code(), event.start(), event.end(), event.operations());
        while (event.nextOperation()) {
            event.addTo(hash, event.value());
        }
        hash.end(to, 0);
    }
}
