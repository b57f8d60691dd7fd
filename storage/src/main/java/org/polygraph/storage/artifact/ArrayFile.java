package org.polygraph.storage.artifact;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UTFDataFormatException;
import java.lang.reflect.Array;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.CRC32C;
import java.util.zip.CheckedInputStream;
import java.util.zip.CheckedOutputStream;

/**
 * A file of named primitive arrays, which one process writes and a later one of the same version reads: eight bytes that
 * identify it; for each array the bytes of an element, the number of elements, the name and the elements; a zero; and the
 * CRC-32C of all that.
 *
 * <p>A file that is not what {@link #writeTo} gives for some arrays is a {@link DamagedException}; no array is longer than
 * the file. Time: one pass. Memory: the arrays and 64 KiB.
 */
public final class ArrayFile {
    private static final long START = 0x5047_4152_5241_5953L;
    private static final int BLOCK_BYTES = 1 << 16;
    private static final byte END = 0;

    private final Map<String, Object> arrays = new LinkedHashMap<>();

    /** The file is not what was written: truncated, changed, or of another kind. */
    public static final class DamagedException extends IOException {
        private static final long serialVersionUID = 1L;

        /** @param message what was found */
        public DamagedException(String message) {
            super(message);
        }
    }

    /** Adds an array, which is not copied. */
    public ArrayFile put(String name, int[] array) {
        return add(name, array);
    }

    /** Adds an array, which is not copied. */
    public ArrayFile put(String name, long[] array) {
        return add(name, array);
    }

    /** Adds an array, which is not copied. */
    public ArrayFile put(String name, byte[] array) {
        return add(name, array);
    }

    private ArrayFile add(String name, Object array) {
        if (name.isEmpty() || arrays.putIfAbsent(name, array) != null) {
            throw new IllegalArgumentException("array name '" + name + "'");
        }
        return this;
    }

    /** Whether there is an array of this name. */
    public boolean has(String name) {
        return arrays.containsKey(name);
    }

    /** Returns the array of ints of a name. @throws DamagedException if there is none */
    public int[] ints(String name) throws DamagedException {
        return get(name, int[].class);
    }

    /** Returns the array of longs of a name. @throws DamagedException if there is none */
    public long[] longs(String name) throws DamagedException {
        return get(name, long[].class);
    }

    /** Returns the array of bytes of a name. @throws DamagedException if there is none */
    public byte[] bytes(String name) throws DamagedException {
        return get(name, byte[].class);
    }

    private <T> T get(String name, Class<T> type) throws DamagedException {
        Object array = arrays.get(name);
        if (!type.isInstance(array)) {
            throw new DamagedException("no " + type.getSimpleName() + " " + name);
        }
        return type.cast(array);
    }

    public void writeTo(OutputStream out) throws IOException {
        CRC32C sum = new CRC32C();
        DataOutputStream data = new DataOutputStream(new CheckedOutputStream(new BufferedOutputStream(out), sum));
        ByteBuffer block = ByteBuffer.allocate(BLOCK_BYTES);
        data.writeLong(START);
        for (Map.Entry<String, Object> entry : arrays.entrySet()) {
            Object array = entry.getValue();
            int width = array instanceof int[] ? Integer.BYTES : array instanceof long[] ? Long.BYTES : Byte.BYTES;
            int length = Array.getLength(array);
            data.writeByte(width);
            data.writeInt(length);
            data.writeUTF(entry.getKey());
            for (int at = 0, count; at < length; at += count) {
                count = Math.min(BLOCK_BYTES / width, length - at);
                if (array instanceof int[] ints) {
                    block.asIntBuffer().put(ints, at, count);
                } else if (array instanceof long[] longs) {
                    block.asLongBuffer().put(longs, at, count);
                } else {
                    block.put(0, (byte[]) array, at, count);
                }
                data.write(block.array(), 0, count * width);
            }
        }
        data.writeByte(END);
        data.writeInt((int) sum.getValue());
        data.flush();
    }

    /**
     * Reads a file that {@link #writeTo} wrote.
     *
     * @throws DamagedException if it is not whole, or something else
     */
    public static ArrayFile read(Location file) throws IOException {
        try (SeekableInput in = file.open()) {
            return read(in, file.length());
        }
    }

    /** @param bytes the length of the stream */
    static ArrayFile read(InputStream in, long bytes) throws IOException {
        CRC32C sum = new CRC32C();
        DataInputStream data = new DataInputStream(new CheckedInputStream(new BufferedInputStream(in), sum));
        ArrayFile result = new ArrayFile();
        try {
            if (data.readLong() != START) {
                throw new DamagedException("found other bytes at its start");
            }
            for (byte width = data.readByte(); width != END; width = data.readByte()) {
                int length = data.readInt();
                String name = data.readUTF();
                if (length < 0 || (long) length * width > bytes || name.isEmpty() || result.has(name)) {
                    throw new DamagedException("found array '" + name + "' with " + length + " elements");
                }
                result.add(name, elements(data, width, length));
            }
            if ((int) sum.getValue() != data.readInt()) {
                throw new DamagedException("found a checksum that does not fit its content");
            }
            if (data.read() >= 0) {
                throw new DamagedException("found bytes after its end");
            }
            return result;
        } catch (EOFException e) {
            throw new DamagedException("it ends too soon");
        } catch (UTFDataFormatException e) {
            throw new DamagedException("found no name of an array");
        }
    }

    private static Object elements(DataInputStream data, byte width, int length) throws IOException {
        Object array =
                switch (width) {
                    case Byte.BYTES -> new byte[length];
                    case Integer.BYTES -> new int[length];
                    case Long.BYTES -> new long[length];
                    default -> throw new DamagedException("found elements of " + width + " bytes");
                };
        ByteBuffer block = ByteBuffer.allocate(BLOCK_BYTES);
        for (int at = 0, count; at < length; at += count) {
            count = Math.min(BLOCK_BYTES / width, length - at);
            data.readFully(block.array(), 0, count * width);
            if (array instanceof int[] ints) {
                block.asIntBuffer().get(ints, at, count);
            } else if (array instanceof long[] longs) {
                block.asLongBuffer().get(longs, at, count);
            } else {
                block.get(0, (byte[]) array, at, count);
            }
        }
        return array;
    }
}
