package org.polygraph.jobs.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.application.Checker;
import org.polygraph.jobs.application.Failures;
import org.polygraph.jobs.record.Recording;
import org.polygraph.jobs.verdict.ExitCode;
import org.polygraph.jobs.watch.Watch;
import org.polygraph.storage.model.HistoryException;

/** {@code record --watch}: judges a history in another thread while it is recorded, and ends both at a violation. */
final class RecordWatch {
    private static final long STOP_MILLIS = 1000;

    private final Path history;
    private final Watch watch;
    private final WatchPrinter printer;
    private final Recording recording;
    private final Thread thread = new Thread(this::run, "watch");
    private final CountDownLatch hasBegun = new CountDownLatch(1);
    private volatile boolean isRecorded;
    private int exitCode;
    private @Nullable RuntimeException bug;

    private RecordWatch(Path history, Watch watch, WatchPrinter printer, Recording recording) {
        this.history = history;
        this.watch = watch;
        this.printer = printer;
        this.recording = recording;
    }

    static RecordWatch begin(Path history, Watch.Settings settings, WatchPrinter printer, Recording recording)
            throws IOException, HistoryException {
        RecordWatch begun =
                new RecordWatch(history, new Watch(settings, Checker.EMBEDDED, printer), printer, recording);
        begun.thread.start();
        return begun;
    }

    private void run() {
        try (watch) {
            // A file of this name may exist before.
            hasBegun.await();
            if (Files.exists(history)) {
                watch.add(history.toString());
            }
            exitCode = printer.end(watch.run());
        } catch (HistoryException e) {
            printer.message(Failures.text(e));
            exitCode = ExitCode.INVALID.code();
        } catch (IOException e) {
            printer.message(Failures.text(e));
            exitCode = ExitCode.IO.code();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            bug = e;
        }
        if (!isRecorded) {
            recording.stop(STOP_MILLIS);
        }
    }

    /** The file is the history of this recording. */
    void hasBegun() {
        hasBegun.countDown();
    }

    /** The history is complete. Waits for its verdict and returns the exit code. */
    int end() {
        isRecorded = true;
        hasBegun();
        watch.finish();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (bug != null) {
            throw bug;
        }
        return exitCode;
    }
}
