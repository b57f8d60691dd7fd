package org.polygraph.jobs.cli;

import java.io.PrintStream;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.polygraph.jobs.cli.Verbosity.ProgressMode;
import org.polygraph.jobs.record.RecordCounts;

/**
 * The rate and the share of aborts while a history is recorded: every second on a terminal or as JSON, otherwise every
 * five seconds.
 */
final class RecordProgress {
    private final PrintStream err;
    private final ProgressMode mode;
    private final boolean isTerminal;
    private final long start = System.nanoTime();
    private long lastNanos = start;
    private long lastTransactions;
    private boolean isDrawn;

    RecordProgress(PrintStream err, ProgressMode mode, boolean isTerminal) {
        this.err = err;
        this.mode = mode;
        this.isTerminal = isTerminal && mode == ProgressMode.AUTO;
    }

    void show(RecordCounts counts) {
        long now = System.nanoTime();
        boolean isOften = isTerminal || mode == ProgressMode.JSON;
        if (mode == ProgressMode.NONE || now - lastNanos < TimeUnit.SECONDS.toNanos(isOften ? 1 : 5)) {
            return;
        }
        long transactions = counts.transactions();
        long rate = Math.round((transactions - lastTransactions) * 1e9 / (now - lastNanos));
        double aborted = transactions == 0 ? 0 : 100.0 * counts.aborts() / transactions;
        String text = mode == ProgressMode.JSON
                ? String.format(
                        Locale.ROOT,
                        "{\"phase\":\"record\",\"items\":%d,\"rate\":%d,\"aborted_percent\":%.1f}",
                        transactions,
                        rate,
                        aborted)
                : String.format(
                        Locale.ROOT,
                        "recording: %d txns, %d txns/s, %.1f %% aborted, %d unknown",
                        transactions,
                        rate,
                        aborted,
                        counts.unknowns());
        if (isTerminal) {
            err.printf("\r%-79s", text);
            isDrawn = true;
        } else {
            err.println(text);
        }
        lastNanos = now;
        lastTransactions = transactions;
    }

    /** Removes the line from a terminal. */
    void end() {
        if (isDrawn) {
            err.printf("\r%-79s\r", "");
        }
    }
}
