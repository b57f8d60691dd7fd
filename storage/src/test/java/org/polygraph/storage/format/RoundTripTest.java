package org.polygraph.storage.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.parquet.conf.PlainParquetConfiguration;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.example.data.simple.SimpleGroupFactory;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.example.ExampleParquetWriter;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.io.LocalOutputFile;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.MessageTypeParser;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.format.parquet.UnwritableStringException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryTableBuilder;
import org.polygraph.storage.testkit.HistoryGenerator;

/** Written files are read back equal; so is Parquet of other writers. */
class RoundTripTest {
    private Inputs inputs;

    @BeforeEach
    void makeInputs(@TempDir Path folder) {
        inputs = new Inputs(folder);
    }

    private static HistoryTable random(long seed) throws Exception {
        Random random = new Random(seed);
        HistoryTableBuilder builder = new HistoryTableBuilder();
        builder.file("random");
        builder.metadata("seed", Long.toString(seed));
        builder.metadata("nested \"name\"", "{\"a\":[1,null,\"\\u0000\"]}");
        builder.initialValue(value(random, builder.values()));
        int transactions = random.nextInt(300);
        boolean timed = random.nextBoolean();
        for (int t = 0; t < transactions; t++) {
            builder.begin(
                    random.nextInt(4) * 0x123456789ABL - 7,
                    3L * t - 9,
                    TransactionStatus.ofCode((byte) random.nextInt(3)),
                    t);
            if (timed && random.nextInt(5) > 0) {
                builder.times(
                        random.nextInt(9) == 0 ? HistoryTable.NO_TIME : random.nextLong(),
                        random.nextInt(9) == 0 ? HistoryTable.NO_TIME : random.nextLong());
            }
            for (int o = random.nextInt(7); o > 0; o--) {
                int key = random.nextBoolean()
                        ? builder.keys().id(random.nextBoolean() ? random.nextLong() : random.nextInt(5))
                        : builder.keys().id(text(random));
                if (seed % 3 == 0 && random.nextInt(3) == 0) {
                    if (random.nextBoolean()) {
                        builder.insert(key, value(random, builder.values()));
                    } else {
                        builder.delete(key);
                    }
                } else if (random.nextBoolean()) {
                    builder.write(key, value(random, builder.values()));
                } else {
                    builder.read(key, value(random, builder.values()));
                }
            }
            builder.end();
        }
        return builder.build();
    }

    private static long value(Random random, ValueDictionary values) {
        return switch (random.nextInt(4)) {
            case 0 -> ValueDictionary.NULL;
            case 1 -> values.code(text(random));
            case 2 -> values.code(random.nextLong());
            default -> values.code(random.nextInt(3));
        };
    }

    private static String text(Random random) {
        String[] texts = {"", "7", "null", "k\n\"\\\u0001", "\u00e9\u4e2d\ud83d\ude00", "x".repeat(random.nextInt(300))
        };
        return texts[random.nextInt(texts.length)];
    }

    @Test
    void randomTablesComeBackEqual() throws Exception {
        for (long seed = 1; seed <= 60; seed++) {
            HistoryTable table = random(seed);
            List<String> rows = TableText.rows(table);
            for (String ending : new String[] {"jsonl", "jsonl.gz", "jsonl.zst", "parquet", "arrow"}) {
                HistoryFormat format =
                        switch (ending) {
                            case "parquet" -> HistoryFormat.PARQUET;
                            case "arrow" -> HistoryFormat.ARROW;
                            default -> HistoryFormat.JSONL;
                        };
                String path = inputs.path("h." + ending).toString();
                HistoryWriter.write(table, path, format);
                assertThat(TableText.rows(HistoryReader.read(path, HistoryFormat.AUTO)))
                        .as("seed " + seed + " " + ending)
                        .isEqualTo(rows);
            }
        }
        try (Stream<Path> files = Files.list(inputs.path(""))) {
            assertThat(files).as("nothing temporary is left").hasSize(5);
        }
    }

    @Test
    void endingsOfEitherCaseCompress() throws Exception {
        for (String ending : new String[] {"JSONL.GZ", "jsonl.Zst"}) {
            Path path = inputs.path("h." + ending);
            HistoryWriter.write(random(1), path.toString(), HistoryFormat.JSONL);
            assertThat(Files.readAllBytes(path)[0]).as(ending).isNotEqualTo((byte) '{');
            assertThat(TableText.rows(HistoryReader.read(path.toString(), HistoryFormat.AUTO)))
                    .isEqualTo(TableText.rows(random(1)));
        }
    }

    /** JSON can contain halves of surrogate pairs and UTF-8 cannot: two different keys must not become one. */
    @Test
    void textsThatAreNoUtf8AreRefused() throws Exception {
        HistoryTableBuilder builder = new HistoryTableBuilder();
        builder.file("halves");
        builder.begin(0, 0, TransactionStatus.COMMITTED, 1);
        builder.write(builder.keys().id("\ud83d\ude00"), builder.values().code("a\ud800b"));
        builder.end();
        HistoryTable halves = builder.build();
        for (HistoryFormat format : List.of(HistoryFormat.JSONL, HistoryFormat.ARROW)) {
            String file = inputs.path("halves." + format.label()).toString();
            HistoryWriter.write(halves, file, format);
            assertThat(TableText.rows(HistoryReader.read(file, HistoryFormat.AUTO)))
                    .isEqualTo(TableText.rows(halves));
        }
        assertThatThrownBy(() -> HistoryWriter.write(
                        halves, inputs.path("halves.parquet").toString(), HistoryFormat.PARQUET))
                .isInstanceOf(UnwritableStringException.class)
                .hasMessage(
                        "halves:1: found half of a surrogate pair in \"a?b\"; expected text that UTF-8 has bytes for; keep it as"
                                + " JSON Lines");
        try (Stream<Path> files = Files.list(inputs.path(""))) {
            assertThat(files).as("nothing half written").hasSize(2);
        }
        String schema = "message m { required int64 session; required int64 index; required binary status (UTF8);"
                + " required group ops (LIST) { repeated group list { required group element { required binary op;"
                + " required binary key; optional int64 value; } } } }";
        for (CompressionCodecName codec : List.of(CompressionCodecName.SNAPPY, CompressionCodecName.GZIP)) {
            parquet(schema, codec, row -> {
                row.append("session", 1L).append("index", 1L).append("status", "committed");
                row.addGroup("ops")
                        .addGroup("list")
                        .addGroup("element")
                        .append("op", "w")
                        .append("key", Binary.fromConstantByteArray(new byte[] {'k', (byte) 0xFF}));
            });
            assertThat(inputs.refusal("other.parquet", HistoryFormat.AUTO))
                    .as(codec.toString())
                    .startsWith("other.parquet: found Parquet that cannot be read: ")
                    .contains("bytes that are not UTF-8 where a text should be");
        }
    }

    @Test
    void shuffledLinesAreTheSameHistory() throws Exception {
        for (long seed = 1; seed <= 10; seed++) {
            Path path = inputs.path("h.jsonl");
            HistoryWriter.write(random(seed), path.toString(), HistoryFormat.JSONL);
            List<String> rows = TableText.rows(HistoryReader.read(path.toString(), HistoryFormat.AUTO));
            List<String> lines = new ArrayList<>(Files.readAllLines(path));
            Collections.shuffle(lines.subList(1, lines.size()), new Random(seed));
            Files.write(path, lines);
            assertThat(TableText.rows(HistoryReader.read(path.toString(), HistoryFormat.AUTO)))
                    .as("seed " + seed)
                    .isEqualTo(rows);
        }
    }

    @Test
    void manyRowsCrossPagesAndPlumeAgrees() throws Exception {
        HistoryGenerator generator = HistoryGenerator.withSeed(5)
                .sessions(7)
                .transactions(60_000)
                .operations(8)
                .keys(5000);
        HistoryTable table = generator.generate();
        StringBuilder lines = new StringBuilder();
        for (int t = 0; t < table.transactions(); t++) {
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                lines.append(table.isWrite(o) ? "w(" : "r(")
                        .append(table.keys().label(table.key(o)) + ","
                                + table.values().label(table.value(o)))
                        .append("," + table.sessionLabel(table.sessionOf(t)) + "," + t + ")\n");
            }
        }
        Path plume = Files.writeString(inputs.path("h.txt"), lines);
        List<String> rows = TableText.rows(HistoryReader.read(plume.toString(), HistoryFormat.AUTO));
        assertThat(rows).isEqualTo(TableText.rows(table));
        Path parquet = inputs.path("h.parquet");
        HistoryWriter.write(table, parquet.toString(), HistoryFormat.PARQUET);
        HistoryTable read = HistoryReader.read(parquet.toString(), HistoryFormat.AUTO);
        assertThat(TableText.rows(read)).isEqualTo(rows);
        String arrow = inputs.path("h.arrow").toString();
        HistoryWriter.write(table, arrow, HistoryFormat.ARROW);
        assertThat(TableText.rows(HistoryReader.read(arrow, HistoryFormat.AUTO)))
                .as("several record batches")
                .isEqualTo(rows);
        assertThat(read.whereIs(59_999)).isEqualTo(parquet + ":row 59999");
    }

    @Test
    void otherSchemesGoThroughHadoop() throws Exception {
        HistoryTable table = random(3);
        for (String name : new String[] {"h.parquet", "h.jsonl"}) {
            String path = "file://" + inputs.path("deep/er/" + name);
            HistoryFormat format = name.endsWith("parquet") ? HistoryFormat.PARQUET : HistoryFormat.JSONL;
            HistoryWriter.write(table, path, format);
            HistoryWriter.write(table, path, format);
            assertThat(TableText.rows(HistoryReader.read(path, HistoryFormat.AUTO)))
                    .isEqualTo(TableText.rows(table));
            assertThat(TableText.rows(
                            HistoryReader.read(inputs.path("deep/er/" + name).toString(), HistoryFormat.AUTO)))
                    .isEqualTo(TableText.rows(table));
        }
        assertThat(HistoryReader.detect("file://" + inputs.path("deep/er/h.jsonl")))
                .isEqualTo(HistoryFormat.JSONL);
        assertThatThrownBy(() -> HistoryReader.read("file:///nowhere/at/all", HistoryFormat.AUTO))
                .isInstanceOf(java.nio.file.NoSuchFileException.class)
                .hasMessage("file:///nowhere/at/all: no such file or folder");
    }

    @Test
    void otherFormatsAreNotWritten() {
        assertThatThrownBy(() -> HistoryWriter.write(random(1), inputs.path("h").toString(), HistoryFormat.PLUME))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("histories are written as jsonl, parquet or arrow, not as plume");
        assertThat(inputs.path("h")).doesNotExist();
        assertThatThrownBy(() -> HistoryWriter.write(random(1), "-", HistoryFormat.JSONL))
                .isInstanceOf(java.io.IOException.class)
                .hasMessage("-: standard input cannot be written; give a file name");
    }

    @Test
    void aStreamGetsWhatAFileGets() throws Exception {
        HistoryTable table = random(2);
        HistoryWriter.write(table, inputs.path("h.jsonl").toString(), HistoryFormat.JSONL);
        java.io.ByteArrayOutputStream out = new java.io.ByteArrayOutputStream();
        HistoryWriter.writeJsonl(table, out);
        assertThat(out.toByteArray()).isEqualTo(Files.readAllBytes(inputs.path("h.jsonl")));
    }

    private void parquet(String schema, CompressionCodecName codec, java.util.function.Consumer<Group> row)
            throws Exception {
        MessageType type = MessageTypeParser.parseMessageType(schema);
        Path path = inputs.path("other.parquet");
        Files.deleteIfExists(path);
        // Together, the codecs read plain pages and those by dictionary.
        boolean dictionary = codec == CompressionCodecName.ZSTD || codec == CompressionCodecName.UNCOMPRESSED;
        try (ParquetWriter<Group> writer = ExampleParquetWriter.builder(new LocalOutputFile(path))
                .withConf(new PlainParquetConfiguration())
                .withType(type)
                .withCompressionCodec(codec)
                .withDictionaryEncoding(dictionary)
                .build()) {
            Group group = new SimpleGroupFactory(type).newGroup();
            row.accept(group);
            writer.write(group);
        }
    }

    @Test
    void parquetOfOtherWritersIsRead() throws Exception {
        String schema =
                "message spark_schema { optional binary node (UTF8); optional int32 index; optional int32 session;"
                        + " optional binary status (UTF8); optional group ops (LIST) { repeated group bag { optional group array {"
                        + " optional binary value (UTF8); optional binary op (UTF8); optional binary key (UTF8);"
                        + " optional double noise; } } } }";
        for (CompressionCodecName codec : List.of(
                CompressionCodecName.SNAPPY,
                CompressionCodecName.GZIP,
                CompressionCodecName.ZSTD,
                CompressionCodecName.UNCOMPRESSED)) {
            parquet(schema, codec, row -> {
                row.append("index", 4)
                        .append("session", 2)
                        .append("status", "unknown")
                        .append("node", "n1");
                Group ops = row.addGroup("ops");
                ops.addGroup("bag")
                        .addGroup("array")
                        .append("op", "w")
                        .append("key", "x")
                        .append("value", "1");
                ops.addGroup("bag")
                        .addGroup("array")
                        .append("op", "r")
                        .append("key", "y")
                        .append("noise", 2.5);
            });
            assertThat(TableText.rows(
                            HistoryReader.read(inputs.path("other.parquet").toString(), HistoryFormat.AUTO)))
                    .as(codec.toString())
                    .containsExactly(
                            "initial null {}",
                            "2 4 indeterminate " + HistoryTable.NO_TIME + " " + HistoryTable.NO_TIME
                                    + " w \"x\"=\"1\" r \"y\"=null");
        }
        parquet(schema, CompressionCodecName.UNCOMPRESSED, row -> row.append("index", 4)
                .append("status", "unknown"));
        assertThat(inputs.refusal("other.parquet", HistoryFormat.AUTO))
                .isEqualTo(
                        "other.parquet:row 0: found null as \"session\"; expected a value; see storage/docs/formats.md for the columns");
    }

    @Test
    void parquetThatIsNoHistoryIsRefused() throws Exception {
        String ops = " required group ops (LIST) { repeated group list { required group element { required binary op;"
                + " required int64 key; optional int64 value; } } } }";
        parquet(
                "message m { required int64 session; required int64 index; }",
                CompressionCodecName.UNCOMPRESSED,
                row -> row.append("session", 1L).append("index", 1L));
        assertThat(inputs.refusal("other.parquet", HistoryFormat.AUTO))
                .isEqualTo(
                        "other.parquet: found Parquet without the column \"status\"; expected session, index, status and"
                                + " ops, a list of structs of op, key and value; see storage/docs/formats.md for the columns");
        parquet(
                "message m { required double session; required int64 index; required binary status;" + ops,
                CompressionCodecName.UNCOMPRESSED,
                row -> row.append("session", 1.0)
                        .append("index", 1L)
                        .append("status", "committed")
                        .addGroup("ops"));
        assertThat(inputs.refusal("other.parquet", HistoryFormat.AUTO))
                .isEqualTo(
                        "other.parquet: found the column \"session\" of type required double session; expected an integer;"
                                + " see storage/docs/formats.md for the columns");
        String good = "message m { required int64 session; required int64 index; required binary status;" + ops;
        Map<String, String> refused = Map.of(
                "append",
                "null as \"value\"; expected a value; see storage/docs/formats.md for the columns",
                "pr",
                "null as \"fields\"; expected a value; see storage/docs/formats.md for the columns");
        for (Map.Entry<String, String> each : refused.entrySet()) {
            parquet(good, CompressionCodecName.UNCOMPRESSED, row -> {
                row.append("session", 1L).append("index", 1L).append("status", "committed");
                row.addGroup("ops")
                        .addGroup("list")
                        .addGroup("element")
                        .append("op", each.getKey())
                        .append("key", 1L);
            });
            assertThat(inputs.refusal("other.parquet", HistoryFormat.AUTO))
                    .isEqualTo("other.parquet:row 0: found " + each.getValue());
        }
        for (String time : List.of("start", "end")) {
            parquet(
                    good.replace("required int64 index;", "required int64 index; optional int64 " + time + ";"),
                    CompressionCodecName.UNCOMPRESSED,
                    row -> row.append("session", 1L)
                            .append("index", 1L)
                            .append(time, Long.MIN_VALUE)
                            .append("status", "committed")
                            .addGroup("ops"));
            assertThat(inputs.refusal("other.parquet", HistoryFormat.AUTO))
                    .isEqualTo("other.parquet:row 0: found -9223372036854775808 as \"" + time + "\"; expected at least"
                            + " -9223372036854775807; leave out a time that is not known");
        }
        parquet(good, CompressionCodecName.UNCOMPRESSED, row -> {
            row.append("session", 1L).append("index", 1L).append("status", "done");
            row.addGroup("ops");
        });
        assertThat(inputs.refusal("other.parquet", HistoryFormat.AUTO))
                .isEqualTo(
                        "other.parquet:row 0: found \"done\" as \"status\"; expected committed, aborted or indeterminate;"
                                + " see storage/docs/formats.md for the columns");
        byte[] cut = Files.readAllBytes(inputs.path("other.parquet"));
        assertThat(inputs.refusal("cut.parquet", java.util.Arrays.copyOf(cut, cut.length - 3), HistoryFormat.AUTO))
                .startsWith("cut.parquet: found Parquet that cannot be read: ")
                .endsWith("; expected a whole Parquet file; the file is damaged or was not closed: write it again");
    }
}
