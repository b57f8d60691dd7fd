package org.polygraph.jobs.certificate.replay;

import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Names;
import org.polygraph.jobs.certificate.format.TransactionBytes;
import org.polygraph.storage.dictionary.KeyDictionary;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.table.Operations;

/**
 * Replays a slice of keys window by window of places, with a {@link KeyReplay}. A row is: long place of the snapshot,
 * long place of the commit, int number of the operation in its transaction, {@link Named}, and the operation as in
 * {@link TransactionBytes}. No label of a key or value leaves the slice.
 *
 * <p>Memory: the rows of one window of places, 24 bytes for each of them, and 24 bytes per key (64 with SI) beside its
 * text.
 */
public final class SliceReplay {
    static final int PREFIX = 2 * Long.BYTES + Integer.BYTES + Named.BYTES;
    private static final int NAME = 2 * Long.BYTES + Integer.BYTES;

    private final int slice;
    private final KeyDictionary keys = new KeyDictionary();
    private final ValueDictionary values = new ValueDictionary();
    private final KeyReplay replay;
    private final boolean mayOverlap;
    /** By key: its latest writer; empty unless writers may overlap. */
    private @Nullable Named[] writers = new Named[0];

    private @Nullable Sentence first;

    /** @param initialValue as {@link TransactionBytes#value} */
    public SliceReplay(DealPlan plan, int slice, byte[] initialValue) {
        this.slice = slice;
        this.mayOverlap = plan.terms().guarantee().events() == 2;
        this.replay = new KeyReplay(TransactionBytes.code(initialValue, values));
    }

    /**
     * The findings of a slice.
     *
     * @param sentence about its first discrepancy
     */
    record Finding(KeyReplay.Finding keys, @Nullable Sentence sentence) implements Serializable {}

    /** Replays the rows of the next window of places, which may be in any order. */
    public void range(List<byte[]> blocks) {
        ByteBuffer[] in = blocks.stream().map(ByteBuffer::wrap).toArray(ByteBuffer[]::new);
        int n = 0;
        for (ByteBuffer block : in) {
            for (int at = 0; at < block.limit(); at = TransactionBytes.next(block, at + PREFIX)) {
                n++;
            }
        }
        int[] blockOf = new int[n];
        int[] offset = new int[n];
        long[] places = new long[n];
        n = 0;
        for (int b = 0; b < in.length; b++) {
            for (int at = 0; at < in[b].limit(); at = TransactionBytes.next(in[b], at + PREFIX)) {
                blockOf[n] = b;
                offset[n] = at;
                places[n++] = in[b].getLong(at);
            }
        }
        // Operations of a transaction are in one block in their order, which a stable sort keeps.
        for (int row : StableSort.order(places, places, n)) {
            operation(in[blockOf[row]], offset[row]);
        }
    }

    private void operation(ByteBuffer in, int at) {
        int operation = at + PREFIX;
        int key = TransactionBytes.key(in, operation, keys);
        long value = TransactionBytes.code(in, operation, values);
        boolean write = TransactionBytes.isWrite(in, operation);
        boolean isFirst = replay.operation(
                Operations.pack(key, write),
                value,
                in.getInt(at + 2 * Long.BYTES),
                in.getLong(at),
                in.getLong(at + Long.BYTES));
        if (isFirst) {
            first = sentence(Named.of(in, at + NAME), key, value);
        }
        if (write && mayOverlap) {
            if (key >= writers.length) {
                writers = Arrays.copyOf(writers, Math.max(key + 1, 2 * writers.length));
            }
            writers[key] = Named.of(in, at + NAME);
        }
    }

    private Sentence sentence(Named transaction, int key, long value) {
        KeyReplay.Discrepancy wrong = replay.finding(slice).discrepancy();
        if (wrong == null) {
            throw new IllegalStateException("the key has no discrepancy");
        }
        String label = TransactionBytes.legible(keys.label(key));
        Named other = wrong.kind() == KeyReplay.Kind.OVERLAP ? writers[key] : null;
        return other == null
                ? Sentence.of(
                        transaction,
                        Names.misread(
                                label,
                                TransactionBytes.legible(values.label(value)),
                                wrong.kind() == KeyReplay.Kind.OWN_READ,
                                TransactionBytes.legible(values.label(wrong.instead()))))
                : new Sentence("", transaction, " and ", other, " overlap and both write key " + Names.line(label));
    }

    /** The result, for {@link DealtReplay}. */
    public Serializable end() {
        return new Finding(replay.finding(slice), first);
    }
}
