package org.polygraph.storage.format.parquet;

import java.io.IOException;
import java.io.OutputStream;
import org.apache.parquet.io.OutputFile;
import org.apache.parquet.io.PositionOutputStream;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.MessageTypeParser;

/** The schema of the archive format, and Parquet's view of our streams. */
final class ParquetFiles {
    /** The key of the header in the file's metadata. */
    static final String HEADER = "history";

    /**
     * The schema: each row is a transaction. Integer keys and values are in {@code key} and {@code value}, strings in
     * {@code key_string} and {@code value_string}; a null value is in neither.
     */
    static final MessageType SCHEMA = schema("");

    /**
     * The schema of a history with predicates, columns of rows or lists: {@code fields} is a JSON object of the other fields
     * that the operation has in JSON Lines, or null.
     */
    static final MessageType SCHEMA_OF_ROWS = schema("optional binary fields (STRING);");

    /** The schema of a history with versions that the database gave. */
    static final MessageType SCHEMA_OF_VERSIONS = schema("optional binary fields (STRING); optional int64 version;");

    /** @param more further columns of an operation */
    private static MessageType schema(String more) {
        return MessageTypeParser.parseMessageType("""
                message history {
                    required int64 session;
                    required int64 index;
                    optional int64 start;
                    optional int64 end;
                    required binary status (STRING);
                    required group ops (LIST) {
                        repeated group list {
                            required group element {
                                required binary op (STRING);
                                optional int64 key;
                                optional binary key_string (STRING);
                                optional int64 value;
                                optional binary value_string (STRING);
                                %s
                            }
                        }
                    }
                }
                """.formatted(more));
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
