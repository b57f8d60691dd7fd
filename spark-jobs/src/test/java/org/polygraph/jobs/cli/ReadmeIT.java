package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * README.md and the manual pages are executable: every {@code ./polygraph} line of their sh blocks runs and exits with
 * the code N of its comment {@code # exits N} (0 without one). A text block right after a sh block is what its commands
 * print, except for milliseconds.
 */
@Tag("process")
class ReadmeIT {
    private static final List<String> PAGES = List.of(
            "README.md",
            "spark-jobs/docs/levels.md",
            "spark-jobs/docs/reports.md",
            "spark-jobs/docs/evidence.md",
            "spark-jobs/docs/generate.md",
            "spark-jobs/docs/record.md",
            "spark-jobs/docs/jdbc.md");

    private static final Pattern BLOCK =
            Pattern.compile("```sh\n(.*?)```\n(?:\n?```text\n(.*?)```\n)?", Pattern.DOTALL);
    private static final Pattern EXITS = Pattern.compile("#.* exits (\\d+)");

    record Block(List<String> commands, String printed) {}

    static List<Block> blocks() throws IOException {
        List<Block> blocks = new ArrayList<>();
        for (String page : PAGES) {
            Matcher matcher = BLOCK.matcher(Files.readString(Command.ROOT.resolve(page)));
            while (matcher.find()) {
                List<String> commands = matcher.group(1)
                        .lines()
                        .filter(line -> line.contains("./polygraph"))
                        .toList();
                if (!commands.isEmpty()) {
                    blocks.add(new Block(commands, matcher.group(2)));
                }
            }
        }
        assertThat(blocks).hasSizeGreaterThan(8);
        return blocks;
    }

    @ParameterizedTest
    @MethodSource("blocks")
    void behavesAsDescribed(Block block) throws IOException, InterruptedException {
        StringBuilder printed = new StringBuilder();
        for (String line : block.commands) {
            Command command = Command.run(Command.ROOT, Map.of(), List.of("bash", "-c", line));
            Matcher exits = EXITS.matcher(line);
            assertThat(command.exitCode())
                    .as("%s%n%s", line, command.err())
                    .isEqualTo(exits.find() ? Integer.parseInt(exits.group(1)) : 0);
            printed.append(command.out());
        }
        if (block.printed != null) {
            assertThat(printed.toString().replaceAll("\\d+ ms", "N ms"))
                    .isEqualTo(block.printed.replaceAll("\\d+ ms", "N ms"));
        }
    }
}
