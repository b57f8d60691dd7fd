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
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.polygraph.jobs.cli.InProcess;
import org.polygraph.storage.testkit.SuiteScale;

/** The shipped examples mean what their TRUTH.csv says. */
class ExamplesTest {
    private static final Path FOLDER = Path.of(System.getProperty("polygraph.root", ".."), "spark-jobs", "examples");

    @TempDir
    private Path folder;

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

    /** The verdicts of the whole, without and with times, and of windows are the truth, and runs at all levels verify. */
    @ParameterizedTest
    @MethodSource("truths")
    void theVerdictIsTheTruth(Truth truth) {
        for (String time : List.of("none", "hint")) {
            decided(truth.file, "ser", truth.ser, "--time", time);
            decided(truth.file, "si", truth.si, "--time", time);
        }
        for (String level : List.of("pc", "cc", "ra", "rc", "pl2")) {
            decided(truth.file, level, "");
        }
        // Windows decide rows at weak levels only.
        boolean hasRows = truth.file.startsWith("rows");
        int[] windows = SuiteScale.isReduced() ? new int[] {4} : new int[] {1, 4, 50};
        for (int window : windows) {
            decided(truth.file, "ser", truth.ser, "--window", "" + window);
            decided(truth.file, hasRows ? "ra" : "si", hasRows ? "" : truth.si, "--window", "" + window);
        }
        String untimed = decided(truth.file, "sser", truth.sser);
        assertThat(truth.sser.isEmpty()).as("without times").isEqualTo(untimed.equals("INVALID"));
        if (!truth.sser.isEmpty()) {
            decided(truth.file, "ssi", truth.ssi);
            decided(truth.file, "sser", truth.sser, "--window", "4");
        }
    }

    /** @param expected the verdict; empty if it is not known */
    private String decided(String file, String level, String expected, String... options) {
        List<String> words = new ArrayList<>(List.of("check", "-q", "--overwrite", "-l", level));
        words.addAll(List.of("-o", folder.toString(), FOLDER.resolve(file).toString()));
        words.addAll(List.of(options));
        InProcess check = InProcess.run(words);
        String what = words + ": " + check;
        assertThat(check.word()).as(what).isEqualTo(expected.isEmpty() ? check.word() : expected);
        if (check.word().matches("PASS|VIOLATION")) {
            String run = check.out().replaceFirst("(?s).*\n  run: (.*)\n$", "$1");
            assertThat(InProcess.run("verify", run).word()).as(what).isEqualTo("VERIFIED");
        }
        return check.word();
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
