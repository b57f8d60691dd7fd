package org.polygraph.jobs.junit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.polygraph.jobs.application.IsolationCheck;
import org.polygraph.jobs.jdbc.RecordingDataSource;
import org.polygraph.jobs.jdbc.RecordingOptions;
import org.polygraph.jobs.record.HistoryRecorder;
import org.polygraph.jobs.watch.LiveCheck;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.partitioner.isolation.IsolationLevel;

/**
 * Records the transactions of each test and checks at its end that they keep a level:
 *
 * <pre>{@code
 * @RegisterExtension
 * final IsolationExtension isolation = IsolationExtension.keeps(IsolationLevel.SER);
 *
 * @Test
 * void transfers() {
 *     HistoryRecorder.Session session = isolation.recorder().session();
 *     ...
 * }
 * }</pre>
 *
 * <p>A test fails with the explanation and the path of the report if the history violates the level, if it could not be
 * decided in time, or if nothing was recorded. A test that has failed otherwise is not checked. Histories and runs are
 * kept in {@code target/polygraph/<class>}, and those of the same test are replaced. The result line of the message names the history.
 */
public final class IsolationExtension implements BeforeEachCallback, AfterEachCallback {
    private static final Duration TIMEOUT = Duration.ofMinutes(1);

    private final IsolationLevel level;
    private Path folder = Path.of("target", "polygraph");
    private Duration timeout = TIMEOUT;
    private Anomaly[] allowed = {};
    private Map<String, ?> header = Map.of();
    private @Nullable Path file;
    private @Nullable HistoryRecorder recorder;
    private boolean isLive;
    private @Nullable LiveCheck live;

    private IsolationExtension(IsolationLevel level) {
        this.level = level;
    }

    /** The level that every test of the class has to keep. */
    public static IsolationExtension keeps(IsolationLevel level) {
        return new IsolationExtension(level);
    }

    /** Allows violations with these names, as {@link IsolationCheck#mayShow} does. */
    public IsolationExtension mayShow(Anomaly... names) {
        allowed = names.clone();
        return this;
    }

    /** Sets the folder of histories and runs, instead of {@code target/polygraph}. */
    public IsolationExtension in(Path directory) {
        folder = directory;
        return this;
    }

    /** Sets the time for a check, instead of a minute. */
    public IsolationExtension within(Duration most) {
        timeout = most;
        return this;
    }

    /** Sets the value of every key before the first transaction, instead of null. */
    public IsolationExtension initially(Object value) {
        header = Map.of("initial", Map.of("value", value));
        return this;
    }

    /**
     * Also judges the history while the test runs. After a violation, a session that begins a transaction fails with the
     * explanation and with the number of transactions.
     */
    public IsolationExtension whileItRuns() {
        isLive = true;
        return this;
    }

    /** Returns the recorder of the running test. */
    public HistoryRecorder recorder() {
        HistoryRecorder current = recorder;
        if (current == null) {
            throw new IllegalStateException("no test runs; register the extension with @RegisterExtension");
        }
        return current;
    }

    /**
     * Wraps the database of the running test, whose statements are then recorded. All writes from the first connection on
     * have to use it.
     */
    public RecordingDataSource recording(DataSource database, RecordingOptions options) {
        return RecordingDataSource.of(database, recorder(), options);
    }

    @Override
    public void beforeEach(ExtensionContext context) throws IOException {
        Path target = folder.resolve(context.getRequiredTestClass().getName());
        Files.createDirectories(target);
        String method = context.getRequiredTestMethod().getName();
        // The display name of an ordinary test begins with its method.
        String name = context.getDisplayName().startsWith(method)
                ? context.getDisplayName()
                : method + " " + context.getDisplayName();
        file = target.resolve(name.replaceAll("[^A-Za-z0-9]+", "-").replaceAll("^-|-$", "") + ".jsonl");
        HistoryRecorder begun = HistoryRecorder.toFile(file, header);
        recorder = begun;
        live = isLive ? LiveCheck.begin(file, level, Set.of(allowed), begun::fail) : null;
    }

    @Override
    public void afterEach(ExtensionContext context) throws IOException {
        HistoryRecorder current = recorder;
        Path history = file;
        recorder = null;
        if (live != null) {
            live.close();
        }
        if (current == null || history == null) {
            return;
        }
        current.close();
        if (context.getExecutionException().isPresent()) {
            return;
        }
        IsolationCheck.of(history)
                .keepIn(history.resolveSibling("runs"))
                .within(timeout)
                .mayShow(allowed)
                .assertKeeps(level);
    }
}
