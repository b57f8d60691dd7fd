package org.polygraph.jobs.windows;

/** Writes the events of a cell to a block, as {@link EventReader} reads them. */
final class EventWriter {
    private final BlockWriter out;
    private long lastClock;

    /** @param out an empty block */
    EventWriter(BlockWriter out) {
        this.out = out;
    }

    /** Adds an event. @param flags of {@link EventReader} */
    void add(int session, long index, long clock, int flags, EventBody body) {
        begin(session, index, clock, flags);
        body.copy(out);
    }

    /** Adds an event of another block. */
    void add(EventReader event) {
        add(event, event.flags());
    }

    /** Adds an event of another block with other flags. */
    void add(EventReader event, int flags) {
        begin(event.session(), event.index(), event.clock(), flags);
        event.copyBody(out);
    }

    private void begin(int session, long index, long clock, int flags) {
        out.unsigned(session).signed(index).signed(clock - lastClock).unsigned(flags);
        lastClock = clock;
    }
}
