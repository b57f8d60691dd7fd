package org.polygraph.jobs.application;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.CpuClock;
import org.polygraph.jobs.verdict.Counts;
import org.polygraph.jobs.verdict.Phase;
import org.polygraph.storage.analysis.Loaders;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.format.io.ReadContext;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.ListReduction;
import org.polygraph.storage.table.UnknownRows;

/**
 * The history of a PATH: the parts before the PATH and the PATH itself, as they were read, and their loaders of initial
 * rows. Empty until {@link #read}.
 */
final class PathHistory {
    private final OnePath path;
    private final CheckRequest request;
    private final Chain earlier;
    private @Nullable HistoryTable table;
    private @Nullable HistoryTable unloaded;
    private @Nullable UnknownRows unknownRows;
    private String doubt = "";
    private String noticed = "";
    private Counts counts = Counts.NONE;
    /** The history as it was read, also if a guess of its rows is judged; and with the status of loaders. */
    private @Nullable HistoryTable whole;

    private @Nullable HistoryTable recorded;
    private @Nullable Phase reading;

    /**
     * Reads nothing yet.
     *
     * @param request states how loaders are found; it is the same at all levels
     * @param earlier the parts of the history before the PATH
     */
    PathHistory(OnePath path, CheckRequest request, Chain earlier) {
        this.path = path;
        this.request = request;
        this.earlier = earlier;
    }

    /** Reads the history. @return the reason why there is nothing to judge; null if there is something */
    @Nullable
    String read() throws HistoryException, IOException {
        long before = System.nanoTime();
        long cpu = CpuClock.millis();
        HistoryFormat format = path.settings().format();
        Budget budget = path.budget();
        ReadContext context = new ReadContext(
                budget::exhausted, budget.bytes(), path.settings().readsVersions());
        HistoryTable read = earlier.isEmpty()
                ? HistoryReader.read(List.of(path.name()), format, context)
                : earlier.read(path.name(), format, context);
        if (!earlier.parts().isEmpty()) {
            PartOrder.state(path, earlier.parts().size(), read);
        }
        if ("true".equals(read.metadata().get(HistoryTable.OWN_SESSIONS))) {
            path.listener()
                    .notice(path.name() + ": each operation is a session of its own, because none has a :process");
        }
        // A guess of the rows takes unknown outcomes as committed, or as aborted.
        counts = Counts.of(read.unknownRows() == null ? read : read.asRead());
        path.keep(read, earlier.parts().isEmpty() && earlier.seam() == null);
        reading = new Phase(
                "read",
                TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - before),
                CpuClock.millis() - cpu,
                counts.transactions());
        HistoryTable reduced = ListReduction.of(read);
        HistoryTable judged =
                request.indeterminate() == IndeterminateMode.ABORT ? UnknownRows.withAborted(reduced) : reduced;
        unknownRows = judged.unknownRows();
        whole = reduced;
        use(judged);
        return counts.transactionsCommitted() > 0
                ? null
                : "vacuous: found "
                        + (counts.transactions() == 1
                                ? "1 transaction, which did not commit;"
                                : counts.transactions() + " transactions, none of them committed;")
                        + " expected one at least, or there is nothing to judge; check what was recorded";
    }

    /** Takes a history as the one to judge. */
    void use(HistoryTable read) throws HistoryException {
        Loaders loaders = request.loaders(read);
        doubt = loaders.doubt();
        HistoryTable loaded = loaders.applied();
        HistoryTable all = Objects.requireNonNull(whole, "a history");
        // Guesses of the rows may find other loaders, so those of such a history are not part of its contents.
        recorded = all.unknownRows() == null ? loaded : all;
        table = loaded;
        if (loaded != read) {
            unloaded = read;
            String notice = loaded(
                    path.name(),
                    Arrays.stream(loaders.transactions()).mapToObj(read::name).toList());
            if (!notice.equals(noticed)) {
                path.listener().notice(notice);
                noticed = notice;
            }
        }
    }

    /** States which transactions load initial rows. @param names such as {@code s0#3} */
    static String loaded(String path, List<String> names) {
        return path + ": " + Loaders.statement(names.get(0), names.size()) + " and precede"
                + (names.size() == 1 ? "s" : "") + " all others; with --initial implicit no transaction does";
    }

    /** Frees the memory of the history, which is not judged as a whole. */
    void forget() {
        table = null;
        whole = null;
        recorded = null;
        unloaded = null;
        reading = null;
    }

    /** The history to judge; null if it could not be read. */
    @Nullable
    HistoryTable table() {
        return table;
    }

    /** The history as it was read, with the status of loaders; null if it was not read as a whole. */
    @Nullable
    HistoryTable recorded() {
        return recorded;
    }

    /** The history in which loaders of initial rows are ordinary transactions; null if there are no loaders. */
    @Nullable
    HistoryTable unloaded() {
        return unloaded;
    }

    /** Writes whose rows are not known; null if there are none. */
    @Nullable
    UnknownRows unknownRows() {
        return unknownRows;
    }

    /** The reason why transactions that look like loaders are not loaders; otherwise empty. */
    String doubt() {
        return doubt;
    }

    Counts counts() {
        return counts;
    }

    /** The phase in which the history was read; null if it was not. */
    @Nullable
    Phase reading() {
        return reading;
    }
}
