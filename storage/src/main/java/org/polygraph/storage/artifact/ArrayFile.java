package org.polygraph.storage.artifact;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A file of named primitive arrays: what a finished stage leaves for a later process. Little-endian: 8 bytes {@value
 * #MAGIC}, int number of arrays; for each a byte length of the name, the name in ASCII, a byte type ({@code b}, {@code i} or
 * {@code l}), long number of elements, the elements; last an int CRC-32C of all before it.
 *
 * <p>A file that is not exactly that is told as {@link DamagedException}, whatever its bytes are; no more is allocated than
 * the file is long. Time: a pass. Memory: the arrays and 64 KiB.
 */
public final class ArrayFile {
    private static final String MAGIC = "PGARRAY1";
    private static final int MAGIC_BYTES = 8;
    private static final int BUFFER_BYTES = 1 << 16;
    private static final int MOST_ARRAYS = 1 << 10;
    private static final int MOST_NAME = 127;

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
        if (name.isEmpty() || name.length() > MOST_NAME || arrays.putIfAbsent(name, array) != null) {
            throw new IllegalArgumentException("array name '" + name + "'");
        }
        return this;
    }

    /** Whether there is an array of this name. */
    public boolean has(String name) {
        return arrays.containsKey(name);
    }

    /** The array of ints of a name. @throws DamagedException if there is none */
    public int[] ints(String name) throws DamagedException {
        return get(name, int[].class);
    }

    /** The array of longs of a name. @throws DamagedException if there is none */
    public long[] longs(String name) throws DamagedException {
        return get(name, long[].class);
    }

    /** The array of bytes of a name. @throws DamagedException if there is none */
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

    /** Writes all arrays. */
    public void writeTo(OutputStream out) throws IOException {
        Sink sink = new Sink(out);
        sink.bytes(MAGIC.getBytes(StandardCharsets.US_ASCII));
        sink.room(4).putInt(arrays.size());
        for (Map.Entry<String, Object> entry : arrays.entrySet()) {
            byte[] name = entry.getKey().getBytes(StandardCharsets.US_ASCII);
            sink.room(1).put((byte) name.length);
            sink.bytes(name);
            if (entry.getValue() instanceof int[] ints) {
                sink.room(9).put((byte) 'i').putLong(ints.length);
                for (int value : ints) {
                    sink.room(4).putInt(value);
                }
            } else if (entry.getValue() instanceof long[] longs) {
                sink.room(9).put((byte) 'l').putLong(longs.length);
                for (long value : longs) {
                    sink.room(8).putLong(value);
                }
            } else {
                byte[] bytes = (byte[]) entry.getValue();
                sink.room(9).put((byte) 'b').putLong(bytes.length);
                sink.bytes(bytes);
            }
        }
        sink.end();
    }

    /**
     * Reads a file that {@link #writeTo} wrote.
     *
     * @throws DamagedException if it is not whole, or something else
     */
    public static ArrayFile read(Location file) throws IOException {
        try (SeekableInput in = file.open()) {
            return read(new Source(in, file.length()));
        }
    }

    /**
     * The arrays in what {@link #writeTo} wrote.
     *
     * @throws DamagedException if it is not whole, or something else
     */
    public static ArrayFile of(byte[] bytes) throws DamagedException {
        try {
            return read(new Source(new ByteArrayInputStream(bytes), bytes.length));
        } catch (DamagedException e) {
            throw e;
        } catch (IOException e) {
            throw new IllegalStateException("an array that cannot be read", e);
        }
    }

    private static ArrayFile read(Source source) throws IOException {
        try {
            byte[] magic = new byte[MAGIC_BYTES];
            source.bytes(magic);
            if (!Arrays.equals(magic, MAGIC.getBytes(StandardCharsets.US_ASCII))) {
                throw new DamagedException("found other bytes at its start; expected " + MAGIC);
            }
            int count = source.fill(4).getInt();
            if (count < 0 || count > MOST_ARRAYS) {
                throw new DamagedException("found " + count + " arrays");
            }
            ArrayFile result = new ArrayFile();
            for (int i = 0; i < count; i++) {
                source.array(result);
            }
            int sum = source.sum();
            if (source.fill(4).getInt() != sum || source.left != 0) {
                throw new DamagedException("its checksum does not fit its content");
            }
            return result;
        } catch (EOFException e) {
            throw new DamagedException("it ends too soon");
        }
    }

    private static final class Sink {
        private final OutputStream out;
        private final byte[] block = new byte[BUFFER_BYTES];
        private final ByteBuffer buffer = ByteBuffer.wrap(block).order(ByteOrder.LITTLE_ENDIAN);
        private final CRC32C sum = new CRC32C();

        Sink(OutputStream out) {
            this.out = out;
        }

        ByteBuffer room(int more) throws IOException {
            if (buffer.remaining() < more) {
                flush();
            }
            return buffer;
        }

        private void flush() throws IOException {
            sum.update(block, 0, buffer.position());
            out.write(block, 0, buffer.position());
            buffer.clear();
        }

        void bytes(byte[] bytes) throws IOException {
            for (int at = 0; at < bytes.length; ) {
                int part = Math.min(room(1).remaining(), bytes.length - at);
                buffer.put(bytes, at, part);
                at += part;
            }
        }

        void end() throws IOException {
            flush();
            buffer.putInt((int) sum.getValue());
            out.write(block, 0, buffer.position());
        }
    }

    private static final class Source {
        private final InputStream in;
        private final byte[] block = new byte[BUFFER_BYTES];
        private final ByteBuffer buffer = ByteBuffer.wrap(block).order(ByteOrder.LITTLE_ENDIAN);
        private final CRC32C sum = new CRC32C();
        private int summed;
        /** Bytes of the file that nobody has taken. */
        long left;

        Source(InputStream in, long length) {
            this.in = in;
            this.left = length;
            buffer.limit(0);
        }

        /** Has so many bytes ready. */
        ByteBuffer fill(int needed) throws IOException {
            if (buffer.remaining() < needed) {
                sum.update(block, summed, buffer.position() - summed);
                summed = 0;
                buffer.compact();
                while (buffer.position() < needed) {
                    int read = in.read(block, buffer.position(), BUFFER_BYTES - buffer.position());
                    if (read < 0) {
                        throw new EOFException();
                    }
                    buffer.position(buffer.position() + read);
                }
                buffer.flip();
            }
            left -= needed;
            if (left < 0) {
                throw new EOFException();
            }
            return buffer;
        }

        void bytes(byte[] target) throws IOException {
            for (int at = 0; at < target.length; ) {
                int part = Math.min(BUFFER_BYTES / 2, target.length - at);
                fill(part).get(target, at, part);
                at += part;
            }
        }

        void array(ArrayFile into) throws IOException {
            byte[] name = new byte[fill(1).get() & MOST_NAME];
            bytes(name);
            byte type = fill(1).get();
            long count = fill(8).getLong();
            int size = type == 'l' ? 8 : type == 'i' ? 4 : 1;
            if (count < 0 || count > left / size || count > Integer.MAX_VALUE - 8) {
                throw new EOFException();
            }
            String text = text(name);
            if (into.has(text)) {
                throw new DamagedException("found array " + text + " twice");
            }
            into.add(text, elements(type, (int) count));
        }

        private Object elements(byte type, int count) throws IOException {
            switch (type) {
                case 'i' -> {
                    int[] ints = new int[count];
                    for (int i = 0; i < count; i++) {
                        ints[i] = fill(4).getInt();
                    }
                    return ints;
                }
                case 'l' -> {
                    long[] longs = new long[count];
                    for (int i = 0; i < count; i++) {
                        longs[i] = fill(8).getLong();
                    }
                    return longs;
                }
                case 'b' -> {
                    byte[] bytes = new byte[count];
                    bytes(bytes);
                    return bytes;
                }
                default -> throw new DamagedException("found an array of type " + type);
            }
        }

        private static String text(byte[] name) throws DamagedException {
            for (byte b : name) {
                if (b <= ' ') {
                    throw new DamagedException("found an array without a name");
                }
            }
            if (name.length == 0) {
                throw new DamagedException("found an array without a name");
            }
            return new String(name, StandardCharsets.US_ASCII);
        }

        /** Of all that was taken. */
        int sum() {
            sum.update(block, summed, buffer.position() - summed);
            summed = buffer.position();
            return (int) sum.getValue();
        }
    }

    /** The array of a name, or null; for what is there only sometimes. @throws DamagedException if it is of another type */
    public int @Nullable [] intsOrNull(String name) throws DamagedException {
        return has(name) ? ints(name) : null;
    }
}
