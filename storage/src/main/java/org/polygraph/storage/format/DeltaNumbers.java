package org.polygraph.storage.format;

import java.io.IOException;

/**
 * Parquet's DELTA_BINARY_PACKED: integers as their differences, in blocks with a least difference each, whose parts have each its
 * own width. Nothing is taken in memory for what a header says.
 *
 * <p>Source: apache/parquet-format, Encodings.md.
 */
final class DeltaNumbers implements ParquetValues.Numbers {
    private final byte[] bytes;
    private final long[] words;
    private final int end;
    private final ByteCursor in;

    /** Values of a part of a block, at least 1. */
    private final long part;

    private final int parts;
    /** Values that are not read yet. */
    private long left;

    /** The value that comes next. */
    private long next;

    private long least;
    /** Where the widths of the current block are, and which part is read. */
    private int widths;

    private int number;
    private long leftOfPart;
    private int width;
    private long bit;

    /**
     * @param words the same bytes, eight a number, the first one lowest; and a number behind the last
     */
    DeltaNumbers(byte[] bytes, long[] words, int from, int end) throws IOException {
        this.bytes = bytes;
        this.words = words;
        this.end = end;
        in = new ByteCursor(bytes, from, end, "a page with less values than announced");
        long block = in.unsigned();
        long count = in.unsigned();
        left = in.unsigned();
        next = in.signed();
        if (block <= 0 || count <= 0 || count > block || block % count != 0 || (block / count) % Byte.SIZE != 0) {
            throw new IOException("blocks of " + block + " values in " + count + " parts");
        }
        if (count > Integer.MAX_VALUE || left < 0) {
            throw new IOException(left + " values in blocks of " + count + " parts");
        }
        part = block / count;
        parts = (int) count;
        number = parts - 1;
    }

    /** Where in a page such numbers end, which are not decoded for it. */
    static int end(byte[] bytes, long[] words, int from, int end) throws IOException {
        DeltaNumbers numbers = new DeltaNumbers(bytes, words, from, end);
        // Each step takes a byte at least, that of a width. The first number is not a difference.
        for (long left = numbers.left - 1; left > 0; left -= numbers.part) {
            numbers.turn();
        }
        return numbers.in.at();
    }

    @Override
    public void read(long[] into, int n) throws IOException {
        if (n > left) {
            throw in.cutOff();
        }
        for (int done = 0; done < n; ) {
            // The first is not a difference; the last has none behind it.
            if (left == 1) {
                into[done++] = next;
                left = 0;
                return;
            }
            if (leftOfPart == 0) {
                turn();
            }
            int take = (int) Math.min(Math.min(leftOfPart, n - done), left - 1);
            if (bit + (long) take * width > (long) end * Byte.SIZE) {
                throw in.cutOff();
            }
            next = unpack(words, bit, width, least, next, into, done, done + take);
            bit += (long) take * width;
            leftOfPart -= take;
            left -= take;
            done += take;
        }
    }

    private void turn() throws IOException {
        if (++number == parts) {
            number = 0;
            least = in.signed();
            widths = in.at();
            in.step(parts);
        }
        width = bytes[widths + number] & 0xFF;
        if (width > Long.SIZE) {
            throw new IOException("differences of " + width + " bits");
        }
        leftOfPart = part;
        bit = (long) in.at() * Byte.SIZE;
        // Of the last part some writers leave out what is never asked for.
        long size = width == 0 ? 0 : part > Integer.MAX_VALUE ? Integer.MAX_VALUE : part / Byte.SIZE * width;
        in.step(Math.min(in.left(), size));
    }

    /** Adds differences; the value behind those that were read. */
    private static long unpack(
            long[] words, long bit, int width, long least, long first, long[] into, int from, int to) {
        long mask = width == Long.SIZE ? -1 : (1L << width) - 1;
        long at = bit;
        long value = first;
        for (int i = from; i < to; i++) {
            int w = (int) (at >>> 6);
            into[i] = value;
            value += least + ((words[w] >>> at | words[w + 1] << 1 << ~at) & mask);
            at += width;
        }
        return value;
    }
}
