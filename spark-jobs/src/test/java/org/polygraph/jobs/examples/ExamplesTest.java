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
import org.polygraph.jobs.application.EmbeddedChecker;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Progress;
import org.polygraph.jobs.verdict.Counts;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;

/** The shipped examples mean what their TRUTH.csv says. */
class ExamplesTest {
    private static final Path FOLDER = Path.of(System.getProperty("polygraph.root", ".."), "spark-jobs", "examples");

    /** The strict levels are empty where a history has no times. */
    record Truth(String file, String ser, String si, String sser, String ssi) {}

    static List<Truth> truths() throws IOException {
        List<Truth> truths = new ArrayList<>();
        List<String> lines = Files.readAllLines(FOLDER.resolve("TRUTH.csv"));
        assertThat(lines.get(0)).isEqualTo("file,ser,si,sser,ssi");
        for (String line : lines.subList(1, lines.size())) {
            String[] cells = line.split(",", 5);
            truths.add(new Truth(cells[0], cells[1], cells[2], cells[3], cells[4]));
        }
        return truths;
    }

    @ParameterizedTest
    @MethodSource("truths")
    void theVerdictIsTheTruth(Truth truth) throws IOException, HistoryException {
        HistoryTable table = HistoryReader.read(FOLDER.resolve(truth.file).toString(), HistoryFormat.AUTO);
        for (TimeMode time : List.of(TimeMode.NONE, TimeMode.HINT)) {
            assertThat(status(table, IsolationLevel.SER, time)).as("ser").isEqualTo(truth.ser);
            assertThat(status(table, IsolationLevel.SI, time)).as("si").isEqualTo(truth.si);
        }
        assertThat(truth.sser.isEmpty()).as("without times").isEqualTo((table.starts() == null));
        if (table.starts() != null) {
            assertThat(status(table, IsolationLevel.SER, TimeMode.STRICT))
                    .as("sser")
                    .isEqualTo(truth.sser);
            assertThat(status(table, IsolationLevel.SI, TimeMode.STRICT))
                    .as("ssi")
                    .isEqualTo(truth.ssi);
        }
    }

    private static String status(HistoryTable table, IsolationLevel level, TimeMode time) {
        if (Counts.of(table).transactionsCommitted() == 0) {
            return Verdict.Status.INVALID.name();
        }
        return new EmbeddedChecker()
                .check(
                        table,
                        new CheckRequest(level, time, 0, IndeterminateMode.MAYBE),
                        Progress.NONE,
                        Budget.unlimited())
                .status()
                .name();
    }

    @Test
    void everyExampleHasItsTruth() throws IOException {
        Set<String> files = new TreeSet<>();
        try (var entries = Files.newDirectoryStream(FOLDER, "*.{jsonl,edn}")) {
            entries.forEach(file -> files.add(file.getFileName().toString()));
        }
        Set<String> listed = new TreeSet<>();
        truths().forEach(truth -> listed.add(truth.file));
        assertThat(listed).isEqualTo(files);
    }

    @Test
    void theBankIsMadeByItsGenerator() throws IOException {
        assertThat(Files.readAllLines(FOLDER.resolve("bank-serializable.jsonl")))
                .isEqualTo(new BankExample().lines());
    }
}
