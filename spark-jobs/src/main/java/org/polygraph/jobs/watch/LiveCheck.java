package org.polygraph.jobs.watch;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.application.Answer;
import org.polygraph.jobs.application.Checker;
import org.polygraph.jobs.application.Failures;
import org.polygraph.jobs.report.ResultLine;
import org.polygraph.jobs.report.ViolationText;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.model.HistoryException;

/**
 * Judges a history while it is recorded, so that a long test ends at its first violation:
 *
 * <pre>{@code
 * try (HistoryRecorder recorder = HistoryRecorder.toFile(file);
 *         LiveCheck live = LiveCheck.begin(file, IsolationLevel.SER, Set.of(), recorder::fail)) {
 *     ...
 * }
 * IsolationCheck.of(file).assertKeeps(IsolationLevel.SER);
 * }</pre>
 *
 * <p>It judges in a thread of its own and ends when it is closed, without a verdict about the last transactions. Costs
 * and delay are those of {@link Watch}; its parts are in a temporary folder.
 */
public final class LiveCheck implements Closeable {
    private final Path folder;
    private final Watch watch;
    private final Thread thread;

    private LiveCheck(Path folder, Watch watch, Consumer<String> fail) {
        this.folder = folder;
        this.watch = watch;
        thread = new Thread(() -> run(fail), "live check");
        thread.setDaemon(true);
    }

    /**
     * Begins to judge a history.
     *
     * @param history JSON Lines
     * @param allowed names of violations that do not count
     * @param fail called once, in another thread, with the number of transactions and the explanation of the first
     *     violation that counts, or with the reason why the history cannot be judged
     */
    public static LiveCheck begin(Path history, IsolationLevel level, Set<Anomaly> allowed, Consumer<String> fail)
            throws IOException {
        Path folder = Files.createTempDirectory("live-check");
        Failing failing = new Failing(Set.copyOf(allowed), fail);
        LiveCheck begun = null;
        try {
            Watch watch = new Watch(Watch.Settings.of(folder, level, false), Checker.EMBEDDED, failing);
            failing.watch = watch;
            watch.add(history.toString());
            begun = new LiveCheck(folder, watch, fail);
            begun.thread.start();
            return begun;
        } catch (HistoryException e) {
            throw new IOException(e);
        } finally {
            if (begun == null) {
                Location.of(folder.toString()).delete();
            }
        }
    }

    private void run(Consumer<String> fail) {
        try (watch) {
            watch.run();
        } catch (HistoryException | IOException | RuntimeException e) {
            fail.accept("the history cannot be judged while it is recorded: " + Failures.text(e));
        }
    }

    /** Ends after the check that runs, which takes about a second at most. */
    @Override
    public void close() throws IOException {
        watch.stop();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Location.of(folder.toString()).delete();
    }

    /** Ends a watch at the first violation that counts. */
    private static final class Failing implements Watch.Reporter {
        private final Set<Anomaly> allowed;
        private final Consumer<String> fail;
        private @Nullable Watch watch;
        private long settled;

        Failing(Set<Anomaly> allowed, Consumer<String> fail) {
            this.allowed = allowed;
            this.fail = fail;
        }

        @Override
        public void closed(long part, List<Answer> answers) {
            Verdict found = answers.get(0).found();
            if (found == null || !Watch.isNew(answers.get(0))) {
                return;
            }
            boolean counts = found.violations().stream().anyMatch(each -> !allowed.contains(each.anomaly()));
            if (counts && watch != null) {
                watch.stop();
                fail.accept("after " + settled + " transactions: "
                        + ResultLine.withoutMessage(found, found.level().label()) + "\n"
                        + ViolationText.of(found, ViolationText.Detail.BRIEF).stripTrailing());
            }
        }

        @Override
        public void progress(Watch.Progress now) {
            settled = now.settled();
        }

        @Override
        public void remark(String text) {}

        @Override
        public String currentPhase() {
            return "";
        }

        @Override
        public void message(String text) {}

        @Override
        public void bug(String text, Throwable e) {
            fail.accept(text + ": " + e);
        }

        @Override
        public void phase(String name) {}

        @Override
        public void items(long done, long total) {}
    }
}
