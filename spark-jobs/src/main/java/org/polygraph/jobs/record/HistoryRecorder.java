package org.polygraph.jobs.record;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

/**
 * Records what the clients of a database observe, as a history.
 *
 * <pre>{@code
 * try (HistoryRecorder recorder = HistoryRecorder.toFile(Path.of("run.jsonl"))) {
 *     HistoryRecorder.Session session = recorder.session();         // one for each client thread
 *     try (HistoryRecorder.Transaction tx = session.begin()) {      // before BEGIN is sent
 *         tx.read("x", value);                                      // null: there is no row
 *         tx.write("x", value + 1);
 *         connection.commit();
 *         tx.commit();                                              // after the database has confirmed
 *     }
 * }
 * }</pre>
 *
 * <p>A transaction that is closed before {@link Transaction#commit} or {@link Transaction#abort} is recorded as
 * indeterminate: the client does not know whether the database committed it. Its session then continues as a new one,
 * because the database may still execute the transaction.
 *
 * <p>Any number of threads may record at a time. A session and its transactions belong to one thread at a time. Times
 * are of the monotonic clock of this process, in nanoseconds. Keys are integers or strings. Values are integers,
 * strings, null, or lists of these where keys are appended to.
 */
public final class HistoryRecorder implements Closeable {
    private final HistoryLines lines;
    private final long origin = System.nanoTime();
    private final Set<Transaction> open = ConcurrentHashMap.newKeySet();
    private long numbers;
    private volatile boolean closing;
    private boolean closed;
    private @Nullable IOException failure;
    private volatile @Nullable String reason;

    private HistoryRecorder(HistoryLines lines) {
        this.lines = lines;
    }

    /** Records into a file, which is replaced and contains only whole transactions at any moment. */
    public static HistoryRecorder toFile(Path file) throws IOException {
        return toFile(file, Map.of());
    }

    /**
     * Records into a file with further fields in its header.
     *
     * @param header strings, numbers, lists and maps; {@code "initial", Map.of("value", 0)} gives every key the value 0
     *     before the first transaction
     */
    public static HistoryRecorder toFile(Path file, Map<String, ?> header) throws IOException {
        return new HistoryRecorder(new HistoryLines(file, header));
    }

    /** Records into memory, for {@link #history}. */
    public static HistoryRecorder inMemory() {
        return inMemory(null);
    }

    /** @param initial the value of every key before the first transaction; null for none */
    public static HistoryRecorder inMemory(@Nullable Object initial) {
        try {
            return new HistoryRecorder(new HistoryLines(
                    null, initial == null ? Map.of() : Map.of("initial", Map.of("value", scalar(initial)))));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Closes the recorder and returns the history.
     *
     * @throws IllegalStateException if the recorder writes to a file
     */
    public HistoryTable history() throws HistoryException {
        if (!lines.areInMemory()) {
            throw new IllegalStateException("the history is in a file");
        }
        end();
        try {
            return lines.table();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private long now() {
        return System.nanoTime() - origin;
    }

    /** A new session: transactions that one client runs one after another. */
    public synchronized Session session() {
        return new Session(numbers++, false);
    }

    /** Transactions of a connection that several clients share: each is recorded in a session of its own. */
    public synchronized Session connection() {
        return new Session(numbers++, true);
    }

    /**
     * Records the transactions that have not ended as indeterminate, and ends the file. Nothing can be recorded then.
     */
    @Override
    public void close() throws IOException {
        end();
        lines.close();
    }

    /** Sessions that begin a transaction from now on fail for this reason, with an AssertionError. Any thread may call it. */
    public void fail(String why) {
        reason = why;
    }

    /** Ends the transactions that have not ended, and returns their number. */
    int end() {
        synchronized (this) {
            if (closed) {
                return 0;
            }
            closing = true;
        }
        // As on the thread of the transaction, the transaction is locked before the recorder.
        int unended = 0;
        for (Transaction each : open) {
            unended += each.leave() ? 1 : 0;
        }
        synchronized (this) {
            closed = true;
        }
        return unended;
    }

    private synchronized void add(
            Session session,
            long start,
            @Nullable Long end,
            TransactionStatus status,
            List<Map<String, @Nullable Object>> operations) {
        if (closed) {
            throw new IllegalStateException("the recorder is closed", failure);
        }
        try {
            lines.add(session.number, session.index++, start, end, status, operations);
        } catch (IOException e) {
            // Nothing more is recorded: without this transaction, reads of its writes would be violations.
            closing = true;
            closed = true;
            failure = e;
            throw new UncheckedIOException("the history cannot be written", e);
        }
        if (session.isShared || status == TransactionStatus.INDETERMINATE) {
            session.number = numbers++;
            session.index = 0;
        }
    }

    /** Transactions that one client runs one after another. */
    public final class Session {
        private long number;
        private final boolean isShared;
        private long index;
        private volatile boolean isOpen;

        private Session(long number, boolean isShared) {
            this.number = number;
            this.isShared = isShared;
        }

        /**
         * Begins a transaction. Call it before anything is sent to the database.
         *
         * @throws IllegalStateException if the session's previous transaction has not ended, or the recorder is closed
         * @throws AssertionError after {@link #fail}
         */
        public Transaction begin() {
            String why = reason;
            if (why != null) {
                throw new AssertionError(why);
            }
            if (isOpen) {
                throw new IllegalStateException("the session's previous transaction has not ended");
            }
            Transaction begun = new Transaction(this);
            isOpen = true;
            open.add(begun);
            // Checked last, so that a recorder that is being closed sees every transaction that may run.
            if (closing) {
                throw new IllegalStateException("the recorder is closed");
            }
            return begun;
        }
    }

    /** One transaction, whose operations are recorded in the order in which the client executed them. */
    public final class Transaction implements AutoCloseable {
        private final Session session;
        private final List<Map<String, @Nullable Object>> operations = new ArrayList<>();
        private final long start;
        private boolean ended;

        private Transaction(Session session) {
            this.session = session;
            this.start = now();
        }

        /** The value that the database returned for a key; null if it has none. */
        public void read(Object key, @Nullable Object value) {
            add("r", key, value);
        }

        /** A value that the database has accepted for a key. */
        public void write(Object key, @Nullable Object value) {
            add("w", key, value);
        }

        /** A value that a read returned, which is no list, with the version that the database gave it. */
        public void read(Object key, @Nullable Object value, long version) {
            add(operation("r", "key", scalar(key), "value", value == null ? null : scalar(value), "version", version));
        }

        /** A value that the database has accepted for a key, with the version that it gave. */
        public void write(Object key, @Nullable Object value, long version) {
            add(operation("w", "key", scalar(key), "value", value == null ? null : scalar(value), "version", version));
        }

        /** A row that the database has inserted. An insert that fails is not recorded. */
        public void insert(Object key, @Nullable Object value) {
            add("i", key, value);
        }

        /** A row that the database has deleted. A delete that finds no row is a read of null. */
        public void delete(Object key) {
            add(operation("d", "key", scalar(key)));
        }

        /**
         * A query of the rows whose values are between two bounds, inclusive. Its result is recorded also if it is
         * empty.
         *
         * @param rows the keys and values of all rows that the database returned
         */
        public void readBetween(long lo, long hi, Map<?, Long> rows) {
            List<List<Object>> pairs = new ArrayList<>(rows.size());
            for (Map.Entry<?, Long> row : rows.entrySet()) {
                if (row.getValue() < lo || row.getValue() > hi) {
                    throw new IllegalArgumentException(
                            row + " is not between " + lo + " and " + hi + ", so the query did not ask for it");
                }
                pairs.add(List.of(scalar(row.getKey()), row.getValue()));
            }
            add(operation("pr", "lo", lo, "hi", hi, "rows", pairs));
        }

        /**
         * An update that gave one value to the rows whose values were between two bounds, inclusive.
         *
         * @param keys of all rows that the database updated
         */
        public void writeBetween(long lo, long hi, Object value, Set<?> keys) {
            add(operation("pw", "lo", lo, "hi", hi, "value", scalar(value), "keys", scalars(keys)));
        }

        /**
         * A delete of the rows whose values were between two bounds, inclusive.
         *
         * @param keys of all rows that the database deleted
         */
        public void deleteBetween(long lo, long hi, Set<?> keys) {
            add(operation("pd", "lo", lo, "hi", hi, "keys", scalars(keys)));
        }

        /** An element that the database has appended to the list of a key. */
        public void append(Object key, Object element) {
            add("append", key, element);
        }

        /** The database has set a savepoint. One with the name of an earlier one hides that. */
        public void savepoint(String name) {
            add(operation("savepoint", "name", name));
        }

        /** The database has undone what followed the last savepoint of a name, which stays set. */
        public void rollbackTo(String name) {
            add(operation("rollback_to", "name", name));
        }

        /** The database has given up the last savepoint of a name and those after it, and undone nothing. */
        public void release(String name) {
            add(operation("release", "name", name));
        }

        /** @param fields of an operation in JSON Lines; strings, integers, lists and maps of these */
        public void record(Map<String, ? extends @Nullable Object> fields) {
            add(new LinkedHashMap<>(fields));
        }

        /** The transaction executed nothing that is to be recorded. */
        public synchronized void discard() {
            requireOpen();
            ended = true;
            leaveSession();
        }

        /** The database has confirmed the commit. */
        public void commit() {
            end(TransactionStatus.COMMITTED);
        }

        /** The database has confirmed that nothing of the transaction remains. */
        public void abort() {
            end(TransactionStatus.ABORTED);
        }

        /** The client does not know the outcome: an error during the commit, or a lost connection. */
        public void unknown() {
            end(TransactionStatus.INDETERMINATE);
        }

        /** Records the transaction as indeterminate unless it has ended. */
        @Override
        public void close() {
            leave();
        }

        /** Closes the transaction. @return whether it had not ended */
        private synchronized boolean leave() {
            boolean isOpen = !ended;
            if (isOpen) {
                unknown();
            }
            return isOpen;
        }

        private void add(String op, Object key, @Nullable Object value) {
            add(operation(op, "key", scalar(key), "value", value == null ? null : recorded(value)));
        }

        private synchronized void add(Map<String, @Nullable Object> operation) {
            requireOpen();
            operations.add(operation);
        }

        private synchronized void end(TransactionStatus status) {
            requireOpen();
            ended = true;
            Long end = status == TransactionStatus.INDETERMINATE ? null : now();
            try {
                HistoryRecorder.this.add(session, start, end, status, operations);
            } finally {
                leaveSession();
            }
        }

        private void leaveSession() {
            session.isOpen = false;
            open.remove(this);
        }

        private void requireOpen() {
            if (ended) {
                throw new IllegalStateException("the transaction has ended");
            }
        }
    }

    /** The fields of an operation in JSON Lines: its name, then names and values in turn. */
    private static Map<String, @Nullable Object> operation(String op, @Nullable Object... fields) {
        Map<String, @Nullable Object> operation = new LinkedHashMap<>();
        operation.put("op", op);
        for (int i = 0; i < fields.length; i += 2) {
            operation.put(String.valueOf(fields[i]), fields[i + 1]);
        }
        return operation;
    }

    private static Object recorded(Object value) {
        return value instanceof List<?> list ? scalars(list) : scalar(value);
    }

    private static List<Object> scalars(Collection<?> values) {
        return values.stream().map(HistoryRecorder::scalar).toList();
    }

    private static Object scalar(Object value) {
        if (value instanceof String) {
            return value;
        }
        if (value instanceof Long || value instanceof Integer || value instanceof Short || value instanceof Byte) {
            return ((Number) value).longValue();
        }
        throw new IllegalArgumentException(
                value.getClass().getName() + " is neither an integer nor a string; record value.toString()");
    }
}
