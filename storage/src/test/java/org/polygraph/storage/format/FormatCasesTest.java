package org.polygraph.storage.format;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;

/**
 * What readers make of files. In a case, {@code = NAME FORMAT} names the file and the format of the inputs that follow.
 * The lines of an input stand before its answer, lines that begin with {@code >}: each transaction as JSON Lines behind
 * its place, or why the input is refused. Inputs with a line {@code or} between them have the same answer. A line
 * {@code + NAME} begins another file of the folder, which is read if the name has a slash. A file has no line end after
 * its last line, {@code «0A FF»} stands for these bytes, and {@code «le 1 2»} and {@code «be 1 2»} for numbers of 64
 * bits whose lowest or highest byte is first. {@code -Dcases.update=true} writes the
 * answers as they are now; read the difference before you commit it.
 */
class FormatCasesTest {
    private static final Path CASES =
            Path.of(System.getProperty("polygraph.root", ".."), "storage/src/test/resources/cases");
    private static final String HEADER =
            "\\{\"format\":\"history\",\"version\":1,\"initial\":\\{\"value\":null}(,\"clock\":\"ns\")?}";

    @TestFactory
    Stream<DynamicTest> read(@TempDir Path folder) throws IOException {
        List<Path> cases;
        try (Stream<Path> files = Files.list(CASES)) {
            cases = files.sorted().toList();
        }
        return cases.stream()
                .map(path -> DynamicTest.dynamicTest(path.getFileName().toString(), () -> {
                    String text = Files.readString(path);
                    String now = answered(text, folder);
                    if (Boolean.getBoolean("cases.update")) {
                        Files.writeString(path, now);
                    } else {
                        assertThat(now).isEqualTo(text);
                    }
                }));
    }

    /** The text of a case with the answers of now. */
    private static String answered(String text, Path folder) throws IOException, HistoryException {
        StringBuilder now = new StringBuilder();
        String[] file = {"h", "auto"};
        List<String> lines = new ArrayList<>();
        String answer = "";
        for (String line : (text + "\n").split("\n", -1)) {
            boolean isInput = !line.isBlank() && !line.matches("([#=>] .*|or)");
            if (!lines.isEmpty() && !isInput) {
                String found = answer(folder, file, lines);
                assertThat(answer.isEmpty() || answer.equals(found))
                        .as("%s has the answer%n%sand not that of the input before:%n%s", lines, found, answer)
                        .isTrue();
                lines.clear();
                answer = line.equals("or") ? found : "";
                now.append(answer.isEmpty() ? found : "");
            }
            if (isInput) {
                lines.add(line);
            } else if (line.startsWith("= ")) {
                file = line.substring(2).split(" ");
            }
            now.append(line.startsWith("> ") ? "" : line + "\n");
        }
        return now.substring(0, now.length() - 2);
    }

    private static byte[] bytes(String text) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (String part : text.split("(?=«)|(?<=»)")) {
            String inner = part.replaceAll("[«»]", "");
            if (part.matches("«[lb]e .*")) {
                ByteOrder order = part.startsWith("«le") ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN;
                long[] numbers = Stream.of(inner.substring(3).split(" "))
                        .mapToLong(Long::decode)
                        .toArray();
                bytes.write(new TestFiles.Binary(order).i64(numbers).bytes());
            } else {
                bytes.write(part.startsWith("«") ? HexFormat.ofDelimiter(" ").parseHex(inner) : TestFiles.utf8(part));
            }
        }
        return bytes.toByteArray();
    }

    private static String answer(Path folder, String[] file, List<String> lines) throws IOException, HistoryException {
        Inputs inputs = new Inputs(Files.createTempDirectory(folder, ""));
        for (String part : ("+ " + file[0] + "\n" + String.join("\n", lines)).split("(^|\n)\\+ ")) {
            if (!part.isEmpty()) {
                String[] content = part.split("\n", 2);
                inputs.write(content[0], bytes(content.length < 2 ? "" : content[1]));
            }
        }
        String name = file[0].replaceFirst("/.*", "");
        HistoryFormat format =
                HistoryFormat.valueOf(file[1].toUpperCase(Locale.ROOT).replace('-', '_'));
        String refusal = inputs.refusal(name, format);
        if (!refusal.equals("nothing")) {
            return "> " + refusal + "\n";
        }
        HistoryTable table = HistoryReader.read(inputs.path(name).toString(), format);
        String again = inputs.path("again/again.jsonl").toString();
        HistoryWriter.write(table, again, HistoryFormat.JSONL);
        List<String> written = Files.readAllLines(Path.of(again));
        StringBuilder answer = new StringBuilder(written.get(0).matches(HEADER) ? "" : "> " + written.get(0) + "\n");
        for (int t = 0; t < table.transactions(); t++) {
            String place = table.whereIs(t);
            answer.append("> ").append(place.substring(place.lastIndexOf('/') + 1));
            answer.append(' ').append(written.get(t + 1)).append('\n');
        }
        answer.append(table.unknownRows() == null ? "" : "> and writes whose rows are not known\n");
        return answer.isEmpty() ? "> no transaction\n" : answer.toString();
    }
}
