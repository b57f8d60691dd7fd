package org.polygraph.storage.format.parquet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Random;
import org.apache.parquet.bytes.HeapByteBufferAllocator;
import org.apache.parquet.column.values.delta.DeltaBinaryPackingValuesWriterForInteger;
import org.apache.parquet.column.values.delta.DeltaBinaryPackingValuesWriterForLong;
import org.apache.parquet.column.values.rle.RunLengthBitPackingHybridEncoder;
import org.junit.jupiter.api.Test;

/**
 * Decodes runs, differences, split bytes and packed levels that Parquet's library encoded, in batches of any length.
 */
class PackedNumbersTest {
    static long[] words(byte[] bytes) {
        long[] words = new long[bytes.length / 8 + 3];
        ByteBuffer.wrap(Arrays.copyOf(bytes, (bytes.length + 7) / 8 * 8))
                .order(ByteOrder.LITTLE_ENDIAN)
                .asLongBuffer()
                .get(words, 0, (bytes.length + 7) / 8);
        return words;
    }

    /** The bytes at some offset in a page. */
    static byte[] placed(byte[] bytes, int at, int behind) {
        byte[] page = new byte[at + bytes.length + behind];
        System.arraycopy(bytes, 0, page, at, bytes.length);
        return page;
    }

    private interface Reader {
        void read(long[] to, int n) throws IOException;
    }

    /** Decodes all of them, in batches of at most the given size. */
    private static long[] inPieces(int count, int most, Random random, Reader numbers) throws IOException {
        long[] read = new long[count];
        for (int done = 0; done < count; ) {
            int n = Math.min(count - done, 1 + random.nextInt(most));
            long[] piece = new long[n];
            numbers.read(piece, n);
            System.arraycopy(piece, 0, read, done, n);
            done += n;
        }
        return read;
    }

    @Test
    void differencesOfAnyWidthAreRead() throws Exception {
        for (long seed = 1; seed <= 2000; seed++) {
            Random random = new Random(seed);
            int block = 128 << random.nextInt(2);
            int parts = 1 << random.nextInt(3);
            DeltaBinaryPackingValuesWriterForLong writer = new DeltaBinaryPackingValuesWriterForLong(
                    block, parts, 1 << 10, 1 << 20, HeapByteBufferAllocator.getInstance());
            long[] numbers = new long[1 + random.nextInt(700)];
            int shift = random.nextInt(65);
            for (int i = 0; i < numbers.length; i++) {
                long any = shift == 64 ? 0 : random.nextLong() >> shift;
                numbers[i] = random.nextInt(100) == 0 ? random.nextLong() : any;
                writer.writeLong(numbers[i]);
            }
            byte[] encoded = writer.getBytes().toByteArray();
            int at = random.nextInt(20);
            byte[] page = placed(encoded, at, random.nextInt(20));
            Differences reader = new Differences(page, words(page), at, at + encoded.length, numbers.length, true);
            assertThat(inPieces(numbers.length, 200, random, reader::read))
                    .as("seed " + seed)
                    .isEqualTo(numbers);
            assertThatThrownBy(() -> reader.read(new long[1], 1)).isInstanceOf(IOException.class);
            Differences cut = new Differences(page, words(page), at, at + encoded.length - 1, numbers.length, true);
            // The last miniblock may have more padding than one byte.
            assertThat(catchThrowable(() -> cut.read(new long[numbers.length], numbers.length)))
                    .satisfiesAnyOf(thrown -> assertThat(thrown).isNull(), thrown -> assertThat(thrown)
                            .isInstanceOf(IOException.class));
        }
    }

    @Test
    void narrowDifferencesAreRead() throws Exception {
        for (long seed = 1; seed <= 500; seed++) {
            Random random = new Random(seed);
            DeltaBinaryPackingValuesWriterForInteger writer = new DeltaBinaryPackingValuesWriterForInteger(
                    128, 4, 1 << 10, 1 << 20, HeapByteBufferAllocator.getInstance());
            long[] numbers = new long[1 + random.nextInt(300)];
            int shift = random.nextInt(32);
            for (int i = 0; i < numbers.length; i++) {
                numbers[i] = random.nextInt() >> shift;
                writer.writeInteger((int) numbers[i]);
            }
            byte[] encoded = writer.getBytes().toByteArray();
            int at = random.nextInt(20);
            byte[] page = placed(encoded, at, random.nextInt(20));
            Differences reader = new Differences(page, words(page), at, at + encoded.length, numbers.length, false);
            assertThat(inPieces(numbers.length, 200, random, reader::read))
                    .as("seed " + seed)
                    .isEqualTo(numbers);
        }
    }

    @Test
    void runsOfAnyWidthAreRead() throws Exception {
        for (long seed = 1; seed <= 2000; seed++) {
            Random random = new Random(seed);
            int width = 1 + random.nextInt(32);
            RunLengthBitPackingHybridEncoder encoder = new RunLengthBitPackingHybridEncoder(
                    width, 1 << 10, 1 << 20, HeapByteBufferAllocator.getInstance());
            int[] numbers = new int[1 + random.nextInt(3000)];
            int last = 0;
            int mask = (int) ((1L << width) - 1);
            for (int i = 0; i < numbers.length; i++) {
                last = random.nextInt(seed % 3 == 0 ? 40 : 2) == 0 ? random.nextInt() & mask : last;
                numbers[i] = last;
                encoder.writeInt(last);
            }
            byte[] encoded = encoder.toBytes().toByteArray();
            int at = random.nextInt(20);
            byte[] page = placed(encoded, at, random.nextInt(20));
            RunLengths reader = new RunLengths(page, words(page), at, at + encoded.length, width);
            int[] read = new int[numbers.length];
            for (int done = 0; done < read.length; ) {
                int n = Math.min(read.length - done, 1 + random.nextInt(700));
                int all = reader.alike(n);
                int[] piece = new int[n];
                if (all >= 0) {
                    Arrays.fill(piece, all);
                } else {
                    reader.read(piece, n);
                }
                System.arraycopy(piece, 0, read, done, n);
                done += n;
            }
            assertThat(read).as("seed " + seed).isEqualTo(numbers);
        }
    }

    @Test
    void headersAreNotTrusted() {
        // The header announces blocks of 2^62 values and as many values, and no data follows.
        byte[] huge = {-128, -128, -128, -128, -128, -128, -128, -128, 64, 1, -128, -128, -128, -128, -128, 1, 0};
        assertThatThrownBy(() -> new Differences(huge, words(huge), 0, huge.length, 10, true))
                .isInstanceOf(IOException.class);
        // The header announces more values than the page has.
        byte[] many = {-128, 1, 4, 11, 0, 0};
        assertThatThrownBy(() -> new Differences(many, words(many), 0, many.length, 10, true))
                .isInstanceOf(IOException.class);
        // The page announces a run of 2^30 groups and has two bytes.
        byte[] groups = {-1, -1, -1, -1, 7, 1, 1};
        assertThatThrownBy(() -> new RunLengths(groups, words(groups), 0, groups.length, 3).read(new int[100], 100))
                .isInstanceOf(IOException.class);
    }
}
