package org.polygraph.jobs.certificate.replay;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Names;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.lists.ListCodes;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.Operations;
import org.polygraph.storage.table.Predicates;

/**
 * Runs each transaction that was recorded with savepoints alone, and compares the operations that are judged with those
 * that are left: the writes that no rollback took back, and the reads that saw none of those that one took back later.
 * It shares no code with {@code Savepoints}, which takes the others out.
 */
public final class SavepointReplay {
    private static final int NONE = -1;

    private final Operations recorded;
    private final Operations judged;
    /** By code of a list that was read: its elements. */
    private final LongFunction<long[]> lists;

    private final ValueDictionary values;
    private final int largestKey;
    /** By key: its last write in effect. */
    private final int[] current;

    // The current transaction.
    private int from;
    /** The writes in effect, in their order. */
    private int[] effective = new int[16];

    private int size;
    /** By write: the one of its key before it that was in effect. By read: the last one of its key in effect. */
    private int[] before = new int[16];
    /** By operation: whether it is a write that is left. */
    private boolean[] left = new boolean[16];
    /** The writes that reads of the transaction had to see and did not. */
    private final List<Integer> refuted = new ArrayList<>();

    private int next;

    private SavepointReplay(
            Operations recorded, Operations judged, ValueDictionary values, LongFunction<long[]> lists) {
        this.recorded = recorded;
        this.judged = judged;
        this.values = values;
        this.lists = lists;
        largestKey = Operations.key(Arrays.stream(recorded.keys()).max().orElse(0));
        current = new int[largestKey + 1];
    }

    /** Returns a sentence on the first transaction whose judged operations are not those that are left; null if there is none. */
    public static @Nullable String discrepancy(HistoryTable history) {
        if (!history.hasSavepoints()) {
            return null;
        }
        HistoryTable read = history.withUndone();
        HistoryTable table = history.asRead();
        int t = first(read.allOperations(), table.allOperations(), table.values(), read::elementsOf);
        return t == NONE
                ? null
                : Names.transaction(table, t) + ": other operations are judged than its rollbacks leave";
    }

    /** The first transaction whose judged operations are not those that are left; -1 if there is none. */
    public static int first(
            Operations recorded, Operations judged, ValueDictionary values, LongFunction<long[]> lists) {
        SavepointReplay replay = new SavepointReplay(recorded, judged, values, lists);
        for (int t = 0; t + 1 < recorded.starts().length; t++) {
            if (!replay.agrees(recorded.starts()[t], recorded.starts()[t + 1], judged.starts()[t + 1])) {
                return t;
            }
        }
        return NONE;
    }

    private boolean agrees(int first, int to, int judgedEnd) {
        from = first;
        run(to);
        for (int o = from; o < to; o++) {
            byte kind = kind(recorded, o);
            // The columns of a row are those of the write that follows.
            int written = Predicates.isRow(recorded.values()[o]) ? o + 1 : o;
            boolean isWrite = Operations.isWrite(recorded.keys()[written]);
            boolean isKept = kind < Operations.SAVEPOINT && (!isWrite || left[written - from]);
            int write = isWrite ? NONE : before[o - from];
            boolean seesOther = write == NONE || left[write - from];
            if (isKept && !(seesOther ? takes(o, recorded.values()[o]) : seesUndone(o, write))) {
                return false;
            }
        }
        return areRefuted(judgedEnd);
    }

    /** Runs a transaction up to its end. */
    private void run(int to) {
        if (to - from > before.length) {
            before = new int[2 * (to - from)];
            effective = new int[before.length];
            left = new boolean[before.length];
        }
        size = 0;
        refuted.clear();
        Arrays.fill(left, 0, to - from, false);
        for (int o = from; o < to; o++) {
            current[Operations.key(recorded.keys()[o])] = NONE;
        }
        Deque<long[]> points = new ArrayDeque<>();
        for (int o = from; o < to; o++) {
            int key = Operations.key(recorded.keys()[o]);
            long value = recorded.values()[o];
            byte kind = kind(recorded, o);
            before[o - from] = NONE;
            if (kind == Operations.SAVEPOINT) {
                points.push(new long[] {value, size});
            } else if (kind > Operations.SAVEPOINT) {
                while (points.element()[0] != value) {
                    points.pop();
                }
                while (kind == Operations.ROLLBACK_TO && size > points.element()[1]) {
                    int undone = effective[--size];
                    left[undone - from] = false;
                    current[Operations.key(recorded.keys()[undone])] = before[undone - from];
                }
                if (kind == Operations.RELEASE) {
                    points.pop();
                }
            } else if (!Predicates.isRow(value)) {
                before[o - from] = current[key];
                if (Operations.isWrite(recorded.keys()[o])) {
                    current[key] = o;
                    effective[size++] = o;
                    left[o - from] = true;
                }
            }
        }
    }

    /** Whether the next operation that is judged is a recorded one with this value. */
    private boolean takes(int o, long value) {
        boolean isSame = next < judged.size()
                && judged.keys()[next] == recorded.keys()[o]
                && judged.values()[next] == value
                && kind(judged, next) == kind(recorded, o);
        next++;
        return isSame;
    }

    /** Whether what is judged of a read that saw a write which was undone later is right. */
    private boolean seesUndone(int o, int write) {
        long value = recorded.values()[o];
        if (!recorded.isAppend(write)) {
            boolean isRight = values.isOther(value) || value == recorded.values()[write];
            return (isRight && kind(recorded, o) != Operations.REPEATED_ROW) || refute(write);
        }
        long[] elements = ListCodes.isRead(value) ? lists.apply(value) : new long[0];
        int length = elements.length;
        for (int w = write; w != NONE && !left[w - from]; w = before[w - from]) {
            if (length == 0 || elements[length - 1] != recorded.values()[w]) {
                return refute(write);
            }
            length--;
        }
        boolean isRest = next < judged.size()
                && judged.keys()[next] == recorded.keys()[o]
                && ListCodes.isRead(judged.values()[next])
                && Arrays.equals(lists.apply(judged.values()[next]), Arrays.copyOf(elements, length));
        next++;
        return isRest;
    }

    /**
     * Whether the other operations of the transaction are writes and a read of keys of their own, which no order
     * explains, for each read that did not see what it had to.
     */
    private boolean areRefuted(int end) {
        int matched = 0;
        while (next < end) {
            int key = judged.keys()[next];
            int at = next;
            while (next < end && Operations.isWrite(key) && judged.keys()[next] == key) {
                next++;
            }
            if (next == at || next == end || Operations.key(key) <= largestKey || judged.keys()[next] != (key & ~1)) {
                return false;
            }
            long written = judged.values()[next - 1];
            if (judged.values()[next] == written && kind(judged, next) != Operations.REPEATED_ROW) {
                return false;
            }
            boolean isNext = matched < refuted.size() && recorded.values()[refuted.get(matched)] == written;
            matched += isNext ? 1 : 0;
            next++;
        }
        return matched == refuted.size() && next == end;
    }

    private boolean refute(int write) {
        refuted.add(write);
        return true;
    }

    private static byte kind(Operations operations, int o) {
        byte[] kinds = operations.kinds();
        return kinds == null ? 0 : kinds[o];
    }
}
