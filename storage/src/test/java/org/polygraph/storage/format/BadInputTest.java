package org.polygraph.storage.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.storage.format.pieces.Piece;
import org.polygraph.storage.format.pieces.PieceMerge;
import org.polygraph.storage.format.pieces.ReadPlan;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.table.HistoryTable;

/** Errors in paths, and budgets; {@link FormatCasesTest} has errors in files and folders, compressed-and-other-content.case those of compression. */
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
    void messagesNameEveryFormat() {
        for (HistoryFormat format : HistoryFormat.values()) {
            assertThat(List.of(HistoryFormat.LABELS.split(", | or ")).contains(format.label()))
                    .isEqualTo(format.isRead());
            assertThat(List.of(HistoryFormat.WRITTEN.split(", | or ")).contains(format.label()))
                    .isEqualTo(format != HistoryFormat.AUTO);
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
