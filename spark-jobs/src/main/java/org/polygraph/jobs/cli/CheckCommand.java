package org.polygraph.jobs.cli;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.polygraph.jobs.report.ViolationText;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.TypeConversionException;

/** {@code polygraph check}: a verdict a PATH and level. */
@Command(
        name = "check",
        description = "Decide whether each history keeps an isolation level.",
        sortOptions = false,
        footer = {
            "",
            "Prints a line per PATH: PASS|VIOLATION|UNKNOWN|INVALID|ERROR  level  path  txns  ops  ms  [why]",
            "Of several levels a line each, the strongest first, then an indented line that names the",
            "strongest that holds; --json has it as \"strongest\".",
            "Exit code: the first of 1, 6, 5, 3, 4, 0 that occurred."
        })
final class CheckCommand implements Callable<Integer> {
    private static final String LEVEL = "--level";

    /** Options that have no value, of those that {@link #take} takes. */
    private static final Set<String> FLAGS = Set.of("--json", "-q", "--quiet", "-v", "--verbose");

    /** Their short names. */
    private static final Map<String, String> SHORT =
            Map.of("-l", LEVEL, "-f", "--format", "-o", "--out", "-q", "--quiet", "-v", "--verbose");

    private final Environment environment;

    @Mixin
    private final CheckOptions options = new CheckOptions();

    @Mixin
    private final Verbosity verbosity = new Verbosity();

    CheckCommand(Environment environment) {
        this.environment = environment;
    }

    /**
     * Takes the words of most checks without picocli, which makes a picture of all options by reflection first, for longer than a
     * small check takes: one PATH, and options that have their usual form and stand there once. All other words are left to
     * picocli, on a new command: the unusual, the wrong, and those that ask for help.
     *
     * @param words after the command's name
     */
    boolean take(List<String> words) {
        Set<String> given = new HashSet<>();
        try {
            for (int i = 0; i < words.size(); i++) {
                String word = words.get(i);
                boolean isPath = word.equals("-") || !word.startsWith("-");
                boolean isFlag = FLAGS.contains(word);
                if (!given.add(isPath ? "" : SHORT.getOrDefault(word, word)) || word.isEmpty()) {
                    return false;
                }
                String value = isPath || isFlag ? word : ++i < words.size() ? words.get(i) : "";
                boolean isFit = isPath || isFlag || !(value.isEmpty() || value.startsWith("-"));
                if (!isFit || !(verbosity.take(word) || options.take(isPath ? "" : word, value))) {
                    return false;
                }
            }
        } catch (TypeConversionException e) {
            return false;
        }
        return given.contains("") && given.contains(LEVEL);
    }

    @Override
    public Integer call() {
        return new CheckRun(environment, options, verbosity, ViolationText.Detail.BRIEF).run();
    }
}
