package org.polygraph.storage.format.parquet;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import org.apache.parquet.format.Encoding;
import org.apache.parquet.format.Type;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.artifact.SeekableInput;
import org.polygraph.storage.format.io.Shown;
import org.polygraph.storage.model.BudgetException;

/**
 * A column that is read entry by entry. Levels and values ({@link ParquetValues}) are decoded {@value #SLICE} at a time
 * into arrays.
 *
 * <p>Loops stand in small methods that are called for about {@value #BLOCK} values each. The JIT compiler replaces such
 * a method as a whole after some hundred calls. A long loop would be replaced while it runs, and would start again
 * uncompiled with each call.
 */
final class ParquetColumn {
    /** The number of entries that are decoded together. Their arrays fit the second-level cache. */
    private static final int SLICE = 1 << 14;

    /** The number of values that a loop handles in one call of its method. */
    static final int BLOCK = 512;

    /** A column is damaged; the message contains the place. */
    static final class DamagedException extends IOException {
        private static final long serialVersionUID = 1L;

        private DamagedException(String message) {
            super(message);
        }

        static IOException of(String where, Exception cause) {
            String message = where + ": "
                    + (cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage());
            return cause instanceof ParquetFailure.OtherEncoding
                    ? new ParquetFailure.OtherEncoding(message)
                    : new DamagedException(message);
        }
    }

    private final List<String> path;
    private final int maxRepetition;
    private final int maxDefinition;

    private final ParquetPages pages = new ParquetPages();
    /** The bytes of the page, eight per number, for bit-packed levels and entries. */
    private long[] words = new long[0];

    private final ParquetValues values;
    /** The number of entries of the current page that are not decoded yet. */
    private int undecoded;

    private @Nullable RunLengths repetitions;
    private @Nullable RunLengths definitions;

    private int at;
    private int limit;
    /** The number of entries of the slice that have a value. */
    private int there;

    /**
     * The repetition level, if all entries of the slice have the same; else -1. The field below holds the same for
     * definition levels.
     */
    private int repetitionsAlike = -1;

    private int definitionsAlike = -1;
    private int[] repetition = new int[0];
    private int[] definition = new int[0];

    /**
     * @param type INT32, INT64 or BYTE_ARRAY
     * @param meaning of strings; not used for integers
     * @param isFixed whether a string always has the same meaning, so that the strings of a dictionary are looked up at
     *     once
     */
    ParquetColumn(
            List<String> path,
            Type type,
            int maxRepetition,
            int maxDefinition,
            ParquetValues.Meaning meaning,
            boolean isFixed) {
        this.path = path;
        this.maxRepetition = maxRepetition;
        this.maxDefinition = maxDefinition;
        values = new ParquetValues(type, meaning, isFixed);
    }

    /** Goes to the beginning of another row group. */
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

    private IOException damaged(Exception e) {
        return DamagedException.of("column " + Shown.text(String.join(".", path)), e);
    }

    /**
     * Returns the number of entries that are decoded, and decodes more if there are none. It is 0 only at the end of
     * the row group.
     */
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

    /** Returns the repetition level of the entry that is {@code i} further on. It is 0 where a row begins. */
    int repetition(int i) {
        return repetition[at + i];
    }

    /**
     * Returns the definition level of an entry: how many of the optional and repeated groups around the value, and of
     * the value itself, are present.
     */
    int definition(int i) {
        return definition[at + i];
    }

    boolean present(int i) {
        return definition[at + i] == maxDefinition;
    }

    /** Whether no decoded entry has a value. */
    boolean isEmpty() {
        return there == 0;
    }

    boolean isString() {
        return values.isString();
    }

    /** Whether all decoded entries have a value. */
    boolean isFull() {
        return definitionsAlike == maxDefinition;
    }

    /** Returns the decoded integers, if {@link #isFull}. The integer of the next entry is at {@link #position}. */
    long[] numbers() {
        return values.numbers();
    }

    /** Returns the index of the next entry in {@link #numbers}. */
    int position() {
        return at;
    }

    /**
     * Writes the codes of the strings of the next {@code n} entries, all of which have one.
     *
     * @return the OR of all these codes; if it is negative, a code is not known yet and the result must not be used
     */
    int codes(int[] into, int n) {
        return values.codes(at, into, n);
    }

    /**
     * Writes the places of those of the next {@code n} entries with which a row begins, and returns how many there are.
     */
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

    /** Returns an integer, if {@link #present}. */
    long number(int i) {
        return values.numbers()[at + i];
    }

    /** Returns the code of a string, if {@link #present}. */
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
     * Reads levels into an array.
     *
     * @param alike the value that fills the whole array now, or -1
     * @return the value that fills the whole array afterwards, or -1
     */
    private static int levels(@Nullable RunLengths levels, int[] into, int alike, int n) throws IOException {
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
            int middle = pages.repetitionsEnd();
            from = pages.definitionsEnd();
            repetitions = maxRepetition == 0 ? null : runs(0, middle, maxRepetition);
            definitions = maxDefinition == 0 ? null : runs(middle, from, maxDefinition);
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

    /** Finds the levels that begin at an index of the page. Returns the index at which they end. */
    private int levels(boolean ofRepetition, int from, int size) throws IOException {
        int most = ofRepetition ? maxRepetition : maxDefinition;
        Encoding encoding = ofRepetition ? pages.repetitionEncoding() : pages.definitionEncoding();
        RunLengths levels = null;
        int end = from;
        if (most > 0 && encoding == Encoding.RLE) {
            int length = size - from < Integer.BYTES ? -1 : ParquetValues.integer(pages.bytes(), from);
            int begin = from + Integer.BYTES;
            if (length < 0 || length > size - begin) {
                throw new IOException("levels of " + length + " bytes in a page of " + size);
            }
            end = begin + length;
            levels = runs(begin, end, most);
        } else if (most > 0) {
            throw new ParquetFailure.OtherEncoding("levels in the encoding " + encoding);
        }
        if (ofRepetition) {
            repetitions = levels;
        } else {
            definitions = levels;
        }
        return end;
    }
}
