package org.polygraph.storage.format.parquet;

import java.io.IOException;
import java.io.OutputStream;
import org.apache.parquet.io.OutputFile;
import org.apache.parquet.io.PositionOutputStream;
import org.apache.parquet.schema.GroupType;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.parquet.schema.Types;

/** The schema of the archive format, and Parquet's view of our streams. */
final class ParquetFiles {
    /** The key of the header in the file's metadata. */
    static final String HEADER = "history";

    /**
     * The schema: each row is a transaction. Integer keys and values are in {@code key} and {@code value}, strings in
     * {@code key_string} and {@code value_string}; a null value is in neither.
     */
    static final MessageType SCHEMA = schema(element());

    /**
     * The schema of a history with predicates, columns of rows or lists: {@code fields} is a JSON object of the other fields
     * that the operation has in JSON Lines, or null.
     */
    static final MessageType SCHEMA_OF_ROWS = schema(element()
            .optional(PrimitiveTypeName.BINARY)
            .as(LogicalTypeAnnotation.stringType())
            .named("fields"));

    /** The schema of a history with versions that the database gave. */
    static final MessageType SCHEMA_OF_VERSIONS = schema(element()
            .optional(PrimitiveTypeName.BINARY)
            .as(LogicalTypeAnnotation.stringType())
            .named("fields")
            .optional(PrimitiveTypeName.INT64)
            .named("version"));

    private static Types.GroupBuilder<GroupType> element() {
        return Types.requiredGroup()
                .required(PrimitiveTypeName.BINARY)
                .as(LogicalTypeAnnotation.stringType())
                .named("op")
                .optional(PrimitiveTypeName.INT64)
                .named("key")
                .optional(PrimitiveTypeName.BINARY)
                .as(LogicalTypeAnnotation.stringType())
                .named("key_string")
                .optional(PrimitiveTypeName.INT64)
                .named("value")
                .optional(PrimitiveTypeName.BINARY)
                .as(LogicalTypeAnnotation.stringType())
                .named("value_string");
    }

    private static MessageType schema(Types.GroupBuilder<GroupType> element) {
        return Types.buildMessage()
                .required(PrimitiveTypeName.INT64)
                .named("session")
                .required(PrimitiveTypeName.INT64)
                .named("index")
                .optional(PrimitiveTypeName.INT64)
                .named("start")
                .optional(PrimitiveTypeName.INT64)
                .named("end")
                .required(PrimitiveTypeName.BINARY)
                .as(LogicalTypeAnnotation.stringType())
                .named("status")
                .addField(Types.requiredList().element(element.named("element")).named("ops"))
                .named("history");
    }

    private ParquetFiles() {}

    /** Returns a stream as Parquet's library writes it, once. Closing the file leaves the stream open. */
    static OutputFile output(OutputStream out) {
        return new OutputFile() {
            @Override
            public PositionOutputStream create(long blockSize) {
                return new Positioned(out);
            }

            @Override
            public PositionOutputStream createOrOverwrite(long blockSize) {
                return create(blockSize);
            }

            @Override
            public boolean supportsBlockSize() {
                return false;
            }

            @Override
            public long defaultBlockSize() {
                return 0;
            }
        };
    }

    private static final class Positioned extends PositionOutputStream {
        private final OutputStream out;
        private long position;

        Positioned(OutputStream out) {
            this.out = out;
        }

        @Override
        public long getPos() {
            return position;
        }

        @Override
        public void write(int b) throws IOException {
            out.write(b);
            position++;
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            out.write(bytes, offset, length);
            position += length;
        }

        @Override
        public void flush() throws IOException {
            out.flush();
        }

        @Override
        public void close() throws IOException {
            out.flush();
        }
    }
}
