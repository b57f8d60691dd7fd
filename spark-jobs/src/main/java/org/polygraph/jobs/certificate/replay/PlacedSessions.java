package org.polygraph.jobs.certificate.replay;

import java.io.Serializable;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Guarantee;
import org.polygraph.jobs.certificate.format.Names;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.storage.model.TransactionStatus;

/**
 * The conditions on an order of events that do not depend on keys, for events in the order of their places: places
 * of those that count ascend, every committed transaction counts and no aborted one does, and the counted transactions of a session ascend,
 * except at LIN. At SI a snapshot has reads only, a commit reads only what it wrote before, and after the snapshot of a
 * transaction the next event of its session is its commit. Windows of the order are checked one by one and joined.
 * Memory: about 100 bytes a session, and up to 60 bytes for each key that one event wrote.
 */
public final class PlacedSessions implements Serializable {
    private static final long serialVersionUID = 1L;
    private static final long NO_PLACE = -1;

    /** The part of its transaction that an event is. */
    public enum Event {
        /** The whole transaction. */
        WHOLE,
        /** Its snapshot; the commit is another event. */
        SNAPSHOT,
        /** Its commit; the snapshot is another event. */
        COMMIT
    }

    /** More keys are looked up by hash. */
    private static final int MANY = 64;

    /** By session: index and {@link Event} of the first and of the last event of its counted transactions. */
    private final Map<Long, long[]> sessions = new TreeMap<>();

    /** Keys that the present event wrote, and how many of them {@link #many} has. */
    private transient long[] written = new long[16];

    private transient int writes;
    private transient Set<Long> many = new HashSet<>();
    private transient int indexed;

    private long firstPlace = NO_PLACE;
    private long place = NO_PLACE;
    private @Nullable String discrepancy;

    /** Takes the next event. @param status the code of its transaction */
    public void event(Terms terms, long at, Event event, long session, long index, byte status, boolean counted) {
        writes = 0;
        if (indexed > 0) {
            many = new HashSet<>();
            indexed = 0;
        }
        boolean committed = status == TransactionStatus.COMMITTED.code();
        if (committed ? !counted : counted && !terms.mayCount(status)) {
            wrong(name(session, index)
                    + (committed ? " committed but is not counted" : " is counted but did not commit"));
        }
        if (counted) {
            if (at <= place) {
                wrong(name(session, index) + " has place " + at + ", as has another event, or one after it");
            }
            firstPlace = firstPlace == NO_PLACE ? at : firstPlace;
            place = at;
            if ((event == Event.WHOLE) == isTwoEvents(terms.guarantee())) {
                wrong(name(session, index) + " does not have the events of a transaction");
            }
            if (terms.guarantee() != Guarantee.LIN) {
                ascend(session, new long[] {index, event.ordinal(), index, event.ordinal()});
            }
        }
    }

    /**
     * Whether the order has a snapshot and a commit of each transaction. At RC, RA and CC it has them too: an order of
     * both (prefix consistency) implies these levels.
     */
    private static boolean isTwoEvents(Guarantee guarantee) {
        return guarantee.events() == 2 || guarantee.isOfCommits();
    }

    /** Takes the next operation of a snapshot or a commit, but no intents. @param key its id, or a hash of it */
    public void operation(Event event, long key, boolean isWrite) {
        if (isWrite) {
            written = writes == written.length ? Arrays.copyOf(written, 2 * writes) : written;
            written[writes++] = key;
        }
        if (event == Event.SNAPSHOT ? isWrite : !isWrite && !isWritten(key)) {
            wrong("place " + place + " has " + (isWrite ? "a write at a snapshot" : "a read at a commit"));
        }
    }

    private boolean isWritten(long key) {
        if (writes > MANY) {
            for (; indexed < writes; indexed++) {
                many.add(written[indexed]);
            }
            return many.contains(key);
        }
        for (int i = 0; i < writes; i++) {
            if (written[i] == key) {
                return true;
            }
        }
        return false;
    }

    /** Adds events of a session. @param next index and event of the first, and of the last */
    private void ascend(long session, long[] next) {
        long[] known = sessions.get(session);
        if (known == null) {
            sessions.put(session, next.clone());
            return;
        }
        if (known[3] == Event.SNAPSHOT.ordinal()
                ? next[0] != known[2] || next[1] != Event.COMMIT.ordinal()
                : known[2] >= next[0] || next[1] == Event.COMMIT.ordinal()) {
            wrong(name(session, next[0]) + " is ordered before a transaction that its session ran earlier");
        }
        known[2] = next[2];
        known[3] = next[3];
    }

    private static String name(long session, long index) {
        return Names.transaction(session, index);
    }

    private void wrong(String what) {
        if (discrepancy == null) {
            discrepancy = what;
        }
    }

    /** Adds the window of the order that follows. */
    public void then(PlacedSessions next) {
        if (next.discrepancy != null) {
            wrong(next.discrepancy);
        }
        if (next.firstPlace == NO_PLACE) {
            return;
        }
        if (next.firstPlace <= place) {
            wrong("place " + next.firstPlace + " comes after place " + place);
        }
        firstPlace = firstPlace == NO_PLACE ? next.firstPlace : firstPlace;
        place = next.place;
        next.sessions.forEach(this::ascend);
    }

    /** Returns the first condition that the whole order breaks, as one sentence; null if it breaks none. */
    public @Nullable String discrepancy() {
        sessions.forEach((session, events) -> {
            if (events[1] == Event.COMMIT.ordinal() || events[3] == Event.SNAPSHOT.ordinal()) {
                wrong("session " + session + " has a transaction with one of its events");
            }
        });
        return discrepancy;
    }
}
