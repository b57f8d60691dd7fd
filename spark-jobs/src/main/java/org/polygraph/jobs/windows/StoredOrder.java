package org.polygraph.jobs.windows;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.polygraph.jobs.certificate.format.RankFile;
import org.polygraph.jobs.certificate.format.RankPart;
import org.polygraph.jobs.certificate.format.RankRange;
import org.polygraph.jobs.certificate.format.RankRanges;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.jobs.certificate.replay.PlacedSessions;
import org.polygraph.jobs.certificate.replay.PlacedTimes;
import org.polygraph.jobs.certificate.replay.Tally;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.dictionary.ValueDictionary;

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
     * @param input fingerprint of the bytes of the history
     * @param tool version of this program
     * @return the path within the run
     */
    String certificate(Location run, String input, String tool) throws IOException {
        RankRanges ranges = layout.ranges(store.perRange());
        Section.Files files = store.next("ranks");
        List<Section> sections = store.perGroup(
                "deal the order to sessions", some -> new RankDealTask(some, layout.labels(), ranges, files));
        List<RankRange> written = store.workers()
                .run(
                        "write the certificate",
                        IntStream.range(0, ranges.count())
                                .mapToObj(r -> new RankTask(
                                        new ArrayList<>(WindowStore.having(sections, r, r + 1)),
                                        r,
                                        run.absolute(),
                                        terms.guarantee()))
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
        ValueDictionary values = new ValueDictionary();
        long initial = new BlockReader(layout.initialValue()).value(values);
        return RankFile.finish(run, terms, written, values, initial, input, tool);
    }

    /**
     * Replays the whole order. The code shares with what found it only the reading of scratch files.
     *
     * @return the first discrepancy, or empty
     */
    String replay() throws IOException {
        PlacedSessions sessions = new PlacedSessions();
        PlacedTimes times = new PlacedTimes();
        Tally raw = new Tally();
        Tally placed = new Tally();
        for (byte[] result :
                store.perGroup("replay sessions", some -> new CellReplayTask(some, layout.labels(), terms))) {
            BlockReader in = new BlockReader(result);
            raw.add(in.signed());
            placed.add(in.signed());
            sessions.then(PlacedSessions.ofBytes(in.bytes()));
            times.then(terms, PlacedTimes.ofBytes(in.bytes()));
        }
        String wrong = sessions.discrepancy();
        if (wrong == null && terms.guarantee().realTime()) {
            wrong = times.discrepancy();
        }
        if (wrong != null) {
            return wrong;
        }
        order = placed.sum();
        if (raw.sum() != store.tally()) {
            return "its transactions are not those of the input";
        }
        for (byte[] result : store.perSlice(
                "replay keys",
                slice -> new SliceReplayTask(
                        slice,
                        store.slices(),
                        layout.initialValue(),
                        terms.guarantee().events()))) {
            BlockReader in = new BlockReader(result);
            placed.add(-in.signed());
            String found = in.text();
            if (!found.isEmpty()) {
                return found;
            }
        }
        return placed.sum() == 0 ? "" : "the operations of its keys are not those of its transactions";
    }
}
