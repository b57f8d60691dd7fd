package org.polygraph.jobs.decision;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.format.HistoryWriter;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.Law;
import org.polygraph.storage.testkit.SimulatedHistory;
import org.polygraph.storage.testkit.SplitMix;
import org.polygraph.storage.testkit.TestFolders;

/** Predicates and columns of rows are written as they were read, in JSON Lines and in Parquet. */
final class RecordedPredicates implements Law.Property<Example> {
    @Override
    public void holds(Example history, SplitMix random, Law.Tally tally) throws Exception {
        String given = history.text();
        HistoryTable read = history.table();
        String written = written(read);
        assertThat(written(SimulatedHistory.read(written))).as(given).isEqualTo(written);
        // The order of fields has no meaning.
        String opLast = given.replaceAll("\\{\"op\":\"(\\w+)\",([^{}]*)\\}", "{$2,\"op\":\"$1\"}");
        assertThat(written(SimulatedHistory.read(opLast))).as(given).isEqualTo(written);
        assertThat(words(written)).as(given).isEqualTo(words(given));
        Path parquet = Files.createTempFile(TestFolders.root(), "predicates", ".parquet");
        try {
            HistoryWriter.write(read.asRead(), parquet.toString(), HistoryFormat.PARQUET);
            assertThat(written(HistoryReader.read(parquet.toString(), HistoryFormat.AUTO)))
                    .as(given)
                    .isEqualTo(written);
        } finally {
            Files.delete(parquet);
        }
        tally.count(written.contains("\"pr\"") ? "queries" : "none");
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

    /** A table as JSON Lines. */
    static String written(HistoryTable table) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        HistoryWriter.writeJsonl(table.asRead(), out);
        return out.toString(StandardCharsets.UTF_8);
    }
}
