package org.polygraph.jobs.watch;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.application.Failures;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.format.jsonl.Json;
import org.polygraph.storage.model.HistoryException;

/**
 * The parts of what was watched: {@code parts/00000001.jsonl} and so on, and for each where its sources go on,
 * {@code places/00000001.json}, which is written before the part gets its name. So the last part that exists has all
 * lines before its places, and each line is in one part. The next part, which grows, is {@code parts/next.jsonl}; a
 * later process begins it again.
 */
final class Parts implements Closeable {
    private static final String NEXT = "next.jsonl";
    private static final byte[] NO_HEADER = "{\"format\":\"history\",\"version\":1}".getBytes(StandardCharsets.UTF_8);

    private final Path folder;
    private final Path next;
    private final Map<String, Place> places = new LinkedHashMap<>();
    private long number;
    private @Nullable OutputStream out;
    private byte[] header = new byte[0];
    private long bytes;
    private int transactions;
    private boolean hasCommitted;

    private Parts(Path folder) {
        this.folder = folder;
        this.next = folder.resolve("parts").resolve(NEXT);
    }

    static Parts in(Path folder) throws IOException, HistoryException {
        Parts parts = new Parts(folder);
        Files.createDirectories(folder.resolve("parts"));
        Files.createDirectories(folder.resolve("places"));
        try (Stream<Path> all = Files.list(folder.resolve("parts"))) {
            parts.number = all.map(each -> each.getFileName().toString())
                    .filter(name -> name.matches("[0-9]{8}\\.jsonl"))
                    .mapToLong(name -> Long.parseLong(name.substring(0, 8)))
                    .max()
                    .orElse(0);
        }
        if (parts.number > 0) {
            parts.readPlaces();
            try (var lines = Files.newBufferedReader(parts.last())) {
                // Each part begins with a header.
                parts.header = Objects.requireNonNullElse(lines.readLine(), "").getBytes(StandardCharsets.UTF_8);
            }
        }
        Files.deleteIfExists(parts.next);
        return parts;
    }

    /** The last part with a number; there has to be one. */
    Path last() {
        return folder.resolve("parts").resolve(String.format("%08d.jsonl", number));
    }

    private Path placesOf(long part) {
        return folder.resolve("places").resolve(String.format("%08d.json", part));
    }

    /** The part that grows. */
    Path next() {
        return next;
    }

    /** How many parts have a number. */
    long number() {
        return number;
    }

    /** Where the sources went on behind the last part, by name. */
    Map<String, Place> places() {
        return places;
    }

    long bytes() {
        return bytes;
    }

    int transactions() {
        return transactions;
    }

    /** Whether there is something to judge: the first part needs a transaction that committed. */
    boolean canBeJudged() {
        return transactions > 0 && (number > 0 || hasCommitted);
    }

    /** Adds a line to the next part. The first header of all is that of each part. */
    void add(Line line, String source) throws IOException, HistoryException {
        if (line.isHeader()) {
            header(line, source);
            return;
        }
        if (out == null) {
            out = new BufferedOutputStream(Files.newOutputStream(next), 1 << 16);
            write(header.length == 0 ? NO_HEADER : header);
        }
        write(line.bytes());
        transactions++;
        hasCommitted |= line.isCommitted();
    }

    private void header(Line line, String source) throws IOException, HistoryException {
        if (new String(line.bytes(), StandardCharsets.UTF_8).isBlank()) {
            return;
        }
        if (header.length == 0 && number == 0 && out == null) {
            header = line.bytes();
        } else if (!initial(line.bytes()).equals(initial(header))) {
            throw new HistoryException(
                    source + ":" + line.behind().lines(),
                    "a header with other initial values",
                    header.length == 0 ? "no header, as in the first source" : "those of the first source",
                    "watch only sources of one history");
        }
    }

    /** The initial values of a header, as text. */
    private static String initial(byte[] header) throws IOException {
        if (header.length == 0) {
            return "";
        }
        StringWriter text = new StringWriter();
        try (JsonParser json = Json.FACTORY.createParser(header);
                JsonGenerator copy = Json.FACTORY.createGenerator(text)) {
            json.nextToken();
            for (String field; (field = json.nextFieldName()) != null; ) {
                json.nextToken();
                if (field.equals("initial")) {
                    copy.copyCurrentStructure(json);
                } else {
                    json.skipChildren();
                }
            }
        }
        return text.toString();
    }

    private void readPlaces() throws IOException, HistoryException {
        Path file = placesOf(number);
        try (JsonParser json = Json.FACTORY.createParser(Files.readAllBytes(file))) {
            json.nextToken();
            for (String source; (source = json.nextFieldName()) != null; ) {
                String identity = "";
                long offset = 0;
                long lines = 0;
                json.nextToken();
                for (String field; (field = json.nextFieldName()) != null; ) {
                    json.nextToken();
                    switch (field) {
                        case "file" -> identity = json.getText();
                        case "offset" -> offset = json.getLongValue();
                        case "lines" -> lines = json.getLongValue();
                        default -> json.skipChildren();
                    }
                }
                places.put(source, new Place(identity, offset, lines));
            }
        } catch (IOException e) {
            throw new HistoryException(
                    file.toString(),
                    "a file that cannot be read (" + Failures.cause(e) + ")",
                    "the places in the sources behind part " + number,
                    "watch with another --out");
        }
    }

    private void writePlaces(OutputStream to) throws IOException {
        try (JsonGenerator json = Json.FACTORY.createGenerator(to)) {
            json.writeStartObject();
            for (Map.Entry<String, Place> each : places.entrySet()) {
                json.writeObjectFieldStart(each.getKey());
                json.writeStringField("file", each.getValue().file());
                json.writeNumberField("offset", each.getValue().offset());
                json.writeNumberField("lines", each.getValue().lines());
                json.writeEndObject();
            }
            json.writeEndObject();
        }
    }

    private void write(byte[] line) throws IOException {
        if (out != null) {
            out.write(line);
            out.write('\n');
            bytes += line.length + 1;
        }
    }

    /** Writes what was added to the file of the next part. */
    void flush() throws IOException {
        if (out != null) {
            out.flush();
        }
    }

    /**
     * Gives the next part its number.
     *
     * @param behind where the sources go on
     */
    Path close(Map<String, Place> behind) throws IOException {
        close();
        number++;
        places.putAll(behind);
        Location.of(placesOf(number).toString()).write(this::writePlaces);
        Files.move(next, last(), StandardCopyOption.ATOMIC_MOVE);
        Files.deleteIfExists(placesOf(number - 1));
        bytes = 0;
        transactions = 0;
        return last();
    }

    @Override
    public void close() throws IOException {
        if (out != null) {
            out.close();
            out = null;
        }
    }
}
