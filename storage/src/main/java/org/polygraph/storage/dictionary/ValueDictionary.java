package org.polygraph.storage.dictionary;

import it.unimi.dsi.fastutil.HashCommon;
import it.unimi.dsi.fastutil.ints.Int2IntOpenCustomHashMap;
import it.unimi.dsi.fastutil.ints.IntHash;
import it.unimi.dsi.fastutil.longs.Long2IntOpenHashMap;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import org.polygraph.storage.model.BudgetException;

/**
 * 64-bit codes for values: equal values have equal codes and no others do. An integer within &plusmn;2^62 is its own
 * code, which costs no lookup and no memory; null, strings, the remaining integers, opaque values and versions get
 * codes at the bottom of the range:
 *
 * <pre>
 * -2^63          null
 * -2^63 + 1 + i  string or opaque value number i     about 30 bytes and 1 byte a character
 * -2^63 + 2^40+i integer number i beyond +-2^62      about 28 bytes
 * -2^63 + 2^41+i version number i (three longs)      about 32 bytes
 * -2^63 + 2^42+i anything but another value          about 28 bytes
 * -2^63 + 2^48+i value with the version number i     about 32 bytes
 * -2^62 .. 2^62  the integer itself                  0 bytes
 * </pre>
 *
 * <p>Values have no dense ids, unlike keys: most values are unique, so a dictionary of them would be as large as the
 * history and cost a cache miss for each operation.
 */
public final class ValueDictionary {
    /** The code of null. */
    public static final long NULL = Long.MIN_VALUE;

    private static final long OWN_CODE_MIN = -(1L << 62);
    private static final long OWN_CODE_MAX = 1L << 62;
    private static final long FIRST_STRING = Long.MIN_VALUE + 1;
    private static final long FIRST_INTEGER = Long.MIN_VALUE + (1L << 40);
    private static final long FIRST_VERSION = Long.MIN_VALUE + (1L << 41);
    private static final long FIRST_OTHER = Long.MIN_VALUE + (1L << 42);
    private static final long FIRST_GIVEN = Long.MIN_VALUE + (1L << 48);
    /** The second of the three numbers of a value with a version that the database gave. */
    private static final long GIVEN = Long.MIN_VALUE;

    private static final int MAX_VERSIONS = Integer.MAX_VALUE / 6;
    private static final int LONGS_PER_VERSION = 3;

    /** Strings, and opaque values, which are marked. */
    private final StringDictionary strings = new StringDictionary();

    private final Long2IntOpenHashMap otherIds = new Long2IntOpenHashMap();
    /** By number of an "anything but": the code of the excluded value. */
    private final LongArrayList others = new LongArrayList();

    private boolean hasOpaque;
    private boolean hasLists;
    private boolean hasPredicates;
    private boolean hasVersions;
    private boolean hasGiven;

    private final Long2IntOpenHashMap integerIds = new Long2IntOpenHashMap();
    private final LongArrayList integers = new LongArrayList();

    /** (writer, write, value) of each version. */
    private final LongArrayList versions = new LongArrayList();

    private final Int2IntOpenCustomHashMap versionIds = new Int2IntOpenCustomHashMap(new SameVersion());

    public ValueDictionary() {
        integerIds.defaultReturnValue(-1);
        otherIds.defaultReturnValue(-1);
        versionIds.defaultReturnValue(-1);
    }

    /** The code of a value of another dictionary, which is added if it is new. */
    public long code(ValueDictionary from, long code) {
        if (isOwnCode(code) || code == NULL) {
            return code;
        }
        if (isOther(code)) {
            return otherThan(code(from, from.excluded(code)));
        }
        if (isGiven(code)) {
            return given(code(from, from.withoutVersion(code)), from.givenVersion(code));
        }
        if (isVersion(code)) {
            int at = (int) (code - FIRST_VERSION) * LONGS_PER_VERSION;
            return version(from.versions.getLong(at), from.versions.getLong(at + 1), from.versions.getLong(at + 2));
        }
        return isStringOrOpaque(code) ? intern(from.text(code), from.isOpaque(code)) : code(from.integer(code));
    }

    /** Whether some values are opaque or versions, which depend on other operations of the history. */
    public boolean hasOpaque() {
        return !versions.isEmpty() || hasOpaque;
    }

    /** The code of an integer value. */
    public long code(long value) {
        if (value >= OWN_CODE_MIN && value <= OWN_CODE_MAX) {
            return value;
        }
        int id = integerIds.get(value);
        if (id < 0) {
            id = integers.size();
            integers.add(value);
            integerIds.put(value, id);
        }
        return FIRST_INTEGER + id;
    }

    /** Replaces integers from one place to another by their codes. */
    public void codes(long[] values, int from, int to) {
        long far = 0;
        for (int i = from; i < to; i++) {
            // The two top bits are equal if the value is its own code, but for 2^62, which code() handles.
            far |= values[i] ^ values[i] << 1;
        }
        for (int i = from; far < 0 && i < to; i++) {
            values[i] = code(values[i]);
        }
    }

    public long code(String value) {
        return intern(value, false);
    }

    /** The code of a value that is neither integer nor string but has an identity, shown as {@code text}. */
    public long opaque(String text) {
        return intern(text, true);
    }

    /**
     * The code of an opaque value that is identified by three numbers: the transaction that wrote it, the write and the
     * value. It is shown as {@code value@writer.write}.
     */
    public long version(long writer, long write, long value) {
        return FIRST_VERSION + versionId(writer, write, value);
    }

    /** The code of a value with the version that the database gave. Equal values with other versions have other codes. */
    public long given(long code, long version) {
        hasGiven = true;
        return FIRST_GIVEN + versionId(version, GIVEN, code);
    }

    /** Whether a code is that of a value with a version that the database gave. */
    public boolean isGiven(long code) {
        return code >= FIRST_GIVEN && code < FIRST_GIVEN + MAX_VERSIONS;
    }

    /** The version that the database gave to a value that {@link #isGiven}. */
    public long givenVersion(long code) {
        return versions.getLong((int) (code - FIRST_GIVEN) * LONGS_PER_VERSION);
    }

    /** The code of a value without the version that the database gave; the same code if it has none. */
    public long withoutVersion(long code) {
        return isGiven(code) ? versions.getLong((int) (code - FIRST_GIVEN) * LONGS_PER_VERSION + 2) : code;
    }

    /** Whether the database gave versions to some values. */
    public boolean hasGiven() {
        return hasGiven;
    }

    private int versionId(long writer, long write, long value) {
        int next = versions.size() / LONGS_PER_VERSION;
        if (next == MAX_VERSIONS) {
            throw new BudgetException("more than " + next + " different versions of values do not fit one table");
        }
        versions.add(writer);
        versions.add(write);
        versions.add(value);
        int known = versionIds.putIfAbsent(next, next);
        if (known >= 0) {
            versions.size(next * LONGS_PER_VERSION);
        }
        return known < 0 ? next : known;
    }

    /** Versions by number are equal if their three numbers are. */
    private final class SameVersion implements IntHash.Strategy {
        @Override
        public int hashCode(int version) {
            int at = version * LONGS_PER_VERSION;
            return (int) HashCommon.mix(versions.getLong(at)
                    + HashCommon.mix(versions.getLong(at + 1) + HashCommon.mix(versions.getLong(at + 2))));
        }

        @Override
        public boolean equals(int a, int b) {
            int i = a * LONGS_PER_VERSION;
            int j = b * LONGS_PER_VERSION;
            return versions.getLong(i + 1) == versions.getLong(j + 1)
                    && versions.getLong(i) == versions.getLong(j)
                    && versions.getLong(i + 2) == versions.getLong(j + 2);
        }
    }

    /** The code of "anything but this value", which a refused compare-and-set reads. */
    public long otherThan(long code) {
        int id = otherIds.get(code);
        if (id < 0) {
            id = others.size();
            others.add(code);
            otherIds.put(code, id);
        }
        return FIRST_OTHER + id;
    }

    /** Whether a code means "anything but" a value, the {@link #excluded} one. */
    public boolean isOther(long code) {
        // Beyond are codes of lists that are not resolved.
        return code >= FIRST_OTHER && code < 2 * (FIRST_OTHER - NULL) + NULL;
    }

    /** Records that some values are last elements of lists. */
    public void markLists() {
        hasLists = true;
    }

    /**
     * Whether some values are last elements of lists. Then each transaction that appends also reads the version before
     * its append. This is exact at SER and SI; weaker levels do not require that read.
     */
    public boolean hasLists() {
        return hasLists;
    }

    /** Records that some reads and writes stand for predicates. */
    public void markPredicates() {
        hasPredicates = true;
    }

    /** Whether some reads and writes stand for predicates. They are exact at SER and SI. */
    public boolean hasPredicates() {
        return hasPredicates;
    }

    /** Records that each read names the transaction that it read from, as in Cobra. */
    public void markVersions() {
        hasVersions = true;
    }

    /**
     * Whether each read names the transaction that it read from. Then the values are not comparable with those of other
     * histories.
     */
    public boolean hasVersions() {
        return hasVersions;
    }

    /** Whether there is any {@link #otherThan}. */
    public boolean hasOthers() {
        return !others.isEmpty();
    }

    /** The code of the value that an "anything but" excludes. */
    public long excluded(long code) {
        return others.getLong((int) (code - FIRST_OTHER));
    }

    private long intern(String text, boolean opaque) {
        hasOpaque |= opaque;
        return FIRST_STRING + strings.id(text, opaque);
    }

    /**
     * An integer that stands for a code where its dictionary is not at hand. Different codes have different integers;
     * that of an integer which is its own code is this integer.
     */
    public static long asInteger(long code) {
        return isOwnCode(code) ? code : code - NULL + OWN_CODE_MAX + 1;
    }

    private static boolean isOwnCode(long code) {
        return code >= OWN_CODE_MIN;
    }

    private static boolean isStringOrOpaque(long code) {
        return code >= FIRST_STRING && code < FIRST_INTEGER;
    }

    private static boolean isVersion(long code) {
        return code >= FIRST_VERSION && code < FIRST_OTHER;
    }

    public boolean isNull(long code) {
        return code == NULL;
    }

    /** Whether the value is an integer; then {@link #integer} gives it. */
    public boolean isInteger(long code) {
        return isOwnCode(code) || (code >= FIRST_INTEGER && code < FIRST_VERSION);
    }

    /** Whether the value is a string; then {@link #text} gives it. */
    public boolean isString(long code) {
        return isStringOrOpaque(code) && !strings.isMarked((int) (code - FIRST_STRING));
    }

    /** Whether the value is one of {@link #opaque}. */
    public boolean isOpaque(long code) {
        return isStringOrOpaque(code) && strings.isMarked((int) (code - FIRST_STRING));
    }

    public long integer(long code) {
        return isOwnCode(code) ? code : integers.getLong((int) (code - FIRST_INTEGER));
    }

    /** The text of a value that is neither null nor an integer. */
    public String text(long code) {
        if (isOther(code)) {
            return "anything but " + label(excluded(code));
        }
        if (isGiven(code)) {
            return label(withoutVersion(code)) + " (version " + givenVersion(code) + ")";
        }
        if (isVersion(code)) {
            int at = (int) (code - FIRST_VERSION) * LONGS_PER_VERSION;
            return versions.getLong(at + 2) + "@" + versions.getLong(at) + "." + versions.getLong(at + 1);
        }
        return strings.string((int) (code - FIRST_STRING));
    }

    /** The value as it is shown: {@code null}, {@code 7}, {@code "a"}; opaque values as their text. */
    public String label(long code) {
        if (code == NULL) {
            return "null";
        }
        if (isInteger(code)) {
            return Long.toString(integer(code));
        }
        return isString(code) ? '"' + text(code) + '"' : text(code);
    }

    /** The label of a list that a transaction read by an element in it: {@code [.. 1 ..]}. */
    public String labelInside(long code) {
        String label = label(code);
        return label.substring(0, label.length() - 1) + " ..]";
    }

    /** Bytes of heap that strings take. */
    public long stringBytes() {
        return strings.bytes();
    }

    /** Bytes of heap held, estimated within a factor of two for strings. */
    public long bytes() {
        return strings.bytes()
                + 28L * (integers.size() + (long) others.size())
                + 8L * versions.elements().length
                + 12L * versionIds.size();
    }
}
