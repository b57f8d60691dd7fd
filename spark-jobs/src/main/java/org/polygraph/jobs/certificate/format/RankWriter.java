package org.polygraph.jobs.certificate.format;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.format.parquet.NumberTable;

/**
 * Writes the rows of a range of transactions, ascending by (session, index), as parts of a certificate. Different
 * ranges may be written by different processes at the same time. A part is named after its content and is whole or
 * absent, so a range may be written twice.
 *
 * <p>Each part is read back and compared, row by row. Memory: {@value #ROWS} rows, 6 to 8 MB, and the bytes of their
 * file.
 */
public final class RankWriter {
    /** The most rows of a part. A task of {@code verify} holds the transactions of one part in memory. */
    static final int ROWS = 1 << 18;

    static final String NAME = "certificate-part";
    private static final int NAME_DIGITS = 16;

    private final Location folder;
    private final Guarantee guarantee;
    private final int columns;
    private final int mostRows;
    private final List<RankPart> parts = new ArrayList<>();
    private long[] rows = new long[1 << 10];
    private int size;
    private final ContentTree content = new ContentTree();

    /** @param run the folder of the run */
    public RankWriter(Location run, Guarantee guarantee) {
        this(run, guarantee, ROWS);
    }

    /** @param mostRows of a part */
    public RankWriter(Location run, Guarantee guarantee, int mostRows) {
        this.folder = run.child(RankFile.FOLDER);
        this.guarantee = guarantee;
        this.columns = 2 + guarantee.events();
        this.mostRows = mostRows;
    }

    /** Adds the hash of the next transaction, counted or not, {@link TransactionHash#BYTES} at a place of an array. */
    public void hash(byte[] hash, int at) {
        content.add(hash, at);
    }

    /**
     * Adds the row of the next counted transaction.
     *
     * @param snapshot ignored if a transaction is one event
     */
    public void row(long session, long index, long snapshot, long commit) throws IOException {
        if (size == mostRows * columns) {
            flush();
        }
        if (size + columns > rows.length) {
            rows = Arrays.copyOf(rows, Math.min(mostRows * columns, 2 * rows.length));
        }
        rows[size++] = session;
        rows[size++] = index;
        if (columns == 4) {
            rows[size++] = snapshot;
        }
        rows[size++] = commit;
    }

    /** Writes what is left. */
    public RankRange end() throws IOException {
        if (size > 0) {
            flush();
        }
        return new RankRange(parts, content);
    }

    private void flush() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(size);
        String version = Integer.toString(RankHeader.VERSION);
        NumberTable.write(bytes, NAME, version, RankFile.columns(guarantee), source());
        MessageDigest digest = Fingerprint.digest();
        digest.update(bytes.toByteArray());
        String sha256 = Fingerprint.hex(digest);
        Location file = folder.child("ranks-" + sha256.substring(0, NAME_DIGITS) + ".parquet");
        file.write(bytes::writeTo);
        RankFile.compare(file, NAME, version, source());
        parts.add(new RankPart(file.fileName(), rows[0], rows[1], size / columns, sha256));
        size = 0;
    }

    /** The rows of the next part. */
    private NumberTable.Source source() {
        int[] next = {0};
        return row -> {
            if (next[0] == size) {
                return false;
            }
            System.arraycopy(rows, next[0], row, 0, columns);
            next[0] += columns;
            return true;
        };
    }
}
