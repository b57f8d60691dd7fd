package org.polygraph.storage.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.table.HistoryTable;

/** Compressed dbcop, long Plume and budgets; {@link FormatCasesTest} has what files mean, and their damage. */
class BinaryReadersTest {
    private static final String NONE = HistoryTable.NO_TIME + " " + HistoryTable.NO_TIME;

    private Inputs inputs;

    @BeforeEach
    void makeInputs(@TempDir Path folder) {
        inputs = new Inputs(folder);
    }

    @Test
    void dbcopKeepsWhatHappened() throws Exception {
        for (byte[] content : new byte[][] {TestFiles.dbcop(), TestFiles.gzip(TestFiles.dbcop())}) {
            HistoryTable table = inputs.read("h.bincode", content, HistoryFormat.AUTO);
            assertThat(TableText.rows(table))
                    .containsExactly(
                            "initial 0 {}",
                            "0 0 committed " + NONE + " w 1=10 r 2=0",
                            "0 1 aborted " + NONE + " w 1=11",
                            "1 0 committed " + NONE + " r 1=10");
            assertThat(table.whereIs(0)).endsWith("h.bincode:byte 88");
        }
    }

    @Test
    void lengthsOfCompressedDbcopThatLieAreRefused() throws Exception {
        byte[] gzip = TestFiles.gzip(TestFiles.dbcopHeader().i64(Long.MAX_VALUE).bytes());
        assertThat(inputs.refusal("h.gz", gzip, HistoryFormat.DBCOP))
                .isEqualTo(
                        "h.gz:byte 80: found the end of the file; expected the number of transactions of session 0 (8"
                                + " bytes); the file is cut off: copy it again");
    }

    @Test
    void plumeBuffersMeetAnywhere() throws Exception {
        // Lines end at every offset around the end of the buffer.
        for (int pad = 0; pad < 40; pad++) {
            StringBuilder text = new StringBuilder("\n".repeat(pad));
            int lines = 30_000;
            for (int i = 0; i < lines; i++) {
                text.append("w(")
                        .append(i % 7)
                        .append(',')
                        .append(i)
                        .append(",1,")
                        .append(i / 3)
                        .append(")\n");
            }
            HistoryTable table = inputs.read("h", text.toString());
            assertThat(table.operations()).isEqualTo(lines);
            assertThat(table.value(lines - 1)).isEqualTo(lines - 1);
            assertThat(table.whereIs(lines / 3 - 1)).endsWith("h:" + (pad + lines - 2));
        }
    }

    @Test
    void budgetsEndIt() throws Exception {
        TestFiles.Binary events = TestFiles.dbcopHeader().i64(1, 1000);
        for (int t = 0; t < 1000; t++) {
            events.i64(50);
            for (int e = 0; e < 50; e++) {
                events.u8(0).i64(1, 2).u8(1);
            }
            events.u8(1);
        }
        TestFiles.Binary reads = TestFiles.cobra();
        for (int t = 0; t < 20_000; t++) {
            reads.u8('S').i64(t).u8('R').i64(1, 2, 3, 4).u8('C').i64(t);
        }
        inputs.write("c/T1.log", reads.bytes());
        for (String path : List.of(
                inputs.write("h.bincode", events.bytes()), inputs.path("c").toString())) {
            AtomicInteger asked = new AtomicInteger();
            assertThatThrownBy(() ->
                            HistoryReader.read(path, HistoryFormat.AUTO, () -> asked.incrementAndGet() > 9, 8L << 30))
                    .isInstanceOf(BudgetException.class)
                    .hasMessageContaining("time ran out");
            assertThatThrownBy(() -> HistoryReader.read(path, HistoryFormat.AUTO, () -> false, 1000))
                    .isInstanceOf(BudgetException.class)
                    .hasMessageContaining("more memory");
        }
    }
}
