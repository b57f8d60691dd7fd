package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.application.InstalledEngines;
import org.polygraph.storage.testkit.HistoryDsl;

/**
 * Files with inputs, commands and what these print. A case is a text of what it shows, followed by files ({@code ==
 * NAME}, then the lines, or {@code == NAME: HISTORY} in the language of {@link HistoryDsl}), commands, and notes
 * ({@code -- TEXT}). {@code $ WORDS} is a command line of polygraph, which runs in this JVM: then
 * follow the exit code and the output without what differs from run to run. {@code $ WORDS | SHELL} shows what a shell
 * command leaves of it, {@code $ WORDS < FILE} has a standard input, and {@code $ faked WORDS} checks with
 * {@link FakeChecker} and shows how often that was asked. {@code % SHELL} is a command of the shell, such as
 * {@code sed -i} to change a file. Words with a slash or an ending, and {@code out...}, are paths in the folder of the
 * case; {@code examples/} are those of the project, whose root the shell has as {@code $ROOT}. A case with {@code (needs
 * PROGRAM)} in its first line is skipped without that program. Cases in the folder {@code ci} run with {@code -Pci}.
 * {@code -Dcases.update=true} writes the outputs as they are now; read
 * the difference before you commit it. {@code -Dcases=TEXT} runs the files whose names contain the text.
 */
class CasesTest {
    private static final Path CASES = Command.ROOT.resolve("spark-jobs/src/test/resources/cases");
    private static final Path EXAMPLES = Command.ROOT.resolve("spark-jobs/examples");
    /** What differs from run to run: times, memory, and the name of a run. */
    private static final Pattern VOLATILE =
            Pattern.compile("\\b(?<! of )[0-9.]+ (?:ms|s|MB|GB|MiB|GiB)\\b|run=[0-9A-Za-z_.:+-]+"
                    + "|\"phases\":\\[[^\\]]*\\]|\"peak_memory_bytes\":[1-9][0-9]*|\"ms\":[0-9]+"
                    + "|\\b\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ");

    private static final Pattern COMMAND = Pattern.compile("(faked )?(.*?)(?: < (\\S+))?(?: \\| (.*))?");

    private static final Pattern NEEDS = Pattern.compile(".*\\(needs (\\S+)\\)");

    @TestFactory
    Stream<DynamicTest> print(@TempDir Path folder) throws IOException {
        return of("", folder);
    }

    /** Cases that start Spark, download a driver of a database, or take long. */
    @TestFactory
    @Tag("process")
    Stream<DynamicTest> printInCi(@TempDir Path folder) throws IOException {
        return of("ci", folder);
    }

    /** The cases of a folder. */
    static Stream<DynamicTest> of(String source, Path folder) throws IOException {
        String wanted = System.getProperty("cases", "");
        List<Path> cases;
        try (Stream<Path> files = Files.list(CASES.resolve(source))) {
            cases = files.filter(Files::isRegularFile)
                    .filter(file -> file.getFileName().toString().contains(wanted))
                    .sorted()
                    .toList();
        }
        assertThat(cases.isEmpty() && wanted.isEmpty()).isFalse();
        return cases.stream().map(path -> {
            String name = path.getFileName().toString();
            return DynamicTest.dynamicTest(name, () -> {
                String text = Files.readString(path);
                assumeProgram(text);
                Path place = Files.createDirectory(folder.resolve(name));
                Files.createSymbolicLink(place.resolve("examples"), EXAMPLES);
                String now = new CasesTest().played(text, place);
                Files.delete(place.resolve("examples"));
                if (Boolean.getBoolean("cases.update")) {
                    Files.writeString(path, now);
                } else {
                    assertThat(now).as(name).isEqualTo(text);
                }
            });
        });
    }

    private static void assumeProgram(String text) {
        Matcher needs = NEEDS.matcher(text);
        boolean isThere = !needs.lookingAt()
                || Arrays.stream(System.getenv("PATH").split(":", -1))
                        .anyMatch(folder -> Files.isExecutable(Path.of(folder, needs.group(1))));
        Assumptions.assumeTrue(isThere, () -> "skipped: there is no " + needs.group(1) + " here");
    }

    private final FakeChecker fake = new FakeChecker();

    /** The text of a case with the outputs of now. */
    private String played(String text, Path folder) throws IOException, InterruptedException {
        StringBuilder now = new StringBuilder();
        Path file = null;
        boolean isOutput = false;
        for (String line : text.split("(?<=\n)")) {
            if (line.startsWith("== ")) {
                String[] name = line.substring(3).strip().split(": ", 2);
                file = folder.resolve(name[0]);
                Files.createDirectories(file.getParent());
                Files.deleteIfExists(file);
                if (name.length > 1) {
                    Files.writeString(file, HistoryDsl.lines(name[1]));
                }
                isOutput = false;
            } else if (line.startsWith("$ ") || line.startsWith("% ")) {
                String command = line.substring(2).strip();
                String output =
                        line.startsWith("$ ") ? polygraph(command, folder) : steady(shell(command, "", folder), folder);
                now.append(line).append(output).append(output.matches("(?s)|.*\n") ? "" : "\n");
                file = null;
                isOutput = true;
                continue;
            } else if (line.startsWith("-- ")) {
                now.append(isOutput ? "\n" : "").append(line);
                file = null;
                isOutput = true;
                continue;
            } else if (file != null && !line.isBlank()) {
                Files.writeString(file, (Files.exists(file) ? Files.readString(file) : "") + line);
            }
            now.append(isOutput ? "" : line);
        }
        return now.toString();
    }

    private String polygraph(String command, Path folder) throws IOException, InterruptedException {
        Matcher parts = COMMAND.matcher(command);
        assertThat(parts.matches()).isTrue();
        // The shell expands what is not plain.
        String plain = parts.group(2).matches("[^*'\"$]*")
                ? parts.group(2).replace(' ', '\n')
                : shell("printf '%s\\n' " + parts.group(2), "", folder);
        String[] words = Arrays.stream(plain.replaceFirst("\n$", "").split("\n", -1))
                .map(word -> word.matches("[^/:-][^:]*(\\.[a-z]+|/[^:]*)|out[^:]*")
                        ? folder + "/" + word.replaceFirst("^\\./", "")
                        : word)
                .toArray(String[]::new);
        InputStream before = System.in;
        int checks = fake.checks;
        InProcess run;
        try {
            if (parts.group(3) != null) {
                System.setIn(Files.newInputStream(folder.resolve(parts.group(3))));
            }
            run = InProcess.run(
                    parts.group(1) == null ? new InstalledEngines() : new OnlyEmbedded(fake.checker()), words);
        } finally {
            System.setIn(before);
        }
        String shown = steady(run.out() + run.err(), folder);
        return "exit " + run.exitCode() + (parts.group(1) == null ? "" : ", checked " + (fake.checks - checks)) + "\n"
                + (parts.group(4) == null ? shown : shell(parts.group(4), shown, folder));
    }

    /** An output without what differs from run to run. */
    private static String steady(String output, Path folder) {
        String inside = output.replace(folder + "/", "").replace(folder.toString(), ".");
        return VOLATILE.matcher(inside.replace(EXAMPLES.toString(), "examples")).replaceAll("~");
    }

    /** What a command of the shell prints, and its exit code if that is not 0. */
    private static String shell(String command, String input, Path folder) throws IOException, InterruptedException {
        ProcessBuilder builder =
                Command.builder(Map.of("LC_ALL", "C", "ROOT", Command.ROOT.toString()), List.of("bash", "-c", command));
        builder.directory(folder.toFile());
        Process process = builder.redirectErrorStream(true).start();
        process.getOutputStream().write(input.getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return output + (process.waitFor() == 0 ? "" : "exit " + process.exitValue() + "\n");
    }
}
