package org.polygraph.jobs.windows;

import java.io.IOException;
import org.polygraph.jobs.certificate.format.TransactionHash;
import org.polygraph.jobs.decision.Budget;

/**
 * Deals the transactions of some cells to the ranges of a certificate, as {@link RankTask} reads them. Result: the section with a block for
 * each range.
 *
 * @param labels by number of a session: its label
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record RankDealTask(Cells cells, long[] labels, RankRanges ranges, String folder, String name) implements Task {
    private static final long serialVersionUID = 1L;

    @Override
    public byte[] run(Budget budget) throws IOException {
        Section.Output out = new Section.Output(0, ranges.count());
        TransactionHash hash = new TransactionHash();
        byte[] bytes = new byte[TransactionHash.BYTES];
        for (int c = cells.from(); c < cells.to(); c++) {
            budget.require();
            Cell cell = cells.read(c);
            for (int t = 0; t < cell.size(); t++) {
                long session = labels[cell.session(t)];
                hash.begin(
                        session,
                        cell.index(t),
                        cell.status(t).code(),
                        cell.start(t),
                        cell.end(t),
                        cell.operationsEnd(t) - cell.firstOperation(t));
                for (int o = cell.firstOperation(t); o < cell.operationsEnd(t); o++) {
                    int keyAndKind = cell.key(o) << 1 | (cell.isWrite(o) ? 1 : 0);
                    hash.operation(cell.keys(), cell.values(), keyAndKind, cell.code(o));
                }
                hash.end(bytes, 0);
                out.block(ranges.of(session, cell.index(t)))
                        .signed(session)
                        .signed(cell.index(t))
                        .unsigned(cell.isCounted(t) ? cells.first(c) + t + 1 : 0)
                        .bytes(bytes);
            }
        }
        BlockWriter result = new BlockWriter();
        Section.write(result, out.write(folder, name + "-" + cells.from()));
        return result.toBytes();
    }
}
