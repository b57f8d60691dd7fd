package org.polygraph.jobs.spark;

import org.polygraph.jobs.certificate.replay.KeyReplay;

/** For each slice of keys: replays its operations. Output: a row a slice, for the merge. */
final class ReplayTask extends SliceTask {
    private static final long serialVersionUID = 1L;

    private final long initialValue;

    ReplayTask(long initialValue) {
        this.initialValue = initialValue;
    }

    @Override
    byte[] of(byte[] slice) {
        return KeyReplay.of(slice, initialValue);
    }
}
