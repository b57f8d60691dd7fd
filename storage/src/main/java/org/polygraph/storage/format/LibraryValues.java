package org.polygraph.storage.format;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.apache.parquet.CorruptDeltaByteArrays;
import org.apache.parquet.bytes.ByteBufferInputStream;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.Encoding;
import org.apache.parquet.column.ValuesType;
import org.apache.parquet.column.values.RequiresPreviousReader;
import org.apache.parquet.column.values.ValuesReader;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.jspecify.annotations.Nullable;

/** What is encoded in a way that is decoded nowhere else here, by Parquet's own readers: only a page that needs them loads them. */
final class LibraryValues {
    private static final @Nullable Encoding[] ENCODINGS = {
        Encoding.PLAIN,
        null,
        Encoding.PLAIN_DICTIONARY,
        Encoding.RLE,
        Encoding.BIT_PACKED,
        Encoding.DELTA_BINARY_PACKED,
        Encoding.DELTA_LENGTH_BYTE_ARRAY,
        Encoding.DELTA_BYTE_ARRAY,
        Encoding.RLE_DICTIONARY,
        Encoding.BYTE_STREAM_SPLIT
    };

    private final ColumnDescriptor descriptor;
    private final @Nullable String createdBy;
    private final boolean wide;
    private @Nullable ValuesReader values;

    LibraryValues(
            List<String> path,
            ParquetField.Type type,
            int maxRepetition,
            int maxDefinition,
            @Nullable String createdBy) {
        PrimitiveType primitive = new PrimitiveType(
                org.apache.parquet.schema.Type.Repetition.REQUIRED,
                PrimitiveTypeName.valueOf(type == ParquetField.Type.BINARY ? "BINARY" : type.name()),
                path.get(path.size() - 1));
        descriptor = new ColumnDescriptor(path.toArray(String[]::new), primitive, maxRepetition, maxDefinition);
        wide = type == ParquetField.Type.INT64;
        this.createdBy = createdBy;
    }

    private static Encoding encoding(int number) throws IOException {
        Encoding encoding = number < 0 || number >= ENCODINGS.length ? null : ENCODINGS[number];
        if (encoding == null) {
            throw new IOException("values in the encoding " + number);
        }
        return encoding;
    }

    /** Turns to the values of a page, of which a copy is taken. @param count entries of the page, nulls counted */
    void turnTo(int number, byte[] bytes, int from, int to, int count) throws IOException {
        Encoding encoding = encoding(number);
        ValuesReader reader = encoding.getValuesReader(descriptor, ValuesType.VALUES);
        reader.initFromPage(count, ByteBufferInputStream.wrap(ByteBuffer.wrap(Arrays.copyOfRange(bytes, from, to))));
        if (CorruptDeltaByteArrays.requiresSequentialReads(createdBy, encoding)
                && values != null
                && reader instanceof RequiresPreviousReader follower) {
            follower.setPreviousReader(values);
        }
        values = reader;
    }

    private ValuesReader values() {
        if (values == null) {
            throw new IllegalStateException("no page yet");
        }
        return values;
    }

    void numbers(long[] into, int n) {
        ValuesReader reader = values();
        for (int i = 0; i < n; i++) {
            into[i] = wide ? reader.readLong() : reader.readInteger();
        }
    }

    String text() {
        return values().readBytes().toStringUsingUTF8();
    }

    /** Levels that are not in runs: of writers before 2014. */
    record Old(ParquetColumn.Levels levels, int size) {}

    /** The levels at a place of a page, and how many bytes they take. */
    Old levels(boolean ofRepetition, int number, byte[] bytes, int from, int to, int count) throws IOException {
        ByteBufferInputStream in = ByteBufferInputStream.wrap(ByteBuffer.wrap(Arrays.copyOfRange(bytes, from, to)));
        ValuesReader reader = encoding(number)
                .getValuesReader(descriptor, ofRepetition ? ValuesType.REPETITION_LEVEL : ValuesType.DEFINITION_LEVEL);
        reader.initFromPage(count, in);
        return new Old(
                (into, n) -> {
                    for (int i = 0; i < n; i++) {
                        into[i] = reader.readInteger();
                    }
                },
                to - from - in.available());
    }
}
