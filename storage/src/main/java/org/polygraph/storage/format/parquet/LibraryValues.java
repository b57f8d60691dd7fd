package org.polygraph.storage.format.parquet;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.parquet.bytes.ByteBufferInputStream;
import org.apache.parquet.column.values.ValuesReader;
import org.apache.parquet.column.values.bitpacking.BitPackingValuesReader;
import org.apache.parquet.column.values.bytestreamsplit.ByteStreamSplitValuesReaderForInteger;
import org.apache.parquet.column.values.bytestreamsplit.ByteStreamSplitValuesReaderForLong;
import org.apache.parquet.column.values.delta.DeltaBinaryPackingValuesReader;
import org.apache.parquet.column.values.deltalengthbytearray.DeltaLengthByteArrayValuesReader;
import org.apache.parquet.io.api.Binary;
import org.jspecify.annotations.Nullable;

/**
 * Decodes rare encodings by the readers of Parquet's library. Those readers allocate what the header of a page
 * announces, so the header is checked first, also for {@link Differences}. They throw unchecked exceptions.
 */
final class LibraryValues {
    /** The most differences that a block may have; writers use 128. */
    private static final int MOST_BLOCK = 1 << 16;

    private LibraryValues() {}

    /** Integers that are decoded in order. */
    interface Numbers {
        /** Reads the next {@code n} integers. */
        void read(long[] into, int n) throws IOException;
    }

    private static ByteBufferInputStream stream(byte[] bytes, int from, int end) {
        return ByteBufferInputStream.wrap(
                ByteBuffer.wrap(bytes, from, end - from).slice());
    }

    /** Decodes BYTE_STREAM_SPLIT. */
    static Numbers split(byte[] bytes, int from, int end, int count, boolean isWide) throws IOException {
        ValuesReader reader =
                isWide ? new ByteStreamSplitValuesReaderForLong() : new ByteStreamSplitValuesReaderForInteger();
        reader.initFromPage(count, stream(bytes, from, end));
        return (into, n) -> {
            for (int i = 0; i < n; i++) {
                into[i] = isWide ? reader.readLong() : reader.readInteger();
            }
        };
    }

    /** Refuses a header that announces more differences than the page can have. */
    static void checkDifferences(byte[] bytes, int from, int end, int count) throws IOException {
        ByteCursor header = new ByteCursor(bytes, from, end, "a page with fewer values than announced");
        long block = header.unsigned();
        long parts = header.unsigned();
        long values = header.unsigned();
        if (block < 1 || block > MOST_BLOCK || parts < 1 || parts > block || values < 0 || values > count) {
            throw new IOException("a page of " + count + " values that announces " + values
                    + " differences in blocks of " + block + " in " + parts);
        }
    }

    /** Levels in BIT_PACKED, the encoding of old files. */
    static final class PackedLevels implements ParquetColumn.Levels {
        private final BitPackingValuesReader reader;

        private final int end;

        /** @param most the largest level */
        PackedLevels(byte[] bytes, int from, int end, int most, int count) throws IOException {
            long length =
                    ((long) count * (Integer.SIZE - Integer.numberOfLeadingZeros(most)) + Byte.SIZE - 1) / Byte.SIZE;
            if (length > end - from) {
                throw new IOException("levels of " + length + " bytes in a page of " + end);
            }
            reader = new BitPackingValuesReader(most);
            reader.initFromPage(count, stream(bytes, from, end));
            this.end = from + (int) length;
        }

        /** Returns the index in the page at which the levels end. */
        int end() {
            return end;
        }

        @Override
        public void read(int[] into, int n) {
            for (int i = 0; i < n; i++) {
                into[i] = reader.readInteger();
            }
        }
    }

    /**
     * Decodes DELTA_LENGTH_BYTE_ARRAY and DELTA_BYTE_ARRAY. In the latter, a string shares its beginning with the
     * string before it.
     */
    static final class Strings {
        private final DeltaLengthByteArrayValuesReader rests = new DeltaLengthByteArrayValuesReader();
        /** The lengths of the shared beginnings; null if the encoding shares none. */
        private final @Nullable DeltaBinaryPackingValuesReader shared;

        private byte[] last;
        private String lastString = "";
        /** The total bytes of shared beginnings so far. */
        private long sharedBytes;

        /**
         * @param isShared whether the encoding is DELTA_BYTE_ARRAY
         * @param before the page before, if the first string shares bytes with its last
         */
        Strings(byte[] bytes, int from, int end, int count, boolean isShared, @Nullable Strings before)
                throws IOException {
            ByteBufferInputStream in = stream(bytes, from, end);
            last = before == null ? new byte[0] : before.last;
            if (isShared) {
                checkDifferences(bytes, from, end, count);
                shared = new DeltaBinaryPackingValuesReader();
                shared.initFromPage(count, in);
            } else {
                shared = null;
            }
            checkDifferences(bytes, from + (int) in.position(), end, count);
            rests.initFromPage(count, in);
        }

        /** Reads the next {@code n} strings. */
        void read(String[] into, int n) throws IOException {
            for (int i = 0; i < n; i++) {
                Binary rest = rests.readBytes();
                int same = shared == null ? 0 : shared.readInteger();
                if (same < 0 || same > last.length) {
                    throw new IOException("a string that shares " + same + " of " + last.length + " bytes");
                }
                if (same == 0 || same < last.length || rest.length() > 0) {
                    sharedBytes += same;
                    if (sharedBytes > PageCompression.MOST_BYTES) {
                        throw new IOException("strings that share more than " + PageCompression.MOST_BYTES + " bytes");
                    }
                    byte[] string = new byte[same + rest.length()];
                    System.arraycopy(last, 0, string, 0, same);
                    rest.toByteBuffer().get(string, same, rest.length());
                    last = string;
                    lastString = ParquetStrings.of(string, 0, string.length);
                }
                into[i] = lastString;
            }
        }
    }
}
