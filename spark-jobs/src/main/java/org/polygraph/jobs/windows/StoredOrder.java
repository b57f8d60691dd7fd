package org.polygraph.jobs.windows;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.polygraph.jobs.certificate.format.Guarantee;
import org.polygraph.jobs.certificate.format.Names;
import org.polygraph.jobs.certificate.format.RankFile;
import org.polygraph.jobs.certificate.format.RankPart;
import org.polygraph.jobs.certificate.format.RankRange;
import org.polygraph.jobs.certificate.format.RankRanges;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.jobs.certificate.replay.PlacedFault;
import org.polygraph.jobs.certificate.replay.PlacedSessions;
import org.polygraph.jobs.certificate.replay.PlacedTimes;
import org.polygraph.jobs.certificate.replay.Tally;
import org.polygraph.storage.artifact.Location;

/** The order that was found, in scratch files: its replay, and its certificate. */
final class StoredOrder {
    private final WindowStore store;
    private final Layout layout;
    private final Terms terms;
    private long order;

    StoredOrder(WindowStore store) {
        this.store = store;
        this.layout = store.layout();
        this.terms = store.terms();
    }

    /** The tally of all operations that count by place, once the order was replayed: equal for equal orders. */
    long order() {
        return order;
    }

    /**
     * Writes the order as a certificate. Each task writes a range of it.
     *
     * @param run the folder of the run, which all workers see
     * @param level the terms of the verdict
     * @param input fingerprint of the bytes of the history
     * @param tool version of this program
     * @return the path within the run
     */
    String certificate(Location run, Terms level, String input, String tool) throws IOException {
        Guarantee shown = level.guarantee().isOfCommits() ? Guarantee.PC : level.guarantee();
        Terms of = new Terms(shown, level.clockSkewNanos(), level.indeterminate());
        RankRanges ranges = layout.ranges(store.perRange());
        Section.Files files = store.next("ranks");
        List<Section> sections = store.perGroup(
                "deal the order to sessions", some -> new RankDealTask(some, layout.labels(), ranges, false, files));
        List<RankRange> written = store.workers()
                .run(
                        "write the certificate",
                        IntStream.range(0, ranges.count())
                                .mapToObj(r -> new RankTask(
                                        new ArrayList<>(WindowStore.having(sections, r, r + 1)),
                                        r,
                                        run.absolute(),
                                        of.guarantee()))
                                .toList());
        Section.delete(sections);
        for (RankRange range : written) {
            for (RankPart part : range.parts()) {
                if (!run.child(RankFile.FOLDER).child(part.file()).exists()) {
                    throw new IOException(run.name() + ": the part " + part.file()
                            + " that a worker wrote was not found; give an --out that all workers see");
                }
            }
        }
        return RankFile.finish(run, of, written, store.initialValues().table(), input, tool);
    }

    /** The replay of an order. @param discrepancy the first one; empty if there is none */
    record Replayed(String discrepancy, long reads, long ownReads, long writes) {
        private static Replayed wrong(String discrepancy) {
            return new Replayed(discrepancy, 0, 0, 0);
        }
    }

    /**
     * Replays the whole order. The code shares with what found it only the reading of scratch files.
     *
     * @param isCertified whether the clocks of events are their places in a certificate
     */
    Replayed replay(boolean isCertified) throws IOException {
        PlacedSessions sessions = new PlacedSessions();
        PlacedTimes times = new PlacedTimes();
        Tally raw = new Tally();
        Tally placed = new Tally();
        for (CellReplayTask.Result found : store.perGroup(
                "replay sessions", some -> new CellReplayTask(some, layout.labels(), terms, isCertified))) {
            raw.add(found.raw());
            placed.add(found.placed());
            sessions.then(found.sessions());
            times.then(terms, found.times());
        }
        String wrong = sessions.discrepancy();
        if (wrong != null) {
            return Replayed.wrong(wrong);
        }
        if (terms.guarantee().realTime() && times.discrepancy() != null) {
            return Replayed.wrong(text(times.discrepancy()));
        }
        order = placed.sum();
        if (raw.sum() != store.tally()) {
            return Replayed.wrong("its transactions are not those of the input");
        }
        long reads = 0;
        long ownReads = 0;
        long writes = 0;
        PlacedFault first = null;
        for (SliceReplayTask.Result found : store.perSlice(
                "replay keys",
                slice -> new SliceReplayTask(
                        slice, store.slices(), terms.guarantee().events()))) {
            placed.add(-found.tally());
            if (!found.alien().isEmpty()) {
                return Replayed.wrong("key " + found.alien() + " is in the slice of other keys");
            }
            PlacedFault fault = found.fault();
            first = first == null || (fault != null && fault.place() < first.place()) ? fault : first;
            reads += found.reads();
            ownReads += found.ownReads();
            writes += found.writes();
        }
        if (first != null) {
            return Replayed.wrong(text(first));
        }
        return new Replayed(
                placed.sum() == 0 ? "" : "the operations of its keys are not those of its transactions",
                reads,
                ownReads,
                writes);
    }

    private String text(PlacedFault fault) throws IOException {
        String first = name(fault.place());
        String second = name(fault.other());
        return fault.text(place -> place == fault.place() ? first : second);
    }

    /** The name of the transaction that has an event at a place. */
    private String name(long place) throws IOException {
        if (place == PlacedFault.NONE) {
            return "";
        }
        int cell = store.cellOf(place);
        Cells cells = store.cells(cell, cell + 1);
        EventReader event = cells.events(cell);
        for (long at = cells.first(cell); at <= place; at++) {
            event.next();
        }
        return Names.transaction(layout.labels()[event.session()], event.index()) + " at "
                + Names.line(store.plan().whereIs(event.file(), event.position()));
    }
}
