package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.ints.Int2IntOpenHashMap;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntArrays;
import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;

/**
 * The versions that the database gave to reads and writes of values. Those of a key ascend in the order of its writes:
 * of each committed transaction, the version of its last write of the key counts. A read with a version names its
 * writer: the write with this key, value and version. If there is none, the read falls back to its value, which a write
 * without a version or the initial state has.
 *
 * <p>A write with a version has a code of its own ({@link ValueDictionary#given}), so the name of a read is the code of
 * its writer. Time: linear, but for a sort of the writes. Memory: some 40 bytes a write.
 */
final class GivenVersions {
    private static final int NONE = ListVersions.NONE;
    /** A name for a read whose value has several writers, some of them with versions. */
    private static final long AMBIGUOUS = Long.MAX_VALUE;

    private final HistoryTable table;
    private final ValueDictionary values;
    /** By key: whether some operation has a version. */
    private final boolean[] isGiven;
    /** By key: its last writes by transactions that may have committed. */
    private final int[] writers;
    /** The last writes of keys by committed transactions with versions, by key and version. */
    private int[] lasts = new int[0];
    /** By first write of a key by a transaction of {@link #lasts}: the place there. */
    private final Int2IntOpenHashMap places = new Int2IntOpenHashMap();
    /** Key and code of each write with a version. */
    private final LongOpenHashSet written = new LongOpenHashSet();
    /** The last writes of a key by each transaction that may have committed. */
    private final BitSet isLast = new BitSet();
    /** By key and value that a read without a known version returned: what left it. */
    private final Map<Value, Named> named = new HashMap<>();
    /** By key: whether a transaction read another version than the one before its own. */
    private final boolean[] isDisputed;

    private record Value(int key, long code) {}

    /**
     * What left a value.
     *
     * @param isPlain whether a write without a version did
     * @param given the code of a write with a version, AMBIGUOUS for several, 0 for none
     * @param writer its transaction, or NONE for several
     * @param other the code of a write with a version that did not leave it: it was overwritten or aborted; 0 for none
     */
    private record Named(boolean isPlain, long given, int writer, long other) {
        static final Named NOTHING = new Named(false, 0, NONE, 0);

        Named with(long code, int transaction) {
            boolean isFirst = given == 0;
            return new Named(
                    isPlain,
                    isFirst || given == code ? code : AMBIGUOUS,
                    isFirst || writer == transaction ? transaction : NONE,
                    other);
        }
    }

    private GivenVersions(HistoryTable table) {
        this.table = table;
        values = table.values();
        isGiven = new boolean[table.keys().size()];
        writers = new int[isGiven.length];
        isDisputed = new boolean[isGiven.length];
        places.defaultReturnValue(NONE);
    }

    /** The versions of a history as it was recorded. */
    static GivenVersions of(HistoryTable table) {
        GivenVersions versions = new GivenVersions(table);
        if (table.values().hasGiven()) {
            for (int o = 0; o < table.operations(); o++) {
                versions.isGiven[table.key(o)] |= table.values().isGiven(table.value(o));
            }
            versions.writes();
            versions.reads();
        }
        return versions;
    }

    private void writes() {
        IntArrayList firsts = new IntArrayList();
        IntArrayList finals = new IntArrayList();
        int[] first = new int[isGiven.length];
        int[] last = new int[isGiven.length];
        Arrays.fill(last, NONE);
        for (int t = 0; t < table.transactions(); t++) {
            int from = table.firstOperation(t);
            for (int o = from; o < table.operationsEnd(t); o++) {
                int key = table.key(o);
                if (table.isWrite(o) && isGiven[key]) {
                    first[key] = last[key] < from ? o : first[key];
                    last[key] = o;
                    if (values.isGiven(table.value(o))) {
                        written.add(pair(key, table.value(o)));
                    }
                }
            }
            for (int o = from; mayCount(t) && o < table.operationsEnd(t); o++) {
                int key = table.key(o);
                if (table.isWrite(o) && isGiven[key] && last[key] == o) {
                    isLast.set(o);
                    writers[key]++;
                    if (table.status(t) == TransactionStatus.COMMITTED && values.isGiven(table.value(o))) {
                        finals.add(o);
                        firsts.add(first[key]);
                    }
                }
            }
        }
        int[] order = new int[finals.size()];
        Arrays.setAll(order, i -> i);
        IntArrays.mergeSort(order, (a, b) -> {
            int byKey = Integer.compare(table.key(finals.getInt(a)), table.key(finals.getInt(b)));
            return byKey != 0 ? byKey : Long.compare(version(finals.getInt(a)), version(finals.getInt(b)));
        });
        lasts = new int[order.length];
        places.ensureCapacity(order.length);
        for (int i = 0; i < order.length; i++) {
            lasts[i] = finals.getInt(order[i]);
            places.put(firsts.getInt(order[i]), i);
        }
    }

    /** Finds what reads without a known version may have read, and which keys have reads that contradict the order. */
    private void reads() {
        for (int o = 0; o < table.operations(); o++) {
            if (isGiven[table.key(o)] && !table.isWrite(o) && !isWritten(o)) {
                named.put(new Value(table.key(o), values.withoutVersion(table.value(o))), Named.NOTHING);
            }
        }
        for (int t = 0; !named.isEmpty() && t < table.transactions(); t++) {
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                if (table.isWrite(o) && isGiven[table.key(o)]) {
                    name(t, o, table.value(o));
                }
            }
        }
        int[] writes = new int[isGiven.length];
        Arrays.fill(writes, NONE);
        for (int t = 0; t < table.transactions(); t++) {
            for (int o = table.operationsEnd(t) - 1; o >= table.firstOperation(t); o--) {
                int key = table.key(o);
                if (table.isWrite(o)) {
                    writes[key] = o;
                } else {
                    // It comes before the first own write of the key if this has a place.
                    int place = writes[key] < o ? NONE : places.get(writes[key]);
                    isDisputed[key] |=
                            place != NONE && writes[key] < table.operationsEnd(t) && name(t, o) != previous(place);
                }
            }
        }
    }

    private void name(int t, int o, long code) {
        Value value = new Value(table.key(o), values.withoutVersion(code));
        Named before = named.get(value);
        if (before == null) {
            return;
        }
        boolean leaves = isLast.get(o);
        if (values.isGiven(code)) {
            named.put(
                    value,
                    leaves ? before.with(code, t) : new Named(before.isPlain, before.given, before.writer, code));
        } else if (leaves) {
            named.put(value, new Named(true, before.given, before.writer, before.other));
        }
    }

    private long previous(int place) {
        return hasPrevious(place) ? table.value(lasts[place - 1]) : table.initialValue(table.key(lasts[place]));
    }

    private boolean hasPrevious(int place) {
        return place > 0 && table.key(lasts[place - 1]) == table.key(lasts[place]);
    }

    private boolean mayCount(int t) {
        return table.status(t) != TransactionStatus.ABORTED;
    }

    private long version(int o) {
        return values.givenVersion(table.value(o));
    }

    private int transaction(int o) {
        return HistorySelection.transactionOf(table, o);
    }

    private static long pair(int key, long code) {
        return (long) key << Integer.SIZE | (code & 0xFFFF_FFFFL);
    }

    private boolean isWritten(int o) {
        return values.isGiven(table.value(o)) && written.contains(pair(table.key(o), table.value(o)));
    }

    /** The code of an operation: for a read that of what its writer wrote. */
    long name(int t, int o) {
        int key = table.key(o);
        if (!isGiven[key] || table.isWrite(o) || isWritten(o)) {
            return table.value(o);
        }
        long named = resolved(t, o);
        return named == AMBIGUOUS ? table.value(o) : named;
    }

    private long resolved(int t, int o) {
        int key = table.key(o);
        long read = table.value(o);
        long value = values.withoutVersion(read);
        int own = table.lastWrite(t, key, o);
        boolean hasVersion = values.isGiven(read);
        if (own >= 0) {
            boolean isSame = values.withoutVersion(table.value(own)) == value;
            return isSame && (!hasVersion || !values.isGiven(table.value(own))) ? table.value(own) : read;
        }
        Named writers = named.getOrDefault(new Value(key, value), Named.NOTHING);
        boolean isPlain = writers.isPlain || value == table.initialValue(key);
        if (hasVersion) {
            return isPlain ? value : read;
        }
        if (writers.given == 0) {
            return isPlain || writers.other == 0 ? value : writers.other;
        }
        boolean isOwn = writers.writer == t && writers.given != AMBIGUOUS;
        return isPlain ? (isOwn ? value : AMBIGUOUS) : writers.given;
    }

    /** Whether the order of a key is that of all writes that may count, each directly behind the one before it. */
    private boolean isWhole(int place) {
        int key = table.key(lasts[place]);
        int from = place;
        while (hasPrevious(from)) {
            from--;
        }
        return !isDisputed[key]
                && from + writers[key] <= lasts.length
                && table.key(lasts[from + writers[key] - 1]) == key;
    }

    /** Whether a key has versions. */
    boolean has(int key) {
        return key < isGiven.length && isGiven[key];
    }

    /** By key: whether its writes follow each other directly, so that each one reads the version before it. */
    boolean[] whole() {
        boolean[] whole = new boolean[isGiven.length];
        for (int i = 0; i < lasts.length; i++) {
            int key = table.key(lasts[i]);
            whole[key] = hasPrevious(i) ? whole[key] : isWhole(i);
        }
        return whole;
    }

    /** The place in the order of versions of the first write of a key by a transaction, or NONE. */
    int place(int firstWrite) {
        return places.get(firstWrite);
    }

    /** The code that the transaction at a place leaves. */
    long code(int place) {
        return table.value(lasts[place]);
    }

    /** The code of the version before that at a place; null for the first one. @param isWhole whether that reads the initial value */
    @Nullable
    Long before(int place, boolean isWhole) {
        return hasPrevious(place) || isWhole ? (Long) previous(place) : null;
    }

    /** Gives neighbours in the order of each key, see {@link ListVersions#pairs}. */
    void pairs(ListVersions.Pairs to) {
        for (int i = 1; i < lasts.length; i++) {
            if (hasPrevious(i)) {
                to.next(lasts[i - 1], lasts[i], true);
            }
        }
    }

    /**
     * Checks that versions and values do not contradict each other.
     *
     * @throws HistoryException if two committed transactions wrote a key with one version, a read has the version of a
     *     write with another value, or a read without a version may have read several writes
     */
    void check() throws HistoryException {
        for (int i = 1; i < lasts.length; i++) {
            if (hasPrevious(i) && version(lasts[i - 1]) == version(lasts[i])) {
                throw contradiction(
                        lasts[i],
                        "a write of key " + key(lasts[i]) + " with version " + version(lasts[i]) + ", which a write at "
                                + where(lasts[i - 1]) + " has too",
                        "each committed write of a key to have a version of its own");
            }
        }
        for (int t = 0; t < table.transactions(); t++) {
            for (int o = table.firstOperation(t); mayCount(t) && o < table.operationsEnd(t); o++) {
                if (isGiven[table.key(o)] && !table.isWrite(o) && !isWritten(o)) {
                    checkRead(t, o);
                }
            }
        }
    }

    private void checkRead(int t, int o) throws HistoryException {
        boolean hasVersion = values.isGiven(table.value(o));
        int other = hasVersion ? writerOf(table.key(o), version(o)) : NONE;
        if (other != NONE && transaction(other) != t) {
            throw contradiction(
                    o,
                    "a read of key " + key(o) + " = " + label(o) + " with version " + version(o) + ", which a write of "
                            + label(other) + " at " + where(other) + " has",
                    "the value that the write with this version left");
        }
        if (resolved(t, o) == AMBIGUOUS) {
            throw contradiction(
                    o,
                    "a read of key " + key(o) + " = " + label(o)
                            + " without a version, which several writes may have left, some of them with versions",
                    "a version, as its writers have one");
        }
    }

    /** The last write of a key by a committed transaction with a version, or NONE. */
    private int writerOf(int key, long version) {
        int low = 0;
        int high = lasts.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            int byKey = Integer.compare(table.key(lasts[middle]), key);
            if (byKey < 0 || (byKey == 0 && version(lasts[middle]) < version)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        boolean isThere = low < lasts.length && table.key(lasts[low]) == key && version(lasts[low]) == version;
        return isThere ? lasts[low] : NONE;
    }

    private HistoryException contradiction(int o, String found, String expected) {
        return new HistoryException(
                where(o), found, expected, "check the versions that the database gave, or give --versions ignore");
    }

    private String where(int o) {
        return table.whereIs(transaction(o));
    }

    private String key(int o) {
        return table.keys().label(table.key(o));
    }

    private String label(int o) {
        return values.label(values.withoutVersion(table.value(o)));
    }
}
