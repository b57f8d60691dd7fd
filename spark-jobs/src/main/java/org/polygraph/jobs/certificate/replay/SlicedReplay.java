package org.polygraph.jobs.certificate.replay;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Names;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.storage.table.HistoryTable;

/**
 * A replay by slices of keys. {@link #of} checks what does not depend on keys; {@link #deal} sends the operations of
 * counted transactions to their slices ({@link ReplaySlices}); {@link KeyReplay} replays each slice, without the
 * history or the other slices; {@link #merge} combines the findings. The result is exactly that of {@link Replay}.
 *
 * <p>RC, RA and CC cannot be replayed key by key: {@link #of} replays them as a whole.
 *
 * <p>Linear time; memory: 4 bytes per event.
 */
public final class SlicedReplay {
    private static final int NONE = Placement.NONE;

    /** Takes the operations of all slices. */
    @FunctionalInterface
    public interface Sink {
        /**
         * One row of {@link KeyReplay}; those of a slice are in order.
         *
         * @param slice number of the slice, from 0
         * @param keyAndKind with the number of the key in its slice
         * @param operation its number in the history; -1 for a write of an earlier slice
         * @param snapshot place of its transaction's snapshot
         * @param commit place of its transaction's commit
         */
        void row(int slice, int keyAndKind, long value, int operation, long snapshot, long commit) throws IOException;
    }

    private final HistoryTable table;
    private final int[] position;
    private final int events;
    private final ReplaySlices slices;
    private final Placement placement;
    private final Replay.@Nullable Result known;
    /** By slice: the number of operations sent to it. */
    private final long[] dealt;

    private SlicedReplay(Witness witness, Placement placement, ReplaySlices slices, Replay.@Nullable Result known) {
        this.table = witness.table();
        this.position = witness.position();
        this.events = witness.terms().guarantee().events();
        this.slices = slices;
        this.placement = placement;
        this.known = known;
        this.dealt = new long[slices.count()];
    }

    /**
     * Checks what does not depend on keys.
     *
     * @param slices number of slices of whole keys, 1 or more
     * @param perWindow operations of a window; a key with more than two such is split into windows
     */
    public static SlicedReplay of(Witness witness, int slices, int perWindow) {
        Placement placement = Placement.of(witness);
        String wrong = placement.discrepancy();
        Replay.Result known = witness.terms().guarantee().isAxiom()
                ? Replay.byDefinition(witness)
                : wrong != null ? Replay.Result.rejected(wrong) : null;
        return new SlicedReplay(witness, placement, new ReplaySlices(witness.table(), slices, perWindow), known);
    }

    /** The result if it is known without slices; else null. */
    public Replay.@Nullable Result known() {
        return known;
    }

    /** The number of slices: those of whole keys and those of windows. */
    public int slices() {
        return slices.count();
    }

    /** The number of keys of a slice. */
    public int keys(int slice) {
        return slices.keys(slice);
    }

    /** Sends all operations to their slices, once. Only valid if {@link #known} is null. */
    public void deal(Sink sink) throws IOException {
        int[] starts = table.operationStarts();
        int[] keys = table.operationKeys();
        long[] values = table.operationValues();
        for (int e : placement.eventAt()) {
            if (e == NONE || !placement.isSnapshot(e)) {
                continue;
            }
            int t = placement.transactionOf(e);
            int snapshot = position[e];
            int commit = position[e + events - 1];
            for (int o = starts[t]; o < starts[t + 1]; o++) {
                dealt[slices.deal(sink, keys[o], values[o], o, snapshot, commit)]++;
            }
        }
    }

    /**
     * The result of the whole replay.
     *
     * @param findings the results of {@link KeyReplay#of} for each slice that has operations, in any order
     * @throws IllegalStateException if a slice is missing, repeats or lacks operations, so that nothing passes
     *     unchecked
     */
    public Replay.Result merge(Iterable<byte[]> findings) {
        long[] left = dealt.clone();
        long reads = 0;
        long ownReads = 0;
        long writes = 0;
        KeyReplay.Discrepancy first = null;
        for (byte[] bytes : findings) {
            KeyReplay.Finding finding = KeyReplay.Finding.ofBytes(bytes);
            left[finding.slice()] -= finding.reads() + finding.writes();
            reads += finding.reads();
            ownReads += finding.ownReads();
            writes += finding.writes();
            KeyReplay.Discrepancy found = finding.discrepancy();
            if (found != null && (first == null || found.before(first))) {
                first = found;
            }
        }
        for (int s = 0; s < left.length; s++) {
            if (left[s] != 0) {
                throw new IllegalStateException(
                        "slice " + s + " replayed " + (dealt[s] - left[s]) + " operations of " + dealt[s]);
            }
        }
        return first == null
                ? new Replay.Result(null, placement.transactions(), reads, ownReads, writes)
                : Replay.Result.rejected(sentence(first));
    }

    private String sentence(KeyReplay.Discrepancy wrong) {
        int t = at((int) wrong.snapshot());
        int o = wrong.operation();
        return switch (wrong.kind()) {
            case OVERLAP -> Names.overlap(table, t, at((int) wrong.instead()), table.key(o));
            case READ -> Names.misread(table, t, o, false, wrong.instead());
            case OWN_READ -> Names.misread(table, t, o, true, wrong.instead());
        };
    }

    /** The transaction whose event has this place. */
    private int at(int place) {
        return placement.transactionOf(placement.eventAt()[place]);
    }
}
