package org.polygraph.storage.format.parquet;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.artifact.SeekableInput;
import org.polygraph.storage.format.io.Shown;

/**
 * The footer of a Parquet file: its columns, and by row group the places of their pages. Parquet's library is not used,
 * because loading its classes takes longer than checking a small file. Places are checked to be within the file.
 *
 * <p>Source: apache/parquet-format, parquet.thrift.
 *
 */
record ParquetFooter(List<ParquetField> fields, List<Group> groups, Map<String, String> metadata) {
    private static final byte[] MAGIC = {'P', 'A', 'R', '1'};
    private static final byte[] ENCRYPTED = {'P', 'A', 'R', 'E'};
    /** The bytes of the length of the metadata, and of the magic. */
    private static final int TAIL = 8;

    private static final int MOST_DEPTH = 64;
    private static final int INTEGER = 10;

    /** A row group. */
    record Group(long rows, List<Chunk> chunks) {
        /** Returns the chunk of a column. */
        Chunk chunk(List<String> path) throws IOException {
            for (Chunk chunk : chunks) {
                if (chunk.path.equals(path)) {
                    return chunk;
                }
            }
            throw new IOException("a row group without the column " + String.join(".", path));
        }
    }

    /**
     * The pages of a column within a row group.
     *
     * @param codec the compression of all pages, by number
     * @param values the number of entries, including nulls
     * @param at the offset of the first byte in the file
     * @param bytes the number of bytes
     * @param nulls the number of entries without a value; -1 if the footer does not have it
     * @param least the least integer, if the footer has it
     * @param most the largest integer, if the footer has it
     */
    record Chunk(
            List<String> path,
            int codec,
            long values,
            long at,
            long bytes,
            long nulls,
            @Nullable Long least,
            @Nullable Long most) {
        /** Returns the last name of its path, without the groups around it. */
        String name() {
            return path.isEmpty() ? "" : path.get(path.size() - 1);
        }
    }

    /** Reads the footer from the end of a file. */
    static ParquetFooter of(SeekableInput file, long length) throws IOException {
        if (length < MAGIC.length + TAIL) {
            throw new IOException("a file of " + length + " bytes");
        }
        byte[] tail = bytes(file, length - TAIL, TAIL);
        byte[] magic = Arrays.copyOfRange(tail, Integer.BYTES, TAIL);
        if (!Arrays.equals(magic, MAGIC)) {
            throw new IOException(
                    Arrays.equals(magic, ENCRYPTED) ? "an encrypted file" : "a file that does not end in PAR1");
        }
        int size = ByteBuffer.wrap(tail).order(ByteOrder.LITTLE_ENDIAN).getInt();
        if (size < 0 || size > length - TAIL - MAGIC.length) {
            throw new IOException("metadata of " + size + " bytes in a file of " + length);
        }
        long end = length - TAIL - size;
        return read(new CompactReader(bytes(file, end, size), 0, size), end);
    }

    /** Reads exactly n bytes of a file. */
    static byte[] bytes(SeekableInput file, long from, int n) throws IOException {
        byte[] bytes = new byte[n];
        fill(file, from, bytes, n);
        return bytes;
    }

    /**
     * Reads n bytes of the file into an array. It reads at most 128 KiB at a time, because the JDK caches an off-heap
     * buffer as large as the largest read.
     */
    static void fill(SeekableInput file, long from, byte[] into, int n) throws IOException {
        file.seek(from);
        for (int done = 0; done < n; ) {
            int read = file.read(into, done, Math.min(n - done, 1 << 17));
            if (read < 0) {
                throw new IOException("a file that ends at byte " + (from + done));
            }
            done += read;
        }
    }

    private static ParquetFooter read(CompactReader in, long end) throws IOException {
        List<ParquetField> fields = List.of();
        List<Group> groups = new ArrayList<>();
        Map<String, String> metadata = new HashMap<>();
        in.enter();
        for (int f = in.field(0); f != 0; f = in.field(f)) {
            switch (f) {
                case 2 -> fields = fields(in);
                case 4 -> {
                    for (int n = in.list(); n > 0; n--) {
                        groups.add(group(in, end));
                    }
                }
                case 5 -> {
                    for (int n = in.list(); n > 0; n--) {
                        entry(in, metadata);
                    }
                }
                case 8 -> throw new IOException("an encrypted file");
                default -> in.skip();
            }
        }
        return new ParquetFooter(fields, groups, metadata);
    }

    private static void entry(CompactReader in, Map<String, String> metadata) throws IOException {
        String name = "";
        String text = "";
        in.enter();
        for (int f = in.field(0); f != 0; f = in.field(f)) {
            switch (f) {
                case 1 -> name = in.text();
                case 2 -> text = in.text();
                default -> in.skip();
            }
        }
        metadata.put(name, text);
    }

    /**
     * A schema element as the file stores it: the number of elements after it that are its children, and the field
     * without its children.
     */
    private record Element(int children, ParquetField field) {}

    private static List<ParquetField> fields(CompactReader in) throws IOException {
        List<Element> elements = new ArrayList<>();
        for (int n = in.list(); n > 0; n--) {
            elements.add(element(in));
        }
        if (elements.isEmpty()) {
            throw new IOException("a file without a schema");
        }
        List<ParquetField> fields = new ArrayList<>();
        if (children(elements, 0, fields, 0) != elements.size()) {
            throw new IOException("a schema with more fields than announced");
        }
        return fields;
    }

    private static Element element(CompactReader in) throws IOException {
        int type = -1;
        int repetition = 0;
        String name = "";
        int children = 0;
        int converted = -1;
        int logical = -1;
        in.enter();
        for (int f = in.field(0); f != 0; f = in.field(f)) {
            switch (f) {
                case 1 -> type = in.number32();
                case 3 -> repetition = in.number32();
                case 4 -> name = in.text();
                case 5 -> children = in.number32();
                case 6 -> converted = in.number32();
                case 10 -> {
                    // This is a union: the field that is present identifies the type.
                    in.enter();
                    for (int u = in.field(0); u != 0; u = in.field(u)) {
                        logical = u;
                        in.skip();
                    }
                }
                default -> in.skip();
            }
        }
        ParquetField.Type[] types = ParquetField.Type.values();
        ParquetField.Repetition[] repetitions = ParquetField.Repetition.values();
        if (type >= types.length || repetition < 0 || repetition >= repetitions.length || children < 0) {
            throw new IOException("a schema with a field of type " + type + ", repetition " + repetition + " and "
                    + children + " fields");
        }
        ParquetField.Type known = type < 0 || children > 0 ? null : types[type];
        boolean isNumber = known == ParquetField.Type.INT32 || known == ParquetField.Type.INT64;
        return new Element(
                children,
                new ParquetField(
                        name, repetitions[repetition], known, isNumber && isPlain(converted, logical), List.of()));
    }

    /**
     * Whether a column holds plain integers, and not times or decimals. The arguments are numbers of Parquet's
     * ConvertedType and LogicalType.
     */
    private static boolean isPlain(int converted, int logical) {
        return logical >= 0 ? logical == INTEGER : converted < 0 || (converted >= 11 && converted <= 18);
    }

    /** Adds the children of an element to a list. Returns the index of the first element after them. */
    private static int children(List<Element> elements, int parent, List<ParquetField> into, int depth)
            throws IOException {
        int next = parent + 1;
        if (depth > MOST_DEPTH || elements.get(parent).children > elements.size() - next) {
            throw new IOException("a schema with fewer fields than announced, or nested deeper than " + MOST_DEPTH);
        }
        for (int i = 0; i < elements.get(parent).children; i++) {
            if (next >= elements.size()) {
                throw new IOException("a schema with fewer fields than announced");
            }
            ParquetField field = elements.get(next).field;
            if (field.type() == null) {
                List<ParquetField> own = new ArrayList<>();
                next = children(elements, next, own, depth + 1);
                into.add(new ParquetField(field.name(), field.repetition(), null, false, own));
            } else {
                next++;
                into.add(field);
            }
        }
        return next;
    }

    private static Group group(CompactReader in, long end) throws IOException {
        long rows = -1;
        List<Chunk> chunks = new ArrayList<>();
        in.enter();
        for (int f = in.field(0); f != 0; f = in.field(f)) {
            switch (f) {
                case 1 -> {
                    for (int n = in.list(); n > 0; n--) {
                        chunks.add(chunk(in, end));
                    }
                }
                case 3 -> rows = in.number();
                default -> in.skip();
            }
        }
        if (rows < 0) {
            throw new IOException("a row group of " + rows + " rows");
        }
        return new Group(rows, chunks);
    }

    private static Chunk chunk(CompactReader in, long end) throws IOException {
        Chunk chunk = null;
        in.enter();
        for (int f = in.field(0); f != 0; f = in.field(f)) {
            switch (f) {
                case 1 -> throw new IOException("a column in another file, " + Shown.text(in.text()));
                case 3 -> chunk = chunkItself(in, end);
                case 8 -> throw new IOException("an encrypted column");
                default -> in.skip();
            }
        }
        if (chunk == null) {
            throw new IOException("a column without metadata");
        }
        return chunk;
    }

    private static Chunk chunkItself(CompactReader in, long end) throws IOException {
        List<String> path = new ArrayList<>();
        int type = -1;
        int codec = -1;
        long values = -1;
        long bytes = -1;
        long data = -1;
        long dictionary = -1;
        Range range = new Range();
        in.enter();
        for (int f = in.field(0); f != 0; f = in.field(f)) {
            switch (f) {
                case 1 -> type = in.number32();
                case 3 -> {
                    for (int n = in.list(); n > 0; n--) {
                        path.add(in.text());
                    }
                }
                case 4 -> codec = in.number32();
                case 5 -> values = in.number();
                case 7 -> bytes = in.number();
                case 9 -> data = in.number();
                case 11 -> dictionary = in.number();
                case 12 -> range.read(in);
                default -> in.skip();
            }
        }
        long at = dictionary > 0 && dictionary < data ? dictionary : data;
        if (values < 0 || at < 0 || bytes < 0 || bytes > end - at) {
            throw new IOException("a column of " + values + " values in " + bytes + " bytes from " + at
                    + ", where the file has " + end);
        }
        return new Chunk(
                path,
                codec,
                values,
                at,
                bytes,
                range.nulls,
                range.number(type, range.least),
                range.number(type, range.most));
    }

    /** A column's statistics. */
    private static final class Range {
        private long nulls = -1;
        private byte[] least = new byte[0];
        private byte[] most = new byte[0];

        void read(CompactReader in) throws IOException {
            in.enter();
            for (int f = in.field(0); f != 0; f = in.field(f)) {
                switch (f) {
                    // Older writers use the fields 1 and 2. For integers, these mean the same as 5 and 6.
                    case 1, 5 -> most = in.binary();
                    case 2, 6 -> least = in.binary();
                    case 3 -> nulls = in.number();
                    default -> in.skip();
                }
            }
        }

        @Nullable
        Long number(int type, byte[] bytes) {
            ByteBuffer number = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
            if (type == ParquetField.Type.INT64.ordinal() && bytes.length == Long.BYTES) {
                return number.getLong();
            }
            return type == ParquetField.Type.INT32.ordinal() && bytes.length == Integer.BYTES
                    ? Long.valueOf(number.getInt())
                    : null;
        }
    }
}
