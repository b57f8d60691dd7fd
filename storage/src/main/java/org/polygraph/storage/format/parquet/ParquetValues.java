package org.polygraph.storage.format.parquet;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.apache.parquet.format.Encoding;
import org.apache.parquet.format.Type;
import org.jspecify.annotations.Nullable;

/**
 * The values of a column without the nulls, in one of these encodings: dictionary entries, plain, or integers by their
 * differences. A batch is decoded at a time into arrays that are used again: integers into {@link #numbers}, strings into the
 * codes of their meanings.
 *
 * <p>Loops stand in small methods, see {@link ParquetColumn}.
 */
final class ParquetValues {
    /** The code of a string that was not looked up yet. */
    private static final long UNKNOWN = Long.MIN_VALUE;

    /**
     * Returns the code of a string, which is not {@link Long#MIN_VALUE}. It is called once for a dictionary
     * entry, and for each string that is not in a dictionary.
     */
    interface Meaning {
        long of(String text);
    }

    private final Type type;
    private final Meaning meaning;
    private final boolean isFixed;

    private boolean hasDictionary;
    private String[] dictionaryStrings = new String[0];
    private long[] dictionaryCodes = new long[0];
    private long[] dictionaryNumbers = new long[0];

    /** The current page. */
    private byte[] page = new byte[0];

    private int pageEnd;
    private @Nullable RunLengths entries;
    private @Nullable Differences differences;

    /** The index of the next plain value. */
    private int plain;

    /** The places of the strings in {@link #codes}. */
    private int[] ids = new int[0];

    private long[] numbers = new long[0];

    private String[] strings = new String[0];
    private long[] codes = new long[0];
    private String[] pageStrings = new String[0];
    private long[] pageCodes = new long[0];

    /** The arguments are described in {@link ParquetColumn}. */
    ParquetValues(Type type, Meaning meaning, boolean isFixed) {
        this.type = type;
        this.meaning = meaning;
        this.isFixed = isFixed;
    }

    /** Prepares for a row group, which has a dictionary of its own. */
    void open() {
        hasDictionary = false;
    }

    boolean isString() {
        return type == Type.BYTE_ARRAY;
    }

    /** Returns the integers that were decoded last. */
    long[] numbers() {
        return numbers;
    }

    /** Returns the code of the string at a place. */
    long code(int at) {
        int t = ids[at];
        long code = codes[t];
        return code != UNKNOWN ? code : (codes[t] = meaning.of(strings[t]));
    }

    /**
     * Writes the codes of {@code n} strings from a place on.
     *
     * @return the OR of all these codes; if it is negative, a code is not known yet and the result must not be used
     */
    int codes(int at, int[] into, int n) {
        if (codes != dictionaryCodes) {
            return -1;
        }
        long all = 0;
        for (int from = 0; from < n; from += ParquetColumn.BLOCK) {
            all |= codes(codes, ids, at, into, from, Math.min(n, from + ParquetColumn.BLOCK));
        }
        return all < 0 ? -1 : (int) all;
    }

    private static long codes(long[] codes, int[] ids, int at, int[] into, int from, int to) {
        long all = 0;
        for (int i = from; i < to; i++) {
            long code = codes[ids[at + i]];
            into[i] = (int) code;
            all |= code;
        }
        return all;
    }

    /** Makes the arrays large enough for n values. */
    void grow(int n) {
        if (ids.length < n) {
            ids = new int[n];
            numbers = new long[isString() ? 0 : n];
        }
    }

    /** Decodes the next {@code n} values. */
    void decode(int n) throws IOException {
        if (entries != null) {
            fromDictionary(entries, n);
        } else if (isString()) {
            fromTexts(n);
        } else if (differences != null) {
            differences.read(numbers, n);
        } else {
            fromPlain(n);
        }
    }

    /**
     * Moves the {@code there} values that were decoded last to the places of their entries. An entry has a value if its
     * definition level is {@code level}.
     */
    void spread(int there, int[] definition, int level, int n) {
        for (int i = n - 1, from = there - 1; from >= 0 && i > from; i--) {
            if (definition[i] == level) {
                if (isString()) {
                    ids[i] = ids[from--];
                } else {
                    numbers[i] = numbers[from--];
                }
            }
        }
    }

    private void fromDictionary(RunLengths numbersOfEntries, int there) throws IOException {
        numbersOfEntries.read(ids, there);
        int size = isString() ? dictionaryStrings.length : dictionaryNumbers.length;
        for (int from = 0; from < there; from += ParquetColumn.BLOCK) {
            int to = Math.min(there, from + ParquetColumn.BLOCK);
            int most = isString() ? most(ids, from, to) : look(dictionaryNumbers, ids, numbers, from, to);
            if (Integer.compareUnsigned(most, size) >= 0) {
                throw new IOException("entry " + Integer.toUnsignedString(most) + " of a dictionary of " + size);
            }
        }
    }

    /** Returns the largest number, compared as unsigned. */
    private static int most(int[] ids, int from, int to) {
        int most = Integer.MIN_VALUE;
        for (int i = from; i < to; i++) {
            most = Math.max(most, ids[i] ^ Integer.MIN_VALUE);
        }
        return most ^ Integer.MIN_VALUE;
    }

    /** Looks up the entries of a dictionary. Returns 0, or an entry that the dictionary does not have. */
    private static int look(long[] dictionary, int[] ids, long[] into, int from, int to) {
        for (int i = from; i < to; i++) {
            int id = ids[i];
            if (id < 0 || id >= dictionary.length) {
                return id;
            }
            into[i] = dictionary[id];
        }
        return 0;
    }

    private void fromTexts(int there) throws IOException {
        if (pageStrings.length < there) {
            pageStrings = new String[there];
            pageCodes = new long[there];
        }
        strings = pageStrings;
        codes = pageCodes;
        Arrays.fill(codes, 0, there, UNKNOWN);
        for (int i = 0; i < there; i++) {
            ids[i] = i;
        }
        for (int i = 0; i < there; i++) {
            strings[i] = plainString();
        }
    }

    private String plainString() throws IOException {
        byte[] bytes = page;
        int length = pageEnd - plain < Integer.BYTES ? -1 : integer(bytes, plain);
        plain += Integer.BYTES;
        if (length < 0 || length > pageEnd - plain) {
            throw new IOException("a page with fewer values than announced");
        }
        String text = ParquetStrings.of(bytes, plain, length);
        plain += length;
        return text;
    }

    static int integer(byte[] bytes, int at) {
        return (bytes[at] & 0xFF)
                | (bytes[at + 1] & 0xFF) << 8
                | (bytes[at + 2] & 0xFF) << 16
                | (bytes[at + 3] & 0xFF) << 24;
    }

    private void fromPlain(int there) throws IOException {
        plain = plain(page, plain, pageEnd, numbers, there);
    }

    /** Reads integers. Returns the index of the byte after them. */
    private int plain(byte[] bytes, int from, int end, long[] into, int n) throws IOException {
        int size = type == Type.INT64 ? Long.BYTES : Integer.BYTES;
        if ((long) n * size > end - from) {
            throw new IOException("a page with fewer values than announced");
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes, from, n * size).slice().order(ByteOrder.LITTLE_ENDIAN);
        if (size == Long.BYTES) {
            buffer.asLongBuffer().get(into, 0, n);
        } else {
            for (int i = 0; i < n; i++) {
                into[i] = buffer.getInt();
            }
        }
        return from + n * size;
    }

    /** Reads a dictionary page. The pages after it refer to its entries. */
    void dictionary(byte[] bytes, int size, Encoding encoding, int n) throws IOException {
        if (hasDictionary || (encoding != Encoding.PLAIN && encoding != Encoding.PLAIN_DICTIONARY)) {
            throw new IOException("a second dictionary, or one in the encoding " + encoding);
        }
        hasDictionary = true;
        if (n > size / Integer.BYTES) {
            throw new IOException("a dictionary of " + n + " entries in " + size + " bytes");
        }
        if (!isString()) {
            dictionaryNumbers = new long[n];
            plain(bytes, 0, size, dictionaryNumbers, n);
            return;
        }
        dictionaryStrings = new String[n];
        dictionaryCodes = new long[n];
        page = bytes;
        pageEnd = size;
        plain = 0;
        for (int i = 0; i < n; i++) {
            dictionaryStrings[i] = plainString();
            dictionaryCodes[i] = UNKNOWN;
        }
        if (isFixed) {
            learn();
        }
    }

    /** Looks up the codes of all dictionary entries. Strings that are refused get no code. */
    private void learn() {
        for (int i = 0; i < dictionaryStrings.length; i++) {
            try {
                dictionaryCodes[i] = meaning.of(dictionaryStrings[i]);
            } catch (ParquetRows.Refused e) {
                // The error is reported if the string occurs in the column.
                dictionaryCodes[i] = UNKNOWN;
            }
        }
    }

    /**
     * Goes to the values of a page.
     *
     * @param words the bytes of the page, eight per number, the first byte lowest; and one more number
     */
    void turn(Encoding encoding, int count, byte[] bytes, long[] words, int from, int end) throws IOException {
        entries = null;
        differences = null;
        page = bytes;
        pageEnd = end;
        plain = from;
        if (encoding == Encoding.RLE_DICTIONARY || encoding == Encoding.PLAIN_DICTIONARY) {
            if (!hasDictionary) {
                throw new IOException("a page of dictionary entries without a dictionary");
            }
            strings = dictionaryStrings;
            codes = dictionaryCodes;
            // A page that has only nulls may be empty.
            int width = from < end ? bytes[from] & 0xFF : 0;
            entries = new RunLengths(bytes, words, Math.min(from + 1, end), end, width);
        } else if (encoding != Encoding.PLAIN && from < end) {
            // A page that has only nulls may be empty.
            if (isString() || encoding != Encoding.DELTA_BINARY_PACKED) {
                throw new ParquetFailure.OtherEncoding((isString() ? "strings" : "integers") + " in " + encoding);
            }
            differences = new Differences(bytes, words, from, end, count, type == Type.INT64);
        }
    }
}
