package org.polygraph.storage.format.parquet;

import java.io.IOException;
import java.util.zip.CRC32;
import org.polygraph.storage.artifact.SeekableInput;

/**
 * The pages of a column within a row group, in order: checked and decompressed, with the fields of their headers.
 * Memory: the compressed column, which is not larger than the file, and one page.
 */
final class ParquetPages {
    private static final int DATA = 0;
    private static final int DICTIONARY = 2;
    private static final int DATA_2 = 3;

    /** Reads of whole words may go this many bytes beyond the end of a page. */
    private static final int SLACK = Long.BYTES;

    private byte[] chunk = new byte[0];
    private int at;
    private int end;
    private PageCompression compression = PageCompression.NONE;
    /** The number of entries that the remaining pages must have. */
    private long left;

    private byte[] page = new byte[0];

    private int type;
    private int size;
    private int compressedSize;
    private int crc;
    private boolean hasCrc;
    private int values;
    private int encoding;
    private int definitionEncoding;
    private int repetitionEncoding;
    private int definitionBytes;
    private int repetitionBytes;
    private boolean isCompressed;

    /** Goes to the beginning of a chunk. */
    void open(SeekableInput file, ParquetFooter.Chunk of) throws IOException {
        if (of.bytes() > Integer.MAX_VALUE - SLACK) {
            throw new IOException("a column of " + of.bytes() + " bytes in a row group");
        }
        end = (int) of.bytes();
        if (chunk.length < end) {
            chunk = new byte[0];
            chunk = new byte[end];
        }
        ParquetFooter.fill(file, of.at(), chunk, end);
        at = 0;
        compression = PageCompression.of(of.codec());
        left = of.values();
    }

    /** Goes to the next page with entries or a dictionary. Returns false after the last page. */
    boolean next() throws IOException {
        while (left > 0) {
            header();
            if (compressedSize < 0 || compressedSize > end - at) {
                throw new IOException("a page of " + compressedSize + " bytes in a column with " + (end - at));
            }
            int from = at;
            at += compressedSize;
            if (type == DATA || type == DATA_2 || type == DICTIONARY) {
                check(from);
                decompress(from);
                if (type != DICTIONARY) {
                    left -= values;
                }
                return true;
            }
        }
        return false;
    }

    /** Whether the page is a dictionary for the pages after it. */
    boolean isDictionary() {
        return type == DICTIONARY;
    }

    /** Whether the page is of version 2, in which the levels come first and the header has their lengths. */
    boolean isSecondVersion() {
        return type == DATA_2;
    }

    /** Returns the number of its entries, which is at least 0. */
    int values() {
        return values;
    }

    /** Returns the number of the encoding of its values. */
    int encoding() {
        return encoding;
    }

    int definitionEncoding() {
        return definitionEncoding;
    }

    int repetitionEncoding() {
        return repetitionEncoding;
    }

    /**
     * Returns the bytes of the page; the array is used again for the next page. One more word than {@link #size} can be
     * read.
     */
    byte[] bytes() {
        return page;
    }

    int size() {
        return size;
    }

    /** Returns the index at which the repetition levels of a page of version 2 end, and the definition levels begin. */
    int repetitionsEnd() {
        return repetitionBytes;
    }

    /** Returns the index at which the definition levels of a page of version 2 end. */
    int definitionsEnd() {
        return repetitionBytes + definitionBytes;
    }

    private void header() throws IOException {
        CompactReader in = new CompactReader(chunk, at, end);
        type = -1;
        size = -1;
        compressedSize = -1;
        hasCrc = false;
        values = 0;
        encoding = -1;
        definitionBytes = 0;
        repetitionBytes = 0;
        isCompressed = true;
        in.enter();
        for (int f = in.field(0); f != 0; f = in.field(f)) {
            switch (f) {
                case 1 -> type = in.number32();
                case 2 -> size = in.number32();
                case 3 -> compressedSize = in.number32();
                case 4 -> {
                    crc = in.number32();
                    hasCrc = true;
                }
                case 5 -> data(in);
                case 7 -> dictionary(in);
                case 8 -> secondData(in);
                default -> in.skip();
            }
        }
        at = in.position();
        if (values < 0 || definitionBytes < 0 || repetitionBytes < 0) {
            throw new IOException("a page of " + values + " values with levels of " + repetitionBytes + " and "
                    + definitionBytes + " bytes");
        }
    }

    private void data(CompactReader in) throws IOException {
        in.enter();
        for (int f = in.field(0); f != 0; f = in.field(f)) {
            switch (f) {
                case 1 -> values = in.number32();
                case 2 -> encoding = in.number32();
                case 3 -> definitionEncoding = in.number32();
                case 4 -> repetitionEncoding = in.number32();
                default -> in.skip();
            }
        }
    }

    private void dictionary(CompactReader in) throws IOException {
        in.enter();
        for (int f = in.field(0); f != 0; f = in.field(f)) {
            switch (f) {
                case 1 -> values = in.number32();
                case 2 -> encoding = in.number32();
                default -> in.skip();
            }
        }
    }

    private void secondData(CompactReader in) throws IOException {
        in.enter();
        for (int f = in.field(0); f != 0; f = in.field(f)) {
            switch (f) {
                case 1 -> values = in.number32();
                case 4 -> encoding = in.number32();
                case 5 -> definitionBytes = in.number32();
                case 6 -> repetitionBytes = in.number32();
                case 7 -> isCompressed = in.flag();
                default -> in.skip();
            }
        }
    }

    private void check(int from) throws IOException {
        if (hasCrc) {
            CRC32 sum = new CRC32();
            sum.update(chunk, from, compressedSize);
            if ((int) sum.getValue() != crc) {
                throw new IOException("a page whose checksum is wrong");
            }
        }
    }

    /** Decompresses the page. The levels of version 2 are never compressed. */
    private void decompress(int from) throws IOException {
        long levels = type == DATA_2 ? (long) repetitionBytes + definitionBytes : 0;
        if (levels > Math.min(size, compressedSize)) {
            throw new IOException("levels of " + levels + " bytes in a page of " + Math.min(size, compressedSize));
        }
        int before = (int) levels;
        PageCompression how = isCompressed ? compression : PageCompression.NONE;
        how.checkSize(compressedSize - before, size - before);
        if (page.length < size + SLACK) {
            page = new byte[0];
            page = new byte[size + size / 4 + SLACK];
        }
        System.arraycopy(chunk, from, page, 0, before);
        // A page that has only nulls has nothing to decompress.
        if (compressedSize > before || size > before) {
            how.undo(chunk, from + before, compressedSize - before, page, before, size - before);
        }
    }
}
