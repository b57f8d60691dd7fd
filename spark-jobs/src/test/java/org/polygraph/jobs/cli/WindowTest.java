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
                // One level suffices to show that windows do not support rows at levels with an order of versions.
                boolean tried = level == 1
                        || !cells[0].startsWith("rows")
                        || List.of("rc", "ra", "cc").contains(levels[level]);
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

    @Test
    void whatWindowsDoNotSupportIsDecidedWholeAndStated() {
        InProcess rows = answer("rows-reinserted.jsonl", "-l", "ser", "--window", "4");
        assertThat(rows.err()).contains("windows do not decide the history, because it has inserts or deletes");
        assertThat(rows.out())
                .contains("\"whole\":\"it has inserts or deletes, which windows decide at rc, ra and cc only\"");
        String edn = "it is no file of JSON Lines or Parquet that can be read in pieces; convert it";
        InProcess lists = answer("jepsen-list-append.edn", "-l", "ser", "--window", "4");
        assertThat(lists.err()).contains("windows do not decide the history, because " + edn);
        assertThat(lists.out()).contains("\"whole\":\"" + edn + "\"");
        InProcess all = answer("write-skew.jsonl", "-l", "all", "--window", "4");
        assertThat(all.err()).contains("because level all needs the whole in memory");
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

    /** Real time needs starts and ends that are not reversed: the answer is that of the whole history. */
    @Test
    void timesThatShowNoRealTimeAreInvalidWithWindowsToo() throws IOException {
        String untimed = write(
                "untimed.jsonl",
                "{\"session\":0,\"index\":0,\"status\":\"committed\",\"ops\":[{\"op\":\"w\",\"key\":\"x\",\"value\":1}]}",
                "{\"session\":1,\"index\":0,\"status\":\"committed\",\"ops\":[{\"op\":\"r\",\"key\":\"x\",\"value\":1}]}");
        String reversed = write(
                "reversed.jsonl",
                "{\"session\":0,\"index\":0,\"start\":60,\"end\":200,\"status\":\"committed\",\"ops\":[{\"op\":\"w\",\"key\":\"x\",\"value\":1}]}",
                "{\"session\":1,\"index\":0,\"start\":100,\"end\":50,\"status\":\"committed\",\"ops\":[{\"op\":\"r\",\"key\":\"x\",\"value\":1}]}");
        for (String file : List.of(untimed, reversed)) {
            for (String level : List.of("sser", "ssi")) {
                String whole = InProcess.run("check", "-q", "-l", level, file).word();
                assertThat(whole).isEqualTo("INVALID");
                assertInvalidWithoutANotice(level, file);
            }
        }
    }

    /** What is wrong is stated once, and not that the history is decided as a whole. */
    private static void assertInvalidWithoutANotice(String level, String file) {
        InProcess check = InProcess.run("check", "-l", level, "--window", "4", file);
        assertThat(check.word()).as(file + " " + level).isEqualTo("INVALID");
        assertThat(check.err()).as(file + " " + level).doesNotContain("windows do not decide");
    }

    @Test
    void whatIsInvalidAtLinIsStatedOnce() throws IOException {
        String write =
                "{\"session\":0,\"index\":0,\"start\":1,\"end\":2,\"status\":\"committed\",\"ops\":[{\"op\":\"w\",\"key\":1,\"value\":1}]}";
        String read = write.replace("\"session\":0", "\"session\":1").replace("\"w\"", "\"r\"");
        String two = write.replace("]}", ",{\"op\":\"w\",\"key\":2,\"value\":2}]}");
        assertInvalidWithoutANotice("lin", write("two.jsonl", two, read));
        assertInvalidWithoutANotice("lin", write("endless.jsonl", write.replace("\"end\":2,", ""), read));
        assertInvalidWithoutANotice("lin", write("aborted.jsonl", write.replace("committed", "aborted")));
    }

    /** A transaction of several keys that loads the initial rows is no operation, but no mistake either. */
    @Test
    void aLoaderAtLinIsTheReason() throws IOException {
        String loader =
                "{\"session\":0,\"index\":0,\"start\":1,\"end\":2,\"status\":\"committed\",\"ops\":[{\"op\":\"w\",\"key\":1,\"value\":null},{\"op\":\"w\",\"key\":2,\"value\":null}]}";
        String reader =
                "{\"session\":1,\"index\":0,\"start\":3,\"end\":4,\"status\":\"committed\",\"ops\":[{\"op\":\"r\",\"key\":1,\"value\":null}]}";
        InProcess check = InProcess.run("check", "-l", "lin", "--window", "4", write("loader.jsonl", loader, reader));
        assertThat(check.word()).as(check.toString()).isEqualTo("PASS");
        assertThat(check.err()).contains("because a transaction that writes several keys may load the initial rows;");
    }

    /** The writer of an intermediate value reads another one, which is no violation. */
    @Test
    void evidenceOfAnIntermediateReadVerifies() throws IOException {
        String file = write(
                "intermediate.jsonl",
                "{\"session\":0,\"index\":0,\"status\":\"committed\",\"ops\":[{\"op\":\"w\",\"key\":\"x\",\"value\":7}]}",
                "{\"session\":1,\"index\":0,\"status\":\"committed\",\"ops\":[{\"op\":\"r\",\"key\":\"x\",\"value\":7},"
                        + "{\"op\":\"w\",\"key\":\"x\",\"value\":1},{\"op\":\"w\",\"key\":\"x\",\"value\":2}]}",
                "{\"session\":2,\"index\":0,\"status\":\"committed\",\"ops\":[{\"op\":\"r\",\"key\":\"x\",\"value\":1}]}");
        for (String level : List.of("ser", "si")) {
            assertDecided(file, level, 1, "VIOLATION");
            assertThat(InProcess.run("check", "-l", level, "--window", "1", file)
                            .out())
                    .contains("IntermediateRead");
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
        InProcess lists = answer("jepsen-list-append.edn", "-l", "ser,si", "--window", "4");
        assertThat(lists.out().lines()).hasSize(2);
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

    @Test
    void theVerdictCountsWindows() {
        assertThat(answer("write-skew.jsonl", "-l", "ser", "--window", "2").out())
                .contains("\"windows\":{\"size\":2,\"decided\":1,\"grown\":0,\"largest\":0,\"whole\":\"\"}");
        assertThat(answer("write-skew.jsonl", "-l", "ser").out()).doesNotContain("\"windows\"");
        assertThat(answer("write-skew.jsonl", "-l", "ser", "--window", "0").out())
                .doesNotContain("\"windows\"");
    }

    @Test
    void refusedOptions() {
        assertThat(answer("write-skew.jsonl", "-l", "ser", "--window", "-1").err())
                .contains("--window -1 is out of range");
        InProcess proof = answer("write-skew.jsonl", "-l", "ser", "--window", "2", "--proof", "p.txt");
        assertThat(proof.err()).contains("--proof is of the whole history");
        assertThat(proof.exitCode()).isEqualTo(2);
    }

    private static InProcess answer(String example, String... options) {
        String[] words = new String[options.length + 3];
        words[0] = "check";
        words[1] = "--json";
        System.arraycopy(options, 0, words, 2, options.length);
        words[words.length - 1] = EXAMPLES.resolve(example).toString();
        return InProcess.run(words);
    }
}
