package org.polygraph.jobs.certificate.format;

import java.io.Serializable;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The hash of the transactions of a history as a tree: a sequence of {@link TransactionHash}es, ascending by (session,
 * index), is divided into blocks; the root is the hash of the hashes of the blocks. A block ends behind a transaction
 * whose hash ends with {@value #BITS} zero bits, so its end depends on the transactions alone. Different processes can
 * therefore hash consecutive ranges of transactions, and {@link #append} joins them. The root does not depend on the
 * ranges.
 *
 * <p>Memory: 32 bytes for each 1,024 transactions, and on average 32 KiB at either end. Not thread-safe.
 */
public final class ContentTree implements Serializable {
    private static final long serialVersionUID = 1L;

    /** A block has 1,024 transactions on average. */
    static final int BITS = 10;

    private static final int MASK = (1 << BITS) - 1;
    private static final byte BLOCK = 1;

    private long transactions;
    /** Leaves of the first block. It may have further leaves at the end of the range before. */
    private final Bytes first = new Bytes();
    /** Whether the first block has ended. */
    private boolean hasEnded;
    /** Hashes of the blocks between. */
    private final Bytes blocks = new Bytes();
    /** Leaves behind the last end of a block. */
    private final Bytes last = new Bytes();

    private transient @Nullable ContentEncoder encoder;

    /** Adds the hash of the next transaction, {@link TransactionHash#BYTES} at a place of an array. */
    public void add(byte[] hash, int at) {
        transactions++;
        leaf(hash, at);
    }

    private void leaf(byte[] hash, int at) {
        int end = at + TransactionHash.BYTES;
        boolean isEnd = ((hash[end - 2] << Byte.SIZE | (hash[end - 1] & 0xFF)) & MASK) == 0;
        if (!hasEnded) {
            first.add(hash, at, TransactionHash.BYTES);
            hasEnded = isEnd;
            return;
        }
        last.add(hash, at, TransactionHash.BYTES);
        if (isEnd) {
            block(last);
        }
    }

    private void block(Bytes leaves) {
        blocks.room(TransactionHash.BYTES);
        hash(leaves, blocks.bytes, blocks.size);
        blocks.size += TransactionHash.BYTES;
        leaves.size = 0;
    }

    private void hash(Bytes leaves, byte[] to, int at) {
        ContentEncoder out = encoder();
        out.put(BLOCK);
        out.bytes(leaves.bytes, 0, leaves.size);
        out.hash(to, at);
    }

    private ContentEncoder encoder() {
        ContentEncoder made = encoder;
        if (made == null) {
            made = new ContentEncoder();
            encoder = made;
        }
        return made;
    }

    /** Adds the transactions of a range that follows. */
    public void append(ContentTree next) {
        transactions += next.transactions;
        for (int at = 0; at < next.first.size; at += TransactionHash.BYTES) {
            leaf(next.first.bytes, at);
        }
        if (next.hasEnded) {
            blocks.add(next.blocks.bytes, 0, next.blocks.size);
            last.add(next.last.bytes, 0, next.last.size);
        }
    }

    public long transactions() {
        return transactions;
    }

    /** The number of transactions and the hashes of the blocks, for the root. */
    void encode(ContentEncoder root) {
        root.number(transactions);
        byte[] hash = new byte[TransactionHash.BYTES];
        if (first.size > 0) {
            hash(first, hash, 0);
            root.bytes(hash, 0, hash.length);
        }
        root.bytes(blocks.bytes, 0, blocks.size);
        if (last.size > 0) {
            hash(last, hash, 0);
            root.bytes(hash, 0, hash.length);
        }
    }

    private static final class Bytes implements Serializable {
        private static final long serialVersionUID = 1L;

        private byte[] bytes = new byte[TransactionHash.BYTES];
        private int size;

        void room(int more) {
            if (size + more > bytes.length) {
                bytes = Arrays.copyOf(bytes, Math.addExact(size, Math.max(size, more)));
            }
        }

        void add(byte[] from, int at, int length) {
            room(length);
            System.arraycopy(from, at, bytes, size, length);
            size += length;
        }
    }
}
