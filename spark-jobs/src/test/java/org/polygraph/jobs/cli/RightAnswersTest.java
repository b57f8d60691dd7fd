package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.polygraph.storage.testkit.OracleCorpus;

/** Files of other programs, of databases and of earlier mistakes, with their verdicts: {@code right-answers.txt}. */
class RightAnswersTest {
    private static final Path RESOURCES = Command.ROOT.resolve("spark-jobs/src/test/resources");
    private static final List<String> LEVELS = List.of("lin", "sser", "ser", "ssi", "si", "pc", "cc", "ra", "rc");

    @TempDir
    private Path folder;

    static List<String> lines() throws IOException {
        List<String> lines = new ArrayList<>(Files.readAllLines(RESOURCES.resolve("right-answers.txt")));
        lines.removeIf(line -> line.isEmpty() || line.startsWith("#"));
        return lines;
    }

    private static boolean isOwn(String file) {
        return file.matches("(jepsen|recorded)/.*");
    }

    private static Path path(String file) {
        if (isOwn(file)) {
            return RESOURCES.resolve(file);
        }
        Path shared = OracleCorpus.folder()
                .map(corpus -> corpus.resolveSibling("cases"))
                .filter(Files::isDirectory)
                .orElse(null);
        Assumptions.assumeTrue(shared != null, "skipped: no cases at ../shared/cases");
        return shared.resolve(file);
    }

    @ParameterizedTest
    @MethodSource("lines")
    void isRight(String line) {
        String[] parts = line.split(" \\| ");
        Path path = path(parts[0]);
        List<String> marks = Arrays.asList(parts).subList(2, parts.length);
        List<String> wrong = new ArrayList<>();
        for (int l = 0; l < LEVELS.size(); l++) {
            if (parts[1].charAt(l) != '.') {
                String level = LEVELS.get(l);
                List<String> words = new ArrayList<>(List.of("check", "--timeout", "30s", "-l", level));
                marks.stream().filter(mark -> mark.startsWith("--")).forEach(m -> words.addAll(List.of(m.split(" "))));
                words.add(path.toString());
                InProcess answer = InProcess.run(words);
                boolean isRight = answer.word().charAt(0) == parts[1].charAt(l)
                        && (parts[1].charAt(l) == 'P'
                                || marks.stream().allMatch(mark -> isShown(mark, level, words, answer)));
                if (!isRight) {
                    wrong.add(level + ": " + answer);
                }
            }
        }
        assertThat(wrong).as(line).isEmpty();
    }

    private static boolean isShown(String mark, String level, List<String> words, InProcess answer) {
        String[] of = mark.split(": +", 2);
        String all = answer.out() + answer.err();
        if (mark.startsWith("--")) {
            return true;
        } else if (of[0].equals("not")) {
            return !all.contains(of[1]);
        } else if (of[0].equals("enough")) {
            List<String> explain = new ArrayList<>(words);
            explain.set(0, "explain");
            return InProcess.run(explain).out().contains(of[1] + " transactions with ");
        } else if (LEVELS.contains(of[0])) {
            return !of[0].equals(level) || all.contains("  " + of[1] + "\n");
        }
        return all.contains(mark);
    }

    @Test
    void everyFileHasAnAnswer() throws IOException {
        TreeSet<String> files = new TreeSet<>();
        for (Path root : List.of(RESOURCES, path("."))) {
            try (Stream<Path> all = Files.walk(root)) {
                all.filter(Files::isRegularFile)
                        .map(file -> root.relativize(file).normalize().toString())
                        .filter(file -> isOwn(file) || (root != RESOURCES && !file.equals("README.md")))
                        .forEach(files::add);
            }
        }
        TreeSet<String> listed = new TreeSet<>();
        lines().forEach(line -> listed.add(line.split(" ")[0]));
        assertThat(listed).isEqualTo(files);
    }

    @Test
    void theSameInOtherFormatsHasTheSameVerdict() throws IOException {
        for (String line : lines()) {
            String[] parts = line.split(" \\| ");
            char verdict = parts[1].charAt(LEVELS.indexOf("ser"));
            for (String format : parts[0].startsWith("jepsen/") && verdict != 'I'
                    ? List.of("jsonl", "parquet")
                    : List.<String>of()) {
                String copy = folder.resolve("copy." + format).toString();
                InProcess.run("convert", "--overwrite", path(parts[0]).toString(), copy);
                InProcess answer = InProcess.run("check", "-l", "ser", copy);
                assertThat(answer.word().charAt(0)).as(line + ": " + answer).isEqualTo(verdict);
            }
        }
    }

    /** The command of the message makes EDN of the log. */
    @Test
    void theMessageForALogHasACommand() throws Exception {
        Path log = path("jepsen/etcd-clients.log");
        String message = InProcess.run("check", "-l", "lin", log.toString()).err();
        int command = message.indexOf("sed -nE");
        String sed = message.substring(command, message.indexOf("/p'", command) + 3);
        Process process = new ProcessBuilder("sh", "-c", sed + " " + log).start();
        String edn = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(edn.lines()).hasSize(6);
        InProcess answer = InProcess.run(
                "check",
                "-l",
                "lin",
                Files.writeString(folder.resolve("h.edn"), edn).toString());
        assertThat(answer.word()).as(answer.toString()).isEqualTo("PASS");
    }

    /** The client may not have learnt that the transaction was aborted; its error is shown. */
    @Test
    void anAbortedReadHasAdvice() {
        String file = path("names/failed-write-that-took-effect.edn").toString();
        assertThat(InProcess.run("explain", "-l", "ser", file).out())
                .contains(
                        "timeout",
                        "has to be recorded as indeterminate",
                        "aborted, error: [:crud-error rollback is toward");
    }

    @Test
    void aChainTakesALateTransaction() {
        String part = path("chains/late-fills-gap").toString();
        InProcess answer = InProcess.run("check", "-l", "ser", "-o", folder.toString(), "--each", part);
        assertThat(answer.exitCode()).as(answer.toString()).isZero();
    }
}
