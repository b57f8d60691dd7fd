package org.polygraph.jobs.record;

import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.model.TransactionStatus;

/** Receives transactions that have ended, from one thread at a time. */
interface HistorySink extends Closeable {
    /** The kinds of operations, by their names in JSON Lines. */
    enum Kind {
        READ("r"),
        WRITE("w"),
        INSERT("i"),
        DELETE("d"),
        APPEND("append");

        final String label;

        Kind(String label) {
            this.label = label;
        }
    }

    /** An operation of a transaction. */
    sealed interface Operation permits OfKey, OfBounds {}

    /**
     * An operation on one key.
     *
     * @param key a Long or a String
     * @param value null (always for a delete), a Long, a String, or a list of these
     */
    record OfKey(Kind kind, Object key, @Nullable Object value) implements Operation {}

    /**
     * A query, an update or a delete of the rows whose values are between bounds.
     *
     * @param kind READ, WRITE or DELETE
     * @param rows the rows that matched: keys and values of a query, otherwise keys
     * @param written the value that the update wrote; otherwise null
     */
    record OfBounds(
            Kind kind,
            long lo,
            long hi,
            List<?> rows,
            @Nullable Object written) implements Operation {}

    /** @param end null if the outcome is unknown */
    void add(
            long session,
            long index,
            long start,
            @Nullable Long end,
            TransactionStatus status,
            List<Operation> operations)
            throws IOException;
}
