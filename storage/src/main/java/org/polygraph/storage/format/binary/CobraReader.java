package org.polygraph.storage.format.binary;

import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.format.io.ByteInput;
import org.polygraph.storage.format.io.ReadContext;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTableBuilder;

/**
 * A folder of Cobra logs: one {@code *.log} a client, which is a session; other files are ignored. A record is a tag
 * and big-endian i64 fields:
 *
 * <pre>
 * 'S' txn | 'C' txn | 'W' write-id key value | 'R' writer-txn write-id key value | 0xFF: end of the log
 * </pre>
 *
 * <p>A version is identified by (writer txn, write id, value). Where every write id is {@value #BY_VALUE} (0xabddefee)
 * the logger had none, and the value alone identifies it; values may then repeat. Reads from the initial transaction or
 * of a missing row get the initial value, null. A transaction without {@code C} is indeterminate.
 */
public final class CobraReader {
    static final long INITIAL = 0xBEBEEBEEL;
    private static final long MISSING = 0xDEADBEEFL;
    static final long BY_VALUE = 0xABDDEFEEL;
    private static final int END = 0xFF;

    private final ReadContext context;
    private final HistoryTableBuilder builder;

    public CobraReader(ReadContext context, HistoryTableBuilder builder) {
        this.context = context;
        this.builder = builder;
        builder.values().markVersions();
    }

    /** @param logs ascending by name, not empty */
    public void read(List<Location> logs) throws IOException, HistoryException {
        boolean byValue = areAllWritesByValue(context, logs);
        long[] sessions = sessionNumbers(logs);
        for (int i = 0; i < sessions.length; i++) {
            builder.file(logs.get(i).name());
            try (InputStream stream =
                    context.checked(logs.get(i).open(), logs.get(i).name())) {
                new Log(new ByteInput(logs.get(i).name(), stream, Long.MAX_VALUE), byValue, sessions[i]).read();
            }
        }
    }

    /**
     * Returns the numbers of the sessions. They are the numbers in the names of the logs if these differ ({@code
     * T17.log} is session 17), else 0, 1, 2... by name.
     */
    private static long[] sessionNumbers(List<Location> logs) {
        long[] numbers = new long[logs.size()];
        LongOpenHashSet seen = new LongOpenHashSet();
        for (int i = 0; i < numbers.length; i++) {
            String digits = logs.get(i).fileName().replaceAll("[^0-9]", "");
            boolean numbered = !digits.isEmpty() && digits.length() <= 18;
            numbers[i] = numbered ? Long.parseLong(digits) : 0;
            if (!numbered || !seen.add(numbers[i])) {
                Arrays.setAll(numbers, position -> position);
                return numbers;
            }
        }
        return numbers;
    }

    /** Whether no write has an id of its own. The pass over the logs ends at the first one that has. */
    private static boolean areAllWritesByValue(ReadContext context, List<Location> logs)
            throws IOException, HistoryException {
        boolean any = false;
        for (Location log : logs) {
            try (InputStream stream = context.checked(log.open(), log.name())) {
                ByteInput in = new ByteInput(log.name(), stream, Long.MAX_VALUE);
                while (goToWrite(in)) {
                    if (in.bigEndian("a write id (8 bytes)") != BY_VALUE) {
                        return false;
                    }
                    any = true;
                    in.skip(16, "a write's key and value (16 bytes)");
                }
            }
        }
        return any;
    }

    /** Skips records up to the tag of a write. Returns false if there is none. */
    private static boolean goToWrite(ByteInput in) throws IOException, HistoryException {
        for (int tag; (tag = in.read()) >= 0 && tag != END; ) {
            switch (tag) {
                case 'W' -> {
                    return true;
                }
                case 'R' -> in.skip(32, "a read's writer, write id, key and value (32 bytes)");
                case 'S', 'C' -> in.skip(8, "a transaction id (8 bytes)");
                default -> throw unknownTag(in, tag);
            }
        }
        return false;
    }

    private static HistoryException unknownTag(ByteInput in, int tag) {
        return new HistoryException(
                in.at(in.offset() - 1),
                "the byte 0x" + Integer.toHexString(tag) + " as a record's tag",
                "S, C, W, R or 0xff",
                "the log is damaged or another format: give the right one with -f");
    }

    private final class Log {
        private final ByteInput in;
        private final boolean byValue;
        private final long session;
        private long index;
        private boolean open;
        private long transaction;

        Log(ByteInput in, boolean byValue, long session) {
            this.in = in;
            this.byValue = byValue;
            this.session = session;
        }

        public void read() throws IOException, HistoryException {
            for (int tag; (tag = in.read()) >= 0 && tag != END; ) {
                long at = in.offset() - 1;
                switch (tag) {
                    case 'S' -> begin(at);
                    case 'C' -> commit(at);
                    case 'W' -> write(at);
                    case 'R' -> readRecord(at);
                    default -> throw unknownTag(in, tag);
                }
            }
            endIfOpen();
        }

        private void begin(long at) throws IOException, HistoryException {
            endIfOpen();
            transaction = in.bigEndian("a transaction id (8 bytes)");
            builder.begin(session, index++, TransactionStatus.INDETERMINATE, at);
            open = true;
        }

        private void endIfOpen() {
            if (open) {
                builder.end();
                open = false;
            }
        }

        private void commit(long at) throws IOException, HistoryException {
            requireOpen(at, "a commit");
            long committed = in.bigEndian("a transaction id (8 bytes)");
            if (committed != transaction) {
                throw new HistoryException(
                        in.at(at),
                        "a commit of transaction " + committed,
                        "of " + transaction + ", which is open",
                        "one log holds one client: do not merge logs");
            }
            builder.status(TransactionStatus.COMMITTED);
            endIfOpen();
        }

        private void write(long at) throws IOException, HistoryException {
            requireOpen(at, "a write");
            long id = in.bigEndian("a write id (8 bytes)");
            int key = builder.keys().id(in.bigEndian("a write's key (8 bytes)"));
            builder.write(key, code(transaction, id, in.bigEndian("a write's value (8 bytes)")));
        }

        private void readRecord(long at) throws IOException, HistoryException {
            requireOpen(at, "a read");
            long writer = in.bigEndian("a read's writer (8 bytes)");
            long id = in.bigEndian("a read's write id (8 bytes)");
            int key = builder.keys().id(in.bigEndian("a read's key (8 bytes)"));
            long value = in.bigEndian("a read's value (8 bytes)");
            boolean initial = writer == INITIAL || writer == MISSING;
            builder.read(key, initial ? builder.initialValue() : code(writer, id, value));
        }

        private long code(long writer, long id, long value) {
            return byValue ? builder.values().code(value) : builder.values().version(writer, id, value);
        }

        private void requireOpen(long at, String what) throws HistoryException {
            if (!open) {
                throw new HistoryException(
                        in.at(at),
                        what + " outside of a transaction",
                        "S (start) first",
                        "the log is damaged or its beginning is missing");
            }
        }
    }
}
