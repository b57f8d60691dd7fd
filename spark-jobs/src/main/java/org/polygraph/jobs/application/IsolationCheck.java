package org.polygraph.jobs.application;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.report.ResultLine;
import org.polygraph.jobs.report.RunDirectory;
import org.polygraph.jobs.report.StoredVerdict;
import org.polygraph.jobs.report.ViolationText;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.analysis.InitialChoice;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryWriter;
import org.polygraph.storage.table.HistoryTable;

/**
 * From a history to a verdict, in this process and without Spark:
 *
 * <pre>{@code
 * IsolationCheck check = IsolationCheck.of(Path.of("run.jsonl")).keepIn(Path.of("runs"));
 * IsolationCheck.Result result = check.at(IsolationLevel.SER);
 * if (result.status() != Verdict.Status.PASS) {
 *     throw new AssertionError(result.text());
 * }
 * }</pre>
 *
 * <p>The check takes the options that {@code polygraph check} has by default. It throws no exception: a history that
 * cannot be read or judged has a verdict too.
 */
public final class IsolationCheck {
    private static final String PREFIX = "history-";
    private static final String SUFFIX = ".jsonl";

    private final @Nullable Path file;
    private final @Nullable HistoryTable table;
    private Duration timeout = Duration.ofNanos(Long.MAX_VALUE);
    private @Nullable Path runs;

    /**
     * An answer.
     *
     * @param status PASS, VIOLATION, UNKNOWN (no answer was found, above all if the time or the memory ran out),
     *     INVALID or ERROR
     * @param text the result line, followed by the explanation of the first violation or by the fault of the history
     * @param report the page of the run; empty if no run is kept
     */
    public record Result(Verdict.Status status, String text, Optional<Path> report) {}

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
            HistoryWriter.write(Objects.requireNonNull(table).asRead(), written.toString(), HistoryFormat.JSONL);
            return at(level, written);
        } catch (IOException e) {
            String where = folder == null ? "the temporary folder" : folder.toString();
            return new Result(
                    Verdict.Status.ERROR,
                    where + ": the history cannot be written there (" + Failures.cause(e) + "); give another folder",
                    Optional.empty());
        } finally {
            if (folder == null && written != null) {
                written.toFile().delete();
            }
        }
    }

    private Result at(IsolationLevel level, Path history) {
        CheckRequest request = new CheckRequest(
                level,
                TimeMode.HINT,
                0,
                IndeterminateMode.MAYBE,
                InitialChoice.AUTO,
                true,
                CheckRequest.DEFAULT_VIOLATIONS);
        CheckSettings settings = new CheckSettings(
                HistoryFormat.AUTO,
                List.of(request),
                false,
                new CheckSettings.Limits(timeout.toNanos(), Runtime.getRuntime().maxMemory()),
                false,
                new CheckSettings.Runs(runs == null ? null : runs.toString(), CheckSettings.Earlier.CONTINUED),
                null,
                CheckSettings.Before.NOTHING,
                true);
        Messages messages = new Messages();
        Answer answer = new CheckRun(settings, new EmbeddedChecker(), messages)
                .answers(history.toString())
                .get(0);
        RunDirectory run = answer.run();
        return new Result(
                answer.status(),
                text(answer, history) + String.join("\n", messages.lines),
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

    /** Keeps the messages and the current phase. */
    static final class Messages implements Listener {
        final List<String> lines = new ArrayList<>();
        private volatile String phase = "";

        @Override
        public void path(String name) {}

        @Override
        public void pathEnds() {}

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
        public void failure(String text, Throwable e) {
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

        @Override
        public void items(long done, long total) {}
    }
}
