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
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.decision.Checks;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.testkit.HistoryDsl;
import org.polygraph.storage.testkit.SuiteScale;

/**
 * Each kind of input at each level: whether windows decide a history that keeps the level and one that does not. The
 * verdicts are those of the whole, and the table of {@code docs/windows.md} is what the command does.
 */
class WindowMatrixTest {
    private static final Path PAGE =
            Path.of(System.getProperty("polygraph.root", ".."), "spark-jobs", "docs", "windows.md");
    private static final Path INPUTS =
            Path.of(System.getProperty("polygraph.root", ".."), "spark-jobs/src/test/resources/window-inputs.txt");
    private static final List<IsolationLevel> LEVELS = Checks.levels("SER SSER SI SSI PC CC RA RC PL2 LIN");

    /** A value that an aborted transaction wrote is read. */
    private static final String ABORTED_READ = "; s7: @500..505 !w(y,9); s8: @510..515 r(y,9)";

    private static final String UNSTATED = "none is stated, because the history may be INVALID at the level";

    @TempDir
    private Path folder;

    /** The reasons why histories are decided as a whole; a cell names one by its number. */
    private final List<String> reasons = new ArrayList<>();

    /**
     * A kind of input.
     *
     * @param options of the command
     * @param keeps a history that keeps all levels that it fits
     * @param violation transactions with which it violates them
     */
    private record Input(String name, String options, String keeps, String violation) {}

    private List<Input> inputs() throws IOException {
        Files.writeString(folder.resolve("state.jsonl"), "{\"key\":\"x\",\"value\":4}\n");
        return Files.readAllLines(INPUTS).stream()
                .filter(line -> !line.startsWith("#"))
                .map(line -> line.replace("FOLDER", folder.toString()).split(" / "))
                .map(of -> new Input(of[0], of[1].strip(), of[2], of.length > 3 ? "; " + of[3] : ABORTED_READ))
                .toList();
    }

    @Test
    void theTableStatesWhatWindowsDecide() throws IOException {
        StringBuilder table = new StringBuilder("| input |");
        LEVELS.forEach(level -> table.append(' ').append(label(level)).append(" |"));
        table.append("\n|---|").append("---|".repeat(LEVELS.size())).append('\n');
        StringBuilder always = new StringBuilder("Windows decide at every level:\n");
        StringBuilder never = new StringBuilder("At no level, for the reason of this number:\n");
        for (Input input : inputs()) {
            List<String> cells = new ArrayList<>();
            for (IsolationLevel level : LEVELS) {
                cells.add(cell(input, level));
            }
            boolean fitsLin = !cells.get(LEVELS.indexOf(IsolationLevel.LIN)).equals("-");
            Set<String> kinds = Set.copyOf(fitsLin ? cells : cells.subList(0, cells.size() - 1));
            if (kinds.equals(Set.of("yes")) && fitsLin) {
                always.append("- ").append(input.name).append('\n');
            } else if (kinds.size() == 1 && cells.get(0).matches("\\d+")) {
                never.append("- ").append(input.name).append(": ").append(cells.get(0));
                never.append(fitsLin ? "\n" : "; INVALID at lin\n");
            } else {
                table.append("| ").append(input.name).append(" | ").append(String.join(" | ", cells));
                table.append(" |\n");
            }
        }
        table.insert(0, always.append('\n').append(never).append("\nAt some levels:\n\n"));
        table.append('\n');
        for (int i = 0; i < reasons.size(); i++) {
            table.append(i + 1).append(". ").append(reasons.get(i)).append('\n');
        }
        String page = Files.readString(PAGE);
        if (!page.contains(table) && Boolean.getBoolean("cases.update")) {
            int from = page.indexOf("Windows decide at every level:");
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
        String violates = decided(input, level, "violates", "VIOLATION", input.keeps + input.violation);
        return keeps.equals(violates) ? keeps : keeps + " " + violates;
    }

    /**
     * Whether windows decided: yes, the number of the reason why not, or - if the level does not fit the input. The
     * runs by windows and of the whole verify.
     */
    private String decided(Input input, IsolationLevel level, String name, String verdict, String text)
            throws IOException {
        Path file = folder.resolve(name + ".jsonl");
        Files.writeString(file, HistoryDsl.lines(text));
        String what = input.name + " " + level + " " + name;
        String runs = folder.resolve(what.hashCode() + "").toString();
        List<String> words = new ArrayList<>(List.of("check", "--json", "-l", label(level), "-o", runs));
        words.addAll(input.options.isEmpty() ? List.of() : List.of(input.options.split(" ")));
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
        for (String run : SuiteScale.isReduced() ? List.of(runs + "w") : List.of(runs, runs + "w")) {
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
