package org.polygraph.jobs.windows;

import java.io.IOException;
import org.polygraph.jobs.certificate.format.RankRanges;
import org.polygraph.jobs.certificate.format.TransactionHash;
import org.polygraph.jobs.decision.Budget;

/**
 * Deals the events of some cells to the ranges of a certificate, as {@link RankRows} reads them. Result: the section with a block for
 * each range.
 *
 * @param labels by number of a session: its label
 * @param isCertified whether the clocks of events are their places in a certificate, which are dealt
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record RankDealTask(Cells cells, long[] labels, RankRanges ranges, boolean isCertified, Section.Files files)
        implements Task<Section> {
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
                BlockWriter to = out.block(ranges.of(session, event.index()))
                        .signed(session)
                        .signed(event.index())
                        .unsigned((event.isCounted() ? RankRows.COUNTED : 0)
                                | (event.isSnapshot() ? RankRows.SNAPSHOT : 0))
                        .signed(isCertified ? event.clock() : place);
                if (!event.isSnapshot()) {
                    to.raw(event.hasHash() ? event.hash() : bytes, 0, TransactionHash.BYTES);
                }
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
