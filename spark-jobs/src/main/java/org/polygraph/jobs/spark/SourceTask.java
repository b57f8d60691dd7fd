package org.polygraph.jobs.spark;

import org.polygraph.partitioner.sliced.SourceSlices;

/** By slice of keys: whom each read read from. Out: a row a slice, for the merge. */
final class SourceTask extends SliceTask {
    private static final long serialVersionUID = 1L;

    @Override
    byte[] of(byte[] slice) {
        return SourceSlices.find(slice);
    }
}
