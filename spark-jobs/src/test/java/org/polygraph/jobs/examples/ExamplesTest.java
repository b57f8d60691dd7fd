package org.polygraph.jobs.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.polygraph.jobs.pipeline.Budget;
import org.polygraph.jobs.pipeline.CheckRequest;
import org.polygraph.jobs.pipeline.EmbeddedChecker;
import org.polygraph.jobs.pipeline.Progress;
import org.polygraph.jobs.verdict.Counts;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.columnar.HistoryTable;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.model.HistoryException;

/** The shipped examples mean what their TRUTH.csv says. */
class ExamplesTest {
    private static final Path FOLDER = Path.of(System.getProperty("polygraph.root", ".."), "spark-jobs", "examples");

    record Truth(String file, String ser, String si) {}

    static List<Truth> truths() throws IOException {
        List<Truth> truths = new ArrayList<>();
        List<String> lines = Files.readAllLines(FOLDER.resolve("TRUTH.csv"));
        assertThat(lines.get(0)).isEqualTo("file,ser,si");
        for (String line : lines.subList(1, lines.size())) {
            String[] cells = line.split(",", 3);
            truths.add(new Truth(cells[0], cells[1], cells[2]));
        }
        return truths;
    }

    @ParameterizedTest
    @MethodSource("truths")
    void theVerdictIsTheTruth(Truth truth) throws IOException, HistoryException {
        HistoryTable table = HistoryReader.read(FOLDER.resolve(truth.file).toString(), HistoryFormat.AUTO);
        assertThat(status(table, IsolationLevel.SER)).as("ser").isEqualTo(truth.ser);
        assertThat(status(table, IsolationLevel.SI)).as("si").isEqualTo(truth.si);
    }

    private static String status(HistoryTable table, IsolationLevel level) {
        if (Counts.of(table).transactionsCommitted() == 0) {
            return Verdict.Status.INVALID.name();
        }
        return new EmbeddedChecker()
                .check(table, CheckRequest.of(level), Progress.NONE, Budget.unlimited())
                .status()
                .name();
    }

    @Test
    void everyExampleHasItsTruth() throws IOException {
        Set<String> files = new TreeSet<>();
        try (var entries = Files.newDirectoryStream(FOLDER, "*.jsonl")) {
            entries.forEach(file -> files.add(file.getFileName().toString()));
        }
        Set<String> told = new TreeSet<>();
        truths().forEach(truth -> told.add(truth.file));
        assertThat(told).isEqualTo(files);
    }

    @Test
    void theBankIsMadeByItsGenerator() throws IOException {
        assertThat(Files.readAllLines(FOLDER.resolve("bank-serializable.jsonl")))
                .isEqualTo(new BankExample().lines());
    }
}
