package org.polygraph.jobs.spark;

import org.polygraph.partitioner.sliced.SourceSlices;

/** For each slice of keys: the transaction that each read read from. Output: a row a slice, for the merge. */
final class ReadSourceTask extends SliceTask {
    private static final long serialVersionUID = 1L;

    @Override
    byte[] of(byte[] slice) {
        return SourceSlices.find(slice);
    }
}
