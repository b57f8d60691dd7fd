package org.polygraph.jobs.certificate.format;

import java.io.IOException;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
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
 * Identifies a history by two SHA-256 hashes in hex: one of the bytes of its files and one of its contents. The same
 * history in another format, compression or order of lines has other bytes and the same contents.
 *
 * <p>The hash of a file's bytes is what {@code sha256sum} prints; that of a folder is the hash of the lines {@code
 * <sha256> <name>} of its files by name. The layout of the contents is in {@code docs/evidence.md} of this module.
 */
public record Fingerprint(String input, String content) implements Serializable {
    private static final int TRANSACTIONS = 4096;
    private static final int BUFFER = 1 << 16;

    /** A new SHA-256 digest. */
    public static MessageDigest digest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /** The SHA-256 of a text in UTF-8, in hex. */
    public static String ofText(String text) {
        MessageDigest digest = digest();
        digest.update(text.getBytes(StandardCharsets.UTF_8));
        return hex(digest);
    }

    /** The digest in hex; resets it. */
    public static String hex(MessageDigest digest) {
        return HexFormat.of().formatHex(digest.digest());
    }

    /**
     * The hash of the bytes of a file, or of the files of a folder. Reads everything once on the caller's thread, at
     * 0.4 GB/s or more.
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

    /** The hash of the contents, without a time limit. */
    public static String ofContent(HistoryTable table) {
        return ofContent(table, () -> false);
    }

    /**
     * The hash of the contents: of the initial values and of a {@link ContentTree} of all transactions, with the
     * operations as they were recorded. One pass.
     *
     * @param history as it was read, at any level; with the status of loaders of initial rows if they were recognized
     * @param stop whether to stop; called every {@value #TRANSACTIONS} transactions
     * @throws BudgetException if {@code stop} returned true
     */
    public static String ofContent(HistoryTable history, BooleanSupplier stop) {
        HistoryTable table = history.withUndone();
        boolean isPlain = table == history && table.isPlain() && !table.values().hasOthers();
        RecordedHash recorded = isPlain ? null : new RecordedHash(table);
        ContentTree tree = new ContentTree();
        TransactionHash hash = new TransactionHash();
        byte[] leaf = new byte[TransactionHash.BYTES];
        for (int s = 0; s < table.sessions(); s++) {
            long label = table.sessionLabel(s);
            for (int t = table.firstTransaction(s); t < table.transactionsEnd(s); t++) {
                if (t % TRANSACTIONS == 0) {
                    StoppedException.check(stop);
                }
                if (recorded == null) {
                    transaction(hash, table, label, t);
                } else {
                    recorded.transaction(hash, label, t);
                }
                hash.end(leaf, 0);
                tree.add(leaf, 0);
            }
        }
        return ofContent(table, tree);
    }

    private static void transaction(TransactionHash hash, HistoryTable table, long session, int t) {
        int from = table.firstOperation(t);
        int to = table.operationsEnd(t);
        hash.begin(
                session,
                table.index(t),
                table.statuses()[t],
                time(table.starts(), t),
                time(table.ends(), t),
                to - from);
        KeyDictionary keys = table.keys();
        ValueDictionary values = table.values();
        int[] keysAndKinds = table.operationKeys();
        for (int o = from; o < to; o++) {
            hash.operation(keys, values, keysAndKinds[o], table.value(o), false, false);
        }
    }

    /**
     * The hash of the contents of a history whose transactions were hashed in parts.
     *
     * @param table has its initial values; its transactions do not matter
     * @param transactions all of them
     */
    public static String ofContent(HistoryTable table, ContentTree transactions) {
        ContentEncoder out = initial(table.values(), table.initialValue());
        int[] state = initialState(table);
        out.number(state.length);
        state(out, table, state);
        transactions.encode(out);
        return out.hex();
    }

    private static ContentEncoder initial(ValueDictionary values, long initialValue) {
        ContentEncoder out = new ContentEncoder();
        out.text("polygraph-history-3");
        out.taggedValue(values, initialValue);
        return out;
    }

    /**
     * Returns the keys whose initial value is not the one of the header, or a row with null, in the order of their
     * labels.
     */
    private static int[] initialState(HistoryTable table) {
        List<Labelled> keys = new ArrayList<>();
        for (int key = 0; table.initialState() != null && key < table.recordedKeys(); key++) {
            if (table.initialValue(key) != table.initialValue() || isRowOfNull(table, key)) {
                keys.add(new Labelled(table.keys().label(key), key));
            }
        }
        keys.sort(Comparator.comparing(Labelled::label));
        return keys.stream().mapToInt(Labelled::key).toArray();
    }

    private record Labelled(String label, int key) {}

    private static boolean isRowOfNull(HistoryTable table, int key) {
        return table.values().isNull(table.initialValue(key)) && table.existsAtFirst(key);
    }

    private static void state(ContentEncoder out, HistoryTable table, int[] state) {
        for (int key : state) {
            if (table.keys().isString(key)) {
                out.text(table.keys().label(key));
            } else {
                out.decimal(table.keys().integer(key));
            }
            if (isRowOfNull(table, key)) {
                out.put(TransactionHash.INSERT);
            } else {
                out.taggedValue(table.values(), table.initialValue(key));
            }
        }
    }

    static long time(long @Nullable [] times, int t) {
        return times == null ? HistoryTable.NO_TIME : times[t];
    }
}
