package org.polygraph.jobs.certificate.replay;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Names;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.storage.table.HistoryTable;

/**
 * A replay by slices of keys: {@link Replay} in three steps, of which the middle one needs neither the history nor the other
 * keys. {@link #of} looks at what no single key tells; {@link #deal} hands out the operations of those that count, each to
 * its slice; {@link KeyReplay} replays each slice, anywhere; {@link #merge} adds up. The result is that of {@link
 * Replay}, to the last word.
 *
 * <p>Who belongs where, {@link ReplaySlices} knows. RC, RA and CC are no matter of single keys: their replay is made
 * whole, by {@link #of}.
 *
 * <p>Linear time; memory: 4 bytes an event.
 */
public final class SlicedReplay {
    private static final int NOBODY = Placement.NOBODY;

    /** Takes the operations of all slices. */
    @FunctionalInterface
    public interface Sink {
        /**
         * One row of {@link KeyReplay}; those of a slice are in order.
         *
         * @param slice whose it is, from 0
         * @param keyAndKind of the slice's key
         * @param operation its number in the history; -1 for a write of an earlier slice
         * @param snapshot place where its transaction starts
         * @param commit place where it ends
         */
        void row(int slice, int keyAndKind, long value, int operation, int snapshot, int commit) throws IOException;
    }

    private final HistoryTable table;
    private final int[] position;
    private final int events;
    private final ReplaySlices slices;
    private final Placement placement;
    private final Replay.@Nullable Result known;
    /** By slice: operations dealt. */
    private final long[] dealt;

    private SlicedReplay(Witness witness, Placement placement, ReplaySlices slices, Replay.@Nullable Result known) {
        this.table = witness.table();
        this.position = witness.position();
        this.events = witness.terms().promise().events();
        this.slices = slices;
        this.placement = placement;
        this.known = known;
        this.dealt = new long[slices.count()];
    }

    /**
     * Looks at what no single key tells.
     *
     * @param slices of keys, 1 or more
     * @param perRange operations of a range of a key that has more than two such
     */
    public static SlicedReplay of(Witness witness, int slices, int perRange) {
        Placement placement = Placement.of(witness);
        String wrong = placement.discrepancy();
        Replay.Result known = witness.terms().promise().isAxiom()
                ? Replay.byDefinition(witness)
                : wrong != null ? Replay.Result.rejected(wrong) : null;
        return new SlicedReplay(witness, placement, new ReplaySlices(witness.table(), slices, perRange), known);
    }

    /** The result, where no slice is needed for it; else null. */
    public Replay.@Nullable Result known() {
        return known;
    }

    /** How many slices there are: those of keys, and further ones of ranges. */
    public int slices() {
        return slices.count();
    }

    /** How many keys a slice has. */
    public int keys(int slice) {
        return slices.keys(slice);
    }

    /** Deals all operations, once. Only where nothing is {@link #known}. */
    public void deal(Sink sink) throws IOException {
        int[] starts = table.operationStarts();
        int[] keys = table.operationKeys();
        long[] values = table.operationValues();
        for (int e : placement.eventAt()) {
            if (e == NOBODY || !placement.isSnapshot(e)) {
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
     * The result of all.
     *
     * @param findings what {@link KeyReplay#of} made of each slice that was dealt operations, in any order
     * @throws IllegalStateException if a slice is missing, is there twice or has not all its operations: nothing holds
     *     because nobody looked
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
                        "of slice " + s + " " + (dealt[s] - left[s]) + " operations were replayed, not " + dealt[s]);
            }
        }
        return first == null
                ? new Replay.Result(null, placement.transactions(), reads, ownReads, writes)
                : Replay.Result.rejected(sentence(first));
    }

    private String sentence(KeyReplay.Discrepancy wrong) {
        int t = at(wrong.snapshot());
        int o = wrong.operation();
        return switch (wrong.kind()) {
            case OVERLAP -> Names.overlap(table, t, at((int) wrong.instead()), table.key(o));
            case READ -> Names.misread(table, t, o, false, wrong.instead());
            case OWN_READ -> Names.misread(table, t, o, true, wrong.instead());
        };
    }

    /** Whose event has a place. */
    private int at(int place) {
        return placement.transactionOf(placement.eventAt()[place]);
    }
}
