package org.polygraph.jobs.certificate.replay;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.polygraph.jobs.certificate.format.Witness;

/** Replays by slices of keys in memory. */
final class Slices {
    private Slices() {}

    static Replay.Result replay(Witness witness, int slices, int perRange) {
        SlicedReplay replay = SlicedReplay.of(witness, slices, perRange);
        Replay.Result known = replay.known();
        if (known != null) {
            return known;
        }
        List<byte[]> findings = new ArrayList<>();
        for (byte[] slice : deal(replay, witness)) {
            findings.add(KeyReplay.of(slice, witness.table().initialValue()));
        }
        return replay.merge(findings);
    }

    static List<byte[]> deal(SlicedReplay replay, Witness witness) {
        // Two writes of earlier windows may come first.
        int most = 8 + (2 + witness.table().operations()) * KeyReplay.ROW_BYTES;
        List<ByteBuffer> rows = new ArrayList<>();
        for (int s = 0; s < replay.slices(); s++) {
            rows.add(ByteBuffer.allocate(most).putInt(s).putInt(replay.keys(s)));
        }
        try {
            replay.deal((slice, keyAndKind, value, operation, snapshot, commit) -> rows.get(slice)
                    .putInt(keyAndKind)
                    .putLong(value)
                    .putInt(operation)
                    .putLong(snapshot)
                    .putLong(commit));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        List<byte[]> slicesOfKeys = new ArrayList<>();
        for (ByteBuffer each : rows) {
            byte[] bytes = new byte[each.flip().remaining()];
            each.get(bytes);
            slicesOfKeys.add(bytes);
        }
        return slicesOfKeys;
    }
}
