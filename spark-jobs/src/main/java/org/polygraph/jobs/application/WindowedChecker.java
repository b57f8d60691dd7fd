package org.polygraph.jobs.application;

import java.io.IOException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.Check;
import org.polygraph.jobs.decision.Finding;
import org.polygraph.jobs.decision.Progress;
import org.polygraph.jobs.decision.Tuning;
import org.polygraph.jobs.decision.WindowedDecision;
import org.polygraph.jobs.verdict.WindowCounts;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;

/** {@code --window N}: decides by windows, in this process. Another engine decides what windows do not support. */
public final class WindowedChecker implements Checker {
    private final Checker whole;
    private final int window;
    private Consumer<String> warn = warning -> {};

    /**
     * Decides by windows where they are supported.
     *
     * @param whole reads histories, and decides those that windows do not support
     * @param window transactions of a window
     */
    public WindowedChecker(Checker whole, int window) {
        this.whole = whole;
        this.window = window;
    }

    @Override
    public void prepare(Progress progress, Budget budget, Consumer<String> warnings) {
        warn = warnings;
        whole.prepare(progress, budget, warnings);
    }

    @Override
    public HistoryTable read(String path, HistoryFormat format, Progress progress, Budget budget)
            throws HistoryException, IOException {
        return whole.read(path, format, progress, budget);
    }

    @Override
    public @Nullable HistoryException problem(HistoryTable table) {
        return whole.problem(table);
    }

    @Override
    public Finding find(Check check) {
        String unsupported = WindowedDecision.unsupported(check.table(), check.request());
        if (unsupported == null) {
            return WindowedDecision.of(check, Tuning.DEFAULT, window);
        }
        warn.accept("--window: " + unsupported + "; the whole history is decided at once");
        check.windows(new WindowCounts(window, 0, 0, 0, unsupported));
        return whole.find(check);
    }

    @Override
    public void ended(String how) {
        whole.ended(how);
    }
}
