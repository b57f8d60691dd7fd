package org.polygraph.storage.artifact;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.ObjectInputFilter;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamException;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import java.util.zip.CheckedInputStream;
import java.util.zip.CheckedOutputStream;

/**
 * A file with one object, which one process writes and a later one of the same version reads: the object as Java serializes it, and
 * the CRC-32C of these bytes. Nothing is made of a file whose sum is wrong.
 */
public final class ObjectFile {
    private static final int BLOCK_BYTES = 1 << 16;
    /** The classes of checkpoints. A folder of runs may come from another machine, so no other class is made. */
    private static final ObjectInputFilter OWN = ObjectInputFilter.Config.createFilter(
            "org.polygraph.**;it.unimi.dsi.fastutil.**;java.lang.*;java.util.*;!*");

    private ObjectFile() {}

    /** The file is not what was written: truncated, changed, or of another kind. */
    public static final class DamagedException extends IOException {
        private static final long serialVersionUID = 1L;

        /** @param message what was found */
        public DamagedException(String message) {
            super(message);
        }
    }

    /** Writes the file as a whole, in place of an earlier one. */
    public static void write(Location file, Serializable object) throws IOException {
        file.write(out -> {
            CheckedOutputStream summed = new CheckedOutputStream(new BufferedOutputStream(out), new CRC32C());
            ObjectOutputStream objects = new ObjectOutputStream(summed);
            objects.writeObject(object);
            objects.flush();
            DataOutputStream end = new DataOutputStream(summed);
            end.writeInt((int) summed.getChecksum().getValue());
            end.flush();
        });
    }

    /**
     * Reads what {@link #write} wrote.
     *
     * @throws DamagedException if it is not whole, or something else
     */
    public static <T extends Serializable> T read(Location file, Class<T> type) throws IOException {
        requireWhole(file);
        try (ObjectInputStream in = new ObjectInputStream(new BufferedInputStream(file.open()))) {
            in.setObjectInputFilter(OWN);
            Object object = in.readObject();
            if (type.isInstance(object)) {
                return type.cast(object);
            }
            throw new DamagedException("found " + object.getClass().getSimpleName());
        } catch (ClassNotFoundException | ObjectStreamException e) {
            throw new DamagedException("found what this version does not read: " + e.getMessage());
        }
    }

    private static void requireWhole(Location file) throws IOException {
        try (CheckedInputStream in = new CheckedInputStream(file.open(), new CRC32C())) {
            for (long left = file.length() - Integer.BYTES; left > 0; ) {
                int read = in.readNBytes((int) Math.min(BLOCK_BYTES, left)).length;
                left -= read == 0 ? left : read;
            }
            int sum = (int) in.getChecksum().getValue();
            byte[] end = in.readNBytes(Integer.BYTES + 1);
            if (end.length != Integer.BYTES || ByteBuffer.wrap(end).getInt() != sum) {
                throw new DamagedException("found a checksum that does not fit its content");
            }
        }
    }
}
