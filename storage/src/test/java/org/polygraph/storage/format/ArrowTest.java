package org.polygraph.storage.format;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.arrow.compression.CommonsCompressionFactory;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.TinyIntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.compression.CompressionUtil.CodecType;
import org.apache.arrow.vector.compression.NoCompressionCodec;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.dictionary.DictionaryProvider.MapDictionaryProvider;
import org.apache.arrow.vector.ipc.ArrowStreamWriter;
import org.apache.arrow.vector.ipc.message.IpcOption;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Arrow as other programs write it. {@link RoundTripTest} has what is written here. */
class ArrowTest {
    private static final ArrowType INTEGER = new ArrowType.Int(64, true);
    private static final ArrowType TEXT = ArrowType.Utf8.INSTANCE;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    /**
     * What pyarrow makes of the objects of JSON Lines: fields that some objects lack are null, integers with nulls may be
     * floats, and texts that repeat a dictionary.
     */
    private byte[] objects(CodecType compression, String wrong) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (BufferAllocator allocator = new RootAllocator();
                VarCharVector statuses = new VarCharVector("statuses", allocator);
                TinyIntVector status = new TinyIntVector(
                        "status",
                        new FieldType(true, new ArrowType.Int(8, true), new DictionaryEncoding(7, false, null)),
                        allocator);
                BigIntVector session = new BigIntVector("session", allocator);
                BigIntVector index = new BigIntVector("index", allocator);
                Float8Vector start = new Float8Vector("start", allocator);
                VarCharVector note = new VarCharVector("note", allocator);
                ListVector ops = ListVector.empty("ops", allocator)) {
            text(statuses, 0, "committed");
            text(statuses, 1, "aborted");
            statuses.setValueCount(2);
            ops.addOrGetVector(FieldType.nullable(ArrowType.Struct.INSTANCE));
            StructVector operation = (StructVector) ops.getDataVector();
            VarCharVector op = operation.addOrGet("op", FieldType.nullable(TEXT), VarCharVector.class);
            BigIntVector key = operation.addOrGet("key", FieldType.nullable(INTEGER), BigIntVector.class);
            BigIntVector value = operation.addOrGet("value", FieldType.nullable(INTEGER), BigIntVector.class);
            BigIntVector lo = operation.addOrGet("lo", FieldType.nullable(INTEGER), BigIntVector.class);
            BigIntVector hi = operation.addOrGet("hi", FieldType.nullable(INTEGER), BigIntVector.class);
            ListVector rows = operation.addOrGet("rows", FieldType.nullable(ArrowType.List.INSTANCE), ListVector.class);
            rows.addOrGetVector(FieldType.nullable(ArrowType.List.INSTANCE));
            ListVector pairs = (ListVector) rows.getDataVector();
            pairs.addOrGetVector(FieldType.nullable(INTEGER));
            for (int t = 0; t < 2; t++) {
                session.setSafe(t, t);
                index.setSafe(t, 0);
                status.setSafe(t, 0);
                text(note, t, "unknown fields are skipped");
            }
            start.setSafe(0, 5);
            ops.startNewValue(0);
            for (int o = 0; o < 2; o++) {
                operation.setIndexDefined(o);
                text(op, o, o == 0 ? "w" : wrong);
                key.setSafe(o, 7);
            }
            value.setSafe(0, 1);
            ops.endValue(0, 2);
            ops.startNewValue(1);
            operation.setIndexDefined(2);
            text(op, 2, "pr");
            lo.setSafe(2, 0);
            hi.setSafe(2, 9);
            rows.startNewValue(2);
            pairs.startNewValue(0);
            BigIntVector numbers = (BigIntVector) pairs.getDataVector();
            numbers.setSafe(0, 7);
            numbers.setSafe(1, 1);
            pairs.endValue(0, 2);
            rows.endValue(2, 1);
            ops.endValue(1, 1);
            operation.setValueCount(3);
            List<FieldVector> columns = List.of(session, index, start, status, note, ops);
            columns.forEach(column -> column.setValueCount(2));
            MapDictionaryProvider dictionaries = new MapDictionaryProvider();
            dictionaries.put(new Dictionary(statuses, new DictionaryEncoding(7, false, null)));
            VectorSchemaRoot root = new VectorSchemaRoot(columns);
            root.setRowCount(2);
            try (ArrowStreamWriter writer = new ArrowStreamWriter(
                    root,
                    dictionaries,
                    Channels.newChannel(out),
                    IpcOption.DEFAULT,
                    compression == CodecType.NO_COMPRESSION
                            ? NoCompressionCodec.Factory.INSTANCE
                            : CommonsCompressionFactory.INSTANCE,
                    compression)) {
                writer.writeBatch();
            }
        }
        return out.toByteArray();
    }

    private static void text(VarCharVector vector, int at, String text) {
        vector.setSafe(at, text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void objectsOfJsonLinesAreRows() throws Exception {
        Inputs inputs = new Inputs(folder);
        List<String> expected = TableText.rows(inputs.read("h.jsonl", """
                {"session":0,"index":0,"start":5,"status":"committed","ops":[{"op":"w","key":7,"value":1},{"op":"r","key":7,"value":null}]}
                {"session":1,"index":0,"status":"committed","ops":[{"op":"pr","lo":0,"hi":9,"rows":[[7,1]]}]}
                """));
        for (CodecType compression : List.of(CodecType.NO_COMPRESSION, CodecType.ZSTD)) {
            assertThat(TableText.rows(inputs.read("h.bin", objects(compression, "r"), HistoryFormat.AUTO)))
                    .as(compression.toString())
                    .isEqualTo(expected);
        }
    }

    @Test
    void anErrorNamesTheRow() throws Exception {
        Inputs inputs = new Inputs(folder);
        inputs.write("h.arrow", objects(CodecType.NO_COMPRESSION, "u"));
        assertThat(inputs.refusal("h.arrow", HistoryFormat.AUTO))
                .startsWith("h.arrow:row 0: found the string \"u\" as \"op\"; expected \"r\", \"w\"");
        byte[] half = objects(CodecType.NO_COMPRESSION, "r");
        Files.write(folder.resolve("h.arrow"), java.util.Arrays.copyOf(half, half.length / 2));
        assertThat(inputs.refusal("h.arrow", HistoryFormat.AUTO)).contains("Arrow that cannot be read after 0 rows");
    }
}
