package org.polygraph.storage.format;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.storage.table.HistoryTable;

/** The operation "cas" in JSON Lines and Parquet. */
class CompareAndSetTest {
    @TempDir
    Path folder;

    private HistoryTable read(String... operations) throws Exception {
        Path file = folder.resolve("cas.jsonl");
        Files.writeString(
                file,
                "{\"session\":0,\"index\":0,\"start\":1,\"end\":2,\"status\":\"committed\",\"ops\":["
                        + String.join(",", operations) + "]}\n");
        return HistoryReader.read(file.toString(), HistoryFormat.JSONL);
    }

    @Test
    void oneThatWasAppliedReadsAndWrites() throws Exception {
        HistoryTable table = read("{\"op\":\"cas\",\"key\":7,\"expected\":1,\"value\":\"b\",\"ok\":true}");
        assertThat(table.operationKeys()).containsExactly(0, 1);
        assertThat(table.operationValues()).containsExactly(1, table.value(1));
        assertThat(table.values().text(table.value(1))).isEqualTo("b");
        assertThat(table.withoutRefusals()).isSameAs(table);
    }

    @Test
    void oneThatWasRefusedReadsAnythingElse() throws Exception {
        HistoryTable table = read(
                "{\"op\":\"cas\",\"key\":7,\"expected\":1,\"value\":2,\"ok\":false}",
                "{\"op\":\"cas\",\"key\":7,\"expected\":1,\"found\":5,\"ok\":false}");
        long code = table.value(0);
        assertThat(table.values().isOther(code)).isTrue();
        assertThat(table.values().excluded(code)).isEqualTo(1);
        assertThat(table.values().label(code)).isEqualTo("anything but 1");
        assertThat(table.value(1)).isEqualTo(5);
        HistoryTable rest = table.withoutRefusals();
        assertThat(rest.operationValues()).containsExactly(5);
        assertThat(rest.operationStarts()).containsExactly(0, 1);
    }
}
