package org.polygraph.storage.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.table.HistoryTable;

/** Dbcop and Cobra: their meaning, and every kind of damage. */
class BinaryReadersTest {
    private static final String NONE = HistoryTable.NO_TIME + " " + HistoryTable.NO_TIME;
    private static final String DBCOP_REMEDY = "the file is damaged or another format: give the right one with -f";

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

    private String dbcop(TestFiles.Binary content) throws Exception {
        return inputs.refusal("h.bincode", content.bytes(), HistoryFormat.DBCOP);
    }

    @Test
    void dbcopLengthsThatLieAreRefused() throws Exception {
        assertThat(dbcop(TestFiles.dbcopHeader().i64(-1)))
                .isEqualTo(
                        "h.bincode:byte 72: found -1 as the number of sessions; expected 0 or more; " + DBCOP_REMEDY);
        assertThat(dbcop(TestFiles.dbcopHeader().i64(1L << 50)))
                .isEqualTo(
                        "h.bincode:byte 72: found 1125899906842624 as the number of sessions; expected at most 0, what the"
                                + " rest of the file can hold; " + DBCOP_REMEDY);
        assertThat(dbcop(TestFiles.dbcopHeader().i64(1, 1, Long.MAX_VALUE, 0, 0)))
                .isEqualTo(
                        "h.bincode:byte 88: found 9223372036854775807 as the number of events; expected at most 0, what"
                                + " the rest of the file can hold; " + DBCOP_REMEDY);
        byte[] gzip = TestFiles.gzip(TestFiles.dbcopHeader().i64(Long.MAX_VALUE).bytes());
        assertThat(inputs.refusal("h.gz", gzip, HistoryFormat.DBCOP))
                .isEqualTo(
                        "h.gz:byte 80: found the end of the file; expected the number of transactions of session 0 (8"
                                + " bytes); the file is cut off: copy it again");
        assertThat(dbcop(new TestFiles.Binary(java.nio.ByteOrder.LITTLE_ENDIAN)
                        .i64(1, 2, 3, 4, 5, 999)
                        .i64(1)))
                .isEqualTo(
                        "h.bincode:byte 40: found 999 as the number of bytes of the header string \"info\"; expected at"
                                + " most 8, what the rest of the file can hold; " + DBCOP_REMEDY);
    }

    @Test
    void dbcopFlagsAndEndsAreChecked() throws Exception {
        byte[] valid = TestFiles.dbcop();
        assertThat(inputs.refusal("h", Arrays.copyOf(valid, valid.length - 1), HistoryFormat.AUTO))
                .isEqualTo("h:byte " + (valid.length - 1)
                        + ": found the end of the file; expected the flag a transaction's success (1 byte); the file is cut"
                        + " off: copy it again");
        assertThat(inputs.refusal("h", Arrays.copyOf(valid, valid.length + 3), HistoryFormat.AUTO))
                .isEqualTo("h:byte " + valid.length
                        + ": found bytes after the last session; expected the end of the file; " + DBCOP_REMEDY);
        byte[] flag = valid.clone();
        flag[flag.length - 1] = 7;
        assertThat(inputs.refusal("h", flag, HistoryFormat.AUTO))
                .isEqualTo("h:byte " + (valid.length - 1)
                        + ": found 7 as the flag a transaction's success; expected 0 or 1; " + DBCOP_REMEDY);
    }

    @Test
    void cobraIdentifiesVersionsByWriterWriteAndValue() throws Exception {
        inputs.write("c/T7.log", TestFiles.cobraLog(77));
        inputs.write(
                "c/T5.log",
                TestFiles.cobra()
                        .u8('S')
                        .i64(9)
                        .u8('R')
                        .i64(1, 77, 5, 8)
                        .u8('R')
                        .i64(1, 77, 5, 7)
                        .u8('C')
                        .i64(9)
                        .u8(0xFF, 1, 2, 3)
                        .bytes());
        inputs.write("c/notes.txt", "ignored");
        HistoryTable table = HistoryReader.read(inputs.path("c").toString(), HistoryFormat.AUTO);
        assertThat(TableText.rows(table))
                .containsExactly(
                        "initial null {}",
                        "5 0 committed " + NONE + " r 5=\"8@1.77\" r 5=\"7@1.77\"",
                        "7 0 committed " + NONE + " w 5=\"7@1.77\"",
                        "7 1 committed " + NONE + " r 5=\"7@1.77\" r 6=null r 8=null",
                        "7 2 indeterminate " + NONE + " w 5=\"7@3.77\"");
        assertThat(table.whereIs(2)).endsWith("c/T7.log:byte 43");
        long[] values = table.operationValues();
        assertThat(values[1]).isEqualTo(values[2]).isEqualTo(values[3]).isNotEqualTo(values[0]);
    }

    @Test
    void cobraWithoutWriteIdsIdentifiesByValue() throws Exception {
        inputs.write("c/a.log", TestFiles.cobraLog(0xABDDEFEEL));
        inputs.write("c/b.log", "");
        assertThat(TableText.rows(HistoryReader.read(inputs.path("c").toString(), HistoryFormat.COBRA)))
                .containsExactly(
                        "initial null {}",
                        "0 0 committed " + NONE + " w 5=7",
                        "0 1 committed " + NONE + " r 5=7 r 6=null r 8=null",
                        "0 2 indeterminate " + NONE + " w 5=7");
    }

    private String cobra(TestFiles.Binary log) throws Exception {
        inputs.write("c/T1.log", log.bytes());
        return inputs.refusal("c", HistoryFormat.AUTO);
    }

    @Test
    void badCobraRecordsAreLocated() throws Exception {
        assertThat(cobra(TestFiles.cobra().u8('S').i64(1).u8('X')))
                .isEqualTo(
                        "c/T1.log:byte 9: found the byte 0x58 as a record's tag; expected S, C, W, R or 0xff; the log is"
                                + " damaged or another format: give the right one with -f");
        assertThat(cobra(TestFiles.cobra().u8('S').i64(1).u8('W').i64(2, 3)))
                .isEqualTo(
                        "c/T1.log:byte 26: found the end of the file; expected a write's value (8 bytes); the file is cut"
                                + " off: copy it again");
        assertThat(cobra(TestFiles.cobra().u8('W').i64(2, 3, 4)))
                .isEqualTo(
                        "c/T1.log:byte 0: found a write outside of a transaction; expected S (start) first; the log is"
                                + " damaged or its beginning is missing");
        assertThat(cobra(TestFiles.cobra().u8('S').i64(1).u8('C').i64(2)))
                .isEqualTo(
                        "c/T1.log:byte 9: found a commit of transaction 2; expected of 1, which is open; one log holds one"
                                + " client: do not merge logs");
        assertThat(cobra(TestFiles.cobra().u8('C').i64(2)))
                .isEqualTo(
                        "c/T1.log:byte 0: found a commit outside of a transaction; expected S (start) first; the log is"
                                + " damaged or its beginning is missing");
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
