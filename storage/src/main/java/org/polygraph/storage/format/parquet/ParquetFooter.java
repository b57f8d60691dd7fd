package org.polygraph.storage.format.parquet;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.parquet.format.ColumnChunk;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.CompressionCodec;
import org.apache.parquet.format.FileMetaData;
import org.apache.parquet.format.KeyValue;
import org.apache.parquet.format.RowGroup;
import org.apache.parquet.format.Statistics;
import org.apache.parquet.format.Type;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.artifact.SeekableInput;
import org.polygraph.storage.format.io.Shown;

/**
 * The footer of a Parquet file: its columns, and by row group the places of their pages. Places are checked to be within
 * the file.
 */
record ParquetFooter(List<ParquetField> fields, List<Group> groups, Map<String, String> metadata) {
    private static final byte[] MAGIC = {'P', 'A', 'R', '1'};
    private static final byte[] ENCRYPTED = {'P', 'A', 'R', 'E'};
    /** The bytes of the length of the metadata, and of the magic. */
    private static final int TAIL = 8;

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
     * @param codec the compression of all pages
     * @param values the number of entries, including nulls
     * @param at the offset of the first byte in the file
     * @param bytes the number of bytes
     * @param plainBytes the number of bytes without compression
     * @param nulls the number of entries without a value; -1 if the footer does not have it
     * @param least the least integer, if the footer has it
     * @param most the largest integer, if the footer has it
     */
    record Chunk(
            List<String> path,
            CompressionCodec codec,
            long values,
            long at,
            long bytes,
            long plainBytes,
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
        FileMetaData read = new FileMetaData();
        MetadataReader.read(read, bytes(file, end, size), 0, size);
        if (read.isSetEncryption_algorithm()) {
            throw new IOException("an encrypted file");
        }
        List<Group> groups = new ArrayList<>();
        for (RowGroup group : read.getRow_groups()) {
            groups.add(group(group, end));
        }
        Map<String, String> metadata = new HashMap<>();
        if (read.isSetKey_value_metadata()) {
            for (KeyValue entry : read.getKey_value_metadata()) {
                metadata.put(entry.getKey(), entry.isSetValue() ? entry.getValue() : "");
            }
        }
        return new ParquetFooter(ParquetField.of(read.getSchema()), groups, metadata);
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

    private static Group group(RowGroup group, long end) throws IOException {
        if (group.getNum_rows() < 0) {
            throw new IOException("a row group of " + group.getNum_rows() + " rows");
        }
        List<Chunk> chunks = new ArrayList<>();
        for (ColumnChunk column : group.getColumns()) {
            if (column.isSetFile_path()) {
                throw new IOException("a column in another file, " + Shown.text(column.getFile_path()));
            }
            if (column.isSetCrypto_metadata() || !column.isSetMeta_data()) {
                throw new IOException(
                        column.isSetCrypto_metadata() ? "an encrypted column" : "a column without metadata");
            }
            chunks.add(chunk(column.getMeta_data(), end));
        }
        return new Group(group.getNum_rows(), chunks);
    }

    private static Chunk chunk(ColumnMetaData column, long end) throws IOException {
        long values = column.getNum_values();
        long bytes = column.getTotal_compressed_size();
        long data = column.getData_page_offset();
        long dictionary = column.getDictionary_page_offset();
        long at = dictionary > 0 && dictionary < data ? dictionary : data;
        if (values < 0 || at < 0 || bytes < 0 || bytes > end - at) {
            throw new IOException("a column of " + values + " values in " + bytes + " bytes from " + at
                    + ", where the file has " + end);
        }
        Statistics known = column.isSetStatistics() ? column.getStatistics() : new Statistics();
        // Older writers use other fields. For integers, these mean the same.
        byte[] least = known.isSetMin_value() ? known.getMin_value() : known.getMin();
        byte[] most = known.isSetMax_value() ? known.getMax_value() : known.getMax();
        return new Chunk(
                column.getPath_in_schema(),
                column.getCodec(),
                values,
                at,
                bytes,
                column.getTotal_uncompressed_size(),
                known.isSetNull_count() ? known.getNull_count() : -1,
                number(column.getType(), least),
                number(column.getType(), most));
    }

    private static @Nullable Long number(Type type, byte @Nullable [] bytes) {
        if (bytes != null && type == Type.INT64 && bytes.length == Long.BYTES) {
            return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getLong();
        }
        return bytes != null && type == Type.INT32 && bytes.length == Integer.BYTES
                ? Long.valueOf(
                        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getInt())
                : null;
    }
}
