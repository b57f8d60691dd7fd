package org.polygraph.storage.format.plume;

import it.unimi.dsi.fastutil.longs.Long2ObjectOpenHashMap;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryTableBuilder;

/**
 * The sessions of Plume text, whose transactions have ids. A transaction of a session ends where the id changes.
 * Memory: the open transaction of each session, 8 bytes a transaction.
 */
final class PlumeSessions {
    /** The bytes of the object, the map entry and the smallest buffers. */
    private static final int BYTES_PER_SESSION = 320;

    private static final int MAX_OPERATIONS = Integer.MAX_VALUE - 8;

    private final HistoryTableBuilder builder;
    private final Long2ObjectOpenHashMap<Session> sessions = new Long2ObjectOpenHashMap<>();

    PlumeSessions(HistoryTableBuilder builder) {
        this.builder = builder;
    }

    /** A session: its open transaction and the ids that it has used. */
    static final class Session {
        final long label;
        private long index;
        private boolean open;
        private long transaction;
        private long before;
        private long firstLine;
        private int[] keys = new int[4];
        private long[] values = new long[4];
        private int operations;
        private final LongArrayList closedIds = new LongArrayList(2);
        private long largestId = Long.MIN_VALUE;
        /** The ids of closed transactions. The set is made only if ids do not ascend. */
        private @Nullable LongOpenHashSet closedSet;

        Session(long label) {
            this.label = label;
        }

        /** Whether this transaction is open, so that the next line belongs to it. */
        boolean isIn(long id) {
            return open && transaction == id;
        }

        /** Returns the transaction that was open before the one that could not begin. */
        long before() {
            return before;
        }

        /** Makes room for more operations. Returns the number of operations that were added. */
        private int grow() {
            int more = Math.min(keys.length, MAX_OPERATIONS - keys.length);
            if (more <= 0) {
                throw new BudgetException("a transaction of more than " + keys.length + " operations does not fit");
            }
            keys = Arrays.copyOf(keys, keys.length + more);
            values = Arrays.copyOf(values, keys.length);
            return more;
        }

        /** Records the id of a closed transaction. It is not called for aborted runs, which share -1. */
        private void closed(long id) {
            closedIds.add(id);
            largestId = Math.max(largestId, id);
            if (closedSet != null) {
                closedSet.add(id);
            }
        }

        private boolean isClosed(long id) {
            if (id > largestId) {
                return false;
            }
            if (closedSet == null) {
                closedSet = new LongOpenHashSet(closedIds);
            }
            return closedSet.contains(id);
        }
    }

    Session of(long label) {
        Session session = sessions.get(label);
        if (session == null) {
            session = new Session(label);
            sessions.put(label, session);
            builder.reserve(BYTES_PER_SESSION);
        }
        return session;
    }

    /**
     * Begins another transaction.
     *
     * @return false if it was closed before; the caller must then stop
     */
    boolean begin(Session session, long transaction, long line) {
        session.before = session.transaction;
        end(session);
        if (transaction >= 0 && session.isClosed(transaction)) {
            return false;
        }
        session.open = true;
        session.transaction = transaction;
        session.firstLine = line;
        return true;
    }

    /** Adds an operation to the open transaction of a session. */
    void add(Session session, int keyAndKind, long value) {
        if (session.operations == session.keys.length) {
            builder.reserve((long) HistoryTable.BYTES_PER_OPERATION * session.grow());
        }
        session.keys[session.operations] = keyAndKind;
        session.values[session.operations++] = value;
    }

    private void end(Session session) {
        if (!session.open) {
            return;
        }
        boolean aborted = session.transaction < 0;
        builder.begin(
                session.label,
                session.index++,
                aborted ? TransactionStatus.ABORTED : TransactionStatus.COMMITTED,
                session.firstLine);
        builder.operations(session.keys, 0, session.values, 0, session.operations);
        builder.end();
        if (!aborted) {
            session.closed(session.transaction);
        }
        session.operations = 0;
        session.open = false;
    }

    /** Closes all open transactions. */
    void end() {
        for (Session each : sessions.values()) {
            end(each);
        }
    }
}
