package org.polygraph.storage.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;
import org.polygraph.storage.format.parquet.UnwritableStringException;
import org.polygraph.storage.format.pieces.PiecesTest;
import org.polygraph.storage.generate.Workload;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryTableBuilder;
import org.polygraph.storage.testkit.Simulator;
import org.polygraph.storage.testkit.Simulator.Feature;
import org.polygraph.storage.testkit.SuiteScale;

/** Written files are read back equal; so is Parquet of other writers. */
class RoundTripTest {
    private static final String COLUMNS = "message m { required int64 session; required int64 index;"
            + " required binary status; required group ops (LIST) { repeated group list { required group element {"
            + " required binary op; required int64 key; optional int64 value; } } } }";

    private Inputs inputs;

    @BeforeEach
    void makeInputs(@TempDir Path folder) {
        inputs = new Inputs(folder);
    }

    /** Any history of JSON Lines that Parquet can contain too. */
    private HistoryTable random(long seed) throws Exception {
        Random random = new Random(seed);
        String lines = PiecesTest.whole(PiecesTest.jsonl(random, 1 + random.nextInt(300), 0));
        return inputs.read("source.jsonl", lines);
    }

    @Test
    void randomTablesComeBackEqual() throws Exception {
        for (long seed = 1; seed <= SuiteScale.of(60, 12); seed++) {
            boolean hasVersions = seed % 4 == 0;
            HistoryTable table = hasVersions
                    ? inputs.read("source.jsonl", Simulator.versions(seed).json())
                    : random(seed);
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
            assertThat(files).as("nothing temporary is left").hasSize(6);
        }
    }

    /** What is written and read again has all that was undone, and the same is judged. */
    @Test
    void savepointsComeBackEqual() throws Exception {
        for (long seed = 1; seed <= SuiteScale.of(30, 6); seed++) {
            Feature kind = seed % 3 == 0 ? Feature.LISTS : seed % 3 == 1 ? Feature.ROWS : Feature.ABORTED;
            HistoryTable table = inputs.read(
                    "source.jsonl",
                    Simulator.with(EnumSet.of(Feature.SAVEPOINTS, kind), seed).json());
            for (HistoryFormat format : List.of(HistoryFormat.JSONL, HistoryFormat.PARQUET, HistoryFormat.ARROW)) {
                String path = inputs.path("h." + format.label()).toString();
                HistoryWriter.write(table.withUndone(), path, format);
                HistoryTable again = HistoryReader.read(path, HistoryFormat.AUTO);
                assertThat(TableText.rows(again))
                        .as("seed " + seed + " " + format)
                        .isEqualTo(TableText.rows(table));
                assertThat(TableText.rows(again.withUndone())).isEqualTo(TableText.rows(table.withUndone()));
            }
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
        for (CompressionCodecName codec : List.of(CompressionCodecName.SNAPPY, CompressionCodecName.GZIP)) {
            parquet(COLUMNS.replace("int64 key", "binary key"), codec, row -> {
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
            HistoryTable shuffled = HistoryReader.read(path.toString(), HistoryFormat.AUTO);
            assertThat(TableText.rows(shuffled)).as("seed " + seed).isEqualTo(rows);
            for (int t = 0; t < shuffled.transactions(); t++) {
                String place = shuffled.whereIs(t);
                int line = Integer.parseInt(place.substring(place.lastIndexOf(':') + 1));
                assertThat(lines.get(line - 1)).contains("\"index\":" + shuffled.index(t) + ",");
            }
        }
    }

    @Test
    void manyRowsCrossPagesAndPlumeAgrees() throws Exception {
        int transactions = SuiteScale.of(60_000, 25_000);
        HistoryTable table = new Workload()
                .seed(5)
                .timed(false)
                .sessions(7)
                .transactions(transactions)
                .keys(5000)
                .table();
        Path plume = inputs.path("h.txt");
        HistoryWriter.write(table, plume.toString(), HistoryFormat.PLUME);
        List<String> rows = TableText.rows(table);
        assertThat(TableText.rows(HistoryReader.read(plume.toString(), HistoryFormat.AUTO)))
                .as("all but the header")
                .endsWith(rows.subList(1, rows.size()).toArray(String[]::new))
                .hasSameSizeAs(rows);
        Path parquet = inputs.path("h.parquet");
        HistoryWriter.write(table, parquet.toString(), HistoryFormat.PARQUET);
        HistoryTable read = HistoryReader.read(parquet.toString(), HistoryFormat.AUTO);
        assertThat(TableText.rows(read)).isEqualTo(rows);
        String arrow = inputs.path("h.arrow").toString();
        HistoryWriter.write(table, arrow, HistoryFormat.ARROW);
        assertThat(TableText.rows(HistoryReader.read(arrow, HistoryFormat.AUTO)))
                .as("several record batches")
                .isEqualTo(rows);
        assertThat(read.whereIs(transactions - 1)).isEqualTo(parquet + ":row " + (transactions - 1));
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
    void standardInputIsNotWritten() {
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

    /** The columns, or a change of {@link #COLUMNS} from and to; the fields of a row and of its operation; the message. */
    @ParameterizedTest
    @CsvFileSource(resources = "/parquet-refused.txt", delimiter = '|', quoteCharacter = '\'')
    void parquetThatIsNoHistoryIsRefused(String from, String to, String row, String operation, String message)
            throws Exception {
        parquet(to == null ? from : COLUMNS.replace(from, to), CompressionCodecName.UNCOMPRESSED, group -> {
            append(group, row);
            if (group.getType().containsField("ops")) {
                Group ops = group.addGroup("ops");
                if (operation != null) {
                    append(ops.addGroup("list").addGroup("element"), operation);
                }
            }
        });
        String remedy = message.contains("time") ? "" : "; see storage/docs/formats.md for the columns";
        assertThat(inputs.refusal("other.parquet", HistoryFormat.AUTO)).isEqualTo("other.parquet" + message + remedy);
    }

    /** Appends fields such as {@code op=w key=1}. */
    private static void append(Group group, String fields) {
        for (String field : fields.split(" ")) {
            String[] of = field.split("=");
            switch (group.getType().getType(of[0]).asPrimitiveType().getPrimitiveTypeName()) {
                case INT64 -> group.append(of[0], Long.parseLong(of[1]));
                case DOUBLE -> group.append(of[0], Double.parseDouble(of[1]));
                default -> group.append(of[0], of[1]);
            }
        }
    }

    @Test
    void aCutFileIsRefused() throws Exception {
        parquet(COLUMNS, CompressionCodecName.UNCOMPRESSED, row -> append(row, "session=1 index=1 status=committed"));
        byte[] cut = Files.readAllBytes(inputs.path("other.parquet"));
        assertThat(inputs.refusal("cut.parquet", Arrays.copyOf(cut, cut.length - 3), HistoryFormat.AUTO))
                .startsWith("cut.parquet: found Parquet that cannot be read: ")
                .endsWith("; expected a whole Parquet file; the file is damaged or was not closed: write it again");
    }
}
