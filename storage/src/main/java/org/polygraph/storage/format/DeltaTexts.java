package org.polygraph.storage.format;

import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Parquet's DELTA_LENGTH_BYTE_ARRAY, the lengths of texts as differences and then the bytes of all, and its DELTA_BYTE_ARRAY, where
 * each text begins like the one before it: how far, as differences, and then the rest of each in the other encoding. Nothing is
 * taken in memory for what a header says, and no text before the sum of those that are asked for is known.
 *
 * <p>Source: apache/parquet-format, Encodings.md.
 */
final class DeltaTexts {
    private final byte[] bytes;
    private final int end;
    /** Bytes that each shares with the one before; null: none. */
    private final @Nullable DeltaNumbers shared;

    private final DeltaNumbers rests;
    private int at;

    private long[] sharedLengths = new long[0];
    private long[] restLengths = new long[0];

    /** Where texts share bytes, the last one that was read. */
    private byte[] last;

    private int lastLength;

    private DeltaTexts(
            byte[] bytes, long[] words, int from, int end, @Nullable DeltaNumbers shared, @Nullable DeltaTexts before)
            throws IOException {
        this.bytes = bytes;
        this.end = end;
        this.shared = shared;
        rests = new DeltaNumbers(bytes, words, from, end);
        at = DeltaNumbers.end(bytes, words, from, end);
        last = before == null ? new byte[0] : before.last;
        lastLength = before == null ? 0 : before.lastLength;
    }

    /**
     * DELTA_LENGTH_BYTE_ARRAY.
     *
     * @param words the same bytes, eight a number, the first one lowest; and a number behind the last
     */
    static DeltaTexts ofLengths(byte[] bytes, long[] words, int from, int end) throws IOException {
        return new DeltaTexts(bytes, words, from, end, null, null);
    }

    /**
     * DELTA_BYTE_ARRAY.
     *
     * @param before the page before, if the first text shares bytes with its last, which is then used up
     */
    static DeltaTexts ofSharedBytes(byte[] bytes, long[] words, int from, int end, @Nullable DeltaTexts before)
            throws IOException {
        DeltaNumbers shared = new DeltaNumbers(bytes, words, from, end);
        return new DeltaTexts(bytes, words, DeltaNumbers.end(bytes, words, from, end), end, shared, before);
    }

    /** Reads the next {@code n}. */
    void read(String[] into, int n) throws IOException {
        if (restLengths.length < n) {
            restLengths = new long[n];
            sharedLengths = new long[n];
        }
        rests.read(restLengths, n);
        if (shared != null) {
            shared.read(sharedLengths, n);
        }
        check(n);
        for (int i = 0; i < n; i++) {
            int rest = (int) restLengths[i];
            int same = (int) sharedLengths[i];
            if (shared == null) {
                into[i] = ParquetText.of(bytes, at, rest);
            } else if (i > 0 && rest == 0 && same == lastLength) {
                into[i] = into[i - 1];
            } else {
                if (last.length < same + rest) {
                    last = Arrays.copyOf(last, same + rest + same / 2);
                }
                System.arraycopy(bytes, at, last, same, rest);
                lastLength = same + rest;
                into[i] = ParquetText.of(last, 0, lastLength);
            }
            at += rest;
        }
    }

    /** Refuses lengths that the texts cannot have, and texts that together are longer than any page. */
    private void check(int n) throws IOException {
        long length = lastLength;
        long left = end - at;
        long all = 0;
        for (int i = 0; i < n; i++) {
            long rest = restLengths[i];
            long same = sharedLengths[i];
            if (rest < 0 || rest > left || same < 0 || same > length) {
                throw new IOException("a text that shares " + same + " of " + length + " bytes and has " + rest + " of "
                        + left + " to come");
            }
            left -= rest;
            all += rest == 0 && same == length ? 0 : same;
            length = same + rest;
            if (all > PageCompression.MOST_BYTES) {
                throw new IOException("texts that share more than " + PageCompression.MOST_BYTES + " bytes");
            }
        }
    }
}
