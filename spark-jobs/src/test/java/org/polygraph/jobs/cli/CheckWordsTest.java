package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.polygraph.jobs.application.InstalledEngines;
import org.polygraph.storage.testkit.SplitMix;
import org.polygraph.storage.testkit.SuiteScale;
import picocli.CommandLine;

/** The words that {@code CheckCommand} reads itself mean the same as read by picocli. */
class CheckWordsTest {
    private static final List<String> WORDS =
            List.of(("-l -l --level --level=rc -lrc rc ser,si ra, -f --format plume auto"
                            + " -o --out dir --timeout 10s 10 --memory 1g 512MiB --json --json=true --after run=1 --each -q"
                            + " --quiet -v -qv --verbose - -- history.jsonl h.txt @file --resume --help -h --engine embedded ")
                    // The last word is empty.
                    .split(" ", -1));

    private final Environment environment = environment();

    @Test
    void meanTheSameAsWithPicocli() {
        long seed = 0xc11;
        int taken = 0;
        int refused = 0;
        int rounds = SuiteScale.of(10_000);
        for (int i = 0; i < rounds; i++) {
            SplitMix random = new SplitMix(SplitMix.seedOf(seed, i));
            List<String> words = words(random);
            CheckCommand command = CheckCommand.check(environment);
            boolean isTaken = command.take(words);
            taken += isTaken ? 1 : 0;
            refused += isTaken ? 0 : 1;
            if (isTaken) {
                same(command, words);
            }
        }
        System.out.println("words from seed " + seed + ": taken " + taken + ", left to picocli " + refused);
        assertThat(taken).isGreaterThan(rounds / 10);
        assertThat(refused).isGreaterThan(rounds / 10);
    }

    @Test
    void takesFrequentWords() {
        for (String line : List.of(
                "-l rc h.parquet",
                "-q -l rc h.parquet",
                "h.parquet --level ser,si --json",
                "-l cc -f plume -o dir --timeout 10s --memory 4g -v -",
                "-q -l ser -o runs --after runs h.jsonl",
                "-l si --out runs --each folder")) {
            List<String> words = List.of(line.split(" "));
            CheckCommand command = CheckCommand.check(environment);
            assertThat(command.take(words)).as(line).isTrue();
            same(command, words);
        }
    }

    /** A level and a PATH that fit, and some random words. */
    private static List<String> words(SplitMix random) {
        List<String> words = new ArrayList<>();
        if (random.chance(0.8)) {
            words.add(random.chance(0.5) ? "-l" : "--level");
            words.add(random.chance(0.5) ? "rc" : "si,ser");
        }
        if (random.chance(0.3)) {
            words.add("h.jsonl");
        }
        for (int i = random.nextInt(4); i > 0; i--) {
            words.add(random.nextInt(words.size() + 1), WORDS.get(random.nextInt(WORDS.size())));
        }
        return words;
    }

    private void same(CheckCommand taken, List<String> words) {
        List<String> line = new ArrayList<>(words);
        line.add(0, "check");
        CommandLine commands = PolygraphCommand.commandLine(line, environment);
        commands.parseArgs(line.toArray(new String[0]));
        CheckCommand parsed = (CheckCommand)
                commands.getSubcommands().get("check").getCommandSpec().userObject();
        parsed.validate();
        assertThat(taken)
                .as("%s", words)
                .usingRecursiveComparison()
                .ignoringFieldsMatchingRegexes(".*spec", "environment")
                .isEqualTo(parsed);
    }

    private static Environment environment() {
        PrintStream nowhere = new PrintStream(new ByteArrayOutputStream());
        return new Environment(nowhere, nowhere, false, new InstalledEngines());
    }
}
