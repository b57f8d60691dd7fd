package org.polygraph.storage.artifact;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;
import org.polygraph.storage.artifact.ArrowLayout.Column;

/**
 * A file of named primitive arrays, which one process writes and a later one reads. It is an Arrow IPC file of one row,
 * a column for each array: {@code list<int32>}, {@code list<int64>} or {@code binary}; any reader of Arrow reads it.
 * Its footer has {@code rows} and {@code crc32c}, the checksum of all bytes before the footer, in hexadecimal digits.
 *
 * <p>A file that is not exactly what {@link #writeTo} gives for some arrays is a {@link DamagedException}, whatever its
 * bytes are; no more memory is allocated than the file is long. Time: one pass. Memory: the arrays, 64 KiB and 200
 * bytes an array.
 */
public final class ArrayFile {
    private static final int BUFFER_BYTES = 1 << 16;
    private static final int MOST_MESSAGE = 1 << 20;
    static final int MOST_NAME = 127;

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
        List<Column> columns = columns();
        Sink sink = new Sink(out);
        sink.bytes(ArrowLayout.START);
        sink.bytes(ArrowLayout.schema(columns));
        sink.bytes(ArrowLayout.batch(columns));
        for (Column column : columns) {
            sink.room(ArrowLayout.OFFSETS_BYTES).putInt(0).putInt((int) column.count());
            Object array = arrays.get(column.name());
            if (array instanceof int[] ints) {
                for (int value : ints) {
                    sink.room(4).putInt(value);
                }
            } else if (array instanceof long[] longs) {
                for (long value : longs) {
                    sink.room(8).putLong(value);
                }
            } else if (array instanceof byte[] bytes) {
                sink.bytes(bytes);
            }
            sink.bytes(new byte[padding(column)]);
        }
        sink.room(Long.BYTES).putLong(ArrowLayout.END_OF_STREAM);
        sink.flush();
        out.write(ArrowLayout.tail(columns, sink.sum()));
    }

    private static int padding(Column column) {
        return (int) (ArrowLayout.padded(column.bytes()) - column.bytes());
    }

    private List<Column> columns() {
        List<Column> columns = new ArrayList<>(arrays.size());
        arrays.forEach((name, array) -> {
            if (array instanceof int[] ints) {
                columns.add(new Column(name, Integer.SIZE, ints.length));
            } else if (array instanceof long[] longs) {
                columns.add(new Column(name, Long.SIZE, longs.length));
            } else if (array instanceof byte[] bytes) {
                columns.add(new Column(name, Byte.SIZE, bytes.length));
            }
        });
        return columns;
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
     * Reads arrays from what {@link #writeTo} wrote.
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
            source.expect(ArrowLayout.START, "other bytes at its start");
            byte[] schema = source.message();
            byte[] batch = source.message();
            List<Column> columns = ArrowLayout.columns(schema, batch);
            if (!Arrays.equals(schema, ArrowLayout.schema(columns))
                    || !Arrays.equals(batch, ArrowLayout.batch(columns))) {
                throw new DamagedException("found a schema that is not of its arrays");
            }
            ArrayFile result = new ArrayFile();
            for (Column column : columns) {
                source.array(column, result);
            }
            source.fill(Long.BYTES).getLong();
            source.expect(ArrowLayout.tail(columns, source.sum()), "a checksum that does not fit its content");
            if (source.left != 0) {
                throw new DamagedException("found " + source.left + " bytes after its end");
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

        void flush() throws IOException {
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

        int sum() {
            return (int) sum.getValue();
        }
    }

    private static final class Source {
        private final InputStream in;
        private final byte[] block = new byte[BUFFER_BYTES];
        private final ByteBuffer buffer = ByteBuffer.wrap(block).order(ByteOrder.LITTLE_ENDIAN);
        private final CRC32C sum = new CRC32C();
        private int summed;
        /** The number of bytes of the file that have not been taken. */
        long left;

        Source(InputStream in, long length) {
            this.in = in;
            this.left = length;
            buffer.limit(0);
        }

        /** Reads ahead until the given number of bytes is ready. */
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

        void expect(byte[] expected, String otherwise) throws IOException {
            byte[] found = new byte[expected.length];
            bytes(found);
            if (!Arrays.equals(found, expected)) {
                throw new DamagedException("found " + otherwise);
            }
        }

        /** Takes a message with its frame. */
        byte[] message() throws IOException {
            ByteBuffer frame = fill(2 * Integer.BYTES);
            int continuation = frame.getInt();
            int length = frame.getInt();
            if (continuation != ArrowLayout.CONTINUATION || length < 0 || length > MOST_MESSAGE || length > left) {
                throw new DamagedException("found no Arrow message");
            }
            byte[] message = new byte[length];
            bytes(message);
            return ByteBuffer.allocate(2 * Integer.BYTES + length)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .putInt(continuation)
                    .putInt(length)
                    .put(message)
                    .array();
        }

        void array(Column column, ArrayFile into) throws IOException {
            String name = column.name();
            if (column.room() > left || column.count() > Integer.MAX_VALUE - 8) {
                throw new EOFException();
            }
            if (into.has(name)) {
                throw new DamagedException("found array " + name + " twice");
            }
            fill(ArrowLayout.OFFSETS_BYTES).getLong();
            into.add(name, elements(column.bits(), (int) column.count()));
            bytes(new byte[padding(column)]);
        }

        private Object elements(int bits, int count) throws IOException {
            if (bits == Integer.SIZE) {
                int[] ints = new int[count];
                for (int i = 0; i < count; i++) {
                    ints[i] = fill(4).getInt();
                }
                return ints;
            }
            if (bits == Long.SIZE) {
                long[] longs = new long[count];
                for (int i = 0; i < count; i++) {
                    longs[i] = fill(8).getLong();
                }
                return longs;
            }
            byte[] bytes = new byte[count];
            bytes(bytes);
            return bytes;
        }

        /** Returns the checksum of all bytes that were taken. */
        int sum() {
            sum.update(block, summed, buffer.position() - summed);
            summed = buffer.position();
            return (int) sum.getValue();
        }
    }
}
