package org.polygraph.jobs.windows;

import java.io.IOException;
import org.polygraph.jobs.certificate.format.TransactionHash;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.storage.table.Operations;

/**
 * Deals the events of some cells to the ranges of a certificate, as {@link RankTask} reads them. Result: the section with a block for
 * each range.
 *
 * @param labels by number of a session: its label
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record RankDealTask(Cells cells, long[] labels, RankRanges ranges, String folder, String name) implements Task {
    private static final long serialVersionUID = 1L;
    private static final byte[] NO_HASH = new byte[TransactionHash.BYTES];

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
                if (!cell.isCommit(t) && !cell.isSnapshot(t)) {
                    hash(cell, t, session, hash, bytes);
                }
                // The snapshot of a transaction has no hash, and comes before its commit.
                out.block(ranges.of(session, cell.index(t)))
                        .signed(session)
                        .signed(cell.index(t))
                        .unsigned(cell.isCounted(t) ? cells.first(c) + t + 1 : 0)
                        .bytes(cell.isSnapshot(t) ? NO_HASH : cell.isCommit(t) ? cell.hash(t) : bytes);
            }
        }
        BlockWriter result = new BlockWriter();
        Section.write(result, out.write(folder, name, cells.from()));
        return result.toBytes();
    }

    private static void hash(Cell cell, int t, long session, TransactionHash hash, byte[] to) {
        hash.begin(
                session,
                cell.index(t),
                cell.status(t).code(),
                cell.start(t),
                cell.end(t),
                cell.operationsEnd(t) - cell.firstOperation(t));
        for (int o = cell.firstOperation(t); o < cell.operationsEnd(t); o++) {
            int keyAndKind = Operations.pack(cell.key(o), cell.isWrite(o));
            hash.operation(cell.keys(), cell.values(), keyAndKind, cell.code(o));
        }
        hash.end(to, 0);
    }
}
