package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;

/** The transactions of a table while it is built, in the order of the input. All lists have the same capacity. */
final class TransactionList {
    private static final int BYTES = 25;
    private static final int BYTES_OF_TIMES = 16;

    private IntArrayList sessionOf = new IntArrayList(64);
    private LongArrayList indexes = new LongArrayList(64);
    private LongArrayList sources = new LongArrayList(64);
    private ByteList statuses = new ByteList(64);
    private IntArrayList operationEnds = new IntArrayList(64);
    private @Nullable LongArrayList starts;
    private @Nullable LongArrayList ends;

    int size() {
        return statuses.size();
    }

    int capacity() {
        return indexes.elements().length;
    }

    /** Bytes of heap held. */
    long bytes() {
        return bytes(capacity());
    }

    /** Bytes of heap that a capacity takes. */
    long bytes(long capacity) {
        return (starts == null ? BYTES : BYTES + BYTES_OF_TIMES) * capacity;
    }

    /** Sets the capacity before the first transaction. */
    void reserve(int capacity) {
        sessionOf.ensureCapacity(capacity);
        indexes.ensureCapacity(capacity);
        sources.ensureCapacity(capacity);
        statuses.ensureCapacity(capacity);
        operationEnds.ensureCapacity(capacity);
    }

    void add(int session, long index, long source, TransactionStatus status, int operationEnd) {
        sessionOf.add(session);
        indexes.add(index);
        sources.add(source);
        statuses.add(status.code());
        operationEnds.add(operationEnd);
        addNoTime(starts);
        addNoTime(ends);
    }

    private static void addNoTime(@Nullable LongArrayList times) {
        if (times != null) {
            times.add(HistoryTable.NO_TIME);
        }
    }

    /** Sets the times of the last transaction. */
    void times(long start, long end) {
        starts = with(starts, start);
        ends = with(ends, end);
    }

    /** Gives all times so far one value; {@link HistoryTable#NO_TIME} removes them. */
    void replaceTimes(long value) {
        if (value == HistoryTable.NO_TIME) {
            starts = null;
            ends = null;
            return;
        }
        replace(starts, value);
        replace(ends, value);
    }

    private static void replace(@Nullable LongArrayList times, long value) {
        for (int t = 0; times != null && t < times.size(); t++) {
            if (times.getLong(t) != HistoryTable.NO_TIME) {
                times.set(t, value);
            }
        }
    }

    private LongArrayList with(@Nullable LongArrayList times, long last) {
        LongArrayList all = times;
        if (all == null) {
            long[] none = new long[capacity()];
            Arrays.fill(none, HistoryTable.NO_TIME);
            all = LongArrayList.wrap(none, size());
        }
        all.set(size() - 1, last);
        return all;
    }

    int session(int transaction) {
        return sessionOf.getInt(transaction);
    }

    long index(int transaction) {
        return indexes.getLong(transaction);
    }

    long source(int transaction) {
        return sources.getLong(transaction);
    }

    int[] sessions() {
        return sessionOf.toIntArray();
    }

    /** The order of the table. */
    SessionOrder order(long[] sessionLabels) {
        return new SessionOrder(sessionOf.elements(), indexes.elements(), size(), sessionLabels);
    }

    /** By transaction: its first operation; and the number of operations. */
    int[] operationStarts() {
        int[] all = new int[size() + 1];
        operationEnds.getElements(0, all, 1, size());
        return all;
    }

    Transactions copy() {
        return new Transactions(
                statuses.toByteArray(),
                indexes.toLongArray(),
                sources.toLongArray(),
                starts == null ? null : starts.toLongArray(),
                ends == null ? null : ends.toLongArray());
    }

    /** The transactions in an order, once. Each list is released before the next is copied. */
    Transactions moved(SessionOrder order) {
        sessionOf = new IntArrayList();
        operationEnds = new IntArrayList();
        byte[] newStatuses = order.moved(statuses.elements());
        statuses = new ByteList();
        long[] newIndexes = order.moved(indexes.elements());
        indexes = new LongArrayList();
        long[] newSources = order.moved(sources.elements());
        sources = new LongArrayList();
        long[] newStarts = starts == null ? null : order.moved(starts.elements());
        starts = null;
        long[] newEnds = ends == null ? null : order.moved(ends.elements());
        ends = null;
        return new Transactions(newStatuses, newIndexes, newSources, newStarts, newEnds);
    }

    /** Refuses a second transaction with the same session and index. @param order that sorts these */
    void requireUnique(int[] order, long[] sessionLabels, SourceFiles in) throws HistoryException {
        for (int i = 1; i < order.length; i++) {
            int first = order[i - 1];
            int second = order[i];
            if (session(first) == session(second) && index(first) == index(second)) {
                throw new HistoryException(
                        in.describe(source(second)),
                        "session " + sessionLabels[session(second)] + " index " + index(second)
                                + " a second time (first at " + in.describe(source(first)) + ")",
                        "each (session, index) once",
                        "number the transactions of a session in the order it ran them");
            }
        }
    }
}
