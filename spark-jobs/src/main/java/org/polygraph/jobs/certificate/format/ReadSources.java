package org.polygraph.jobs.certificate.format;

import java.util.Arrays;
import org.polygraph.storage.table.HistoryTable;

/**
 * The transactions that statements read from, in an order of RC, RA or CC. In the order {@code w1(x=1) w2(x=2) r(x=1)}
 * the read does not return the last write, so the certificate names {@code w1} as a source of its statement. A read
 * takes the latest named source that left its value. If there is none, it reads from the last writer of the key before
 * it.
 *
 * <p>A statement with several reads is a list or the result of a condition; if it names a source, it names those of all
 * its reads.
 *
 * @param starts by transaction t: its sources are those from {@code starts[t]} to {@code starts[t + 1]}
 * @param statements by source: the number of the statement in its transaction; ascending in each transaction
 * @param writers by source: a transaction, or {@link #INITIAL}
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record ReadSources(int[] starts, int[] statements, int[] writers) {
    /** The implicit transaction that wrote the initial values. */
    public static final int INITIAL = -1;
    /** The source of an operation that reads nothing another transaction wrote. */
    public static final int NONE = -2;

    /** The number of sources that are named. */
    public int size() {
        return writers.length;
    }

    /** By operation: the number of its statement in its transaction, the same for each form of the history. */
    public static int[] statements(HistoryTable table) {
        int[] known = table.statements();
        if (known != null) {
            return known;
        }
        int[] statements = new int[table.operations()];
        for (int t = 0; t < table.transactions(); t++) {
            int statement = 0;
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                // The reads of the elements of a list come before the read of its version.
                statements[o] = table.isImplied(o) ? statement : statement++;
            }
        }
        return statements;
    }

    /** Collects sources, by transaction and statement. */
    public static final class Builder {
        private final int[] starts;
        private int[] statements = new int[16];
        private int[] writers = new int[16];
        private int size;
        private int transactions;

        /** @param transactions their number */
        public Builder(int transactions) {
            starts = new int[transactions + 1];
        }

        /** Adds a source; transactions and, within one, statements do not descend. */
        public void add(int t, int statement, int writer) {
            end(t);
            if (size == writers.length) {
                statements = Arrays.copyOf(statements, 2 * size);
                writers = Arrays.copyOf(writers, 2 * size);
            }
            statements[size] = statement;
            writers[size++] = writer;
        }

        private void end(int t) {
            while (transactions < t) {
                starts[++transactions] = size;
            }
        }

        /** The sources that were added. */
        public ReadSources build() {
            end(starts.length - 1);
            return new ReadSources(starts, Arrays.copyOf(statements, size), Arrays.copyOf(writers, size));
        }
    }
}
