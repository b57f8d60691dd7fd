package org.polygraph.jobs.windows;

import java.io.IOException;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.jobs.certificate.replay.PlacedSessions;
import org.polygraph.jobs.certificate.replay.PlacedTimes;
import org.polygraph.jobs.certificate.replay.Tally;
import org.polygraph.jobs.decision.Budget;

/**
 * Replays what does not depend on keys, for some cells. Result: the tally of their transactions, the tally of the operations that
 * count by place, {@link PlacedSessions} and {@link PlacedTimes}.
 *
 * @param labels by number of a session: its label
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record CellReplayTask(Cells cells, long[] labels, Terms terms) implements Task {
    private static final long serialVersionUID = 1L;
    /** With the number of the session, stands for the value of an intent in a tally. */
    static final long INTENT = 0x1e7e47;

    @Override
    public byte[] run(Budget budget) throws IOException {
        Tally raw = new Tally();
        Tally placed = new Tally();
        PlacedSessions sessions = new PlacedSessions();
        PlacedTimes times = new PlacedTimes();
        for (int c = cells.from(); c < cells.to(); c++) {
            budget.require();
            Cell cell = cells.read(c);
            long[] keys = new long[cell.keys().size()];
            for (int key = 0; key < keys.length; key++) {
                keys[key] = Tally.key(cell.keys(), key);
            }
            for (int t = 0; t < cell.size(); t++) {
                long place = cells.first(c) + t;
                long session = labels[cell.session(t)];
                byte status = cell.status(t).code();
                boolean isCommit = cell.isCommit(t);
                PlacedSessions.Event event = cell.event(t);
                sessions.event(terms, place, event, session, cell.index(t), status, cell.isCounted(t));
                if (cell.isCounted(t)) {
                    times.event(terms, event, status, cell.start(t), cell.end(t));
                }
                if (!cell.isSnapshot(t)) {
                    raw.transaction(session, cell.index(t), status, cell.start(t), cell.end(t));
                }
                for (int o = cell.firstOperation(t); o < cell.operationsEnd(t); o++) {
                    int number = o - cell.firstOperation(t);
                    boolean isIntent = cell.kind(o) == Cell.INTENT;
                    long value = isIntent ? INTENT + cell.session(t) : Tally.value(cell.values(), cell.code(o));
                    if (cell.isCounted(t)) {
                        placed.operation(place, number, keys[cell.key(o)], cell.isWrite(o), value);
                    }
                    if (!isIntent) {
                        raw.operation(
                                session,
                                cell.index(t),
                                isCommit ? Tally.atCommit(number) : number,
                                keys[cell.key(o)],
                                cell.isWrite(o),
                                value);
                    }
                    if (event != PlacedSessions.Event.WHOLE) {
                        sessions.operation(event, cell.key(o), cell.isWrite(o));
                    }
                }
            }
        }
        return new BlockWriter()
                .signed(raw.sum())
                .signed(placed.sum())
                .bytes(sessions.toBytes())
                .bytes(times.toBytes())
                .toBytes();
    }
}
