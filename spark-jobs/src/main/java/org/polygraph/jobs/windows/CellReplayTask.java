package org.polygraph.jobs.windows;

import java.io.IOException;
import java.io.Serializable;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.jobs.certificate.replay.PlacedSessions;
import org.polygraph.jobs.certificate.replay.PlacedTimes;
import org.polygraph.jobs.certificate.replay.Tally;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.storage.dictionary.ValueDictionary;

/**
 * Replays what does not depend on keys, for some cells. Result: {@link Result}.
 *
 * @param labels by number of a session: its label
 * @param isCertified whether the clocks of events are their places in a certificate, which then have to differ
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record CellReplayTask(Cells cells, long[] labels, Terms terms, boolean isCertified)
        implements Task<CellReplayTask.Result> {
    /** The tally of an intent has the sum of this constant and the number of the session in place of a value. */
    static final long INTENT = 0x1e7e47;

    /**
     * The result.
     *
     * @param raw the tally of the transactions
     * @param placed the tally of the operations that count, by place
     */
    record Result(long raw, long placed, PlacedSessions sessions, PlacedTimes times) implements Serializable {}

    @Override
    public Result run(Budget budget) throws IOException {
        Tally raw = new Tally();
        Tally placed = new Tally();
        PlacedSessions sessions = new PlacedSessions();
        PlacedTimes times = new PlacedTimes();
        for (int c = cells.from(); c < cells.to(); c++) {
            budget.require();
            ValueDictionary values = new ValueDictionary();
            long place = cells.first(c);
            for (EventReader in = cells.events(c, values); in.next(); place++) {
                long session = labels[in.session()];
                byte status = in.status().code();
                PlacedSessions.Event event = in.event();
                sessions.event(
                        terms, isCertified ? in.clock() : place, event, session, in.index(), status, in.isCounted());
                if (in.isCounted()) {
                    times.event(terms, place, event, status, in.start(), in.end());
                }
                long name = Tally.name(session, in.index());
                if (!in.isSnapshot()) {
                    raw.transaction(name, status, in.start(), in.end());
                }
                long nameOfPlace = Tally.name(place);
                while (in.nextOperation()) {
                    boolean isIntent = in.kind() == Cell.INTENT;
                    long key = in.tallyKey();
                    long code = in.value();
                    long value = isIntent ? INTENT + in.session() : Tally.value(values, code);
                    if (in.isCounted()) {
                        placed.operation(nameOfPlace, in.number(), key, in.isWrite(), value);
                    }
                    if (!isIntent) {
                        int number = in.isCommit() ? Tally.atCommit(in.number()) : in.number();
                        raw.operation(name, number, key, in.isWrite(), value);
                    }
                    if (event != PlacedSessions.Event.WHOLE) {
                        sessions.operation(event, key, in.isWrite());
                    }
                }
            }
        }
        return new Result(raw.sum(), placed.sum(), sessions, times);
    }
}
