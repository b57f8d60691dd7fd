package org.polygraph.storage.format.pieces;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.zip.CRC32C;
import java.util.zip.CheckedOutputStream;
import org.polygraph.storage.artifact.ArrayFile;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.table.HistoryRows;

/**
 * Converts {@link HistoryRows} to bytes, so that a piece that is read in one process can be merged in another. Java
 * serializes the rows; a CRC-32C follows, which is verified before anything is deserialized.
 */
public final class RowsFile {
    private static final long MOST_BYTES = Integer.MAX_VALUE - (1 << 16);

    private RowsFile() {}

    /** Returns the bytes. @throws BudgetException if they are more than an array can hold */
    public static byte[] toBytes(HistoryRows rows) {
        long bytes = rows.bytes()
                + characters(rows.keys().strings())
                + characters(rows.values().strings());
        if (bytes > MOST_BYTES) {
            throw new BudgetException("a piece of " + rows.operations().size() + " operations takes " + bytes
                    + " bytes, more than an array holds; write it as smaller files");
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream((int) bytes);
        CRC32C sum = new CRC32C();
        try {
            ObjectOutputStream objects = new ObjectOutputStream(new CheckedOutputStream(out, sum));
            objects.writeObject(rows);
            objects.flush();
            new DataOutputStream(out).writeInt((int) sum.getValue());
        } catch (IOException e) {
            throw new IllegalStateException("rows that cannot be written", e);
        }
        return out.toByteArray();
    }

    /** Returns an upper bound on the bytes of strings, which {@link HistoryRows#bytes} does not count. */
    private static long characters(List<String> strings) {
        long characters = 0;
        for (String string : strings) {
            characters += 3L * string.length();
        }
        return characters;
    }

    /** Reads rows from bytes. @throws ArrayFile.DamagedException if the bytes are damaged */
    public static HistoryRows ofBytes(byte[] bytes) throws ArrayFile.DamagedException {
        int length = bytes.length - Integer.BYTES;
        CRC32C sum = new CRC32C();
        sum.update(bytes, 0, Math.max(0, length));
        if (length < 0 || ByteBuffer.wrap(bytes).getInt(length) != (int) sum.getValue()) {
            throw new ArrayFile.DamagedException("found a checksum that does not fit its content");
        }
        try (ObjectInputStream objects = new ObjectInputStream(new ByteArrayInputStream(bytes, 0, length))) {
            return (HistoryRows) objects.readObject();
        } catch (IOException | ClassNotFoundException e) {
            throw new IllegalStateException("rows that cannot be read", e);
        }
    }
}
