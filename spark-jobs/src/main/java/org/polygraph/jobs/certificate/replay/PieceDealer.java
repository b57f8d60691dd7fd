package org.polygraph.jobs.certificate.replay;

import java.io.ByteArrayOutputStream;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.TransactionBytes;
import org.polygraph.storage.dictionary.KeyDictionary;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.table.HistoryRows;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.Operations;

/**
 * Deals the transactions of a piece of the input to ranges of (session, index). A block has, for each transaction: int
 * number of the piece, long position there, int length, {@link TransactionBytes}. Memory: the rows of the piece, and a
 * block for each range.
 */
public final class PieceDealer {
    static final int PREFIX = 2 * Integer.BYTES + Long.BYTES;

    /** The approximate size of a block. A shuffle keeps a block in one page of its memory. */
    private static final int BLOCK_BYTES = 1 << 18;

    private PieceDealer() {}

    /**
     * A piece that was dealt.
     *
     * @param lines how many lines it has
     * @param initialValue as {@link TransactionBytes#value}; null if its header has none
     * @param refused whether it cannot be replayed without the whole history, which the caller then reads
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record Piece(int number, long lines, byte @Nullable [] initialValue, boolean refused)
            implements Serializable {
        public static Piece refused(int number) {
            return new Piece(number, 0, null, true);
        }
    }

    /** Receives blocks. */
    @FunctionalInterface
    public interface Sink {
        void block(int range, byte[] block);
    }

    /** Deals a piece, unless operations of it depend on other pieces. */
    public static Piece deal(HistoryRows rows, int number, DealPlan plan, Sink sink) {
        ValueDictionary.Labels labels = rows.values();
        boolean isOpaque = false;
        for (byte each : labels.opaque()) {
            isOpaque |= each != 0;
        }
        if (rows.lists() != null
                || rows.operations().kinds() != null
                || labels.others().length > 0
                || labels.versions().length > 0
                || isOpaque) {
            return Piece.refused(number);
        }
        KeyDictionary keys = new KeyDictionary();
        int[] ids = keys.addAll(rows.keys());
        ValueDictionary values = new ValueDictionary();
        ValueDictionary.Codes codes = values.addAll(labels);
        ByteArrayOutputStream[] blocks = new ByteArrayOutputStream[plan.ranges().count()];
        TransactionBytes bytes = new TransactionBytes();
        ByteBuffer prefix = ByteBuffer.allocate(PREFIX);
        int[] starts = rows.operations().starts();
        long[] startTimes = rows.transactions().starts();
        long[] endTimes = rows.transactions().ends();
        for (int t = 0; t < rows.transactions().size(); t++) {
            long session = rows.sessionLabels()[rows.sessionOf()[t]];
            long index = rows.transactions().indexes()[t];
            bytes.begin(
                    session,
                    index,
                    rows.transactions().statuses()[t],
                    startTimes == null ? HistoryTable.NO_TIME : startTimes[t],
                    endTimes == null ? HistoryTable.NO_TIME : endTimes[t],
                    starts[t + 1] - starts[t]);
            for (int o = starts[t]; o < starts[t + 1]; o++) {
                int keyAndKind = rows.operations().keys()[o];
                bytes.operation(
                        keys,
                        values,
                        Operations.withKey(keyAndKind, ids[Operations.key(keyAndKind)]),
                        codes.of(rows.operations().values()[o]));
            }
            byte[] whole = bytes.end();
            prefix.clear()
                    .putInt(number)
                    .putLong(rows.transactions().sources()[t])
                    .putInt(whole.length);
            int range = plan.ranges().of(session, index);
            ByteArrayOutputStream block = blocks[range];
            if (block == null) {
                block = new ByteArrayOutputStream();
                blocks[range] = block;
            }
            block.writeBytes(Arrays.copyOf(prefix.array(), PREFIX));
            block.writeBytes(whole);
            if (block.size() >= BLOCK_BYTES) {
                sink.block(range, block.toByteArray());
                block.reset();
            }
        }
        for (int r = 0; r < blocks.length; r++) {
            if (blocks[r] != null && blocks[r].size() > 0) {
                sink.block(r, blocks[r].toByteArray());
            }
        }
        Long initial = rows.initialValue();
        return new Piece(
                number,
                rows.lines(),
                initial == null ? null : TransactionBytes.value(values, codes.of(initial)),
                false);
    }
}
