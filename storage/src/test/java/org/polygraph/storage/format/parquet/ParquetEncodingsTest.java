package org.polygraph.storage.format.parquet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.fail;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.parquet.column.ParquetProperties.WriterVersion;
import org.apache.parquet.conf.PlainParquetConfiguration;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.example.data.simple.SimpleGroupFactory;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.example.ExampleParquetWriter;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.io.LocalInputFile;
import org.apache.parquet.io.LocalOutputFile;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.MessageTypeParser;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.format.HistorySize;
import org.polygraph.storage.format.Inputs;
import org.polygraph.storage.format.ReaderFuzzTest;
import org.polygraph.storage.format.TableText;
import org.polygraph.storage.format.TestFiles;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.SuiteScale;
import org.xerial.snappy.Snappy;

/**
 * Random histories, written by Parquet's library in every page version, compression and schema that it has: the
 * reader, which shares nothing with it, returns what was written, or refuses strings in an encoding that only pages of
 * version 2 have. Damaged files are refused with their names.
 */
class ParquetEncodingsTest {
    private static final long MEMORY = 64L << 20;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final String[] STATUS = {"committed", "aborted", "indeterminate"};

    private Inputs inputs;

    @BeforeEach
    void makeInputs(@TempDir Path folder) {
        inputs = new Inputs(folder);
    }

    /** A random file: its encoding, its content, and the expected table. */
    private final class File {
        private final Random random;
        private final boolean narrow;
        private final boolean keyTexts;
        private final boolean valueTexts;
        private final boolean bothColumns;
        private final boolean twoLevels;
        private final boolean timed;
        private final int missing;
        private final boolean isSecondVersion;

        private final List<String> rows = new ArrayList<>();
        private final String settings;

        File(long seed, Path path, boolean plainPages) throws IOException {
            random = new Random(seed);
            narrow = random.nextInt(3) == 0;
            keyTexts = random.nextInt(4) == 0;
            valueTexts = random.nextInt(4) == 0;
            bothColumns = !keyTexts && !valueTexts && random.nextBoolean();
            twoLevels = random.nextInt(3) == 0;
            timed = random.nextBoolean();
            missing = random.nextBoolean() ? 0 : random.nextInt(100);
            MessageType type = MessageTypeParser.parseMessageType(schema());
            WriterVersion version = random.nextBoolean() ? WriterVersion.PARQUET_1_0 : WriterVersion.PARQUET_2_0;
            CompressionCodecName codec = plainPages
                    ? CompressionCodecName.UNCOMPRESSED
                    : List.of(
                                    CompressionCodecName.UNCOMPRESSED,
                                    CompressionCodecName.SNAPPY,
                                    CompressionCodecName.GZIP,
                                    CompressionCodecName.ZSTD)
                            .get(random.nextInt(4));
            boolean dictionary = random.nextInt(3) > 0;
            boolean split = random.nextInt(4) == 0;
            int pageRows = 1 + random.nextInt(random.nextBoolean() ? 50 : 20_000);
            int dictionaryBytes = random.nextBoolean() ? 200 : 1 << 20;
            isSecondVersion = version == WriterVersion.PARQUET_2_0;
            int groupBytes = random.nextBoolean() ? 1000 : 1 << 20;
            Files.deleteIfExists(path);
            try (ParquetWriter<Group> writer = ExampleParquetWriter.builder(new LocalOutputFile(path))
                    .withConf(new PlainParquetConfiguration())
                    .withType(type)
                    .withCompressionCodec(codec)
                    .withWriterVersion(version)
                    .withDictionaryEncoding(dictionary)
                    .withByteStreamSplitEncoding(split)
                    .withPageRowCountLimit(pageRows)
                    .withPageSize(random.nextBoolean() ? 100 : 1 << 20)
                    .withDictionaryPageSize(dictionaryBytes)
                    .withRowGroupSize((long) groupBytes)
                    .withMinRowCountForPageSizeCheck(1)
                    .withPageWriteChecksumEnabled(!plainPages)
                    .build()) {
                int transactions = random.nextInt(plainPages ? 40 : 900);
                // Ascending integers, for which differences and runs are meant, and arbitrary ones.
                int spread = random.nextInt(3);
                for (int t = 0; t < transactions; t++) {
                    writer.write(transaction(type, t, spread));
                }
            }
            settings = "seed " + seed + ": " + version + " " + codec + " dictionary " + dictionary + " split " + split
                    + " " + schema();
        }

        private String schema() {
            String integer = narrow ? "int32" : "int64";
            String fields = "required binary op (STRING); optional "
                    + (keyTexts ? "binary key (STRING)" : integer + " key")
                    + "; " + (bothColumns ? "optional binary key_string (STRING); " : "") + "optional "
                    + (valueTexts ? "binary value (UTF8)" : integer + " value") + "; "
                    + (bothColumns ? "optional binary value_string (STRING); " : "") + "optional double noise; ";
            return "message m { optional boolean more; required " + integer + " session; required int64 index; "
                    + (timed ? "optional int64 start; optional int64 end; " : "")
                    + "required binary status (STRING); "
                    + (twoLevels
                            ? "repeated group ops { " + fields + "}"
                            : "optional group ops (LIST) { repeated group list { required group element { " + fields
                                    + "} } }")
                    + " }";
        }

        private Group transaction(MessageType type, int t, int spread) {
            Group group = new SimpleGroupFactory(type).newGroup();
            int session = t / 100;
            if (narrow) {
                group.append("session", session);
            } else {
                group.append("session", (long) session);
            }
            group.append("index", (long) t);
            String status = STATUS[random.nextInt(20) == 0 ? random.nextInt(3) : 0];
            group.append("status", status);
            long start = HistoryTable.NO_TIME;
            long end = HistoryTable.NO_TIME;
            if (timed && random.nextInt(100) >= missing) {
                start = 1_000_000L * t + random.nextInt(1000);
                end = start + random.nextInt(1000);
                group.append("start", start).append("end", end);
            }
            StringBuilder row = new StringBuilder();
            int operations = random.nextInt(10) == 0 ? random.nextInt(60) : random.nextInt(5);
            Group list = twoLevels ? group : operations == 0 && random.nextBoolean() ? null : group.addGroup("ops");
            for (int o = 0; o < operations; o++) {
                Group element = twoLevels
                        ? group.addGroup("ops")
                        : list.addGroup("list").addGroup("element");
                operation(element, row, t, spread);
            }
            rows.add(session + " " + t + " " + status + " " + start + " " + end + row);
            return group;
        }

        private void operation(Group element, StringBuilder row, int t, int spread) {
            String op = random.nextBoolean() ? "r" : "w";
            element.append("op", op);
            boolean text = bothColumns && random.nextInt(100) < missing;
            row.append(' ').append(op).append(' ').append(put(element, "key", keyTexts, text, number(t, spread) >> 2));
            row.append('=');
            if (random.nextInt(200) < missing) {
                row.append("null");
            } else {
                text = bothColumns && random.nextInt(100) < missing;
                row.append(put(element, "value", valueTexts, text, number(t, spread)));
            }
        }

        private long number(int t, int spread) {
            long number = spread == 0 ? t : spread == 1 ? random.nextLong() : random.nextInt(1000);
            return narrow ? (int) number : random.nextInt(50) == 0 ? Long.MAX_VALUE - random.nextInt(2) : number;
        }

        /** Writes an integer or its text. Returns the label in a table. */
        private String put(Group element, String name, boolean texts, boolean other, long number) {
            if (texts || other) {
                element.append(other ? name + "_string" : name, "x" + number);
                return "\"x" + number + '"';
            }
            if (narrow) {
                element.append(name, (int) number);
            } else {
                element.append(name, number);
            }
            return Long.toString(number);
        }

        List<String> expected() {
            List<String> expected = new ArrayList<>(rows);
            expected.add(0, "initial null {}");
            return expected;
        }
    }

    private void agree(long first, int rounds) throws Exception {
        Path path = inputs.path("h.parquet");
        int refused = 0;
        int ofSecondVersion = 0;
        for (long seed = first; seed < first + rounds; seed++) {
            File file = new File(seed, path, false);
            size(path, file);
            List<String> rows;
            try {
                rows = TableText.rows(HistoryReader.read(path.toString(), HistoryFormat.AUTO));
            } catch (HistoryException e) {
                // A dictionary that saves nothing is not used.
                assertThat(file.isSecondVersion)
                        .as(file.settings + ": " + e.getMessage())
                        .isTrue();
                assertThat(e.getMessage())
                        .startsWith(path.toString())
                        .contains("strings in DELTA_BYTE_ARRAY; expected", "rewrite the file with pyarrow");
                refused++;
                continue;
            }
            assertThat(rows).as(file.settings).isEqualTo(file.expected());
            ofSecondVersion += file.isSecondVersion ? 1 : 0;
        }
        System.out.println(ofSecondVersion + " of version 2 were read, " + refused + " refused");
        assertThat(refused).isPositive();
        assertThat(ofSecondVersion).isPositive();
    }

    /** The footer has the same content as read by Parquet's library. */
    private static void size(Path path, File file) throws Exception {
        long transactions = 0;
        long operations = 0;
        try (ParquetFileReader reader = ParquetFileReader.open(new LocalInputFile(path))) {
            for (BlockMetaData group : reader.getRowGroups()) {
                transactions += group.getRowCount();
                for (ColumnChunkMetaData column : group.getColumns()) {
                    operations += column.getPath().toDotString().endsWith("op") ? column.getValueCount() : 0;
                }
            }
            assertThat(ParquetHistoryReader.groups(Location.of(path.toString())))
                    .as(file.settings)
                    .isEqualTo(reader.getRowGroups().size());
        }
        HistorySize size = HistorySize.of(path.toString(), HistoryFormat.AUTO);
        assertThat(size.counts().transactions())
                .as(file.settings)
                .isEqualTo(transactions)
                .isEqualTo(file.rows.size());
        assertThat(size.counts().operations()).as(file.settings).isEqualTo(operations);
        assertThat(size.counts().sessions()).as(file.settings).isEqualTo((transactions + 99) / 100);
    }

    @Test
    void everythingThatTheLibraryWritesIsRead() throws Exception {
        agree(1, SuiteScale.of(80));
    }

    @Test
    void pagesOfAnotherSizeThanAnnouncedAreRefused() throws IOException {
        byte[] page = new byte[100];
        new Random(1).nextBytes(page);
        Map<PageCompression, byte[]> compressed = Map.of(
                PageCompression.NONE, page,
                PageCompression.SNAPPY, Snappy.compress(page),
                PageCompression.GZIP, TestFiles.gzip(page),
                PageCompression.ZSTD, TestFiles.zstd(page));
        for (PageCompression compression : PageCompression.values()) {
            byte[] from = compressed.get(compression);
            byte[] into = new byte[page.length];
            compression.undo(from, 0, from.length, into, 0, page.length);
            assertThat(into).isEqualTo(page);
            for (int size : new int[] {page.length - 1, page.length + 1}) {
                assertThatThrownBy(() -> compression.undo(from, 0, from.length, new byte[size], 0, size))
                        .as(compression + " " + size)
                        .isInstanceOf(IOException.class);
            }
        }
    }

    private void damage(long first, int files, int times) throws Exception {
        Path path = inputs.path("h.parquet");
        int refused = 0;
        for (long seed = first; seed < first + files; seed++) {
            // Without checksums and compression, every change reaches the decoder.
            File file = new File(seed, path, true);
            byte[] bytes = Files.readAllBytes(path);
            Random random = new Random(~seed);
            for (int i = 0; i < times; i++) {
                refused += isRefused(ReaderFuzzTest.damaged(bytes, random), file.settings + ", damage " + i) ? 1 : 0;
            }
        }
        assertThat(refused).isGreaterThan(files * times / 10);
    }

    /** Whether a damaged file is refused. If not, it is read. Both take little memory. */
    private boolean isRefused(byte[] bytes, String what) throws IOException {
        Path damaged = inputs.path("damaged.parquet");
        Files.write(damaged, bytes);
        long allocated = THREADS.getCurrentThreadAllocatedBytes();
        boolean refused = false;
        try {
            TableText.rows(HistoryReader.read(damaged.toString(), HistoryFormat.PARQUET, () -> false, MEMORY));
        } catch (HistoryException e) {
            refused = true;
            if (!e.getMessage().startsWith(damaged.toString()) || e.getMessage().contains("\n")) {
                fail(what + ": " + e.getMessage());
            }
        } catch (BudgetException e) {
            fail(what + " takes memory: " + e.getMessage());
        } catch (RuntimeException | Error e) {
            throw new AssertionError(what, e);
        }
        // Memory that is released at once counts too, because the heap decides whether it fits.
        assertThat(THREADS.getCurrentThreadAllocatedBytes() - allocated)
                .as(what + " of " + bytes.length + " bytes: bytes of memory")
                .isLessThan(MEMORY);
        return refused;
    }

    @Test
    void damagedPagesAreRefusedOrRead() throws Exception {
        damage(1, 20, SuiteScale.of(100));
    }

    /** A page of differences whose header announces a block of 147,096,478,008 miniblocks. */
    @Test
    void claimedDifferencesTakeNoMemory() throws Exception {
        Path path = inputs.path("h.parquet");
        File file = new File(1_000_149, path, true);
        byte[] bytes = Files.readAllBytes(path);
        Random random = new Random(~1_000_149L);
        byte[] damaged = bytes;
        for (int i = 0; i <= 211; i++) {
            damaged = ReaderFuzzTest.damaged(bytes, random);
        }
        assertThat(isRefused(damaged, file.settings + ", damage 211")).isTrue();
    }
}
