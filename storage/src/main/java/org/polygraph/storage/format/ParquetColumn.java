package org.polygraph.storage.format;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.apache.parquet.CorruptDeltaByteArrays;
import org.apache.parquet.bytes.ByteBufferInputStream;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.bytes.BytesUtils;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.Dictionary;
import org.apache.parquet.column.Encoding;
import org.apache.parquet.column.ValuesType;
import org.apache.parquet.column.page.DataPage;
import org.apache.parquet.column.page.DataPageV1;
import org.apache.parquet.column.page.DataPageV2;
import org.apache.parquet.column.page.DictionaryPage;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.column.page.PageReader;
import org.apache.parquet.column.values.RequiresPreviousReader;
import org.apache.parquet.column.values.ValuesReader;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.jspecify.annotations.Nullable;

/**
 * A column, entry by entry: levels and values are decoded {@value #BATCH} at a time into arrays. Levels by runs, plain
 * integers and dictionaries are decoded here, other encodings by Parquet's readers. Instead of assembly of records, a call a
 * field: a check of 8M operations at RC went from 1.3 times the CPU time of plume text to about the same.
 */
final class ParquetColumn {
    /** Entries that are decoded together. */
    static final int BATCH = 512;
    /** No meaning has this code: texts are never null. */
    private static final long UNKNOWN = Long.MIN_VALUE;

    /** What a text stands for, as a number that is not {@link Long#MIN_VALUE}; called once a dictionary entry. */
    interface Meaning {
        long of(String text);
    }

    private final ColumnDescriptor descriptor;
    private final boolean text;
    private final boolean wide;
    private final Meaning meaning;
    private final int maxDefinition;
    private final @Nullable String createdBy;

    private @Nullable PageReader pages;
    private @Nullable Dictionary dictionary;
    private String[] dictionaryTexts = new String[0];
    private long[] dictionaryCodes = new long[0];
    private long[] dictionaryNumbers = new long[0];

    /** Of the current page: entries that are not decoded yet, and where their levels and values come from. */
    private int undecoded;

    private @Nullable Levels repetitions;
    private @Nullable Levels definitions;
    private @Nullable RunLengths entries;
    private @Nullable ValuesReader values;
    private ByteBuffer plain = ByteBuffer.allocate(0);

    private int at;
    private int limit;
    /** How many entries of the batch have a value. */
    private int there;

    /** The level of all entries in the arrays, or -1. */
    private int repetitionsAlike;

    private int definitionsAlike;
    private final int[] repetition = new int[BATCH];
    private final int[] definition = new int[BATCH];
    private final int[] scratch = new int[BATCH];
    /** Integers, or of a text its position in {@link #texts}. */
    private final long[] numbers = new long[BATCH];

    private String[] texts = new String[0];
    private long[] codes = new long[0];
    private final String[] pageTexts;
    private final long[] pageCodes;

    /** Levels however they are encoded. */
    interface Levels {
        void read(int[] into, int n) throws IOException;

        /** The value of the next {@code n}, which are then read, where they are plainly alike; else -1. */
        default int alike(int n) throws IOException {
            return -1;
        }
    }

    /** @param meaning of texts; not asked for integers */
    ParquetColumn(ColumnDescriptor descriptor, Meaning meaning, @Nullable String createdBy) {
        this.descriptor = descriptor;
        this.meaning = meaning;
        this.createdBy = createdBy;
        PrimitiveTypeName type = descriptor.getPrimitiveType().getPrimitiveTypeName();
        text = type == PrimitiveTypeName.BINARY;
        wide = type == PrimitiveTypeName.INT64;
        maxDefinition = descriptor.getMaxDefinitionLevel();
        pageTexts = new String[text ? BATCH : 0];
        pageCodes = new long[text ? BATCH : 0];
    }

    /** Turns to the next row group, before its first entry. */
    void open(PageReadStore group) throws IOException {
        pages = group.getPageReader(descriptor);
        dictionary = null;
        values = null;
        DictionaryPage own = pages.readDictionaryPage();
        if (own != null) {
            Dictionary read = own.getEncoding().initDictionary(descriptor, own);
            int size = read.getMaxId() + 1;
            dictionary = read;
            if (text) {
                dictionaryTexts = new String[size];
                dictionaryCodes = new long[size];
                Arrays.fill(dictionaryCodes, UNKNOWN);
            } else {
                dictionaryNumbers = new long[size];
                for (int i = 0; i < size; i++) {
                    dictionaryNumbers[i] = wide ? read.decodeToLong(i) : read.decodeToInt(i);
                }
            }
        }
        undecoded = 0;
        at = 0;
        limit = 0;
    }

    /** How many further entries are at hand; none only at the end of the row group. */
    int available() throws IOException {
        return at < limit || refill() ? limit - at : 0;
    }

    void advance(int n) {
        at += n;
    }

    /** Whether the next {@code n} entries have the same places in lists as those of another column. */
    boolean isAlike(ParquetColumn other, int n) {
        return Arrays.mismatch(repetition, at, at + n, other.repetition, other.at, other.at + n) < 0;
    }

    /** Of the entry {@code i} further on, as those below: 0 where a row begins. */
    int repetition(int i) {
        return repetition[at + i];
    }

    /** How many of the optional and repeated groups around the value, and of itself, are there. */
    int definition(int i) {
        return definition[at + i];
    }

    boolean present(int i) {
        return definition[at + i] == maxDefinition;
    }

    /** Whether no entry at hand has a value. */
    boolean isEmpty() {
        return there == 0;
    }

    boolean isText() {
        return text;
    }

    /** Whether all entries at hand have a value. */
    boolean isFull() {
        return definitionsAlike == maxDefinition;
    }

    /** The integers of the next {@code n} entries, all of which have one. */
    void numbers(long[] into, int n) {
        System.arraycopy(numbers, at, into, 0, n);
    }

    /** What the texts of the next {@code n} entries stand for, all of which have one. */
    void codes(int[] into, int n) {
        for (int i = 0; i < n; i++) {
            into[i] = (int) code(i);
        }
    }

    /** How many of the entries from {@code i} on, below {@code n}, go on with the row of the one before. */
    int rest(int i, int n) {
        int from = at + i;
        int to = at + n;
        int o = from;
        while (o < to && repetition[o] != 0) {
            o++;
        }
        return o - from;
    }

    /** An integer, where {@link #present}. */
    long number(int i) {
        return numbers[at + i];
    }

    /** What a text stands for, where {@link #present}. */
    long code(int i) {
        int t = (int) numbers[at + i];
        long code = codes[t];
        return code != UNKNOWN ? code : (codes[t] = meaning.of(text(t)));
    }

    private String text(int i) {
        String known = texts[i];
        if (known == null && dictionary != null) {
            known = texts[i] = dictionary.decodeToBinary(i).toStringUsingUTF8();
        }
        return known;
    }

    private boolean refill() throws IOException {
        while (undecoded == 0) {
            DataPage next = pages == null ? null : pages.readPage();
            if (next == null) {
                return false;
            }
            turnTo(next);
        }
        int n = Math.min(BATCH, undecoded);
        undecoded -= n;
        repetitionsAlike = levels(repetitions, repetition, repetitionsAlike, n);
        definitionsAlike = levels(definitions, definition, definitionsAlike, n);
        decode(n);
        at = 0;
        limit = n;
        return true;
    }

    /**
     * Reads levels.
     *
     * @param alike what the whole array holds, or -1
     * @return the same for the array as it is now
     */
    private static int levels(@Nullable Levels levels, int[] into, int alike, int n) throws IOException {
        int all = levels == null ? 0 : levels.alike(n);
        if (all < 0 && levels != null) {
            levels.read(into, n);
        } else if (all != alike) {
            Arrays.fill(into, all);
        }
        return all;
    }

    private void decode(int n) throws IOException {
        there = 0;
        if (definitionsAlike >= 0) {
            there = definitionsAlike == maxDefinition ? n : 0;
        } else {
            for (int i = 0; i < n; i++) {
                there += definition[i] == maxDefinition ? 1 : 0;
            }
        }
        if (there == 0) {
            return;
        }
        if (entries != null) {
            fromDictionary(entries, there);
        } else if (values != null) {
            fromReader(values, there);
        } else {
            fromPlain(there);
        }
        if (there < n) {
            for (int i = n - 1, from = there - 1; from >= 0 && i > from; i--) {
                if (definition[i] == maxDefinition) {
                    numbers[i] = numbers[from--];
                }
            }
        }
    }

    private void fromDictionary(RunLengths ids, int n) throws IOException {
        ids.read(scratch, n);
        int size = text ? dictionaryTexts.length : dictionaryNumbers.length;
        for (int i = 0; i < n; i++) {
            if (scratch[i] < 0 || scratch[i] >= size) {
                throw new IOException("entry " + (scratch[i] & 0xFFFFFFFFL) + " of a dictionary of " + size);
            }
        }
        if (text) {
            for (int i = 0; i < n; i++) {
                numbers[i] = scratch[i];
            }
        } else {
            for (int i = 0; i < n; i++) {
                numbers[i] = dictionaryNumbers[scratch[i]];
            }
        }
    }

    private void fromReader(ValuesReader reader, int n) {
        if (text) {
            for (int i = 0; i < n; i++) {
                pageTexts[i] = reader.readBytes().toStringUsingUTF8();
                pageCodes[i] = UNKNOWN;
                numbers[i] = i;
            }
        } else {
            for (int i = 0; i < n; i++) {
                numbers[i] = wide ? reader.readLong() : reader.readInteger();
            }
        }
    }

    private void fromPlain(int n) throws IOException {
        if (n * (wide ? Long.BYTES : Integer.BYTES) > plain.remaining()) {
            throw new IOException("a page with less values than announced");
        }
        if (wide) {
            plain.asLongBuffer().get(numbers, 0, n);
            plain.position(plain.position() + n * Long.BYTES);
        } else {
            for (int i = 0; i < n; i++) {
                numbers[i] = plain.getInt();
            }
        }
    }

    private void turnTo(DataPage next) throws IOException {
        int count = next.getValueCount();
        if (count < 0) {
            throw new IOException("a page of " + count + " values");
        }
        if (next instanceof DataPageV1 one) {
            ByteBuffer bytes = onHeap(one.getBytes());
            repetitions = levels(one.getRlEncoding(), ValuesType.REPETITION_LEVEL, bytes, count);
            definitions = levels(one.getDlEncoding(), ValuesType.DEFINITION_LEVEL, bytes, count);
            values(one.getValueEncoding(), bytes, count);
        } else if (next instanceof DataPageV2 two) {
            repetitions = levels(two.getRepetitionLevels(), descriptor.getMaxRepetitionLevel());
            definitions = levels(two.getDefinitionLevels(), maxDefinition);
            values(two.getDataEncoding(), onHeap(two.getData()), count);
        } else {
            throw new IOException("a page of an unknown kind");
        }
        undecoded = count;
    }

    private static ByteBuffer onHeap(BytesInput bytes) throws IOException {
        ByteBuffer buffer = bytes.toByteBuffer();
        return buffer.hasArray() ? buffer : ByteBuffer.wrap(bytes.toByteArray());
    }

    private static RunLengths runs(ByteBuffer bytes, int width) throws IOException {
        int from = bytes.arrayOffset() + bytes.position();
        return new RunLengths(bytes.array(), from, from + bytes.remaining(), width);
    }

    private static @Nullable Levels levels(BytesInput bytes, int max) throws IOException {
        return max == 0 ? null : runs(onHeap(bytes), BytesUtils.getWidthFromMaxInt(max));
    }

    /** The levels at the buffer's position, which moves behind them. */
    private @Nullable Levels levels(Encoding encoding, ValuesType type, ByteBuffer bytes, int count)
            throws IOException {
        int max = type == ValuesType.REPETITION_LEVEL ? descriptor.getMaxRepetitionLevel() : maxDefinition;
        if (max == 0) {
            return null;
        }
        if (encoding == Encoding.RLE) {
            if (bytes.remaining() < Integer.BYTES) {
                throw new IOException("a page without levels");
            }
            int length = bytes.order(ByteOrder.LITTLE_ENDIAN).getInt();
            if (length < 0 || length > bytes.remaining()) {
                throw new IOException("levels of " + length + " bytes in a page of " + bytes.remaining());
            }
            ByteBuffer own = bytes.duplicate();
            own.limit(own.position() + length);
            bytes.position(own.limit());
            return runs(own, BytesUtils.getWidthFromMaxInt(max));
        }
        ByteBufferInputStream in = ByteBufferInputStream.wrap(bytes.duplicate());
        int before = in.available();
        ValuesReader reader = encoding.getValuesReader(descriptor, type);
        reader.initFromPage(count, in);
        bytes.position(bytes.position() + before - in.available());
        return (into, n) -> {
            for (int i = 0; i < n; i++) {
                into[i] = reader.readInteger();
            }
        };
    }

    private void values(Encoding encoding, ByteBuffer bytes, int count) throws IOException {
        ValuesReader previous = values;
        entries = null;
        values = null;
        if (encoding.usesDictionary()) {
            if (dictionary == null) {
                throw new IOException("a page of dictionary entries without a dictionary");
            }
            texts = dictionaryTexts;
            codes = dictionaryCodes;
            // A page of nulls alone may be empty.
            int width = bytes.hasRemaining() ? bytes.get() & 0xFF : 0;
            entries = runs(bytes, width);
        } else if (encoding == Encoding.PLAIN && !text) {
            plain = bytes.slice().order(ByteOrder.LITTLE_ENDIAN);
        } else {
            texts = pageTexts;
            codes = pageCodes;
            ValuesReader reader = encoding.getValuesReader(descriptor, ValuesType.VALUES);
            reader.initFromPage(count, ByteBufferInputStream.wrap(bytes));
            if (CorruptDeltaByteArrays.requiresSequentialReads(createdBy, encoding)
                    && previous != null
                    && reader instanceof RequiresPreviousReader follower) {
                follower.setPreviousReader(previous);
            }
            values = reader;
        }
    }
}
