package org.polygraph.jobs.spark;

import org.polygraph.partitioner.linear.LinearSlices;

/**
 * For each slice of keys: orders the operations of each key, or finds contradicting ones. Output: a row a slice, for
 * the merge.
 */
final class LinearTask extends SliceTask {
    private static final long serialVersionUID = 1L;

    private final long initialValue;

    LinearTask(long initialValue) {
        this.initialValue = initialValue;
    }

    @Override
    byte[] of(byte[] slice) {
        // A cancelled task is interrupted, and its output is discarded.
        Thread task = Thread.currentThread();
        return LinearSlices.order(slice, initialValue, task::isInterrupted);
    }
}
