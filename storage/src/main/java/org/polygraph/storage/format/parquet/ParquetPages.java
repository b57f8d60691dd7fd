package org.polygraph.storage.format.parquet;

import java.io.IOException;
import java.util.zip.CRC32;
import org.apache.parquet.format.DataPageHeader;
import org.apache.parquet.format.DataPageHeaderV2;
import org.apache.parquet.format.DictionaryPageHeader;
import org.apache.parquet.format.Encoding;
import org.apache.parquet.format.PageHeader;
import org.apache.parquet.format.PageType;
import org.polygraph.storage.artifact.SeekableInput;

/**
 * The pages of a column within a row group, in order: checked and decompressed, with the fields of their headers.
 * Memory: the compressed column, which is not larger than the file, and one page.
 */
final class ParquetPages {
    /** Reads of whole words may go this many bytes beyond the end of a page. */
    private static final int SLACK = Long.BYTES;

    private byte[] chunk = new byte[0];
    private int at;
    private int end;
    private PageCompression compression = PageCompression.NONE;
    /** The number of entries that the remaining pages must have. */
    private long left;

    private byte[] page = new byte[0];

    private PageHeader header = new PageHeader();
    private int values;
    private Encoding encoding = Encoding.PLAIN;
    private Encoding definitionEncoding = Encoding.RLE;
    private Encoding repetitionEncoding = Encoding.RLE;
    private int definitionBytes;
    private int repetitionBytes;

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
            int compressedSize = header.getCompressed_page_size();
            if (compressedSize < 0 || compressedSize > end - at) {
                throw new IOException("a page of " + compressedSize + " bytes in a column with " + (end - at));
            }
            int from = at;
            at += compressedSize;
            if (header.getType() != PageType.INDEX_PAGE) {
                check(from);
                decompress(from);
                if (!isDictionary()) {
                    left -= values;
                }
                return true;
            }
        }
        return false;
    }

    /** Whether the page is a dictionary for the pages after it. */
    boolean isDictionary() {
        return header.getType() == PageType.DICTIONARY_PAGE;
    }

    /** Whether the page is of version 2, in which the levels come first and the header has their lengths. */
    boolean isSecondVersion() {
        return header.getType() == PageType.DATA_PAGE_V2;
    }

    /** Returns the number of its entries, which is at least 0. */
    int values() {
        return values;
    }

    /** Returns the encoding of its values. */
    Encoding encoding() {
        return encoding;
    }

    Encoding definitionEncoding() {
        return definitionEncoding;
    }

    Encoding repetitionEncoding() {
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
        return header.getUncompressed_page_size();
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
        header = new PageHeader();
        at = MetadataReader.read(header, chunk, at, end);
        DataPageHeader data = header.getData_page_header();
        DictionaryPageHeader dictionary = header.getDictionary_page_header();
        DataPageHeaderV2 second = header.getData_page_header_v2();
        definitionBytes = 0;
        repetitionBytes = 0;
        if (header.getType() == PageType.DATA_PAGE && data != null) {
            values = data.getNum_values();
            encoding = data.getEncoding();
            definitionEncoding = data.getDefinition_level_encoding();
            repetitionEncoding = data.getRepetition_level_encoding();
        } else if (isSecondVersion() && second != null) {
            values = second.getNum_values();
            encoding = second.getEncoding();
            definitionBytes = second.getDefinition_levels_byte_length();
            repetitionBytes = second.getRepetition_levels_byte_length();
        } else if (isDictionary() && dictionary != null) {
            values = dictionary.getNum_values();
            encoding = dictionary.getEncoding();
        } else if (header.getType() != PageType.INDEX_PAGE) {
            throw new IOException("a page without its header");
        }
        if (values < 0 || definitionBytes < 0 || repetitionBytes < 0) {
            throw new IOException("a page of " + values + " values with levels of " + repetitionBytes + " and "
                    + definitionBytes + " bytes");
        }
    }

    private void check(int from) throws IOException {
        if (header.isSetCrc()) {
            CRC32 sum = new CRC32();
            sum.update(chunk, from, header.getCompressed_page_size());
            if ((int) sum.getValue() != header.getCrc()) {
                throw new IOException("a page whose checksum is wrong");
            }
        }
    }

    /** Decompresses the page. The levels of version 2 are never compressed. */
    private void decompress(int from) throws IOException {
        int size = size();
        int compressedSize = header.getCompressed_page_size();
        long levels = isSecondVersion() ? (long) repetitionBytes + definitionBytes : 0;
        if (levels > Math.min(size, compressedSize)) {
            throw new IOException("levels of " + levels + " bytes in a page of " + Math.min(size, compressedSize));
        }
        int before = (int) levels;
        boolean isCompressed =
                !isSecondVersion() || header.getData_page_header_v2().isIs_compressed();
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
