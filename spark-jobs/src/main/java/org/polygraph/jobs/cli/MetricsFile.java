package org.polygraph.jobs.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.application.Answer;
import org.polygraph.jobs.application.Failures;
import org.polygraph.jobs.report.StoredVerdict;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.storage.artifact.Location;
import picocli.CommandLine.Option;

/** {@code check --metrics-file}: the answers of a command as a text file for Prometheus, such as its node exporter reads. */
final class MetricsFile {
    /** The answers of one level. */
    private static final class OfLevel {
        final int[] answers = new int[Verdict.Status.values().length];
        Verdict.Status status = Verdict.Status.ERROR;
        String path = "";
        long millis;
        long transactions;
        long answered;
    }

    @Option(
            names = "--metrics-file",
            paramLabel = "FILE",
            description = "The answers as metrics of Prometheus; replaced as a whole at the end.")
    private @Nullable String file;

    private final Map<String, OfLevel> levels = new TreeMap<>();

    /** Adds the answers about a PATH. */
    void add(List<Answer> answers, String path) {
        for (Answer answer : answers) {
            OfLevel level = levels.computeIfAbsent(answer.level().label(), label -> new OfLevel());
            Verdict found = answer.found();
            StoredVerdict stored = answer.stored();
            level.status = answer.status();
            level.answers[level.status.ordinal()]++;
            level.path = path;
            level.millis = found == null ? 0 : found.millis();
            level.transactions =
                    found != null ? found.counts().transactions() : stored == null ? 0 : stored.transactions();
            level.answered = System.currentTimeMillis();
        }
    }

    /** Writes the file if it was requested. Returns why it cannot be written; null if it was. */
    @Nullable
    String write() {
        if (file == null) {
            return null;
        }
        try {
            byte[] text = text().getBytes(StandardCharsets.UTF_8);
            Location.of(file).write(out -> out.write(text));
            return null;
        } catch (IOException e) {
            return file + ": the metrics cannot be written there (" + Failures.cause(e)
                    + "); give another --metrics-file";
        }
    }

    private String text() {
        StringBuilder out = new StringBuilder();
        begin(out, "polygraph_answers", "Answers of the last command by level and verdict.");
        levels.forEach((label, level) -> {
            for (Verdict.Status status : Verdict.Status.values()) {
                out.append("polygraph_answers{level=\"" + label + "\",verdict=\"" + status + "\"} "
                        + level.answers[status.ordinal()] + "\n");
            }
        });
        begin(out, "polygraph_last_answer_info", "The last answer of the last command.");
        levels.forEach((label, level) -> out.append("polygraph_last_answer_info{level=\"" + label + "\",path=\""
                + escaped(level.path) + "\",verdict=\"" + level.status + "\"} 1\n"));
        begin(out, "polygraph_last_answer_transactions", "Transactions of the last answer.");
        levels.forEach((label, level) -> value(out, "transactions", label, Long.toString(level.transactions)));
        begin(out, "polygraph_last_answer_duration_seconds", "Time of the last check; 0 if an earlier run answered.");
        levels.forEach((label, level) -> value(out, "duration_seconds", label, seconds(level.millis)));
        begin(out, "polygraph_last_answer_timestamp_seconds", "When the last answer was given.");
        levels.forEach((label, level) -> value(out, "timestamp_seconds", label, seconds(level.answered)));
        return out.toString();
    }

    static void begin(StringBuilder out, String name, String help) {
        out.append("# HELP " + name + " " + help + "\n# TYPE " + name + " gauge\n");
    }

    private static void value(StringBuilder out, String name, String level, String value) {
        out.append("polygraph_last_answer_" + name + "{level=\"" + level + "\"} " + value + "\n");
    }

    private static String seconds(long millis) {
        return millis / 1000 + "." + String.valueOf(1000 + millis % 1000).substring(1);
    }

    /** The value of a label: Prometheus has escapes for three characters. */
    private static String escaped(String text) {
        return text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
    }
}
