package org.polygraph.storage.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.storage.format.pieces.Piece;
import org.polygraph.storage.format.pieces.PieceMerge;
import org.polygraph.storage.format.pieces.ReadPlan;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.table.HistoryTable;

/** Errors in paths, compression and detection; {@link FormatCasesTest} has those of files and folders. */
class BadInputTest {
    private static final String JSONL = "{\"session\":0,\"index\":0,\"status\":\"committed\",\"ops\":[]}\n";

    private Inputs inputs;

    @BeforeEach
    void makeInputs(@TempDir Path folder) {
        inputs = new Inputs(folder);
    }

    @Test
    void pathsThatCannotBeReadAreIoExceptions() throws Exception {
        assertThatThrownBy(() -> HistoryReader.read(inputs.path("nowhere").toString(), HistoryFormat.AUTO))
                .isInstanceOf(NoSuchFileException.class)
                .hasMessage(inputs.path("nowhere") + ": no such file or folder");
        assertThatThrownBy(() -> HistoryReader.read("a\0b", HistoryFormat.AUTO))
                .isInstanceOf(NoSuchFileException.class)
                .hasMessage("a\0b: not a path: Nul character not allowed");
        assertThatThrownBy(() -> HistoryReader.read("nosuchscheme:/a", HistoryFormat.AUTO))
                .isInstanceOf(IOException.class)
                .hasMessage("nosuchscheme:/a: cannot be reached: No FileSystem for scheme \"nosuchscheme\"");
        assertThatThrownBy(() -> HistoryReader.detect("-"))
                .isInstanceOf(IOException.class)
                .hasMessage("-: standard input is read once; give its format with -f or let read find it");
    }

    @Test
    void anUnreadableFileIsAnIoException() throws Exception {
        Path path = Path.of(inputs.write("h.jsonl", JSONL));
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("---------"));
        assumeTrue(!Files.isReadable(path), "skipped: this user may read everything");
        assertThatThrownBy(() -> HistoryReader.read(path.toString(), HistoryFormat.AUTO))
                .isInstanceOf(AccessDeniedException.class)
                .hasMessage(path.toString());
    }

    @Test
    void emptyAndUnknownContent() throws Exception {
        String empty = ": found an empty file; expected a history; check how it was written";
        assertThat(inputs.refusal("h.gz", TestFiles.gzip(new byte[0]), HistoryFormat.AUTO))
                .isEqualTo("h.gz" + empty);
        assertThat(inputs.refusal("h.zst", TestFiles.zstd(new byte[0]), HistoryFormat.PLUME))
                .isEqualTo("h.zst" + empty);
        byte[] noise = new byte[5000];
        new Random(1).nextBytes(noise);
        assertThat(inputs.refusal("h", noise, HistoryFormat.AUTO))
                .isEqualTo(
                        "h: found content of no format known; expected jsonl, parquet, arrow, dbcop, plume, edn, elle-json, or a folder of Cobra"
                                + " logs; name the format with -f to see what is wrong with it");
        assertThat(inputs.refusal("h", noise, HistoryFormat.JSONL))
                .startsWith("h:1:")
                .contains("; expected ")
                .doesNotContain("invalid JSON");
        assertThat(inputs.refusal("h", noise, HistoryFormat.PLUME)).startsWith("h:1:1: found ");
        assertThat(inputs.refusal("h", noise, HistoryFormat.DBCOP)).startsWith("h:byte ");
        assertThat(inputs.refusal("h", noise, HistoryFormat.PARQUET))
                .startsWith("h: found Parquet that cannot be read: ");
    }

    @Test
    void theLookOfOtherContentIsNamed() throws Exception {
        for (String charset : List.of("UTF-16", "UTF-16LE", "UTF-16BE", "UTF-32", "UTF-32LE", "UTF-32BE")) {
            for (HistoryFormat format : List.of(HistoryFormat.AUTO, HistoryFormat.JSONL)) {
                for (String text : List.of(JSONL, TestFiles.HEADER + JSONL)) {
                    assertThat(inputs.refusal("h", text.getBytes(charset), format))
                            .as(charset)
                            .isEqualTo("h:1:1: found text in UTF-16 or UTF-32; expected UTF-8; convert it, for example"
                                    + " with iconv -f UTF-16 -t UTF-8");
                }
            }
        }
    }

    /** Writers that distribute rows may leave empty part files. */
    @Test
    void blankPartsArePassedOver() throws Exception {
        inputs.write("p/0.jsonl", "\n \r\n");
        inputs.write("p/1.jsonl", "{\"format\":\"history\",\"version\":1}\n" + JSONL);
        inputs.write("p/2.jsonl", "");
        inputs.write("p/3.jsonl.gz", TestFiles.gzip(new byte[0]));
        inputs.write("p/4.jsonl", "\n");
        inputs.write("p/5.jsonl", JSONL.replace("\"session\":0", "\"session\":1"));
        String folder = inputs.path("p").toString();
        assertThat(HistoryReader.detect(folder)).isEqualTo(HistoryFormat.JSONL);
        HistoryTable whole = HistoryReader.read(folder, HistoryFormat.AUTO);
        assertThat(whole.transactions()).isEqualTo(2);
        assertThat(whole.whereIs(1)).isEqualTo(inputs.path("p/5.jsonl") + ":1");
        ReadPlan plan = Objects.requireNonNull(ReadPlan.of(folder, HistoryFormat.AUTO, 1 << 20, () -> false));
        PieceMerge merge = new PieceMerge(plan, Long.MAX_VALUE);
        for (Piece piece : plan.pieces()) {
            merge.add(piece.read(() -> false, Long.MAX_VALUE));
        }
        HistoryTable merged = merge.table();
        assertThat(merged.transactions()).isEqualTo(2);
        assertThat(merged.whereIs(1)).isEqualTo(whole.whereIs(1));
    }

    @Test
    void aWrongFormatNamesTheRightOne() throws Exception {
        inputs.write("h.jsonl", JSONL);
        inputs.write("h.txt", "r(1,1,1,1)\n");
        inputs.write("h.bin", TestFiles.gzip(TestFiles.dbcop()));
        HistoryWriter.write(
                HistoryReader.read(inputs.path("h.jsonl").toString(), HistoryFormat.AUTO),
                inputs.path("h.parquet").toString(),
                HistoryFormat.PARQUET);
        assertThat(inputs.refusal("h.parquet", HistoryFormat.JSONL))
                .isEqualTo("h.parquet: found Parquet; expected JSON Lines (-f jsonl); give -f parquet or -f auto");
        for (HistoryFormat format : HistoryFormat.values()) {
            assertThat(HistoryFormat.LABELS.split(", | or ")).contains(format.label());
        }
        assertThat(HistoryReader.detect(inputs.path("h.jsonl").toString())).isEqualTo(HistoryFormat.JSONL);
        assertThat(HistoryReader.detect(inputs.path("h.txt").toString())).isEqualTo(HistoryFormat.PLUME);
        assertThat(HistoryReader.detect(inputs.path("h.bin").toString())).isEqualTo(HistoryFormat.DBCOP);
        assertThat(HistoryReader.detect(inputs.path("h.parquet").toString())).isEqualTo(HistoryFormat.PARQUET);
    }

    @Test
    void cutAndDamagedCompression() throws Exception {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 2000; i++) {
            text.append(JSONL.replace("\"index\":0", "\"index\":" + i * 7919));
        }
        byte[] content = TestFiles.utf8(text.toString());
        byte[] gzip = TestFiles.gzip(content);
        byte[] zstd = TestFiles.zstd(content);
        String cut = "in the middle; expected a complete one; the file is cut off: copy it again";
        for (int length : new int[] {5, 12, gzip.length / 2, gzip.length - 9, gzip.length - 1}) {
            assertThat(inputs.refusal("h.gz", Arrays.copyOf(gzip, length), HistoryFormat.AUTO))
                    .as("length " + length)
                    .isEqualTo("h.gz: found a gzip stream that stops " + cut);
        }
        for (int length : new int[] {5, zstd.length / 2, zstd.length - 1}) {
            assertThat(inputs.refusal("h.zst", Arrays.copyOf(zstd, length), HistoryFormat.AUTO))
                    .as("length " + length)
                    .isEqualTo("h.zst: found a zstd stream that stops " + cut);
        }
        byte[] checksum = gzip.clone();
        checksum[checksum.length - 6] ^= 1;
        assertThat(inputs.refusal("h.gz", checksum, HistoryFormat.JSONL))
                .isEqualTo(
                        "h.gz: found damaged gzip data: a checksum that does not match the data; expected valid gzip; the"
                                + " file is damaged: copy it again (gzip -t tests it)");
        assertThat(inputs.refusal("h.gz", Arrays.copyOf(gzip, gzip.length + 5), HistoryFormat.JSONL))
                .isEqualTo(
                        "h.gz: found damaged gzip data: bytes after the compressed data that are not gzip; expected valid"
                                + " gzip; the file is damaged: copy it again (gzip -t tests it)");
        assertThat(inputs.refusal("h.gz", content, HistoryFormat.AUTO))
                .isEqualTo("h.gz: found content that is not compressed by gzip; expected gzip, as the name ends in .gz;"
                        + " rename the file or compress it");
        assertThat(inputs.refusal("h.zst", gzip, HistoryFormat.AUTO))
                .isEqualTo(
                        "h.zst: found content that is not compressed by zstd; expected zstd, as the name ends in .zst;"
                                + " rename the file or compress it");
    }

    @Test
    void standardInputIsReadInAnyFormatButParquet() throws Exception {
        byte[][] contents = {
            TestFiles.utf8(JSONL),
            TestFiles.gzip(TestFiles.utf8(JSONL)),
            TestFiles.dbcop(),
            TestFiles.utf8("r(1,1,1,1)")
        };
        InputStream before = System.in;
        try {
            for (byte[] content : contents) {
                System.setIn(new ByteArrayInputStream(content));
                assertThat(HistoryReader.read("-", HistoryFormat.AUTO).transactions())
                        .isPositive();
            }
            System.setIn(new ByteArrayInputStream(TestFiles.utf8("PAR1 and so on")));
            assertThat(inputs.refusal("-", HistoryFormat.AUTO))
                    .isEqualTo(
                            "-: found Parquet from a pipe; expected a file; save it first: Parquet is read from its end");
            System.setIn(new ByteArrayInputStream(new byte[0]));
            assertThat(inputs.refusal("-", HistoryFormat.AUTO))
                    .isEqualTo("-: found an empty file; expected a history; check how it was written");
        } finally {
            System.setIn(before);
        }
    }

    @Test
    void budgetsEndAReadWithoutAResult() throws Exception {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 200_000; i++) {
            text.append("w(").append(i).append(",1,1,").append(i).append(")\n");
        }
        String path = inputs.write("h.txt", text.toString());
        AtomicInteger asked = new AtomicInteger();
        assertThatThrownBy(() ->
                        HistoryReader.read(path, HistoryFormat.AUTO, () -> asked.incrementAndGet() > 3, Long.MAX_VALUE))
                .isInstanceOf(BudgetException.class)
                .hasMessage(path + ": reading stopped: time ran out or the run was cancelled");
        assertThatThrownBy(() -> HistoryReader.read(path, HistoryFormat.AUTO, () -> false, 1 << 20))
                .isInstanceOf(BudgetException.class)
                .hasMessageContaining("MiB of 1 MiB of memory");
        // Very many sessions that all stay open.
        StringBuilder sessions = new StringBuilder();
        for (int i = 0; i < 1_000_000; i++) {
            sessions.append("w(1,1,").append(i).append(",0)\n");
        }
        String bomb = inputs.write("bomb.gz", TestFiles.gzip(TestFiles.utf8(sessions.toString())));
        assertThatThrownBy(() -> HistoryReader.read(bomb, HistoryFormat.AUTO, () -> false, 64 << 20))
                .isInstanceOf(BudgetException.class);
    }
}
