package org.polygraph.storage.table;

import it.unimi.dsi.fastutil.longs.Long2IntOpenHashMap;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Objects;
import org.polygraph.storage.lists.ListCodes;
import org.polygraph.storage.lists.ListTree;
import org.polygraph.storage.model.TransactionStatus;

/**
 * The order of the versions of each list of a history, and of each key to whose writes the database gave versions ({@link
 * GivenVersions}), which holds at every level. That of a list is the longest list of the key that a
 * counted transaction read, then the appends of counted transactions that this list lacks, in any order. A transaction
 * counts if it committed, or if its outcome is unknown and a list that a counted transaction read has an element that
 * it appended.
 *
 * <p>Operations are those of the recorded history, {@link #recorded()}. The order means something only if the lists of a
 * key are prefixes of the longest one, which is not checked here.
 *
 * <p>Time: linear in the operations and in the elements that differ between lists. Memory: 4 bytes an operation, 4 a
 * list, and some 40 an append.
 */
public final class ListVersions {
    /** No operation, or no place. */
    public static final int NONE = -1;
    /** The number of the empty list. */
    public static final int EMPTY = ListTree.EMPTY;

    private final HistoryTable recorded;
    private final ListTree lists;
    private final GivenVersions given;
    /** The number of an element, by its code. */
    private final Long2IntOpenHashMap numbers = new Long2IntOpenHashMap();
    /** By key and number of an element: the operation that appended it. */
    private final Long2IntOpenHashMap appends = new Long2IntOpenHashMap();

    private final boolean[] counted;
    /** By key: whether it has lists. */
    private final boolean[] isList;
    /** By list: its number of elements. */
    private final int[] lengths;
    /** By key: the longest list, and an operation that read it. */
    private final int[] longest;

    private final int[] longestReads;
    /** The lists that begin the longest one of their key; an equal list may have another number. */
    private final BitSet isOnPath = new BitSet();
    /** By operation: the place of an append in the longest list of its key, or {@link #NONE}. */
    private final int[] places;

    /** Receives two appends of one key. */
    public interface Pairs {
        /** @param isShown whether the longest list has the second one too, directly behind the first */
        void next(int first, int second, boolean isShown);
    }

    private ListVersions(HistoryTable recorded, ListTree lists) {
        this.recorded = recorded;
        this.lists = lists;
        given = GivenVersions.of(recorded);
        numbers.defaultReturnValue(NONE);
        appends.defaultReturnValue(NONE);
        counted = new boolean[recorded.transactions()];
        isList = new boolean[recorded.keys().size()];
        lengths = new int[lists.size()];
        longest = new int[recorded.keys().size()];
        longestReads = new int[longest.length];
        Arrays.fill(longestReads, NONE);
        places = new int[recorded.operations()];
        Arrays.fill(places, NONE);
    }

    /** @param recorded a history as it was recorded, with lists */
    static ListVersions of(HistoryTable recorded) {
        ListTree lists = Objects.requireNonNull(recorded.lists(), "lists");
        ListVersions versions = new ListVersions(recorded, lists);
        for (int o = 0; o < recorded.operations(); o++) {
            if (versions.isAppend(o)) {
                versions.appends.putIfAbsent(version(recorded.key(o), versions.number(recorded.value(o))), o);
            }
            versions.isList[recorded.key(o)] |= versions.isAppend(o) || versions.isRead(o);
        }
        for (int list = 1; list < versions.lengths.length; list++) {
            versions.lengths[list] = versions.lengths[lists.withoutLast(list)] + 1;
        }
        versions.count();
        versions.place();
        return versions;
    }

    private void count() {
        BitSet shown = new BitSet();
        BitSet done = new BitSet();
        boolean more = false;
        for (int t = 0; t < counted.length; t++) {
            counted[t] = recorded.status(t) == TransactionStatus.COMMITTED;
            more |= recorded.status(t) == TransactionStatus.INDETERMINATE;
            if (counted[t]) {
                read(t, shown, done);
            }
        }
        while (more) {
            more = false;
            for (int t = 0; t < counted.length; t++) {
                if (!counted[t] && recorded.status(t) == TransactionStatus.INDETERMINATE && isShown(t, shown)) {
                    counted[t] = true;
                    more = true;
                    read(t, shown, done);
                }
            }
        }
    }

    private boolean isShown(int t, BitSet shown) {
        int o = shown.nextSetBit(recorded.firstOperation(t));
        return o >= 0 && o < recorded.operationsEnd(t);
    }

    private void read(int t, BitSet shown, BitSet done) {
        for (int o = recorded.firstOperation(t); o < recorded.operationsEnd(t); o++) {
            if (!ListCodes.isRead(recorded.value(o))) {
                continue;
            }
            int key = recorded.key(o);
            int list = ListCodes.list(recorded.value(o));
            if (lengths[list] > lengths[longest[key]]) {
                longest[key] = list;
                longestReads[key] = o;
            }
            for (int each = list; each != ListTree.EMPTY && !done.get(each); each = lists.withoutLast(each)) {
                done.set(each);
                int append = append(key, lists.last(each));
                if (append != NONE) {
                    shown.set(append);
                }
            }
        }
    }

    private void place() {
        isOnPath.set(ListTree.EMPTY);
        for (int key = 0; key < longest.length; key++) {
            for (int each = longest[key]; each != ListTree.EMPTY; each = lists.withoutLast(each)) {
                isOnPath.set(each);
                int append = append(key, lists.last(each));
                if (append != NONE) {
                    places[append] = lengths[each] - 1;
                }
            }
        }
    }

    private int number(long element) {
        int next = numbers.size();
        int known = numbers.putIfAbsent(element, next);
        return known == NONE ? next : known;
    }

    private static long version(int key, int number) {
        return (long) key << Integer.SIZE | number;
    }

    /** The history as it was read: {@link HistoryTable#asRead}. */
    public HistoryTable recorded() {
        return recorded;
    }

    /** Whether a transaction counts, if indeterminate ones may. */
    public boolean isCounted(int transaction) {
        return counted[transaction];
    }

    /** The versions that the database gave. */
    GivenVersions given() {
        return given;
    }

    /** Whether the database gave the version of a recorded write. */
    public boolean isGiven(int write) {
        return recorded.values().isGiven(recorded.value(write));
    }

    /** Whether a recorded operation appends to a list. */
    public boolean isAppend(int operation) {
        return recorded.isAppend(operation);
    }

    /** Whether a recorded operation reads a list. */
    public boolean isRead(int operation) {
        return ListCodes.isRead(recorded.value(operation));
    }

    /** The operation that appended an element to a key, or {@link #NONE}. */
    public int append(int key, long element) {
        int number = numbers.get(element);
        return number == NONE ? NONE : appends.get(version(key, number));
    }

    /** The first operation that appended the element of an append to its key. */
    int firstAppend(int append) {
        return append(recorded.key(append), recorded.value(append));
    }

    /** Whether a key has lists. */
    public boolean isList(int key) {
        return isList[key];
    }

    /** The place of an append in the longest list of its key, from 0; {@link #NONE} if it is not there. */
    public int place(int append) {
        return places[append];
    }

    /** The codes of the elements of the longest list of a key. */
    public long[] order(int key) {
        return lists.elements(longest[key]);
    }

    /** The codes of the elements of the list that a recorded operation read. */
    public long[] elements(int read) {
        return lists.elements(list(read));
    }

    /** The number of the list that a recorded operation read; {@link #EMPTY} for the empty one. */
    public int list(int read) {
        return ListCodes.list(recorded.value(read));
    }

    /** A list that is not empty, without its last element. */
    public int withoutLast(int list) {
        return lists.withoutLast(list);
    }

    /** The code of the last element of a list that is not empty. */
    public long last(int list) {
        return lists.last(list);
    }

    /** Whether the list that a recorded operation read is the longest one of its key. */
    public boolean isLongest(int read) {
        return list(read) == longest[recorded.key(read)];
    }

    /** Whether the longest list of its key begins with the list that a recorded operation read. */
    public boolean isPrefix(int read) {
        if (isOnPath.get(list(read))) {
            return true;
        }
        int same = Arrays.mismatch(elements(read), order(recorded.key(read)));
        return same < 0 || same == length(read);
    }

    /** The number of elements of the list that a recorded operation read. */
    public int length(int read) {
        return lengths[list(read)];
    }

    /** A read of a counted transaction that returned the longest list of a key, or {@link #NONE} if that is empty. */
    public int longestRead(int key) {
        return key < longest.length ? longestReads[key] : NONE;
    }

    /**
     * The next recorded append of the same transaction to the same key, or {@link #NONE}.
     *
     * @param step 1 for the next one, -1 for the one before
     */
    public int nextOwn(int append, int step) {
        int t = HistorySelection.transactionOf(recorded, append);
        for (int o = append + step; o >= recorded.firstOperation(t) && o < recorded.operationsEnd(t); o += step) {
            if (recorded.isWriteOf(o, recorded.key(append))) {
                return o;
            }
        }
        return NONE;
    }

    /**
     * Gives appends, the first of each pair by a transaction that commits before that of the second one if this one
     * counts. The first one counts. The second one is of a counted transaction, or no list has it and the outcome of its
     * transaction is unknown. The pairs of a key imply all that the order of its versions says about different
     * transactions.
     */
    public void pairs(Pairs to) {
        given.pairs(to);
        int[] last = new int[longest.length];
        for (int key = 0; key < longest.length; key++) {
            last[key] = NONE;
            for (long element : order(key)) {
                int append = append(key, element);
                if (append == NONE || !counted[transaction(append)]) {
                    continue;
                }
                if (last[key] != NONE && transaction(last[key]) != transaction(append)) {
                    to.next(last[key], append, true);
                }
                last[key] = append;
            }
        }
        for (int t = 0; t < counted.length; t++) {
            boolean mayCount = counted[t] || recorded.status(t) == TransactionStatus.INDETERMINATE;
            for (int o = recorded.firstOperation(t); mayCount && o < recorded.operationsEnd(t); o++) {
                int shown = isAppend(o) && places[o] == NONE ? last[recorded.key(o)] : NONE;
                if (shown != NONE && transaction(shown) != t) {
                    to.next(shown, o, false);
                }
            }
        }
    }

    /** The transaction of a recorded operation. */
    public int transaction(int operation) {
        return HistorySelection.transactionOf(recorded, operation);
    }
}
