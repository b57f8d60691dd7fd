package org.polygraph.storage.dictionary;

import it.unimi.dsi.fastutil.HashCommon;
import it.unimi.dsi.fastutil.longs.Long2IntOpenHashMap;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.util.Arrays;
import java.util.List;
import org.polygraph.storage.model.BudgetException;

/**
 * 64-bit codes for values: equal values have equal codes and no others do. An integer within &plusmn;2^62 is its own
 * code, which costs no lookup and no memory; null, strings, the remaining integers, opaque values and versions get codes
 * at the bottom of the range:
 *
 * <pre>
 * -2^63          null
 * -2^63 + 1 + i  string or opaque value number i       about 30 bytes and 1 byte a character
 * -2^63 + 2^40+i integer number i beyond +-2^62       about 28 bytes
 * -2^63 + 2^41+i version number i (three longs)       about 32 bytes
 * -2^63 + 2^42+i anything but another value           about 28 bytes
 * -2^62 .. 2^62  the integer itself                   0 bytes
 * </pre>
 *
 * <p>Dense ids for values (as for keys) were not taken: most values are unique, so a dictionary of them is a cache miss
 * an operation and as large as the history.
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
    private static final int MAX_VERSIONS = Integer.MAX_VALUE / 3 - 8;
    private static final int LONGS_PER_VERSION = 3;

    /** Strings, and marked ones, which are opaque. */
    private final StringDictionary strings;

    private final Long2IntOpenHashMap otherIds = new Long2IntOpenHashMap();
    /** Of "anything but" number i: the value that it is not. */
    private final LongArrayList others = new LongArrayList();

    private boolean hasLists;

    private final Long2IntOpenHashMap integerIds = new Long2IntOpenHashMap();
    private final LongArrayList integers = new LongArrayList();

    /** (writer, write, value) of each version. */
    private long[] versions = new long[0];

    private int versionCount;
    /** Open addressing; version number + 1, or 0 where free. */
    private int[] versionSlots = new int[0];

    public ValueDictionary() {
        this(new StringDictionary());
    }

    /** @param strings an empty one */
    public ValueDictionary(StringDictionary strings) {
        this.strings = strings;
        integerIds.defaultReturnValue(-1);
        otherIds.defaultReturnValue(-1);
    }

    /**
     * The values of a dictionary that have no code by nature, by kind and number, without what finds them.
     *
     * @param strings strings and opaque values
     * @param opaque by string: 1 if it is opaque
     * @param integers beyond 2^62
     * @param versions three numbers each
     * @param others of each "anything but": the code of the value that it is not
     */
    @SuppressWarnings("ArrayRecordComponent") // compared by nobody
    public record Labels(List<String> strings, byte[] opaque, long[] integers, long[] versions, long[] others) {
        public long bytes() {
            return 100L * strings.size() + 8L * (integers.length + versions.length + others.length);
        }
    }

    /** All values that have no code by nature. */
    public Labels labels() {
        byte[] opaque = new byte[strings.size()];
        for (int i = 0; i < opaque.length; i++) {
            opaque[i] = (byte) (strings.isMarked(i) ? 1 : 0);
        }
        return new Labels(
                strings.strings(),
                opaque,
                integers.toLongArray(),
                Arrays.copyOf(versions, versionCount * LONGS_PER_VERSION),
                others.toLongArray());
    }

    /** The values of another dictionary, each new if unseen, in their order. */
    public Codes addAll(Labels other) {
        Codes codes = new Codes(
                new long[other.strings.size()],
                new long[other.integers.length],
                new long[other.versions.length / LONGS_PER_VERSION],
                new long[other.others.length]);
        for (int i = 0; i < codes.strings.length; i++) {
            codes.strings[i] = intern(other.strings.get(i), other.opaque[i] != 0);
        }
        for (int i = 0; i < codes.integers.length; i++) {
            codes.integers[i] = code(other.integers[i]);
        }
        for (int i = 0; i < codes.versions.length; i++) {
            int at = i * LONGS_PER_VERSION;
            codes.versions[i] = version(other.versions[at], other.versions[at + 1], other.versions[at + 2]);
        }
        for (int i = 0; i < codes.others.length; i++) {
            codes.others[i] = otherThan(codes.of(other.others[i]));
        }
        return codes;
    }

    /** By code of another dictionary, that of one it was added to. */
    @SuppressWarnings("ArrayRecordComponent") // compared by nobody
    public record Codes(long[] strings, long[] integers, long[] versions, long[] others) {
        public long of(long code) {
            if (isOwnCode(code) || code == NULL) {
                return code;
            }
            if (code >= FIRST_OTHER) {
                return others[(int) (code - FIRST_OTHER)];
            }
            if (code >= FIRST_VERSION) {
                return versions[(int) (code - FIRST_VERSION)];
            }
            return code >= FIRST_INTEGER
                    ? integers[(int) (code - FIRST_INTEGER)]
                    : strings[(int) (code - FIRST_STRING)];
        }
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
            // Both top bits are the sign where it is its own code; 2^62 itself is looked at again.
            far |= values[i] ^ values[i] << 1;
        }
        for (int i = from; far < 0 && i < to; i++) {
            values[i] = code(values[i]);
        }
    }

    /** The code of a string value. */
    public long code(String value) {
        return intern(value, false);
    }

    /** The code of a value that is neither integer nor string but has an identity, shown as {@code text}. */
    public long opaque(String text) {
        return intern(text, true);
    }

    /**
     * The code of an opaque value whose identity is three numbers: which transaction wrote it, by which write, and what.
     * Its text, {@code value@writer.write}, is made only when asked for.
     */
    public long version(long writer, long write, long value) {
        if (versionCount * 2L >= versionSlots.length) {
            growVersions();
        }
        int mask = versionSlots.length - 1;
        int slot = hash(writer, write, value) & mask;
        for (int v; (v = versionSlots[slot]) != 0; slot = (slot + 1) & mask) {
            int at = (v - 1) * LONGS_PER_VERSION;
            if (versions[at + 1] == write && versions[at] == writer && versions[at + 2] == value) {
                return FIRST_VERSION + v - 1;
            }
        }
        int at = versionCount * LONGS_PER_VERSION;
        versions[at] = writer;
        versions[at + 1] = write;
        versions[at + 2] = value;
        versionSlots[slot] = ++versionCount;
        return FIRST_VERSION + versionCount - 1;
    }

    /** The code of "anything but this value", as a compare-and-set that was refused has seen. */
    public long otherThan(long code) {
        int id = otherIds.get(code);
        if (id < 0) {
            id = others.size();
            others.add(code);
            otherIds.put(code, id);
        }
        return FIRST_OTHER + id;
    }

    /** Whether it is "anything but" a value; then {@link #excluded} gives that. */
    public boolean isOther(long code) {
        return code >= FIRST_OTHER && code < OWN_CODE_MIN;
    }

    /** Says that some values are last elements of lists. */
    public void markLists() {
        hasLists = true;
    }

    /**
     * Whether some values are last elements of lists, and the transactions that appended them are told as readers of what they
     * appended to. At SER and SI that is what the lists say; at weaker levels it is more.
     */
    public boolean hasLists() {
        return hasLists;
    }

    /** Whether there is any {@link #otherThan}. */
    public boolean hasOthers() {
        return !others.isEmpty();
    }

    /** What "anything but" excludes. */
    public long excluded(long code) {
        return others.getLong((int) (code - FIRST_OTHER));
    }

    private static int hash(long writer, long write, long value) {
        return (int) HashCommon.mix(writer + HashCommon.mix(write + HashCommon.mix(value)));
    }

    private void growVersions() {
        if (versionCount >= MAX_VERSIONS / 2) {
            throw new BudgetException(
                    "more than " + versionCount + " different versions of values do not fit one table");
        }
        int slots = Math.max(1024, versionSlots.length * 2);
        versions = Arrays.copyOf(versions, slots / 2 * LONGS_PER_VERSION);
        versionSlots = new int[slots];
        for (int v = 0; v < versionCount; v++) {
            int at = v * LONGS_PER_VERSION;
            int slot = hash(versions[at], versions[at + 1], versions[at + 2]) & (slots - 1);
            while (versionSlots[slot] != 0) {
                slot = (slot + 1) & (slots - 1);
            }
            versionSlots[slot] = v + 1;
        }
    }

    private long intern(String text, boolean opaque) {
        return FIRST_STRING + strings.id(text, opaque);
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

    public long integer(long code) {
        return isOwnCode(code) ? code : integers.getLong((int) (code - FIRST_INTEGER));
    }

    /** The text of a value that is neither null nor an integer. */
    public String text(long code) {
        if (isOther(code)) {
            return "anything but " + label(excluded(code));
        }
        if (isVersion(code)) {
            int at = (int) (code - FIRST_VERSION) * LONGS_PER_VERSION;
            return versions[at + 2] + "@" + versions[at] + "." + versions[at + 1];
        }
        return strings.string((int) (code - FIRST_STRING));
    }

    /** The value as people write it: {@code null}, {@code 7}, {@code "a"}; opaque values as their text. */
    public String label(long code) {
        if (code == NULL) {
            return "null";
        }
        if (isInteger(code)) {
            return Long.toString(integer(code));
        }
        return isString(code) ? '"' + text(code) + '"' : text(code);
    }

    /** Bytes of heap held, estimated within a factor of two for strings. */
    public long bytes() {
        return strings.bytes()
                + 28L * (integers.size() + (long) others.size())
                + 8L * versions.length
                + 4L * versionSlots.length;
    }
}
