package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * Files with inputs, commands and what these print. A case is a text of what it shows, followed by files ({@code ==
 * NAME}, then the lines) and commands ({@code $ WORDS}, then the exit code and the output without times). {@code cat
 * FILE} and {@code grep FILE PATTERN}, which prints each match, show what a command wrote; {@code *} in a path stands for
 * any characters of a name. {@code -Dcases.update=true} writes the outputs as they are now; read the difference before
 * you commit it.
 */
class CasesTest {
    private static final Path CASES =
            Path.of(System.getProperty("polygraph.root", ".."), "spark-jobs/src/test/resources/cases");
    /** What differs from run to run: times, memory, and the name of a run. */
    private static final Pattern VOLATILE = Pattern.compile("\\b[0-9.]+ (?:ms|s|MB|GB|MiB|GiB)\\b|run=[0-9A-Za-z_.:+-]+"
            + "|\"phases\":\\[[^\\]]*\\]|\"peak_memory_bytes\":[0-9]+|\"ms\":[0-9]+");

    @TestFactory
    Stream<DynamicTest> print(@TempDir Path folder) throws IOException {
        List<Path> cases;
        try (Stream<Path> files = Files.list(CASES)) {
            cases = files.sorted().toList();
        }
        assertThat(cases).isNotEmpty();
        return cases.stream().map(path -> {
            String name = path.getFileName().toString();
            return DynamicTest.dynamicTest(name, () -> {
                String text = Files.readString(path);
                String now = played(text, Files.createDirectory(folder.resolve(name)));
                if (Boolean.getBoolean("cases.update")) {
                    Files.writeString(path, now);
                } else {
                    assertThat(now).as(name).isEqualTo(text);
                }
            });
        });
    }

    /** The text of a case with the outputs of now. */
    private static String played(String text, Path folder) throws IOException {
        StringBuilder now = new StringBuilder();
        Path file = null;
        boolean isOutput = false;
        for (String line : text.split("(?<=\n)")) {
            if (line.startsWith("== ")) {
                file = folder.resolve(line.substring(3).strip());
                Files.deleteIfExists(file);
                isOutput = false;
            } else if (line.startsWith("$ ")) {
                now.append(line).append(output(line.substring(2).strip(), folder));
                file = null;
                isOutput = true;
                continue;
            } else if (file != null) {
                Files.writeString(file, (Files.exists(file) ? Files.readString(file) : "") + line);
            }
            now.append(isOutput ? "" : line);
        }
        return now.toString();
    }

    private static String output(String command, Path folder) throws IOException {
        String[] words = command.split(" ");
        String output;
        if (words[0].equals("cat")) {
            output = Files.readString(path(words[1], folder));
        } else if (words[0].equals("grep")) {
            Pattern pattern = Pattern.compile(command.split(" ", 3)[2]);
            output = pattern.matcher(Files.readString(path(words[1], folder)))
                    .results()
                    .map(found -> found.group() + "\n")
                    .collect(Collectors.joining());
        } else {
            InProcess run = InProcess.run(Arrays.stream(words)
                    .map(word -> word.matches("(.*\\.jsonl|out.*)")
                            ? path(word, folder).toString()
                            : word)
                    .toList());
            output = "exit " + run.exitCode() + "\n" + run.out() + run.err();
        }
        String shown = VOLATILE.matcher(output.replace(folder + "/", "")).replaceAll("~");
        return shown.endsWith("\n") || shown.isEmpty() ? shown : shown + "\n";
    }

    private static Path path(String word, Path folder) {
        if (!word.contains("*")) {
            return folder.resolve(word);
        }
        Path found = folder;
        for (String part : word.split("/")) {
            Pattern name = Pattern.compile(Pattern.quote(part).replace("*", "\\E.*\\Q"));
            try (Stream<Path> children = Files.list(found)) {
                found = children.filter(child ->
                                name.matcher(child.getFileName().toString()).matches())
                        .sorted()
                        .findFirst()
                        .orElseThrow();
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        }
        return found;
    }
}
