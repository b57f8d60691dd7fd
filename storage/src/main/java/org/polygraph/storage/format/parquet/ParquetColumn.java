package org.polygraph.storage.format.parquet;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.artifact.SeekableInput;
import org.polygraph.storage.format.io.Shown;
import org.polygraph.storage.model.BudgetException;

/**
 * A column, entry by entry: levels and values ({@link ParquetValues}) are decoded {@value #SLICE} at a time into arrays.
 *
 * <p>Loops stand in small methods that are called for {@value #BLOCK} values or so: a compiler that replaces a method as a whole
 * takes the fast one after some hundred calls, and one that replaces a loop in its midst starts again with each call.
 */
final class ParquetColumn {
    /** Entries that are decoded together: their arrays stay in the second cache. */
    private static final int SLICE = 1 << 14;

    /** Values that a loop of a method goes over. */
    static final int BLOCK = 512;

    private static final int RLE = 3;
    private static final int BIT_PACKED = 4;

    /** That a column is damaged, and where. */
    static final class DamagedException extends IOException {
        private static final long serialVersionUID = 1L;

        DamagedException(String where, Exception cause) {
            super(where + ": " + (cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage()));
        }
    }

    private final List<String> path;
    private final int maxRepetition;
    private final int maxDefinition;

    private final ParquetPages pages = new ParquetPages();
    /** The page eight bytes a number, for what is packed by bits. */
    private long[] words = new long[0];

    private final ParquetValues values;
    /** Of the current page: entries that are not decoded yet, and where their levels come from. */
    private int undecoded;

    private @Nullable Levels repetitions;
    private @Nullable Levels definitions;

    private int at;
    private int limit;
    /** How many entries of the slice have a value. */
    private int there;

    /** The level of all entries in the arrays, or -1. */
    private int repetitionsAlike = -1;

    private int definitionsAlike = -1;
    private int[] repetition = new int[0];
    private int[] definition = new int[0];
    /** Levels however they are encoded. */
    interface Levels {
        void read(int[] into, int n) throws IOException;

        /** The value of the next {@code n}, which are then read, where they are plainly alike; else -1. */
        default int alike(int n) throws IOException {
            return -1;
        }
    }

    /**
     * @param type INT32, INT64 or BINARY
     * @param meaning of strings; not used for integers
     * @param isFixed whether a string always has the same meaning, so that the dictionary's strings can be looked up at once
     */
    ParquetColumn(
            List<String> path,
            ParquetField.Type type,
            int maxRepetition,
            int maxDefinition,
            ParquetValues.Meaning meaning,
            boolean isFixed,
            @Nullable String createdBy) {
        this.path = path;
        this.maxRepetition = maxRepetition;
        this.maxDefinition = maxDefinition;
        values = new ParquetValues(type, meaning, isFixed, createdBy);
    }

    /** Turns to the next row group, before its first entry. */
    void open(SeekableInput file, ParquetFooter.Group group) throws IOException {
        values.open();
        undecoded = 0;
        at = 0;
        limit = 0;
        try {
            pages.open(file, group.chunk(path));
        } catch (IOException | RuntimeException e) {
            throw damaged(e);
        }
    }

    private DamagedException damaged(Exception e) {
        return new DamagedException("column " + Shown.text(String.join(".", path)), e);
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

    boolean isString() {
        return values.isString();
    }

    /** Whether all entries at hand have a value. */
    boolean isFull() {
        return definitionsAlike == maxDefinition;
    }

    /** The integers at hand, where {@link #isFull}: the next entry's at {@link #position}. */
    long[] numbers() {
        return values.numbers();
    }

    /** Where the next entry is in {@link #numbers}. */
    int position() {
        return at;
    }

    /**
     * The codes of the strings of the next {@code n} entries, all of which have one.
     *
     * @return all of these by OR; negative where one is not known yet and the result is of no use
     */
    int codes(int[] into, int n) {
        return values.codes(at, into, n);
    }

    /** The places of those of the next {@code n} entries with which a row begins; how many. */
    int rowStarts(int[] into, int n) {
        int count = 0;
        for (int from = 0; from < n; from += BLOCK) {
            count = rowStarts(repetition, at, into, count, from, Math.min(n, from + BLOCK));
        }
        return count;
    }

    private static int rowStarts(int[] repetition, int at, int[] into, int before, int from, int to) {
        int count = before;
        for (int i = from; i < to; i++) {
            if (repetition[at + i] == 0) {
                into[count++] = i;
            }
        }
        return count;
    }

    /** An integer, where {@link #present}. */
    long number(int i) {
        return values.numbers()[at + i];
    }

    /** What a text stands for, where {@link #present}. */
    long code(int i) {
        return values.code(at + i);
    }

    private boolean refill() throws IOException {
        try {
            while (undecoded == 0) {
                if (!pages.next()) {
                    return false;
                }
                turn();
            }
            int n = Math.min(SLICE, undecoded);
            grow(n);
            undecoded -= n;
            repetitionsAlike = levels(repetitions, repetition, repetitionsAlike, n);
            definitionsAlike = levels(definitions, definition, definitionsAlike, n);
            decode(n);
            at = 0;
            limit = n;
            return true;
        } catch (BudgetException | ParquetRows.Refused e) {
            throw e;
        } catch (IOException | RuntimeException e) {
            throw damaged(e);
        }
    }

    private void grow(int n) {
        if (repetition.length >= n) {
            return;
        }
        repetition = new int[n];
        definition = new int[n];
        values.grow(n);
        repetitionsAlike = -1;
        definitionsAlike = -1;
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
        if (there > 0) {
            values.decode(there);
        }
        if (there < n) {
            values.spread(there, definition, maxDefinition, n);
        }
    }

    private void turn() throws IOException {
        int size = pages.size();
        byte[] bytes = pages.bytes();
        if (pages.isDictionary()) {
            values.dictionary(bytes, size, pages.encoding(), pages.values());
            return;
        }
        int n = (size + Long.BYTES - 1) / Long.BYTES;
        if (words.length < n + 2) {
            words = new long[n + n / 4 + 2];
        }
        ByteBuffer.wrap(bytes, 0, n * Long.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .asLongBuffer()
                .get(words, 0, n);
        int from;
        if (pages.isSecondVersion()) {
            ParquetPages.Part first = pages.repetitions();
            ParquetPages.Part second = pages.definitions();
            repetitions = maxRepetition == 0 ? null : runs(first.from(), first.to(), maxRepetition);
            definitions = maxDefinition == 0 ? null : runs(second.from(), second.to(), maxDefinition);
            from = second.to();
        } else {
            from = levels(true, 0, size);
            from = levels(false, from, size);
        }
        values.turn(pages.encoding(), pages.values(), bytes, words, from, size);
        undecoded = pages.values();
    }

    private RunLengths runs(int from, int to, int most) throws IOException {
        return new RunLengths(pages.bytes(), words, from, to, width(most));
    }

    private static int width(int most) {
        return Integer.SIZE - Integer.numberOfLeadingZeros(most);
    }

    /** The levels at a place of a page; where they end. */
    private int levels(boolean ofRepetition, int from, int size) throws IOException {
        int most = ofRepetition ? maxRepetition : maxDefinition;
        int encoding = ofRepetition ? pages.repetitionEncoding() : pages.definitionEncoding();
        Levels levels = null;
        int end = from;
        if (most > 0 && encoding == RLE) {
            int length = size - from < Integer.BYTES ? -1 : ParquetValues.integer(pages.bytes(), from);
            int begin = from + Integer.BYTES;
            if (length < 0 || length > size - begin) {
                throw new IOException("levels of " + length + " bytes in a page of " + size);
            }
            end = begin + length;
            levels = runs(begin, end, most);
        } else if (most > 0) {
            if (encoding != BIT_PACKED) {
                throw new IOException("levels in the encoding " + encoding);
            }
            LibraryValues.PackedLevels old =
                    new LibraryValues.PackedLevels(pages.bytes(), from, size, most, pages.values());
            end = old.end();
            levels = old;
        }
        if (ofRepetition) {
            repetitions = levels;
        } else {
            definitions = levels;
        }
        return end;
    }
}
