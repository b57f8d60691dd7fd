package org.polygraph.storage.artifact;

import com.google.flatbuffers.FlatBufferBuilder;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.flatbuf.Binary;
import org.apache.arrow.flatbuf.Block;
import org.apache.arrow.flatbuf.Buffer;
import org.apache.arrow.flatbuf.Endianness;
import org.apache.arrow.flatbuf.Field;
import org.apache.arrow.flatbuf.FieldNode;
import org.apache.arrow.flatbuf.Footer;
import org.apache.arrow.flatbuf.Int;
import org.apache.arrow.flatbuf.KeyValue;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.MetadataVersion;
import org.apache.arrow.flatbuf.RecordBatch;
import org.apache.arrow.flatbuf.Schema;
import org.apache.arrow.flatbuf.Type;
import org.polygraph.storage.artifact.ArrayFile.DamagedException;

/**
 * The metadata of an Arrow IPC file of one row: a column for each array, {@code list<int32>}, {@code list<int64>} or
 * {@code binary}. It uses Arrow's messages without Arrow's vectors, which would copy every array outside the heap
 * before it is written. (Arrow columnar format 1.5, "IPC File Format"; metadata V5.)
 */
final class ArrowLayout {
    /** The beginning of the file, including padding. */
    static final byte[] START = {'A', 'R', 'R', 'O', 'W', '1', 0, 0};

    /** The length of a message follows this number. */
    static final int CONTINUATION = -1;

    /** A continuation with no length, which follows the last message. */
    static final long END_OF_STREAM = 0xffff_ffffL;

    /** Buffers of arrays begin at multiples of this number of bytes. */
    static final int ALIGNMENT = 8;

    /** The bytes before an array's elements: the two offsets, an int each, at which the row begins and ends. */
    static final int OFFSETS_BYTES = 8;

    private static final int MOST_COLUMNS = 1 << 10;
    private static final int INITIAL_BYTES = 1 << 10;
    private static final int END_BYTES = 6;
    private static final int FRAME_BYTES = 8;

    /**
     * An array.
     *
     * @param bits of an element: 8, 32 or 64
     */
    record Column(String name, int bits, long count) {
        /** Returns the bytes of the elements. */
        long bytes() {
            return count * (bits / Byte.SIZE);
        }

        /** Returns the bytes that the array takes in the file. */
        long room() {
            return OFFSETS_BYTES + padded(bytes());
        }

        boolean isBinary() {
            return bits == Byte.SIZE;
        }
    }

    private ArrowLayout() {}

    /** Returns the next multiple of {@link #ALIGNMENT}. */
    static long padded(long bytes) {
        return (bytes + ALIGNMENT - 1) & -ALIGNMENT;
    }

    /** Returns the bytes of all columns. */
    static long body(List<Column> columns) {
        long bytes = 0;
        for (Column column : columns) {
            bytes += column.room();
        }
        return bytes;
    }

    /** Returns the message that names the columns. */
    static byte[] schema(List<Column> columns) {
        FlatBufferBuilder builder = new FlatBufferBuilder(INITIAL_BYTES);
        return message(builder, MessageHeader.Schema, schema(builder, columns), 0);
    }

    /** Returns the message with the places of the arrays. */
    static byte[] batch(List<Column> columns) {
        FlatBufferBuilder builder = new FlatBufferBuilder(INITIAL_BYTES);
        int nodes = nodes(builder, columns);
        int buffers = buffers(builder, columns);
        RecordBatch.startRecordBatch(builder);
        RecordBatch.addLength(builder, 1);
        RecordBatch.addNodes(builder, nodes);
        RecordBatch.addBuffers(builder, buffers);
        return message(builder, MessageHeader.RecordBatch, RecordBatch.endRecordBatch(builder), body(columns));
    }

    /**
     * Returns the end of the file, which follows the messages.
     *
     * @param sum CRC-32C of all bytes before it
     */
    static byte[] tail(List<Column> columns, int sum) {
        FlatBufferBuilder builder = new FlatBufferBuilder(INITIAL_BYTES);
        int schema = schema(builder, columns);
        int[] entries = {entry(builder, "rows", "1"), entry(builder, "crc32c", Integer.toHexString(sum))};
        int metadata = Footer.createCustomMetadataVector(builder, entries);
        Footer.startDictionariesVector(builder, 0);
        int dictionaries = builder.endVector();
        Footer.startRecordBatchesVector(builder, 1);
        Block.createBlock(builder, START.length + schema(columns).length, batch(columns).length, body(columns));
        int batches = builder.endVector();
        Footer.startFooter(builder);
        Footer.addVersion(builder, MetadataVersion.V5);
        Footer.addSchema(builder, schema);
        Footer.addDictionaries(builder, dictionaries);
        Footer.addRecordBatches(builder, batches);
        Footer.addCustomMetadata(builder, metadata);
        Footer.finishFooterBuffer(builder, Footer.endFooter(builder));
        byte[] footer = builder.sizedByteArray();
        return ByteBuffer.allocate(footer.length + Integer.BYTES + END_BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put(footer)
                .putInt(footer.length)
                .put(START, 0, END_BYTES)
                .array();
    }

    /**
     * Returns the columns that two messages describe. The caller must check that {@link #schema} and {@link #batch} of
     * these columns are the bytes that were read.
     *
     * @throws DamagedException if they are not such messages
     */
    static List<Column> columns(byte[] schemaMessage, byte[] batchMessage) throws DamagedException {
        try {
            Schema schema = (Schema) header(schemaMessage, MessageHeader.Schema, new Schema());
            RecordBatch batch = (RecordBatch) header(batchMessage, MessageHeader.RecordBatch, new RecordBatch());
            List<Column> columns = new ArrayList<>();
            if (schema.fieldsLength() > MOST_COLUMNS) {
                throw new DamagedException("found " + schema.fieldsLength() + " arrays");
            }
            int buffer = 0;
            for (int i = 0; i < schema.fieldsLength(); i++) {
                Field field = schema.fields(i);
                String name = field.name();
                if (name == null || name.isEmpty() || name.length() > ArrayFile.MOST_NAME) {
                    throw new DamagedException("found an array without a name");
                }
                int bits = Byte.SIZE;
                buffer += 2;
                if (field.typeType() == Type.List) {
                    bits = ((Int) field.children(0).type(new Int())).bitWidth();
                    buffer++;
                }
                long bytes = batch.buffers(buffer++).length();
                if (bytes < 0 || bits != Byte.SIZE && bits != Integer.SIZE && bits != Long.SIZE) {
                    throw new DamagedException("found an array of " + bits + " bits and " + bytes + " bytes");
                }
                columns.add(new Column(name, bits, bytes / (bits / Byte.SIZE)));
            }
            return columns;
        } catch (DamagedException e) {
            throw e;
        } catch (RuntimeException e) {
            // Flatbuffers follow any offset that they find, and Java has no verifier. An offset out of bounds causes an
            // exception.
            throw new DamagedException("found no Arrow schema");
        }
    }

    private static com.google.flatbuffers.Table header(byte[] framed, byte type, com.google.flatbuffers.Table header)
            throws DamagedException {
        ByteBuffer bytes = ByteBuffer.wrap(framed, FRAME_BYTES, framed.length - FRAME_BYTES)
                .slice()
                .order(ByteOrder.LITTLE_ENDIAN);
        Message message = Message.getRootAsMessage(bytes);
        if (message.headerType() != type) {
            throw new DamagedException("found an Arrow message of type " + message.headerType());
        }
        return message.header(header);
    }

    private static int schema(FlatBufferBuilder builder, List<Column> columns) {
        int[] fields = new int[columns.size()];
        for (int i = 0; i < fields.length; i++) {
            fields[i] = field(builder, columns.get(i));
        }
        int vector = Schema.createFieldsVector(builder, fields);
        return Schema.createSchema(builder, Endianness.Little, vector, 0, 0);
    }

    private static int field(FlatBufferBuilder builder, Column column) {
        int name = builder.createString(column.name());
        if (column.isBinary()) {
            Binary.startBinary(builder);
            int type = Binary.endBinary(builder);
            return Field.createField(
                    builder, name, false, Type.Binary, type, 0, Field.createChildrenVector(builder, new int[0]), 0);
        }
        int item = builder.createString("item");
        int element = Int.createInt(builder, column.bits(), true);
        int noChildren = Field.createChildrenVector(builder, new int[0]);
        int child = Field.createField(builder, item, false, Type.Int, element, 0, noChildren, 0);
        int children = Field.createChildrenVector(builder, new int[] {child});
        org.apache.arrow.flatbuf.List.startList(builder);
        int type = org.apache.arrow.flatbuf.List.endList(builder);
        return Field.createField(builder, name, false, Type.List, type, 0, children, 0);
    }

    /** Adds the nodes in reverse order, because flatbuffers are written from their end. */
    private static int nodes(FlatBufferBuilder builder, List<Column> columns) {
        int count = 0;
        for (Column column : columns) {
            count += column.isBinary() ? 1 : 2;
        }
        RecordBatch.startNodesVector(builder, count);
        for (int i = columns.size() - 1; i >= 0; i--) {
            if (!columns.get(i).isBinary()) {
                FieldNode.createFieldNode(builder, columns.get(i).count(), 0);
            }
            FieldNode.createFieldNode(builder, 1, 0);
        }
        return builder.endVector();
    }

    /**
     * Adds the buffers. A column has four: validity, which is empty because no value is null; offsets; the validity of
     * the elements, also empty; and the elements.
     */
    private static int buffers(FlatBufferBuilder builder, List<Column> columns) {
        int count = 0;
        for (Column column : columns) {
            count += column.isBinary() ? 3 : 4;
        }
        RecordBatch.startBuffersVector(builder, count);
        long end = body(columns);
        for (int i = columns.size() - 1; i >= 0; i--) {
            Column column = columns.get(i);
            long start = end - column.room();
            Buffer.createBuffer(builder, start + OFFSETS_BYTES, column.bytes());
            if (!column.isBinary()) {
                Buffer.createBuffer(builder, start + OFFSETS_BYTES, 0);
            }
            Buffer.createBuffer(builder, start, OFFSETS_BYTES);
            Buffer.createBuffer(builder, start, 0);
            end = start;
        }
        return builder.endVector();
    }

    private static int entry(FlatBufferBuilder builder, String key, String value) {
        int name = builder.createString(key);
        return KeyValue.createKeyValue(builder, name, builder.createString(value));
    }

    private static byte[] message(FlatBufferBuilder builder, byte type, int header, long body) {
        Message.startMessage(builder);
        Message.addVersion(builder, MetadataVersion.V5);
        Message.addHeaderType(builder, type);
        Message.addHeader(builder, header);
        Message.addBodyLength(builder, body);
        Message.finishMessageBuffer(builder, Message.endMessage(builder));
        byte[] bytes = builder.sizedByteArray();
        int length = (int) padded(bytes.length);
        return ByteBuffer.allocate(FRAME_BYTES + length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(CONTINUATION)
                .putInt(length)
                .put(bytes)
                .array();
    }
}
