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
    void partsOfAFolderMayBeCompressed() throws Exception {
        inputs.write("parts/part-0.jsonl", TestFiles.HEADER + TXN);
        inputs.write(
                "parts/part-1.jsonl.gz", TestFiles.gzip(TestFiles.utf8(TXN.replace("\"session\":0", "\"session\":1"))));
        HistoryTable table = HistoryReader.read(inputs.path("parts").toString(), HistoryFormat.AUTO);
        assertThat(table.transactions()).isEqualTo(2);
        assertThat(table.whereIs(1)).endsWith("parts/part-1.jsonl.gz:1");
        assertThat(HistoryReader.detect(inputs.path("parts").toString())).isEqualTo(HistoryFormat.JSONL);
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
