package org.polygraph.benchmarks.pipeline;

import com.univocity.parsers.csv.CsvParser;
import com.univocity.parsers.csv.CsvParserSettings;
import com.univocity.parsers.csv.CsvWriter;
import com.univocity.parsers.csv.CsvWriterSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Measurements as CSV, with the parser and writer that Spark uses. */
public final class ResultsFile {
    private ResultsFile() {}

    /** Appends a line; a new file starts with the names of the columns. */
    public static void append(Path file, Measurement measurement) throws IOException {
        String header = Files.exists(file) ? "" : line(Measurement.COLUMNS) + "\n";
        Files.writeString(
                file, header + line(measurement.values()) + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    /** Values as one line without its end; line feeds within values become spaces. */
    public static String line(List<String> values) {
        CsvWriterSettings settings = new CsvWriterSettings();
        settings.setIgnoreLeadingWhitespaces(false);
        settings.setIgnoreTrailingWhitespaces(false);
        return new CsvWriter(settings)
                .writeRowToString(values.stream()
                        .map(value -> value.replaceAll("\\R", " "))
                        .toArray());
    }

    /** Parses a line whose values are in the order of {@link Measurement#COLUMNS}. */
    public static Measurement parse(String line) throws IOException {
        return measurement(Measurement.COLUMNS, Arrays.asList(parser().parseLine(line)), "a line of results");
    }

    /**
     * Reads a file. Columns may come in any order; unknown columns are ignored, missing ones are empty.
     *
     * @throws IOException that names a line with another number of values than the header
     */
    public static List<Measurement> read(Path file) throws IOException {
        List<Measurement> measurements = new ArrayList<>();
        List<String[]> lines = parser().parseAll(file.toFile());
        for (int i = 1; i < lines.size(); i++) {
            measurements.add(
                    measurement(Arrays.asList(lines.get(0)), Arrays.asList(lines.get(i)), file + ":" + (i + 1)));
        }
        return measurements;
    }

    private static CsvParser parser() {
        CsvParserSettings settings = new CsvParserSettings();
        settings.getFormat().setLineSeparator("\n");
        settings.setMaxCharsPerColumn(-1);
        settings.setIgnoreLeadingWhitespaces(false);
        settings.setIgnoreTrailingWhitespaces(false);
        settings.setNullValue("");
        settings.setEmptyValue("");
        return new CsvParser(settings);
    }

    private static Measurement measurement(List<String> header, List<String> values, String where) throws IOException {
        if (values.size() != header.size()) {
            throw new IOException(where + ": " + values.size() + " values; the header has " + header.size());
        }
        Measurement measurement = new Measurement();
        for (int c = 0; c < values.size(); c++) {
            if (Measurement.COLUMNS.contains(header.get(c))) {
                measurement.set(header.get(c), values.get(c));
            }
        }
        return measurement;
    }
}
