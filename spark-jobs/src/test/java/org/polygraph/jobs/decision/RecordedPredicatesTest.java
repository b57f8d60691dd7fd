package org.polygraph.jobs.decision;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.format.HistoryWriter;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.SplitMix;
import org.polygraph.storage.testkit.SuiteScale;

/** Predicates and columns of rows are written as they were read, in JSON Lines and in Parquet. */
class RecordedPredicatesTest {
    @TempDir
    private Path folder;

    @Test
    void areWrittenAsTheyWereRead() throws Exception {
        long seed = 0x9a4ce7;
        for (int i = 0; i < SuiteScale.of(1_000); i++) {
            SplitMix random = new SplitMix(seed + i);
            String given =
                    (i % 2 == 0 ? new ConditionHistories(random) : ConditionHistories.withUnknownRows(random)).lines();
            String what = "seed " + (seed + i) + "\n" + given;
            HistoryTable read = read(given);
            String written = lines(read);
            assertThat(lines(read(written))).as(what).isEqualTo(written);
            // The order of fields has no meaning.
            String opLast = given.replaceAll("\\{\"op\":\"(\\w+)\",([^{}]*)\\}", "{$2,\"op\":\"$1\"}");
            assertThat(lines(read(opLast))).as(what).isEqualTo(written);
            assertThat(words(written)).as(what).isEqualTo(words(given));
            Path parquet = folder.resolve("history.parquet");
            HistoryWriter.write(read.asRead(), parquet.toString(), HistoryFormat.PARQUET);
            assertThat(lines(HistoryReader.read(parquet.toString(), HistoryFormat.AUTO)))
                    .as(what)
                    .isEqualTo(written);
        }
    }

    /** The numbers of operations, and of rows and keys that they name. */
    private static String words(String lines) {
        return lines.lines()
                .filter(line -> line.contains("\"ops\""))
                .map(line -> line.replaceAll(".*\"status\":(\"\\w+\").*", "$1") + " " + line.split("\"op\"").length
                        + " " + line.split("\"where\"").length + " "
                        + line.split("\"row\"").length + " " + line.split("\"rows\"").length + " "
                        + line.split("\"lo\"").length)
                .sorted()
                .toList()
                .toString();
    }

    private HistoryTable read(String lines) throws IOException, HistoryException {
        Path file = folder.resolve("history.jsonl");
        Files.writeString(file, lines);
        return HistoryReader.read(file.toString(), HistoryFormat.JSONL);
    }

    private static String lines(HistoryTable table) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        HistoryWriter.writeJsonl(table.asRead(), out);
        return out.toString(StandardCharsets.UTF_8);
    }
}
