package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Files of the kinds that Jepsen, Elle and Porcupine write, made for this test, with their verdicts or the messages that
 * state what to record instead: {@code src/test/resources/jepsen}.
 */
class JepsenFilesTest {
    private static final Path FOLDER = Path.of("src/test/resources/jepsen");
    private static final List<String> LEVELS = List.of("ser", "sser", "si", "rc");

    static List<String> lines() throws IOException {
        List<String> lines = new ArrayList<>(Files.readAllLines(FOLDER.resolve("RIGHT.txt")));
        lines.removeIf(line -> line.startsWith("#"));
        return lines;
    }

    @ParameterizedTest
    @MethodSource("lines")
    void isRight(String line) {
        String[] parts = line.split(" \\| ", 2);
        String path = FOLDER.resolve(parts[0]).toString();
        if (!parts[1].matches("[PV]( [PV.])*")) {
            InProcess answer = InProcess.run("check", "-l", "ser", path);
            assertThat(answer.exitCode()).as(answer.toString()).isEqualTo(5);
            assertThat(answer.toString()).contains(FOLDER.resolve(parts[1]).toString());
            return;
        }
        StringBuilder verdicts = new StringBuilder();
        StringBuilder answers = new StringBuilder();
        for (String level : LEVELS) {
            boolean isAsked = parts[1].charAt(verdicts.length()) != '.';
            InProcess answer = isAsked ? InProcess.run("check", "-l", level, path) : null;
            verdicts.append(' ').append(answer == null ? '.' : answer.word().charAt(0));
            answers.append(answer);
        }
        assertThat(verdicts.substring(1)).as(answers.toString()).isEqualTo(parts[1]);
    }

    @Test
    void everyFileHasAnAnswer() throws IOException {
        try (Stream<Path> files = Files.list(FOLDER)) {
            assertThat(files.map(file -> file.getFileName().toString()).filter(name -> !name.equals("RIGHT.txt")))
                    .containsExactlyInAnyOrderElementsOf(
                            lines().stream().map(line -> line.split(" ")[0]).toList());
        }
    }

    @Test
    void theSameInOtherFormatsHasTheSameVerdict(@TempDir Path folder) throws IOException {
        for (String line : lines()) {
            String name = line.split(" ")[0];
            String verdict = line.substring(name.length() + 3);
            for (String format : verdict.matches("[PV]( [PV.])*") ? List.of("jsonl", "parquet") : List.<String>of()) {
                String copy = folder.resolve(name + "." + format).toString();
                InProcess.run("convert", "-t", format, FOLDER.resolve(name).toString(), copy);
                InProcess answer = InProcess.run("check", "-l", "ser", copy);
                assertThat(answer.word().charAt(0)).as(copy + ": " + answer).isEqualTo(verdict.charAt(0));
            }
        }
    }

    /** The command of the message makes EDN of the log. */
    @Test
    void theMessageForALogHasACommand(@TempDir Path folder) throws Exception {
        Path log = FOLDER.resolve("etcd-clients.log");
        String message = InProcess.run("check", "-l", "lin", log.toString()).err();
        int command = message.indexOf("sed -nE");
        Process sed = new ProcessBuilder(
                        "sh", "-c", message.substring(command, message.indexOf("/p'", command) + 3) + " " + log)
                .start();
        Path edn = folder.resolve("h.edn");
        Files.writeString(edn, new String(sed.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
        assertThat(Files.readAllLines(edn)).hasSize(6);
        InProcess answer = InProcess.run("check", "-l", "lin", edn.toString());
        assertThat(answer.word()).as(answer.toString()).isEqualTo("PASS");
    }
}
