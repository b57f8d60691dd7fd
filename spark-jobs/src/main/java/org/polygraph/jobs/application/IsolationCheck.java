package org.polygraph.jobs.application;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.report.ResultLine;
import org.polygraph.jobs.report.RunDirectory;
import org.polygraph.jobs.report.StoredVerdict;
import org.polygraph.jobs.report.ViolationText;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryWriter;
import org.polygraph.storage.table.HistoryTable;

/**
 * From a history to a verdict, in this process and without Spark:
 *
 * <pre>{@code
 * IsolationCheck.of(recorder.history()).assertKeeps(IsolationLevel.SI);
 * IsolationCheck.of(Path.of("run.jsonl")).keepIn(Path.of("runs")).mayShow(Anomaly.WRITE_SKEW).assertKeeps(IsolationLevel.SER);
 * }</pre>
 *
 * <p>The check takes the options that {@code polygraph check} has by default. {@link #at} throws no exception: a history
 * that cannot be read or judged has a verdict too.
 */
public final class IsolationCheck {
    private static final String PREFIX = "history-";
    private static final String SUFFIX = ".jsonl";

    private final @Nullable Path file;
    private final @Nullable HistoryTable table;
    private Duration timeout = Duration.ofNanos(Long.MAX_VALUE);
    private @Nullable Path runs;
    private final Set<Anomaly> allowed = EnumSet.noneOf(Anomaly.class);

    /**
     * An answer.
     *
     * @param status PASS, VIOLATION, UNKNOWN (no answer was found, above all if the time or the memory ran out),
     *     INVALID or ERROR
     * @param text the result line, followed by the explanation of the first violation or by the fault of the history;
     *     it ends without a line end
     * @param anomalies the names of all violations that were found; empty unless the status is VIOLATION
     * @param report the page of the run; empty if no run is kept
     */
    public record Result(Verdict.Status status, String text, Set<Anomaly> anomalies, Optional<Path> report) {
        /** Returns the text, and in a line of its own where the report is. */
        public String message() {
            return text
                    + report.map(page -> "\nReport: " + page.toAbsolutePath()).orElse("");
        }
    }

    private IsolationCheck(@Nullable Path file, @Nullable HistoryTable table) {
        this.file = file;
        this.table = table;
    }

    /** @param history a file in any format that the command reads */
    public static IsolationCheck of(Path history) {
        return new IsolationCheck(history, null);
    }

    /**
     * @param history of a recorder in memory, for example. Each check writes it to a new file {@code history-*.jsonl}:
     *     in the folder of runs, because a kept verdict refers to it, or else in the system's temporary folder, where
     *     it is deleted afterwards.
     */
    public static IsolationCheck of(HistoryTable history) {
        return new IsolationCheck(null, history);
    }

    /** Limits the time of a check, which then ends with UNKNOWN. By default there is no limit. */
    public IsolationCheck within(Duration most) {
        timeout = most;
        return this;
    }

    /**
     * Keeps the verdict with its evidence and report in {@code run=<id>} of this folder, as {@code check --out} does.
     */
    public IsolationCheck keepIn(Path folder) {
        runs = folder;
        return this;
    }

    /**
     * Allows violations with these names in {@link #assertKeeps}. An application that handles write skew itself is
     * serializable but for {@link Anomaly#WRITE_SKEW}, for example. Of violations that have transactions in common one
     * is found, so a weaker level that has to be kept, such as si, is to be checked too.
     */
    public IsolationCheck mayShow(Anomaly... names) {
        allowed.addAll(List.of(names));
        return this;
    }

    /**
     * Decides one level, and throws unless the history keeps it or has only violations that {@link #mayShow} allows.
     *
     * @return the answer, PASS or VIOLATION
     * @throws AssertionError with the explanation, and with the place of the report if there is one; also if nothing
     *     was recorded or no answer was found
     */
    public Result assertKeeps(IsolationLevel level) {
        Result result = at(level);
        boolean isAllowed = result.status == Verdict.Status.VIOLATION
                && !result.anomalies.isEmpty()
                && allowed.containsAll(result.anomalies);
        if (result.status != Verdict.Status.PASS && !isAllowed) {
            Set<Anomaly> others = EnumSet.noneOf(Anomaly.class);
            others.addAll(result.anomalies);
            others.removeAll(allowed);
            throw new AssertionError(
                    allowed.isEmpty() || others.isEmpty()
                            ? result.message()
                            : "found " + labels(others) + ", where only " + labels(allowed) + " is allowed\n"
                                    + result.message());
        }
        return result;
    }

    private static String labels(Set<Anomaly> names) {
        return String.join(", ", names.stream().map(Anomaly::label).toList());
    }

    /** Decides one level. */
    public Result at(IsolationLevel level) {
        if (file != null) {
            return at(level, file);
        }
        Path folder = runs;
        Path written = null;
        try {
            written = folder == null
                    ? Files.createTempFile(PREFIX, SUFFIX)
                    : Files.createTempFile(Files.createDirectories(folder), PREFIX, SUFFIX);
            HistoryWriter.write(Objects.requireNonNull(table).withUndone(), written.toString(), HistoryFormat.JSONL);
            return at(level, written);
        } catch (IOException e) {
            String where = folder == null ? "the temporary folder" : folder.toString();
            return new Result(
                    Verdict.Status.ERROR,
                    where + ": the history cannot be written there (" + Failures.cause(e) + "); give another folder",
                    Set.of(),
                    Optional.empty());
        } finally {
            if (folder == null && written != null) {
                written.toFile().delete();
            }
        }
    }

    private Result at(IsolationLevel level, Path history) {
        CheckSettings settings = new CheckSettings(
                HistoryFormat.AUTO,
                List.of(CheckRequest.byDefault(level)),
                false,
                new CheckSettings.Limits(timeout.toNanos(), Runtime.getRuntime().maxMemory()),
                CheckSettings.Failing.ANY,
                new CheckSettings.Runs(runs == null ? null : runs.toString(), CheckSettings.Earlier.CONTINUED),
                null,
                CheckSettings.Before.NOTHING,
                true);
        Messages messages = new Messages();
        Answer answer = new CheckRun(settings, Checker.EMBEDDED, messages)
                .answers(history.toString())
                .get(0);
        RunDirectory run = answer.run();
        return new Result(
                answer.status(),
                (text(answer, history) + String.join("\n", messages.lines)).stripTrailing(),
                anomalies(answer),
                Optional.ofNullable(run).map(kept -> Path.of(kept.report().name())));
    }

    private static String text(Answer answer, Path history) {
        Verdict found = answer.found();
        StoredVerdict stored = answer.stored();
        if (found != null) {
            return ResultLine.of(found) + "\n" + ViolationText.of(found, ViolationText.Detail.BRIEF);
        }
        return stored == null
                ? ""
                : stored.line(history.toString(), 0) + "\n" + stored.explanation(ViolationText.Detail.BRIEF);
    }

    private static Set<Anomaly> anomalies(Answer answer) {
        Verdict found = answer.found();
        StoredVerdict stored = answer.stored();
        Set<Anomaly> names = EnumSet.noneOf(Anomaly.class);
        if (found != null) {
            found.violations().forEach(violation -> names.add(violation.anomaly()));
            found.unexplained().forEach(violation -> names.add(violation.anomaly()));
        } else if (stored != null) {
            // The run of the same check names each anomaly in verdict.json.
            List<String> labels = stored.anomalies();
            for (Anomaly anomaly : Anomaly.values()) {
                if (labels.contains(anomaly.label())) {
                    names.add(anomaly);
                }
            }
        }
        return names;
    }

    /** Keeps the messages and the current phase. */
    static final class Messages implements Listener {
        final List<String> lines = new ArrayList<>();
        private volatile String phase = "";

        @Override
        public String currentPhase() {
            return phase;
        }

        @Override
        public void notice(String text) {
            lines.add(text);
        }

        @Override
        public void message(String text) {
            lines.add(text);
        }

        @Override
        public void bug(String text, Throwable e) {
            lines.add(text + ": " + e);
        }

        @Override
        public void phase(String name) {
            phase = name;
        }
    }
}
