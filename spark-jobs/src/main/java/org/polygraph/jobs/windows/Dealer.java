package org.polygraph.jobs.windows;

import java.io.IOException;
import org.polygraph.storage.model.TransactionStatus;

/** Deals the operations of events to slices of keys, in the order of places, as {@link SliceRows} reads them. */
final class Dealer {
    private final int slices;
    private final boolean ignoresUnknown;
    private final Section.Output out;
    /** By slice: the place of its last operation. */
    private final long[] places;

    /** @param ignoresUnknown whether transactions of unknown outcome count as aborted */
    Dealer(int slices, boolean ignoresUnknown) {
        this.slices = slices;
        this.ignoresUnknown = ignoresUnknown;
        out = new Section.Output(0, slices);
        places = new long[slices];
    }

    /** Deals the operations of an event. None of them may have been read before. */
    void deal(EventReader event, long place) {
        int state = state(event);
        while (event.nextOperation()) {
            event.skipValue();
            int slice = event.slice(slices);
            BlockWriter block = out.block(slice);
            block.unsigned(place - places[slice]).unsigned((long) event.number() << SliceRows.NUMBER_SHIFT | state);
            places[slice] = place;
            event.copyOperation(block);
            if (event.kind() >= Cell.INTENT || state == SliceRows.OPEN) {
                block.unsigned(event.session());
            }
            if (state == SliceRows.OPEN) {
                block.signed(event.index());
            }
        }
    }

    private int state(EventReader event) {
        if (event.isCounted()) {
            return SliceRows.COUNTED;
        }
        if (event.status() == TransactionStatus.INITIAL) {
            return SliceRows.LOADED;
        }
        return event.status() == TransactionStatus.INDETERMINATE && !ignoresUnknown
                ? SliceRows.OPEN
                : SliceRows.INACTIVE;
    }

    /** Writes the section with a block for each slice. */
    Section write(Section.Files files, int number) throws IOException {
        return out.write(files, number);
    }
}
