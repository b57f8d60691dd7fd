package org.polygraph.benchmarks.experiment;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/** Measurements as comma-separated values (RFC 4180, lines end with a line feed, no line feed within a value). */
final class Csv {
    private Csv() {}

    /** A line, without its end; a value is quoted where it must be. */
    static String line(List<String> values) {
        List<String> fields = new ArrayList<>();
        for (String value : values) {
            String flat = value.replace('\n', ' ').replace('\r', ' ');
            boolean plain = flat.indexOf(',') < 0 && flat.indexOf('"') < 0;
            fields.add(plain ? flat : '"' + flat.replace("\"", "\"\"") + '"');
        }
        return String.join(",", fields);
    }

    /** The values of a line. */
    static List<String> fields(String line) {
        List<String> fields = new ArrayList<>();
        StringBuilder field = new StringBuilder();
        boolean quoted = false;
        for (int i = 0; i < line.length(); i++) {
            char c = line.charAt(i);
            if (c == '"') {
                boolean escaped = quoted && i + 1 < line.length() && line.charAt(i + 1) == '"';
                if (escaped) {
                    field.append(c);
                    i++;
                } else {
                    quoted = !quoted;
                }
            } else if (c == ',' && !quoted) {
                fields.add(field.toString());
                field.setLength(0);
            } else {
                field.append(c);
            }
        }
        fields.add(field.toString());
        return fields;
    }

    /** Appends a line; a new file begins with the names of the columns. */
    static void append(Path file, Measurement measurement) throws IOException {
        String line = line(measurement.values()) + "\n";
        if (!Files.exists(file)) {
            line = line(Measurement.COLUMNS) + "\n" + line;
        }
        Files.writeString(file, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    /**
     * Reads a file; columns may come in any order, and some may be missing.
     *
     * @throws IOException naming the line that has another number of values than the header
     */
    static List<Measurement> read(Path file) throws IOException {
        List<Measurement> measurements = new ArrayList<>();
        List<String> lines = Files.readAllLines(file);
        List<String> header = fields(lines.isEmpty() ? "" : lines.get(0));
        for (int i = 1; i < lines.size(); i++) {
            measurements.add(measurement(header, fields(lines.get(i)), file + ":" + (i + 1)));
        }
        return measurements;
    }

    private static Measurement measurement(List<String> header, List<String> fields, String where) throws IOException {
        if (fields.size() != header.size()) {
            throw new IOException(where + ": " + fields.size() + " values; the header has " + header.size());
        }
        Measurement measurement = new Measurement();
        for (int c = 0; c < fields.size(); c++) {
            if (Measurement.COLUMNS.contains(header.get(c))) {
                measurement.set(header.get(c), fields.get(c));
            }
        }
        return measurement;
    }
}
