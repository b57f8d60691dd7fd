package org.polygraph.storage.format.parquet;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import org.apache.parquet.bytes.ByteBufferAllocator;
import org.apache.parquet.io.DelegatingSeekableInputStream;
import org.apache.parquet.io.InputFile;
import org.apache.parquet.io.OutputFile;
import org.apache.parquet.io.PositionOutputStream;
import org.apache.parquet.io.SeekableInputStream;
import org.apache.parquet.schema.GroupType;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.parquet.schema.Type;
import org.apache.parquet.schema.Types;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.artifact.SeekableInput;

/** The schema of the archive format, and Parquet's view of our files. */
final class ParquetFiles {
    /** The key of the header in the file's metadata. */
    static final String HEADER = "history";

    /**
     * The schema: each row is a transaction. Integer keys and values are in {@code key} and {@code value}, strings in
     * {@code key_string} and {@code value_string}; a null value is in neither.
     */
    static final MessageType SCHEMA = schema(element());

    /**
     * The schema of a history with predicates or columns of rows: {@code fields} is a JSON object of the other fields
     * that the operation has in JSON Lines, or null.
     */
    static final MessageType SCHEMA_OF_ROWS = schema(element()
            .optional(PrimitiveTypeName.BINARY)
            .as(LogicalTypeAnnotation.stringType())
            .named("fields"));

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

    static boolean isInteger(Type type) {
        if (!type.isPrimitive()) {
            return false;
        }
        PrimitiveTypeName name = type.asPrimitiveType().getPrimitiveTypeName();
        LogicalTypeAnnotation logical = type.getLogicalTypeAnnotation();
        return (name == PrimitiveTypeName.INT64 || name == PrimitiveTypeName.INT32)
                && (logical == null || logical instanceof LogicalTypeAnnotation.IntLogicalTypeAnnotation);
    }

    /** Returns a file as Parquet's library reads it. */
    static InputFile input(Location location) {
        return new InputFile() {
            @Override
            public long getLength() throws IOException {
                return location.length();
            }

            @Override
            public SeekableInputStream newStream() throws IOException {
                SeekableInput in = location.open();
                return new DelegatingSeekableInputStream(in) {
                    @Override
                    public long getPos() throws IOException {
                        return in.position();
                    }

                    @Override
                    public void seek(long position) throws IOException {
                        in.seek(position);
                    }
                };
            }

            /** The messages of Parquet's library contain this string. */
            @Override
            public String toString() {
                return location.name();
            }
        };
    }

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

    /**
     * Allocates heap buffers, in total at most as much as the file can fill, because the column sizes in a footer may
     * be wrong.
     */
    static final class BoundedAllocator implements ByteBufferAllocator {
        private final long bound;
        private long live;

        BoundedAllocator(long bound) {
            this.bound = bound;
        }

        @Override
        public ByteBuffer allocate(int size) {
            if (size < 0 || live + size > bound) {
                throw new IllegalArgumentException("a column chunk that is larger than the file");
            }
            live += size;
            return ByteBuffer.allocate(size);
        }

        @Override
        public void release(ByteBuffer buffer) {
            live -= buffer.capacity();
        }

        @Override
        public boolean isDirect() {
            return false;
        }
    }
}
