package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryWriter;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.HistoryGenerator;
import org.polygraph.storage.testkit.InjectedAnomaly;
import org.polygraph.storage.testkit.SuiteScale;
import org.polygraph.storage.testkit.TinyHistories;

/** {@code check --window}: the answers of the command, and {@code verify} of its runs. */
class WindowTest {
    private static final long SEED = 0x817d;
    private static final Path EXAMPLES = Path.of(System.getProperty("polygraph.root", ".."), "spark-jobs", "examples");

    @TempDir
    private Path folder;

    @Test
    void examplesHaveTheSameVerdictsAndRunsThatVerify() throws IOException {
        List<String> lines = Files.readAllLines(EXAMPLES.resolve("TRUTH.csv"));
        String[] levels = lines.get(0).split(",", -1);
        for (String line : lines.subList(1, lines.size())) {
            String[] cells = line.split(",", -1);
            for (int level = 1; level < levels.length; level++) {
                // Windows do not support rows. One level suffices to show that such histories are decided as a whole.
                boolean tried = level == 1 || !cells[0].startsWith("rows");
                for (int window : tried && !cells[level].isEmpty() ? windows(level, 1, 4, 50) : new int[0]) {
                    assertDecided(EXAMPLES.resolve(cells[0]).toString(), levels[level], window, cells[level]);
                }
            }
        }
    }

    @Test
    void generatedHistoriesHaveRunsThatVerify() throws IOException {
        int[] words = new int[2];
        for (int i = 0; i < SuiteScale.of(20); i++) {
            HistoryGenerator generator = HistoryGenerator.withSeed(SEED + i)
                    .isolation(HistoryGenerator.Isolation.OPTIMISTIC)
                    .sessions(5)
                    .transactions(200)
                    .operations(1, 6)
                    .keys(20);
            if (i % 2 == 1) {
                generator.inject(i % 4 == 1 ? InjectedAnomaly.WRITE_SKEW : InjectedAnomaly.LONG_FORK, 1);
            }
            HistoryTable history = TinyHistories.of(generator, null);
            String file = folder.resolve(i + ".jsonl").toString();
            HistoryWriter.write(history, file, HistoryFormat.JSONL);
            String level = i % 3 == 0 ? "si" : i % 3 == 1 ? "ser" : "sser";
            String whole = InProcess.run("check", "-q", "-l", level, file).word();
            words[whole.equals("PASS") ? 1 : 0]++;
            for (int window : windows(i / 3, 5, 50, 500)) {
                assertDecided(file, level, window, whole);
                InProcess check = InProcess.run("check", "--json", "-l", level, "--window", "" + window, file);
                assertThat(check.out())
                        .contains("\"verdict\":\"" + whole + "\"")
                        .contains("\"name\":\"windows\"");
            }
        }
        assertThat(words[0]).isPositive();
        assertThat(words[1]).isPositive();
    }

    /** All sizes of windows at scale 1 or more; one of them, in turn, below. */
    private static int[] windows(int i, int... sizes) {
        return SuiteScale.of(100) >= 100 ? sizes : new int[] {sizes[i % sizes.length]};
    }

    private void assertDecided(String file, String level, int window, String verdict) {
        String runs = folder.resolve(Path.of(file).getFileName() + "-" + level + "-" + window)
                .toString();
        InProcess check = InProcess.run("check", "-q", "-l", level, "--window", "" + window, "-o", runs, file);
        assertThat(check.word())
                .as("%s -l %s --window %s %s", file, level, window, check)
                .isEqualTo(verdict);
        if (verdict.equals("INVALID")) {
            return;
        }
        InProcess verified = InProcess.run("verify", runs);
        assertThat(verified.word())
                .as("%s -l %s --window %s %s", file, level, window, verified)
                .isEqualTo("VERIFIED");
    }

    /** The reason of an UNKNOWN names what needs the whole history, and the options that give it memory. */
    @Test
    void predicatesThatDoNotFitInMemoryAreUnknown() {
        String file = folder.resolve("queries.jsonl").toString();
        InProcess made = InProcess.run(List.of(
                ("generate -q -l ser --transactions 2000 --keys 2000 --predicates 1 --selectivity 400 --operations 1 --out "
                                + file)
                        .split(" ", -1)));
        assertThat(made.exitCode()).as(made.toString()).isZero();
        for (String levels : List.of("ser", "ser,si")) {
            for (List<String> engine : List.of(List.of("--window", "1000"), List.<String>of())) {
                List<String> words = new ArrayList<>(List.of("check", "--json", "-l", levels, "--memory", "1m"));
                words.addAll(engine);
                words.add(file);
                InProcess check = InProcess.run(words);
                assertThat(check.exitCode()).as(check.toString()).isEqualTo(4);
                if (levels.equals("ser") || !engine.isEmpty()) {
                    assertThat(check.out())
                            .contains("(--memory, or --driver-memory of spark-submit)")
                            .contains("because windows do not decide it: it has predicates");
                    assertThat(check.err()).contains("windows do not decide the history, because it has predicates");
                }
                assertThat(check.out().contains("\"whole\":\"it has predicates\""))
                        .as(check.out())
                        .isEqualTo(!engine.isEmpty());
                assertThat(check.err()).doesNotContain("OutOfMemoryError", "Exception");
            }
        }
    }

    private String write(String name, String... transactions) throws IOException {
        Path file = folder.resolve(name);
        Files.writeString(file, "{\"format\":\"history\",\"version\":1}\n" + String.join("\n", transactions) + "\n");
        return file.toString();
    }

    @Test
    void windowsDecideWhatDoesNotFitInMemory() {
        String file = folder.resolve("large.parquet").toString();
        InProcess.run("generate", "--transactions", "40000", "--sessions", "8", "--keys", "4000", "-o", file);
        String runs = folder.resolve("large").toString();
        InProcess whole = InProcess.run("check", "-l", "ser", "--memory", "16m", "--window", "0", file);
        assertThat(whole.word()).as(whole.toString()).isEqualTo("UNKNOWN");
        InProcess windows = InProcess.run("check", "-l", "ser", "--memory", "16m", "-o", runs, file);
        assertThat(windows.word()).as(windows.toString()).isEqualTo("PASS");
        assertThat(windows.err()).contains("the history is decided by windows, because ");
        InProcess verified = InProcess.run("verify", runs);
        assertThat(verified.word()).as(verified.toString()).isEqualTo("VERIFIED");
    }

    /** Each level is decided by windows of the file, and has a certificate or evidence of its own. */
    @Test
    void severalLevelsInOneCheck() throws IOException {
        HistoryTable history = TinyHistories.of(
                HistoryGenerator.withSeed(SEED)
                        .isolation(HistoryGenerator.Isolation.OPTIMISTIC)
                        .sessions(5)
                        .transactions(200)
                        .operations(1, 6)
                        .keys(20)
                        .inject(InjectedAnomaly.WRITE_SKEW, 1),
                null);
        String file = folder.resolve("skew.jsonl").toString();
        HistoryWriter.write(history, file, HistoryFormat.JSONL);
        String runs = folder.resolve("levels").toString();
        InProcess check = InProcess.run("check", "--json", "-l", "ser,si,rc", "--window", "50", "-o", runs, file);
        assertThat(check.out().lines())
                .as(check.toString())
                .hasSize(3)
                .allMatch(line -> line.contains("\"windows\":{\"size\":50,") && line.contains("\"whole\":\"\""));
        assertThat(check.out())
                .contains("\"VIOLATION\",\"level\":\"ser\"", "\"PASS\",\"level\":\"si\"", "\"PASS\",\"level\":\"rc\"");
        InProcess verified = InProcess.run("verify", runs);
        assertThat(verified.out().lines().filter(line -> line.startsWith("VERIFIED")))
                .as(verified.toString())
                .hasSize(3);
    }

    /** A legal read of an old value: the set around it grows back to its writer, and the verdict has its size. */
    @Test
    void theSizeOfTheLargestSetIsInTheVerdict() throws IOException {
        int between = 1_000;
        String[] lines = new String[between + 3];
        lines[0] = transaction(0, 0, 1, "w", "x", 1);
        lines[1] = transaction(0, 1, 2, "w", "x", 2);
        for (int i = 0; i < between; i++) {
            lines[2 + i] = transaction(1 + i % 3, i / 3, 3 + i, "w", "k" + i % 7, i);
        }
        lines[between + 2] = transaction(4, 0, between + 3, "r", "x", 1);
        InProcess check = InProcess.run("check", "--json", "-l", "ser", "--window", "50", write("old.jsonl", lines));
        assertThat(check.out()).contains("\"verdict\":\"PASS\"");
        Matcher counts = Pattern.compile("\"decided\":(\\d+),\"grown\":(\\d+),\"largest\":(\\d+),\"whole\":\"\"")
                .matcher(check.out());
        assertThat(counts.find()).as(check.toString()).isTrue();
        assertThat(Integer.parseInt(counts.group(1))).isGreaterThanOrEqualTo(Integer.parseInt(counts.group(2)));
        assertThat(Integer.parseInt(counts.group(2))).isPositive();
        assertThat(Integer.parseInt(counts.group(3))).isBetween(between, between + 3);
    }

    private static String transaction(int session, int index, int time, String op, String key, int value) {
        return "{\"session\":" + session + ",\"index\":" + index + ",\"start\":" + 10 * time + ",\"end\":"
                + (10 * time + 5) + ",\"status\":\"committed\",\"ops\":[{\"op\":\"" + op + "\",\"key\":\"" + key
                + "\",\"value\":" + value + "}]}";
    }
}
