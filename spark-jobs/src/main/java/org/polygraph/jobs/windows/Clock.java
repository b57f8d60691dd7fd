package org.polygraph.jobs.windows;

/** What the clocks of events are, by which the first order is chosen. It determines only how long a check takes. */
enum Clock {
    /** The middle of start and end. */
    TIMES,
    /** The position in the input. */
    POSITIONS,
    /** The largest value that a transaction wrote, or else read, where the sessions count values up. */
    VALUES,
    /** The number of the event in its session, with all sessions at an even pace. */
    PACE
}
