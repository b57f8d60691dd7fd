package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.partitioner.isolation.IsolationLevel;

/**
 * Each kind of input at each level: whether windows decide a history that keeps the level and one that does not. The
 * verdicts are those of the whole, and the table of {@code docs/windows.md} is what the command does.
 */
class WindowMatrixTest {
    private static final Path PAGE =
            Path.of(System.getProperty("polygraph.root", ".."), "spark-jobs", "docs", "windows.md");
    private static final String HEADER = "{\"format\":\"history\",\"version\":1,\"initial\":{\"value\":0}}";
    private static final List<IsolationLevel> LEVELS = List.of(
            IsolationLevel.SER,
            IsolationLevel.SSER,
            IsolationLevel.SI,
            IsolationLevel.SSI,
            IsolationLevel.CC,
            IsolationLevel.RA,
            IsolationLevel.RC,
            IsolationLevel.LIN);

    private static final String UNSTATED = "none is stated, because the history may be INVALID at the level";

    @TempDir
    private Path folder;

    /** The reasons why histories are decided as a whole; a cell names one by its number. */
    private final List<String> reasons = new ArrayList<>();

    /**
     * A kind of input.
     *
     * @param options of the command
     * @param header of the history
     * @param keeps a history that keeps all levels that it fits
     * @param violation transactions with which it violates them
     */
    private record Input(String name, List<String> options, String header, List<String> keeps, List<String> violation) {
        Input(String name, List<String> keeps, List<String> violation) {
            this(name, List.of(), HEADER, keeps, violation);
        }

        Input with(String... more) {
            return new Input(name, List.of(more), header, keeps, violation);
        }

        Input headed(String other) {
            return new Input(name, options, other, keeps, violation);
        }
    }

    private static String op(String op, String key, Object value) {
        return "{\"op\":\"" + op + "\",\"key\":\"" + key + "\",\"value\":" + value + "}";
    }

    /** A transaction of one operation, at a time. */
    private static String line(int session, int time, String status, String op) {
        return "{\"session\":" + session + ",\"index\":" + time + ",\"start\":" + 10 * time + ",\"end\":"
                + (10 * time + 5) + ",\"status\":\"" + status + "\",\"ops\":[" + op + "]}";
    }

    private static String line(int session, int time, String op) {
        return line(session, time, "committed", op);
    }

    /** A value that an aborted transaction wrote is read. */
    private static List<String> abortedRead(String write, String read) {
        return List.of(line(7, 50, "aborted", write), line(8, 51, read));
    }

    private List<Input> inputs() throws IOException {
        List<String> plain = List.of(line(1, 1, op("w", "x", 1)), line(2, 2, op("r", "x", 1)));
        List<String> aborted = abortedRead(op("w", "y", 9), op("r", "y", 9));
        String refused = "{\"op\":\"cas\",\"key\":\"x\",\"expected\":5,\"value\":6,\"ok\":false}";
        String query = "{\"op\":\"pr\",\"lo\":1,\"hi\":2,\"rows\":[[\"x\",1]]}";
        String update = "{\"op\":\"pw\",\"lo\":1,\"hi\":2,\"value\":3,\"count\":1}";
        Path state = Files.writeString(folder.resolve("state.jsonl"), "{\"key\":\"x\",\"value\":4}\n");
        List<String> begun = List.of(line(1, 1, op("r", "x", 4)), line(2, 2, op("w", "x", 1)));
        List<String> loaded =
                List.of(line(1, 1, op("w", "x", 0)), line(2, 2, op("r", "x", 0)), line(2, 3, op("w", "x", 1)));
        return List.of(
                new Input("different values", plain, aborted),
                new Input(
                        "repeated values",
                        List.of(line(1, 1, op("w", "x", 1)), line(2, 2, op("w", "x", 1)), line(3, 3, op("r", "x", 1))),
                        aborted),
                new Input("an initial value of all keys", List.of(line(1, 1, op("r", "x", 0))), aborted),
                new Input("initial values of single keys in the header", begun, aborted)
                        .headed(HEADER.replace("0}", "0,\"state\":[[\"x\",4]]}")),
                new Input("`--initial-state FILE`", begun, aborted).with("--initial-state", state.toString()),
                new Input("transactions that load initial rows", loaded, aborted),
                new Input("`--initial SESSION#INDEX`", loaded, aborted).with("--initial", "1#1"),
                new Input(
                        "unknown outcomes",
                        List.of(
                                line(1, 1, "unknown", op("w", "x", 1)),
                                line(2, 2, op("r", "x", 1)),
                                line(3, 3, "unknown", op("w", "x", 2))),
                        aborted),
                new Input(
                        "refused compare-and-sets",
                        List.of(line(1, 1, op("w", "x", 1)), line(2, 2, refused), line(3, 3, op("r", "x", 1))),
                        aborted),
                new Input(
                        "lists",
                        List.of(line(1, 1, op("append", "x", 1)), line(2, 2, op("r", "x", "[1]"))),
                        abortedRead(op("append", "y", 9), op("r", "y", "[9]"))),
                new Input(
                                "inserts and deletes",
                                List.of(
                                        line(1, 1, op("i", "x", 1)),
                                        line(2, 2, "{\"op\":\"d\",\"key\":\"x\"}"),
                                        line(3, 3, op("r", "x", "null"))),
                                abortedRead(op("i", "y", 9), op("r", "y", 9)))
                        .headed(HEADER.replace("\"value\":0", "\"value\":null")),
                new Input("conditions", List.of(line(1, 1, op("w", "x", 1)), line(2, 2, query)), aborted),
                new Input(
                        "writes by a condition without their keys",
                        List.of(line(1, 1, op("w", "x", 1)), line(2, 2, update), line(3, 3, op("r", "x", 3))),
                        aborted),
                new Input("a part of a chain (`--each`)", plain, aborted).with("--each"));
    }

    @Test
    void theTableStatesWhatWindowsDecide() throws IOException {
        StringBuilder table = new StringBuilder("| input |");
        LEVELS.forEach(level -> table.append(' ').append(label(level)).append(" |"));
        table.append("\n|---|").append("---|".repeat(LEVELS.size())).append('\n');
        for (Input input : inputs()) {
            table.append("| ").append(input.name).append(" |");
            for (IsolationLevel level : LEVELS) {
                table.append(' ').append(cell(input, level)).append(" |");
            }
            table.append('\n');
        }
        table.append('\n');
        for (int i = 0; i < reasons.size(); i++) {
            table.append(i + 1).append(". ").append(reasons.get(i)).append('\n');
        }
        String page = Files.readString(PAGE);
        if (!page.contains(table) && Boolean.getBoolean("cases.update")) {
            int from = page.indexOf("| input |");
            int to = page.indexOf("\n\n", page.indexOf("\n\n1. ", from) + 2) + 1;
            page = page.substring(0, from) + table + page.substring(to);
            Files.writeString(PAGE, page);
        }
        assertThat(page)
                .as("%s; -Dcases.update=true writes the table into the page", PAGE)
                .contains(table);
    }

    private static String label(IsolationLevel level) {
        return level.name().toLowerCase(Locale.ROOT);
    }

    private String cell(Input input, IsolationLevel level) throws IOException {
        String keeps = decided(input, level, "keeps", "PASS", input.keeps);
        String violates = decided(
                input,
                level,
                "violates",
                "VIOLATION",
                Stream.concat(input.keeps.stream(), input.violation.stream()).toList());
        return keeps.equals(violates) ? keeps : keeps + " " + violates;
    }

    /**
     * Whether windows decided: yes, the number of the reason why not, or - if the level does not fit the input. The
     * runs by windows and of the whole verify.
     */
    private String decided(Input input, IsolationLevel level, String name, String verdict, List<String> lines)
            throws IOException {
        Path file = folder.resolve(name + ".jsonl");
        Files.writeString(file, input.header + "\n" + String.join("\n", lines) + "\n");
        String what = input.name + " " + level + " " + name;
        String runs = folder.resolve(what.hashCode() + "").toString();
        List<String> words = new ArrayList<>(List.of("check", "--json", "-l", label(level), "-o", runs));
        words.addAll(input.options);
        words.add(file.toString());
        JsonNode whole = verdict(words);
        words.set(words.indexOf(runs), runs + "w");
        words.addAll(1, List.of("--window", "4"));
        JsonNode windows = verdict(words);
        assertThat(windows.get("verdict")).as(what).isEqualTo(whole.get("verdict"));
        if (whole.get("verdict").asText().equals("INVALID")) {
            return "-";
        }
        assertThat(whole.get("verdict").asText()).as(what).isEqualTo(verdict);
        for (String run : List.of(runs, runs + "w")) {
            InProcess verified = InProcess.run("verify", run);
            assertThat(verified.word()).as(what + ": " + verified).isEqualTo("VERIFIED");
        }
        if (windows.get("phases").findValuesAsText("name").contains("windows")) {
            return "yes";
        }
        String why = windows.get("windows").get("whole").asText().replaceAll("session \\d+", "session N");
        String reason = why.isEmpty() ? UNSTATED : why;
        if (!reasons.contains(reason)) {
            reasons.add(reason);
        }
        return Integer.toString(reasons.indexOf(reason) + 1);
    }

    private static JsonNode verdict(List<String> words) throws IOException {
        InProcess check = InProcess.run(words);
        assertThat(check.out()).as(words + ": " + check).startsWith("{");
        return new ObjectMapper().readTree(check.out());
    }
}
