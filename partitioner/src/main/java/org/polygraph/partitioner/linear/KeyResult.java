package org.polygraph.partitioner.linear;

/** The result of looking for an order of one key's operations. */
enum KeyResult {
    ORDERED,
    VIOLATED,
    /** Neither an order nor a contradiction was found. */
    OPEN
}
