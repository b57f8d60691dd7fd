package org.polygraph.storage.format;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.artifact.SeekableInput;
import org.polygraph.storage.model.BudgetException;

/**
 * A column, entry by entry: levels and values are decoded {@value #SLICE} at a time into arrays. Runs, dictionaries, plain values
 * and differences are decoded here, what else there is by {@link LibraryValues}.
 *
 * <p>Loops stand in small methods that are called for {@value #BLOCK} values or so: a compiler that replaces a method as a whole
 * takes the fast one after some hundred calls, and one that replaces a loop in its midst starts again with each call.
 */
final class ParquetColumn {
    /** Entries that are decoded together: their arrays stay in the second cache. */
    private static final int SLICE = 1 << 14;

    /** Values that a loop of a method goes over. */
    static final int BLOCK = 512;
    /** No meaning has this code: texts are never null. */
    private static final long UNKNOWN = Long.MIN_VALUE;

    private static final int PLAIN = 0;
    private static final int PLAIN_DICTIONARY = 2;
    private static final int RLE = 3;
    private static final int DELTA = 5;
    private static final int RLE_DICTIONARY = 8;

    /** What a text stands for, as a number that is not {@link Long#MIN_VALUE}; called once a dictionary entry. */
    interface Meaning {
        long of(String text);
    }

    /** Carries where a column is damaged. */
    static final class DamagedException extends IOException {
        private static final long serialVersionUID = 1L;

        DamagedException(String where, Exception cause) {
            super(where + ": " + (cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage()));
        }
    }

    private final List<String> path;
    private final ParquetField.Type type;
    private final Meaning meaning;
    private final boolean isFixed;
    private final int maxRepetition;
    private final int maxDefinition;
    private final @Nullable String createdBy;

    private final ParquetPages pages = new ParquetPages();
    /** The page eight bytes a number, for what is packed by bits. */
    private long[] words = new long[0];

    private boolean hasDictionary;
    private String[] dictionaryTexts = new String[0];
    private long[] dictionaryCodes = new long[0];
    private long[] dictionaryNumbers = new long[0];

    /** Of the current page: entries that are not decoded yet, and where their levels and values come from. */
    private int undecoded;

    private @Nullable Levels repetitions;
    private @Nullable Levels definitions;
    private @Nullable RunLengths entries;
    private @Nullable DeltaNumbers differences;
    private @Nullable LibraryValues library;
    private boolean isOfLibrary;
    /** Where the next plain value is. */
    private int plain;

    private int at;
    private int limit;
    /** How many entries of the slice have a value. */
    private int there;

    /** The level of all entries in the arrays, or -1. */
    private int repetitionsAlike = -1;

    private int definitionsAlike = -1;
    private int[] repetition = new int[0];
    private int[] definition = new int[0];
    /** Of texts, their places in {@link #codes}. */
    private int[] ids = new int[0];

    private long[] numbers = new long[0];

    private String[] texts = new String[0];
    private long[] codes = new long[0];
    private String[] pageTexts = new String[0];
    private long[] pageCodes = new long[0];

    /** Levels however they are encoded. */
    interface Levels {
        void read(int[] into, int n) throws IOException;

        /** The value of the next {@code n}, which are then read, where they are plainly alike; else -1. */
        default int alike(int n) throws IOException {
            return -1;
        }
    }

    /**
     * @param path of the column
     * @param type INT32, INT64 or BINARY
     * @param meaning of texts; not asked for integers
     * @param isFixed whether texts mean the same whenever they are asked for, so that the dictionary's can be at once
     */
    ParquetColumn(
            List<String> path,
            ParquetField.Type type,
            int maxRepetition,
            int maxDefinition,
            Meaning meaning,
            boolean isFixed,
            @Nullable String createdBy) {
        this.path = path;
        this.type = type;
        this.meaning = meaning;
        this.isFixed = isFixed;
        this.maxRepetition = maxRepetition;
        this.maxDefinition = maxDefinition;
        this.createdBy = createdBy;
    }

    /** Turns to the next row group, before its first entry. */
    void open(SeekableInput file, ParquetFooter.Group group) throws IOException {
        hasDictionary = false;
        library = null;
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

    boolean isText() {
        return type == ParquetField.Type.BINARY;
    }

    /** Whether all entries at hand have a value. */
    boolean isFull() {
        return definitionsAlike == maxDefinition;
    }

    /** The integers at hand, where {@link #isFull}: the next entry's at {@link #position}. */
    long[] numbers() {
        return numbers;
    }

    /** Where the next entry is in {@link #numbers}. */
    int position() {
        return at;
    }

    /** Asks for the meanings of what the dictionary has, but for those that have none: it is then known before it occurs. */
    private void learn() {
        for (int i = 0; i < dictionaryTexts.length; i++) {
            try {
                dictionaryCodes[i] = meaning.of(dictionaryTexts[i]);
            } catch (ParquetRows.Refused e) {
                // Told where it occurs, if it does.
                dictionaryCodes[i] = UNKNOWN;
            }
        }
    }

    /**
     * What the texts of the next {@code n} entries stand for, all of which have one.
     *
     * @return all of these by OR; negative where one is not known yet and the result is of no use
     */
    int codes(int[] into, int n) {
        if (codes != dictionaryCodes) {
            return -1;
        }
        long all = 0;
        for (int from = 0; from < n; from += BLOCK) {
            all |= codes(codes, ids, at, into, from, Math.min(n, from + BLOCK));
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
        return numbers[at + i];
    }

    /** What a text stands for, where {@link #present}. */
    long code(int i) {
        int t = ids[at + i];
        long code = codes[t];
        return code != UNKNOWN ? code : (codes[t] = meaning.of(texts[t]));
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
        ids = new int[n];
        numbers = new long[isText() ? 0 : n];
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
        if (there == 0) {
            return;
        }
        if (entries != null) {
            fromDictionary(entries);
        } else if (isText()) {
            fromTexts();
        } else if (differences != null) {
            differences.read(numbers, there);
        } else if (isOfLibrary && library != null) {
            library.numbers(numbers, there);
        } else {
            fromPlain();
        }
        if (there < n) {
            spread(n);
        }
    }

    /** Puts values where their entries are. */
    private void spread(int n) {
        for (int i = n - 1, from = there - 1; from >= 0 && i > from; i--) {
            if (definition[i] == maxDefinition) {
                if (isText()) {
                    ids[i] = ids[from--];
                } else {
                    numbers[i] = numbers[from--];
                }
            }
        }
    }

    private void fromDictionary(RunLengths numbersOfEntries) throws IOException {
        numbersOfEntries.read(ids, there);
        int size = isText() ? dictionaryTexts.length : dictionaryNumbers.length;
        for (int from = 0; from < there; from += BLOCK) {
            int to = Math.min(there, from + BLOCK);
            int most = isText() ? most(ids, from, to) : look(dictionaryNumbers, ids, numbers, from, to);
            if (Integer.compareUnsigned(most, size) >= 0) {
                throw new IOException("entry " + Integer.toUnsignedString(most) + " of a dictionary of " + size);
            }
        }
    }

    /** The largest unsigned. */
    private static int most(int[] ids, int from, int to) {
        int most = Integer.MIN_VALUE;
        for (int i = from; i < to; i++) {
            most = Math.max(most, ids[i] ^ Integer.MIN_VALUE);
        }
        return most ^ Integer.MIN_VALUE;
    }

    /** 0, or one that is not in the dictionary. */
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

    private void fromTexts() throws IOException {
        if (pageTexts.length < there) {
            pageTexts = new String[there];
            pageCodes = new long[there];
        }
        texts = pageTexts;
        codes = pageCodes;
        Arrays.fill(codes, 0, there, UNKNOWN);
        for (int i = 0; i < there; i++) {
            texts[i] = isOfLibrary && library != null ? library.text() : plainText(pages.size());
            ids[i] = i;
        }
    }

    private String plainText(int end) throws IOException {
        byte[] bytes = pages.bytes();
        int length = end - plain < Integer.BYTES ? -1 : integer(bytes, plain);
        plain += Integer.BYTES;
        if (length < 0 || length > end - plain) {
            throw new IOException("a page with less values than announced");
        }
        String text = new String(bytes, plain, length, StandardCharsets.UTF_8);
        plain += length;
        return text;
    }

    private static int integer(byte[] bytes, int at) {
        return (bytes[at] & 0xFF)
                | (bytes[at + 1] & 0xFF) << 8
                | (bytes[at + 2] & 0xFF) << 16
                | (bytes[at + 3] & 0xFF) << 24;
    }

    private void fromPlain() throws IOException {
        plain = plain(pages.bytes(), plain, pages.size(), numbers, there);
    }

    /** Reads integers; where the next one is. */
    private int plain(byte[] bytes, int from, int end, long[] into, int n) throws IOException {
        int size = type == ParquetField.Type.INT64 ? Long.BYTES : Integer.BYTES;
        if ((long) n * size > end - from) {
            throw new IOException("a page with less values than announced");
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

    private void turn() throws IOException {
        int size = pages.size();
        byte[] bytes = pages.bytes();
        if (pages.isDictionary()) {
            dictionary(bytes, size);
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
        values(pages.encoding(), from, size);
        undecoded = pages.values();
    }

    private RunLengths runs(int from, int to, int most) throws IOException {
        return new RunLengths(pages.bytes(), words, from, to, Integer.SIZE - Integer.numberOfLeadingZeros(most));
    }

    /** The levels at a place of a page; where they end. */
    private int levels(boolean ofRepetition, int from, int size) throws IOException {
        int most = ofRepetition ? maxRepetition : maxDefinition;
        int encoding = ofRepetition ? pages.repetitionEncoding() : pages.definitionEncoding();
        Levels levels = null;
        int end = from;
        if (most > 0 && encoding == RLE) {
            int length = size - from < Integer.BYTES ? -1 : integer(pages.bytes(), from);
            int begin = from + Integer.BYTES;
            if (length < 0 || length > size - begin) {
                throw new IOException("levels of " + length + " bytes in a page of " + size);
            }
            end = begin + length;
            levels = runs(begin, end, most);
        } else if (most > 0) {
            LibraryValues.Old old = library().levels(ofRepetition, encoding, pages.bytes(), from, size, pages.values());
            end = from + old.size();
            levels = old.levels();
        }
        if (ofRepetition) {
            repetitions = levels;
        } else {
            definitions = levels;
        }
        return end;
    }

    private LibraryValues library() {
        LibraryValues known = library;
        if (known == null) {
            known = new LibraryValues(path, type, maxRepetition, maxDefinition, createdBy);
            library = known;
        }
        return known;
    }

    private void dictionary(byte[] bytes, int size) throws IOException {
        if (hasDictionary || (pages.encoding() != PLAIN && pages.encoding() != PLAIN_DICTIONARY)) {
            throw new IOException("a second dictionary, or one in the encoding " + pages.encoding());
        }
        hasDictionary = true;
        int n = pages.values();
        if (n > size / Integer.BYTES) {
            throw new IOException("a dictionary of " + n + " entries in " + size + " bytes");
        }
        if (!isText()) {
            dictionaryNumbers = new long[n];
            plain(bytes, 0, size, dictionaryNumbers, n);
            return;
        }
        dictionaryTexts = new String[n];
        dictionaryCodes = new long[n];
        plain = 0;
        for (int i = 0; i < n; i++) {
            dictionaryTexts[i] = plainText(size);
            dictionaryCodes[i] = UNKNOWN;
        }
        if (isFixed) {
            learn();
        }
    }

    private void values(int encoding, int from, int end) throws IOException {
        entries = null;
        differences = null;
        isOfLibrary = false;
        plain = from;
        if (encoding == RLE_DICTIONARY || encoding == PLAIN_DICTIONARY) {
            if (!hasDictionary) {
                throw new IOException("a page of dictionary entries without a dictionary");
            }
            texts = dictionaryTexts;
            codes = dictionaryCodes;
            // A page of nulls alone may be empty.
            int width = from < end ? pages.bytes()[from] & 0xFF : 0;
            entries = new RunLengths(pages.bytes(), words, Math.min(from + 1, end), end, width);
        } else if (encoding == DELTA && type == ParquetField.Type.INT64) {
            differences = from < end ? new DeltaNumbers(pages.bytes(), words, from, end) : null;
        } else if (encoding != PLAIN) {
            isOfLibrary = true;
            library().turnTo(encoding, pages.bytes(), from, end, pages.values());
        }
    }
}
