package org.polygraph.jobs.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.polygraph.jobs.application.EmbeddedChecker;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Checks;
import org.polygraph.jobs.decision.Progress;
import org.polygraph.jobs.report.wording.Expectation;
import org.polygraph.jobs.report.wording.Facts;
import org.polygraph.jobs.report.wording.Phenomenon;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.HistoryDsl;

/**
 * The examples of anomalies.txt: each history has exactly the anomaly of its section, at the levels that are listed and at
 * no others, with that sentence and that advice. The examples of docs/anomalies.md are some of them.
 */
class AnomalyTableTest {
    private static final Path MODULE = Path.of(System.getProperty("polygraph.root", ".."), "spark-jobs");
    private static final Path PAGE = MODULE.resolve("docs/anomalies.md");
    private static final Path EXAMPLES = MODULE.resolve("src/test/resources/anomalies.txt");
    private static final String ALL = "ser, si, pc, cc, ra, rc, pl2";
    private static final Pattern SECTION = Pattern.compile("### (\\S+)\n(.*?)(?=\n###? |\\z)", Pattern.DOTALL);
    private static final Pattern HISTORY = Pattern.compile("`(init .*?)`\n\n(.*?)(?=\n`init |\\z)", Pattern.DOTALL);

    private static final Pattern ADVICE = Pattern.compile("(?m)^- ([a-z0-9, ]+): (.*)$");

    /**
     * A history with what it shows: the sentence, then a line of levels and advice for each advice.
     *
     * @param before the section in which a level had an advice first, by level and advice without names
     */
    record Example(String name, String history, String shown, Map<String, String> before) {
        Stream<MatchResult> advice() {
            return ADVICE.matcher(shown).results();
        }

        /** The line of the page: history, levels and sentences. */
        String line() {
            Set<String> violated = advice().flatMap(
                            line -> Stream.of(line.group(1).split(", ")))
                    .collect(Collectors.toSet());
            String levels = Checks.LEVELS.stream()
                    .map(IsolationLevel::label)
                    .filter(violated::contains)
                    .collect(Collectors.joining(", "));
            String sentences =
                    shown.lines().filter(line -> !line.startsWith("- ")).collect(Collectors.joining(" "));
            return "- `" + history + "` (" + (levels.isEmpty() || levels.equals(ALL) ? "all" : levels) + "): "
                    + sentences;
        }

        @Override
        public String toString() {
            return name + " " + history;
        }
    }

    static List<Example> examples() throws IOException {
        List<Example> examples = new ArrayList<>();
        Map<String, String> before = new HashMap<>();
        Matcher section = SECTION.matcher(Files.readString(EXAMPLES));
        while (section.find()) {
            Matcher history = HISTORY.matcher(section.group(2));
            while (history.find()) {
                String shown = history.group(2).strip();
                Example example = new Example(section.group(1), history.group(1), shown, Map.copyOf(before));
                examples.add(example);
                example.advice().forEach(line -> {
                    for (String level : line.group(1).replaceAll("^all$", ALL).split(", ")) {
                        before.putIfAbsent(level + withoutNames(line.group(2)), example.name);
                    }
                });
            }
        }
        return examples;
    }

    private static String withoutNames(String advice) {
        return advice.replaceAll("s\\d+#\\d+", "T")
                .replaceAll("T(, T)*( and T)?", "T")
                .replaceAll("\"[^\"]*\"", "K");
    }

    @ParameterizedTest
    @MethodSource("examples")
    void showsItsAnomaly(Example example) {
        HistoryTable table = HistoryDsl.parse(example.history);
        Map<String, List<String>> byAdvice = new LinkedHashMap<>();
        Set<String> sentences = new TreeSet<>();
        for (IsolationLevel level : Checks.LEVELS) {
            if (level.realTime() && table.starts() == null) {
                continue;
            }
            Verdict verdict = check(table, level);
            if (verdict.status() == Verdict.Status.VIOLATION) {
                Facts facts = new Facts(Objects.requireNonNull(verdict.table()));
                Violation violation = verdict.violations().get(0);
                assertThat(violation.anomaly().label()).as(level.label()).isEqualTo(example.name);
                sentences.add(Phenomenon.of(violation, facts) + ".");
                String advice = Expectation.of(violation, level, facts);
                String section = example.before.get(level.label() + withoutNames(advice));
                String said =
                        section == null ? advice : section.equals(example.name) ? "as above." : "see " + section + ".";
                byAdvice.computeIfAbsent(said, a -> new ArrayList<>()).add(level.label());
            }
        }
        String shown = String.join("\n", sentences)
                + byAdvice.entrySet().stream()
                        .map(e -> "\n- "
                                + String.join(", ", e.getValue()).replaceAll("^" + ALL + "$", "all") + ": "
                                + e.getKey())
                        .collect(Collectors.joining());
        assertThat(shown).isEqualTo(example.shown);
    }

    static Verdict check(HistoryTable table, IsolationLevel level) {
        TimeMode time = level.realTime() ? TimeMode.STRICT : TimeMode.HINT;
        return new EmbeddedChecker()
                .check(
                        table,
                        new CheckRequest(level, time, 0, IndeterminateMode.MAYBE),
                        Progress.NONE,
                        Budget.unlimited());
    }

    @Test
    void thePageHasAnExampleForEachName() throws IOException {
        Set<String> lines = new HashSet<>();
        examples().forEach(example -> lines.add(example.name + " " + example.line()));
        Set<String> names = RowAnomalyTableTest.names();
        Matcher section = SECTION.matcher(Files.readString(PAGE));
        while (section.find()) {
            section.group(2).strip().lines().forEach(line -> assertThat(lines).contains(section.group(1) + " " + line));
            names.add(section.group(1));
        }
        assertThat(names)
                .isEqualTo(
                        Stream.of(Anomaly.values()).map(Anomaly::label).collect(Collectors.toCollection(TreeSet::new)));
    }
}
