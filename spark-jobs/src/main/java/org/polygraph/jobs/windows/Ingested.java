package org.polygraph.jobs.windows;

import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.format.pieces.Piece;

/**
 * What a piece of the input has, once its transactions are in cells.
 *
 * @param problem why the piece cannot be decided by windows; empty if it can
 * @param section with a block for each cell
 * @param events by cell: how many it gets
 * @param operations how many operations these events have, including intents
 * @param tally of the transactions
 * @param sample of {@link SessionClocks}; empty if it was not asked for
 * @param leading the first transactions of its sessions
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Ingested(
        String problem,
        Section section,
        long[] events,
        long operations,
        long reads,
        long writes,
        long tally,
        byte[] sample,
        Leading leading)
        implements Serializable {
    static Ingested problem(String problem) {
        return new Ingested(problem, new Section("", "", 0, 0, 0), new long[0], 0, 0, 0, 0, new byte[0], Leading.NONE);
    }

    /** The same of all pieces. */
    record Input(List<Ingested> pieces) {
        /**
         * Reads an input by the clocks of its layout, and once more if the clocks of its sessions have to be corrected.
         *
         * @param lists the orders of the lists
         * @param hasState whether keys have different initial values
         * @param loading the transactions that load initial rows
         */
        static Input of(WindowStore store, ListOrders lists, boolean hasState, Loading loading) throws IOException {
            Layout layout = store.layout();
            long[] offsets = new long[layout.labels().length];
            SessionClocks.Sample sample = store.terms().guarantee().realTime() ? null : layout.sample();
            Input input = read("read the input", store, lists, null, hasState, loading, offsets, sample);
            if (sample == null || !input.problem().isEmpty()) {
                return input;
            }
            offsets = SessionClocks.offsets(input.samples(), offsets.length);
            if (Arrays.stream(offsets).allMatch(offset -> offset == 0)) {
                return input;
            }
            Section.delete(input.sections());
            return read("read the input with corrected clocks", store, lists, null, hasState, loading, offsets, null);
        }

        /** Reads an input in the order of a certificate. */
        static Input of(WindowStore store, PlacedRows placed) throws IOException {
            Layout layout = store.layout();
            return read(
                    "read the input",
                    store,
                    ListOrders.NONE,
                    placed,
                    layout.hasInitialState(),
                    Loading.NONE,
                    new long[layout.labels().length],
                    null);
        }

        private static Input read(
                String what,
                WindowStore store,
                ListOrders lists,
                @Nullable PlacedRows placed,
                boolean hasState,
                Loading loading,
                long[] offsets,
                SessionClocks.@Nullable Sample sample)
                throws IOException {
            List<Piece> pieces = store.plan().pieces();
            int[] fileOf = pieces.stream().mapToInt(Piece::file).toArray();
            Section.Files files = store.next("pieces");
            List<IngestTask> tasks = new ArrayList<>();
            for (int p = 0; p < fileOf.length; p++) {
                tasks.add(new IngestTask(
                        pieces.get(p),
                        p,
                        store.layout().clock(),
                        store.terms().guarantee(),
                        store.layout().context(p, offsets, fileOf, loading),
                        sample,
                        store.layout().borders(),
                        lists,
                        placed,
                        hasState,
                        files));
            }
            return new Input(store.workers().run(what, tasks));
        }

        /** Why the history cannot be decided by windows; empty if it can. */
        String problem() {
            String first = "";
            for (Ingested piece : pieces) {
                if (piece.problem.equals(Survey.UNREADABLE)) {
                    return piece.problem;
                }
                first = first.isEmpty() ? piece.problem : first;
            }
            return first;
        }

        List<Section> sections() {
            return pieces.stream().map(Ingested::section).toList();
        }

        /** By piece. */
        List<byte[]> samples() {
            return pieces.stream().map(Ingested::sample).toList();
        }

        /** By cell. */
        long[] events(int cells) {
            long[] sums = new long[cells];
            for (Ingested piece : pieces) {
                for (int c = 0; c < cells; c++) {
                    sums[c] += piece.events[c];
                }
            }
            return sums;
        }

        long operations() {
            return pieces.stream().mapToLong(Ingested::operations).sum();
        }

        long reads() {
            return pieces.stream().mapToLong(Ingested::reads).sum();
        }

        long writes() {
            return pieces.stream().mapToLong(Ingested::writes).sum();
        }

        long tally() {
            return pieces.stream().mapToLong(Ingested::tally).sum();
        }
    }
}
