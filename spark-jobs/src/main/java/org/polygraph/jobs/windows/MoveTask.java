package org.polygraph.jobs.windows;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import org.polygraph.jobs.decision.Budget;

/**
 * Removes events from some cells, and adds others to them. Result: the section with the cells.
 *
 * @param cells one by one, ascending
 * @param removed ascending: the places of events that leave
 * @param gaps ascending: by arriving block the place of the event before which it is put; the number of all places if it is put
 *     behind the last event of the history
 * @param arriving for each of these a block of events
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record MoveTask(ArrayList<Cells> cells, long[] removed, long[] gaps, ArrayList<byte[]> arriving, Section.Files files)
        implements Task<Section> {
    @Override
    public Section run(Budget budget) throws IOException {
        int from = cells.get(0).from();
        int to = cells.get(cells.size() - 1).to();
        Section.Output out = new Section.Output(from, to - from);
        EventWriter written = new EventWriter(out.block(from));
        int next = 0;
        for (Cells cell : cells) {
            budget.require();
            int c = cell.from();
            written = c == from ? written : new EventWriter(out.block(c));
            long place = cell.first(c);
            for (EventReader events = cell.events(c); events.next(); place++) {
                for (; next < gaps.length && gaps[next] <= place; next++) {
                    add(arriving.get(next), written);
                }
                if (Arrays.binarySearch(removed, place) < 0) {
                    written.add(events);
                }
            }
        }
        for (; next < gaps.length; next++) {
            add(arriving.get(next), written);
        }
        return out.write(files, from);
    }

    private static void add(byte[] block, EventWriter to) {
        for (EventReader events = new EventReader(block); events.next(); ) {
            to.add(events);
        }
    }
}
