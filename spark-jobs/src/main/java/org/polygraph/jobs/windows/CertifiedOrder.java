package org.polygraph.jobs.windows;

import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.ContentTree;
import org.polygraph.jobs.certificate.format.Fingerprint;
import org.polygraph.jobs.certificate.format.RankHeader;
import org.polygraph.jobs.certificate.format.RankRanges;
import org.polygraph.jobs.certificate.format.RankReader;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.jobs.certificate.judge.Verification;
import org.polygraph.jobs.certificate.replay.Replay;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.format.pieces.ReadPlan;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.StoppedException;
import org.polygraph.storage.model.TransactionStatus;

/**
 * Replays the order of a certificate in JSON Lines or Parquet by workers, none of which has the whole history. The certificate takes the place of the clocks: its
 * rows are dealt to the pieces of the input, whose events go to cells by their places. Then the order is replayed as one that windows
 * found. The rows are compared with the events, because a row without a transaction has no event. Shares with a check the tasks that move
 * data, and nothing that decides.
 */
public final class CertifiedOrder {
    private final Workers workers;
    private final WindowSettings settings;
    private final Location run;
    private final RankHeader header;
    private final Terms terms;

    /** Makes the workers of one replay, which see the folder of the run. */
    @FunctionalInterface
    public interface Source {
        /** @throws BudgetException if there is too little memory for them */
        Workers make() throws IOException;
    }

    CertifiedOrder(Workers workers, WindowSettings settings, Location run, RankHeader header) {
        this.workers = workers;
        this.settings = settings;
        this.run = run;
        this.header = header;
        this.terms = header.terms();
    }

    /** Returns what replays orders by workers. @param stop whether to stop */
    public static Verification.Replayer replayer(Source workers, WindowSettings settings, BooleanSupplier stop) {
        return (run, header, path, format, mayHaveLoaders) -> {
            ReadPlan plan = ReadPlan.of(path, format, stop);
            try (Workers made = plan == null ? null : made(workers, stop)) {
                return plan == null || made == null
                        ? null
                        : new CertifiedOrder(made, settings, run, header).located(plan, mayHaveLoaders);
            }
        };
    }

    private static @Nullable Workers made(Source workers, BooleanSupplier stop) throws IOException {
        try {
            return workers.make();
        } catch (BudgetException e) {
            StoppedException.check(stop);
            return null;
        }
    }

    /** Replays the order. A failure to read or write a file names the folder of scratch files, which the user may not know. */
    private Verification.@Nullable Replayed located(ReadPlan plan, boolean mayHaveLoaders)
            throws HistoryException, IOException {
        try {
            return replay(plan, mayHaveLoaders);
        } catch (IOException e) {
            throw new IOException(
                    "replay, with scratch files in " + workers.folder() + ": found " + e.getMessage()
                            + "; expected files that can be read, and a folder with room; make room, then run the"
                            + " command again",
                    e);
        }
    }

    /** Returns null if the replay needs the whole history. */
    Verification.@Nullable Replayed replay(ReadPlan plan, boolean mayHaveLoaders) throws HistoryException, IOException {
        WindowStore store = WindowStore.certified(workers, plan, settings, terms);
        Layout layout = store.layout();
        if (!layout.problem().isEmpty()
                || layout.hasLists()
                || (terms.guarantee().realTime() && layout.isReversed())) {
            return null;
        }
        PlacedRows placed = placed(store);
        if (placed == null) {
            return null;
        }
        Ingested.Input input = store.ingestPlaced(placed);
        Section.delete(placed.sections());
        if (!input.problem().isEmpty()
                || (mayHaveLoaders
                        && Loading.mayBeIn(layout, input, store.initialValues().table()))) {
            return null;
        }
        ContentTree content = new ContentTree();
        String wrong = compared(store, content);
        StoredOrder.Replayed replayed = new StoredOrder(store).replay(true);
        if (wrong.isEmpty()) {
            wrong = replayed.discrepancy();
        }
        return new Verification.Replayed(
                new Replay.Result(
                        wrong.isEmpty() ? null : wrong,
                        header.counted(),
                        replayed.reads(),
                        replayed.ownReads(),
                        replayed.writes()),
                Fingerprint.ofContent(store.initialValues().table(), content),
                new Verification.Numbers(
                        layout.labels().length,
                        content.transactions(),
                        input.reads() + input.writes(),
                        layout.byStatus()[TransactionStatus.COMMITTED.code()],
                        layout.byStatus()[TransactionStatus.INDETERMINATE.code()],
                        layout.times()));
    }

    /** Deals the rows to the pieces. @return null if a worker does not see the certificate, which this process does */
    private @Nullable PlacedRows placed(WindowStore store) throws HistoryException, IOException {
        List<Layout.PieceSession> sessions = store.layout().pieceSessions();
        Section.Files files = store.next("places");
        List<RankPlaceTask> tasks = new ArrayList<>();
        for (int part = 0; part < RankReader.parts(header); part++) {
            int from = part == 0 ? 0 : Math.max(0, first(sessions, part));
            int to = part + 1 < RankReader.parts(header) ? first(sessions, part + 1) + 1 : sessions.size();
            tasks.add(new RankPlaceTask(
                    run.absolute(),
                    header,
                    part,
                    new ArrayList<>(sessions.subList(from, to)),
                    settings.perSample(),
                    files));
        }
        PlacedRows placed = new PlacedRows(new ArrayList<>());
        LongArrayList sample = new LongArrayList();
        for (RankPlaceTask.Result found : workers.run("read the certificate", tasks)) {
            if (found.section() == null) {
                RankReader.part(
                        run, header, placed.sections().size(), () -> false, (session, index, snapshot, commit) -> {});
                return null;
            }
            placed.sections().add(found.section());
            sample.addElements(sample.size(), found.sample());
        }
        store.layout().borders(borders(sample.toLongArray()));
        return placed;
    }

    /** The last session of a piece that begins with the first row of a part or before it; -1 if there is none. */
    private int first(List<Layout.PieceSession> sessions, int part) {
        int low = 0;
        int high = sessions.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (sessions.get(middle)
                    .begins(
                            header.parts().get(part).session(),
                            header.parts().get(part).index())) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low - 1;
    }

    /** The places at which cells begin, but for the first one. */
    private long[] borders(long[] sample) {
        Arrays.sort(sample);
        int perCell = (int) Math.max(1, settings.perCell() / settings.perSample());
        return IntStream.range(1, Math.max(1, sample.length / perCell))
                .mapToLong(cell -> sample[cell * perCell])
                .distinct()
                .toArray();
    }

    /** Compares rows with events, and adds the hashes of the transactions. @return the first fault of a row, or an empty text */
    private String compared(WindowStore store, ContentTree content) throws IOException {
        RankRanges ranges = header.ranges();
        Section.Files files = store.next("ranks");
        List<Section> sections = store.perGroup(
                "deal the order to sessions",
                some -> new RankDealTask(some, store.layout().labels(), ranges, true, files));
        String wrong = "";
        for (RankCheckTask.Result found : workers.run(
                "compare the certificate",
                IntStream.range(0, ranges.count())
                        .mapToObj(r -> new RankCheckTask(
                                new ArrayList<>(WindowStore.having(sections, r, r + 1)), r, run.absolute(), header))
                        .toList())) {
            content.append(found.content());
            wrong = wrong.isEmpty() ? found.fault() : wrong;
        }
        Section.delete(sections);
        return wrong;
    }
}
