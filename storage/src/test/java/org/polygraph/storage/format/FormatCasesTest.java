package org.polygraph.storage.format;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
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
 * its place, or why the input is refused. Inputs with a line {@code or} between them have the same answer. An input has
 * no line end after its last line, and {@code «0A FF»} stands for these bytes. {@code -Dcases.update=true} writes the
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
                    String now = answered(text, new Inputs(folder));
                    if (Boolean.getBoolean("cases.update")) {
                        Files.writeString(path, now);
                    } else {
                        assertThat(now).isEqualTo(text);
                    }
                }));
    }

    /** The text of a case with the answers of now. */
    private static String answered(String text, Inputs inputs) throws IOException, HistoryException {
        StringBuilder now = new StringBuilder();
        String[] file = {"h", "auto"};
        List<String> lines = new ArrayList<>();
        String answer = "";
        for (String line : (text + "\n").split("\n", -1)) {
            boolean isInput = !line.isBlank() && !line.matches("([#=>] .*|or)");
            if (!lines.isEmpty() && !isInput) {
                String found = answer(inputs, file, bytes(String.join("\n", lines)));
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
            bytes.write(
                    part.startsWith("«")
                            ? HexFormat.ofDelimiter(" ").parseHex(part.substring(1, part.length() - 1))
                            : TestFiles.utf8(part));
        }
        return bytes.toByteArray();
    }

    private static String answer(Inputs inputs, String[] file, byte[] content) throws IOException, HistoryException {
        HistoryFormat format =
                HistoryFormat.valueOf(file[1].toUpperCase(Locale.ROOT).replace('-', '_'));
        String refusal = inputs.refusal(file[0], content, format);
        if (!refusal.equals("nothing")) {
            return "> " + refusal + "\n";
        }
        HistoryTable table = HistoryReader.read(inputs.path(file[0]).toString(), format);
        String again = inputs.path("again.jsonl").toString();
        HistoryWriter.write(table, again, HistoryFormat.JSONL);
        List<String> lines = Files.readAllLines(Path.of(again));
        StringBuilder answer = new StringBuilder(lines.get(0).matches(HEADER) ? "" : "> " + lines.get(0) + "\n");
        for (int t = 0; t < table.transactions(); t++) {
            String place = table.whereIs(t);
            answer.append("> ").append(place.substring(place.lastIndexOf('/') + 1));
            answer.append(' ').append(lines.get(t + 1)).append('\n');
        }
        answer.append(table.unknownRows() == null ? "" : "> and writes whose rows are not known\n");
        return answer.isEmpty() ? "> no transaction\n" : answer.toString();
    }
}
