package org.polygraph.storage.format;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.storage.table.HistoryTable;

/** Compression, folders and limits of JSON Lines; {@link FormatCasesTest} has what lines mean. */
class JsonlReaderTest {
    private static final String REMEDY = "each line after the header is one transaction, as the README shows";
    private static final String TXN = "{\"session\":0,\"index\":0,\"status\":\"committed\",\"ops\":[]}\n";

    private Inputs inputs;

    @BeforeEach
    void makeInputs(@TempDir Path folder) {
        inputs = new Inputs(folder);
    }

    private static String txn(String ops) {
        return "{\"session\":0,\"index\":0,\"status\":\"committed\",\"ops\":[" + ops + "]}\n";
    }

    @Test
    void compressionIsUndoneWhateverTheName() throws Exception {
        byte[] text = TestFiles.utf8(TestFiles.HEADER + TXN);
        assertThat(inputs.read("h.jsonl.gz", TestFiles.gzip(text), HistoryFormat.AUTO)
                        .transactions())
                .isEqualTo(1);
        assertThat(inputs.read("h.jsonl.zst", TestFiles.zstd(text), HistoryFormat.JSONL)
                        .transactions())
                .isEqualTo(1);
        assertThat(inputs.read("h", TestFiles.zstd(text), HistoryFormat.AUTO).transactions())
                .isEqualTo(1);
    }

    @Test
    void allMembersOfAGzipAndAllFramesOfAZstdAreRead() throws Exception {
        byte[] first = TestFiles.utf8(TXN);
        byte[] second = TestFiles.utf8(TXN.replace("\"index\":0", "\"index\":1"));
        assertThat(inputs.read("h.gz", joined(TestFiles.gzip(first), TestFiles.gzip(second)), HistoryFormat.AUTO)
                        .transactions())
                .isEqualTo(2);
        assertThat(inputs.read("h.zst", joined(TestFiles.zstd(first), TestFiles.zstd(second)), HistoryFormat.AUTO)
                        .transactions())
                .isEqualTo(2);
    }

    private static byte[] joined(byte[] a, byte[] b) {
        byte[] both = java.util.Arrays.copyOf(a, a.length + b.length);
        System.arraycopy(b, 0, both, a.length, b.length);
        return both;
    }

    @Test
    void partsOfAFolderAreOneHistory() throws Exception {
        inputs.write("parts/part-0.jsonl", TestFiles.HEADER + TXN);
        inputs.write(
                "parts/part-1.jsonl.gz", TestFiles.gzip(TestFiles.utf8(TXN.replace("\"session\":0", "\"session\":1"))));
        inputs.write("parts/part-2.jsonl", "");
        inputs.write("parts/_SUCCESS", "");
        inputs.write("parts/.part-0.jsonl.crc", "noise");
        HistoryTable table = HistoryReader.read(inputs.path("parts").toString(), HistoryFormat.AUTO);
        assertThat(table.transactions()).isEqualTo(2);
        assertThat(table.initialValue()).isZero();
        assertThat(table.whereIs(1)).endsWith("parts/part-1.jsonl.gz:1");
        assertThat(HistoryReader.detect(inputs.path("parts").toString())).isEqualTo(HistoryFormat.JSONL);

        inputs.write(
                "parts/part-3.jsonl", TestFiles.HEADER.replace("0}", "1}") + TXN.replace("\"index\":0", "\"index\":7"));
        assertThat(inputs.refusal("parts", HistoryFormat.AUTO))
                .isEqualTo(
                        "parts/part-3.jsonl: found the initial value 1; expected 0 as in parts/part-0.jsonl; parts of one"
                                + " history share their header");
        inputs.write("parts/part-3.jsonl", "r(1,1,1,1)\n");
        assertThat(inputs.refusal("parts", HistoryFormat.AUTO))
                .isEqualTo(
                        "parts/part-3.jsonl: found plume text; expected JSON Lines as in parts/part-0.jsonl; the files of"
                                + " a folder are parts of one history");
        inputs.write("mixed/a.jsonl", "\n");
        inputs.write("mixed/b.jsonl", TXN);
        inputs.write("mixed/c.txt", "r(1,1,1,1)\n");
        assertThat(inputs.refusal("mixed", HistoryFormat.AUTO))
                .startsWith("mixed/c.txt: found plume text; expected JSON Lines as in mixed/b.jsonl;");
        inputs.write("parts/part-3.jsonl", TXN);
        assertThat(inputs.refusal("parts", HistoryFormat.AUTO))
                .isEqualTo(
                        "parts/part-3.jsonl:1: found session 0 index 0 a second time (first at parts/part-0.jsonl:2);"
                                + " expected each (session, index) once; number the transactions of a session in the order it ran"
                                + " them");
        inputs.write("parts/sub/part-3.jsonl", TXN);
        assertThat(inputs.refusal("parts", HistoryFormat.AUTO))
                .isEqualTo(
                        "parts/sub: found a folder within a folder; expected *.log files, or part files only; give the"
                                + " inner folder, or each history as its own path");
    }

    @Test
    void limitsHold() throws Exception {
        String limits =
                ": found JSON beyond the limits; expected nesting up to 100, strings up to 1048576 and names up to"
                        + " 4096 characters; " + REMEDY;
        assertThat(inputs.refusal("h", "{\"a\":" + "[".repeat(100_000))).endsWith(limits);
        assertThat(inputs.refusal("h", "{\"" + "a".repeat(1 << 20) + "\":1}")).endsWith(limits);
        assertThat(inputs.refusal("h", txn("{\"op\":\"w\",\"key\":\"" + "a".repeat(3 << 20) + "\",\"value\":1}")))
                .endsWith(limits);
        assertThat(inputs.refusal("h", txn("{\"op\":\"w\",\"key\":" + "1".repeat(1 << 20) + ",\"value\":1}")))
                .endsWith("expected an integer of 64 bits; write larger numbers as strings");
        // Skipped fields may have any length.
        assertThat(inputs.read("h", "{\"note\":\"" + "a".repeat(3 << 20) + "\"," + TXN.substring(1))
                        .transactions())
                .isEqualTo(1);
    }
}
