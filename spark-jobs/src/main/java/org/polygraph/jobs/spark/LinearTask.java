package org.polygraph.jobs.spark;

import org.polygraph.partitioner.linear.LinearSlices;

/** By slice of keys: each key's operations put in order, or those found that contradict. Out: a row a slice, for the merge. */
final class LinearTask extends SliceTask {
    private static final long serialVersionUID = 1L;

    private final long initialValue;

    LinearTask(long initialValue) {
        this.initialValue = initialValue;
    }

    @Override
    byte[] of(byte[] slice) {
        // A task that is cancelled is interrupted; nobody reads what it leaves.
        Thread task = Thread.currentThread();
        return LinearSlices.order(slice, initialValue, task::isInterrupted);
    }
}
