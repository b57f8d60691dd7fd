package org.polygraph.storage.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Arrays;
import java.util.Random;
import org.apache.parquet.bytes.HeapByteBufferAllocator;
import org.apache.parquet.column.values.ValuesWriter;
import org.apache.parquet.column.values.delta.DeltaBinaryPackingValuesWriterForInteger;
import org.apache.parquet.column.values.deltalengthbytearray.DeltaLengthByteArrayValuesWriter;
import org.apache.parquet.column.values.deltastrings.DeltaByteArrayWriter;
import org.apache.parquet.io.api.Binary;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Texts by their lengths and by what they share, as Parquet's library encodes them, in pieces of any length. */
class DeltaTextsTest {
    private static final HeapByteBufferAllocator HEAP = HeapByteBufferAllocator.getInstance();

    private static byte[] encoded(ValuesWriter writer, String[] texts) throws IOException {
        for (String text : texts) {
            writer.writeBytes(Binary.fromString(text));
        }
        return writer.getBytes().toByteArray();
    }

    /** Texts that begin alike, are repeated, are empty, and have characters of several bytes. */
    private static String[] texts(Random random, int n) {
        String[] texts = new String[n];
        String last = "";
        for (int i = 0; i < n; i++) {
            int what = random.nextInt(6);
            if (what > 0) {
                String start = what < 4 ? last.substring(0, random.nextInt(last.length() + 1)) : "";
                last = start + "aä€z".charAt(random.nextInt(4)) + (what == 5 ? random.nextLong() : "");
            }
            texts[i] = random.nextInt(30) == 0 ? "" : last;
        }
        return texts;
    }

    private static DeltaTexts reader(boolean shared, byte[] page, int from, int end, @Nullable DeltaTexts before)
            throws IOException {
        long[] words = PackedNumbersTest.words(page);
        return shared
                ? DeltaTexts.ofSharedBytes(page, words, from, end, before)
                : DeltaTexts.ofLengths(page, words, from, end);
    }

    @Test
    void textsAreRead() throws Exception {
        for (long seed = 1; seed <= 2000; seed++) {
            Random random = new Random(seed);
            String[] texts = texts(random, 1 + random.nextInt(400));
            boolean shared = random.nextBoolean();
            byte[] encoded = encoded(
                    shared
                            ? new DeltaByteArrayWriter(1 << 10, 1 << 20, HEAP)
                            : new DeltaLengthByteArrayValuesWriter(1 << 10, 1 << 20, HEAP),
                    texts);
            int at = random.nextInt(20);
            byte[] page = PackedNumbersTest.placed(encoded, at, random.nextInt(20));
            DeltaTexts reader = reader(shared, page, at, at + encoded.length, null);
            String[] read = new String[texts.length];
            for (int done = 0; done < read.length; ) {
                int n = Math.min(read.length - done, 1 + random.nextInt(200));
                String[] piece = new String[n];
                reader.read(piece, n);
                System.arraycopy(piece, 0, read, done, n);
                done += n;
            }
            assertThat(read).as("seed " + seed).isEqualTo(texts);
            assertThatThrownBy(() -> reader.read(new String[1], 1)).isInstanceOf(IOException.class);
        }
    }

    /** As lengths say, then the bytes of all. */
    private static byte[] page(int[] shared, int[] rests, String bytes) throws IOException {
        byte[] page = new byte[0];
        for (int[] lengths : new int[][] {shared, rests}) {
            DeltaBinaryPackingValuesWriterForInteger writer =
                    new DeltaBinaryPackingValuesWriterForInteger(1 << 10, 1 << 24, HEAP);
            for (int length : lengths) {
                writer.writeInteger(length);
            }
            page = concat(page, writer.getBytes().toByteArray());
        }
        return concat(page, TestFiles.utf8(bytes));
    }

    private static byte[] concat(byte[] first, byte[] second) {
        byte[] all = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, all, first.length, second.length);
        return all;
    }

    private static String[] read(byte[] page, @Nullable DeltaTexts before, int n) throws IOException {
        String[] texts = new String[n];
        reader(true, page, 0, page.length, before).read(texts, n);
        return texts;
    }

    @Test
    void pageGoesOnWithTheLastTextOfTheOneBefore() throws Exception {
        byte[] first = page(new int[] {0, 2}, new int[] {3, 2}, "abcde");
        DeltaTexts before = reader(true, first, 0, first.length, null);
        String[] texts = new String[2];
        before.read(texts, 2);
        assertThat(texts).containsExactly("abc", "abde");
        byte[] second = page(new int[] {4, 3}, new int[] {0, 1}, "x");
        assertThatThrownBy(() -> read(second, null, 2)).hasMessageContaining("shares 4 of 0 bytes");
        assertThat(read(second, before, 2)).containsExactly("abde", "abdx");
    }

    @Test
    void lengthsAreNotBelieved() throws Exception {
        for (int[] bad :
                new int[][] {{0, 4}, {0, -1}, {1, 0}, {-1, 1}, {Integer.MAX_VALUE, 0}, {0, Integer.MAX_VALUE}}) {
            byte[] page = page(new int[] {bad[0]}, new int[] {bad[1]}, "abc");
            assertThatThrownBy(() -> read(page, null, 1))
                    .as(Arrays.toString(bad))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("a text that shares " + bad[0] + " of 0 bytes and has " + bad[1] + " of 3");
        }
    }

    /** A page of some kilobytes that stands for gigabytes: texts that are each a little shorter than the one before. */
    @Test
    void textsLongerTogetherThanAnyPageAreRefused() throws Exception {
        int n = 1 << 14;
        int[] shared = new int[n];
        int[] rests = new int[n];
        rests[0] = 1 << 16;
        for (int i = 1; i < n; i++) {
            shared[i] = rests[0] - i;
        }
        byte[] page = page(shared, rests, "x".repeat(rests[0]));
        assertThatThrownBy(() -> read(page, null, n)).hasMessageContaining("texts that share more than");
        // Those that are the same are one.
        Arrays.fill(shared, 1, n, rests[0]);
        assertThat(read(page(shared, rests, "x".repeat(rests[0])), null, n)).containsOnly("x".repeat(rests[0]));
    }
}
