package org.polygraph.jobs.windows;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntArrays;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.jobs.certificate.replay.PlacedTimes;
import org.polygraph.jobs.certificate.replay.Tally;
import org.polygraph.jobs.decision.Budget;

/**
 * Sorts the events of some cells by clock, then by session, and deals their operations to slices of keys. Result: {@link Result}. Memory:
 * 24 bytes an event, and the blocks.
 *
 * @param pieces sections of pieces, in the order of the input
 * @param from the first cell
 * @param firsts by cell: its first place; and the place behind the last
 * @param ignoresUnknown see {@link Dealer}
 * @param cellFiles for the section with the cells
 * @param files for the section with the slices
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record SortTask(
        ArrayList<Section> pieces,
        int from,
        long[] firsts,
        Terms terms,
        int slices,
        boolean ignoresUnknown,
        Section.Files cellFiles,
        Section.Files files)
        implements Task<SortTask.Result> {
    /**
     * The result.
     *
     * @param cells the events in order, with a block for each cell
     * @param dealt the operations, with a block for each slice
     * @param times those of all events that may count
     */
    record Result(Section cells, Section dealt, PlacedTimes times) implements Serializable {}

    @Override
    public Result run(Budget budget) throws IOException {
        int cells = firsts.length - 1;
        Section.Output out = new Section.Output(from, cells);
        Dealer dealer = new Dealer(slices, ignoresUnknown);
        PlacedTimes times = new PlacedTimes();
        for (int c = 0; c < cells; c++) {
            budget.require();
            sort(from + c, firsts[c], new EventWriter(out.block(from + c)), dealer, times);
        }
        return new Result(out.write(cellFiles, from), dealer.write(files, from), times);
    }

    private void sort(int cell, long first, EventWriter sorted, Dealer dealer, PlacedTimes times) throws IOException {
        EventReader[] blocks = new EventReader[pieces.size()];
        IntArrayList blockOf = new IntArrayList();
        IntArrayList offsets = new IntArrayList();
        IntArrayList sessions = new IntArrayList();
        LongArrayList clocks = new LongArrayList();
        for (int b = 0; b < blocks.length; b++) {
            EventReader block = new EventReader(pieces.get(b).block(cell));
            blocks[b] = block;
            while (block.next()) {
                blockOf.add(b);
                offsets.add(block.offset());
                sessions.add(block.session());
                clocks.add(block.clock());
            }
        }
        int[] order = new int[clocks.size()];
        Arrays.setAll(order, e -> e);
        long[] clockOf = clocks.elements();
        int[] sessionOf = sessions.elements();
        IntArrays.mergeSort(order, (a, b) -> {
            int byClock = Long.compare(clockOf[a], clockOf[b]);
            return byClock != 0 ? byClock : Integer.compare(sessionOf[a], sessionOf[b]);
        });
        long place = first;
        for (int e : order) {
            EventReader event = blocks[blockOf.getInt(e)];
            event.moveTo(offsets.getInt(e), clockOf[e]);
            sorted.add(event);
            if (!Tally.isOneEvent(event.status().code())) {
                times.event(terms, place, event.event(), event.status().code(), event.start(), event.end());
            }
            dealer.deal(event, place++);
        }
    }
}
