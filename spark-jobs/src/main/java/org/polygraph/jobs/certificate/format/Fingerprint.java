package org.polygraph.jobs.certificate.format;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.artifact.SeekableInput;
import org.polygraph.storage.dictionary.KeyDictionary;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.model.StoppedException;
import org.polygraph.storage.table.HistoryTable;

/**
 * Identifies a history by two SHA-256 hashes in hex: one of the bytes of its files and one of its contents. The same history
 * in another format, compression or order of lines has other bytes and the same contents.
 *
 * <p>The hash of a file's bytes is what {@code sha256sum} prints; that of a folder is the hash of the lines {@code <sha256>
 * <name>} of its files by name. The layout of the contents is in {@code docs/evidence.md} of this module.
 */
public record Fingerprint(String input, String content) {
    private static final byte TEXT_KEY = 2;
    private static final byte INTEGER_VALUE = 4;
    private static final byte INSERT = 32;
    private static final byte DELETE = 64;
    private static final byte TEXT_VALUE = 8;
    /** A value that is not null, an integer or a string; its string form follows. */
    private static final byte OTHER_VALUE = 24;

    private static final int TRANSACTIONS = 4096;
    private static final int BUFFER = 1 << 16;
    /** The most bytes of an operation with an integer key, for which room is reserved once. */
    private static final int OPERATION = 17;

    /** A new SHA-256 digest. */
    public static MessageDigest digest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /** The digest in hex; resets it. */
    public static String hex(MessageDigest digest) {
        return HexFormat.of().formatHex(digest.digest());
    }

    /**
     * The hash of the bytes of a file, or of the files of a folder. Reads everything once on the caller's thread, at 0.4 GB/s
     * or more.
     *
     * @param stop whether to stop; called every 64 KiB
     * @throws BudgetException if {@code stop} returned true
     * @throws IOException also for a pipe, which could not be read a second time for its contents
     */
    public static String ofInput(Location location, BooleanSupplier stop) throws IOException {
        if (!location.isFolder()) {
            return ofFile(location, stop);
        }
        MessageDigest listing = digest();
        for (Location child : location.children()) {
            if (!child.isFolder()) {
                String line = ofFile(child, stop) + "  " + child.fileName() + "\n";
                listing.update(line.getBytes(StandardCharsets.UTF_8));
            }
        }
        return hex(listing);
    }

    private static String ofFile(Location file, BooleanSupplier stop) throws IOException {
        if (file.length() < 0) {
            throw new IOException(
                    file.name() + ": found a pipe, which can be read only once; expected a file, since its content is"
                            + " hashed before it is read; save it, or give it as -");
        }
        MessageDigest digest = digest();
        byte[] buffer = new byte[BUFFER];
        try (SeekableInput in = file.open()) {
            int n;
            while ((n = in.read(buffer, 0, buffer.length)) > 0) {
                digest.update(buffer, 0, n);
                if (stop.getAsBoolean()) {
                    throw new BudgetException(file.name() + ": time ran out while its bytes were hashed");
                }
            }
        }
        return hex(digest);
    }

    /** The keys, by their labels, whose initial values are not that of the header. */
    private static void initialState(Writer out, HistoryTable table) {
        TreeMap<String, Long> sorted = new TreeMap<>();
        for (int key = 0; key < table.keys().size(); key++) {
            if (table.initialValue(key) != table.initialValue()) {
                sorted.put(table.keys().label(key), table.initialValue(key));
            }
        }
        if (!sorted.isEmpty()) {
            out.number(sorted.size());
            sorted.forEach((key, code) -> {
                out.text(key);
                out.put(tag(table.values(), code));
                out.value(table.values(), code);
            });
        }
    }

    /** The same without an end of the time. */
    public static String ofContent(HistoryTable table) {
        return ofContent(table, () -> false);
    }

    /**
     * The hash of sessions, indexes, statuses, times and operations, by their labels. One pass; 64 KiB.
     *
     * @param stop whether to stop; called every {@value #TRANSACTIONS} transactions
     * @throws BudgetException if {@code stop} returned true
     */
    public static String ofContent(HistoryTable table, BooleanSupplier stop) {
        Writer out = new Writer();
        out.text("polygraph-history-1");
        out.put(tag(table.values(), table.initialValue()));
        out.value(table.values(), table.initialValue());
        if (table.hasInitialState()) {
            initialState(out, table);
        }
        out.number(table.sessions());
        for (int s = 0; s < table.sessions(); s++) {
            int from = table.firstTransaction(s);
            int to = table.transactionsEnd(s);
            out.number(table.sessionLabel(s));
            out.number(to - from);
            for (int t = from; t < to; t++) {
                if (t % TRANSACTIONS == 0) {
                    StoppedException.check(stop);
                }
                transaction(out, table, t);
            }
        }
        return out.hex();
    }

    private static void transaction(Writer out, HistoryTable table, int t) {
        out.number(table.index(t));
        out.put(table.statuses()[t]);
        out.number(time(table.starts(), t));
        out.number(time(table.ends(), t));
        int from = table.firstOperation(t);
        int to = table.operationsEnd(t);
        out.number(to - from);
        KeyDictionary keys = table.keys();
        ValueDictionary values = table.values();
        for (int o = from; o < to; o++) {
            int keyAndKind = table.operationKeys()[o];
            int key = keyAndKind >> 1;
            long value = table.value(o);
            boolean text = keys.isString(key);
            out.room(OPERATION);
            out.buffer.put((byte) ((keyAndKind & 1) | (text ? TEXT_KEY : 0) | tag(values, value) | row(table, o)));
            if (text) {
                out.text(keys.string(key));
            } else {
                out.buffer.putLong(keys.integer(key));
            }
            out.value(values, value);
        }
    }

    private static byte row(HistoryTable table, int o) {
        return table.isInsert(o) ? INSERT : table.isDelete(o) ? DELETE : 0;
    }

    private static long time(long @Nullable [] times, int t) {
        return times == null ? HistoryTable.NO_TIME : times[t];
    }

    private static byte tag(ValueDictionary values, long code) {
        return values.isOther(code)
                ? OTHER_VALUE
                : values.isInteger(code) ? INTEGER_VALUE : values.isNull(code) ? 0 : TEXT_VALUE;
    }

    /** Writes big-endian numbers of 64 bits, bytes, and strings with their length in bytes. */
    private static final class Writer {
        private final MessageDigest digest = digest();
        private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER);

        void room(int bytes) {
            if (buffer.remaining() < bytes) {
                digest.update(buffer.array(), 0, buffer.position());
                buffer.clear();
            }
        }

        void put(byte b) {
            room(1);
            buffer.put(b);
        }

        void number(long number) {
            room(Long.BYTES);
            buffer.putLong(number);
        }

        void text(String text) {
            byte[] bytes = bytes(text);
            number(bytes.length);
            for (int at = 0, n; at < bytes.length; at += n) {
                n = Math.min(bytes.length - at, BUFFER);
                room(n);
                buffer.put(bytes, at, n);
            }
        }

        /** UTF-8; half of a surrogate pair, which UTF-8 cannot encode, becomes the three bytes of its number. */
        private static byte[] bytes(String text) {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            if (!hasSurrogates(text) || text.equals(new String(bytes, StandardCharsets.UTF_8))) {
                return bytes;
            }
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            text.codePoints().forEach(c -> {
                if (c < Character.MIN_SURROGATE || c > Character.MAX_SURROGATE) {
                    out.writeBytes(Character.toString(c).getBytes(StandardCharsets.UTF_8));
                } else {
                    out.write(0xE0 | (c >> 12));
                    out.write(0x80 | ((c >> 6) & 0x3F));
                    out.write(0x80 | (c & 0x3F));
                }
            });
            return out.toByteArray();
        }

        private static boolean hasSurrogates(String text) {
            for (int i = 0; i < text.length(); i++) {
                if (Character.isSurrogate(text.charAt(i))) {
                    return true;
                }
            }
            return false;
        }

        void value(ValueDictionary values, long code) {
            if (values.isInteger(code)) {
                number(values.integer(code));
            } else if (!values.isNull(code)) {
                text(values.text(code));
            }
        }

        String hex() {
            room(BUFFER);
            return Fingerprint.hex(digest);
        }
    }
}
