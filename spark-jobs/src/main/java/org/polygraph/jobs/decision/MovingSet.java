package org.polygraph.jobs.decision;

import it.unimi.dsi.fastutil.ints.Int2IntOpenHashMap;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntOpenHashSet;
import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.table.HistorySelection;
import org.polygraph.storage.table.HistoryTable;

/**
 * A set M of transactions whose events may move between two places; the order of all other events, the frozen ones, is
 * fixed. Two small histories belong to it:
 *
 * <ul>
 *   <li>R(M), {@link #problem}: M in full, and the frozen transactions that have operations on keys of M, reduced to
 *       these operations. Those before the first place are represented by the values at that border, and those behind
 *       the last place by a transaction that reads the values expected there. An order of R(M) gives M new places at
 *       which no operation of M is violated. No other read becomes violated, and no other transaction gets a first
 *       violated write.
 *   <li>U(M), {@link #alone}: M without the reads for which some possible writer lies outside M. Every order that
 *       explains the whole history, restricted to M, explains U(M). If U(M) violates the level, so does the whole
 *       history.
 * </ul>
 */
final class MovingSet {
    private final PlacedHistory placed;
    private final HistoryTable table;
    private final int[] moving;
    private final int from;
    private final int to;
    private final IntOpenHashSet members;
    private final IntArrayList keys = new IntArrayList();
    private final Int2IntOpenHashMap keyIds = new Int2IntOpenHashMap();
    private @Nullable Extraction extraction;

    /**
     * A set between two places.
     *
     * @param moving active transactions with all events at places in [from, to), ascending by id; kept
     */
    MovingSet(PlacedHistory placed, int[] moving, int from, int to) {
        this.placed = placed;
        this.table = placed.table();
        this.moving = moving;
        this.from = from;
        this.to = to;
        members = new IntOpenHashSet(moving);
        keyIds.defaultReturnValue(-1);
        for (int t : moving) {
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                if (placed.isVisible(o) && keyIds.putIfAbsent(table.key(o), keys.size()) < 0) {
                    keys.add(table.key(o));
                }
            }
        }
    }

    /**
     * The window of all active transactions that commit between two places; it begins at the first of their snapshots.
     */
    static MovingSet window(PlacedHistory placed, int from, int to) {
        IntArrayList moving = new IntArrayList();
        for (int place = from; place < to; place++) {
            int event = placed.atPlace(place);
            int t = placed.transaction(event);
            if (event == placed.commit(t) && placed.isActive(t)) {
                moving.add(t);
            }
        }
        int[] ids = moving.toIntArray();
        Arrays.sort(ids);
        return new MovingSet(placed, ids, firstSnapshot(placed, from, to), to);
    }

    /** The first place of a snapshot whose transaction commits between two places, or the first of these. */
    static int firstSnapshot(PlacedHistory placed, int from, int to) {
        int first = from;
        for (int place = from; place < to; place++) {
            int event = placed.atPlace(place);
            int t = placed.transaction(event);
            if (event == placed.commit(t) && placed.isActive(t)) {
                first = Math.min(first, placed.beginPlace(t));
            }
        }
        return first;
    }

    /** Its transactions, ascending. Not a copy. */
    int[] transactions() {
        return moving;
    }

    /** The first place at which its events may be. */
    int from() {
        return from;
    }

    /** The place behind the last one at which its events may be. */
    int to() {
        return to;
    }

    boolean contains(int transaction) {
        return members.contains(transaction);
    }

    /** By key of R(M): its id in the history. Not a copy. */
    IntArrayList keys() {
        return keys;
    }

    /** The number of a key in R(M), or -1. */
    int keyId(int key) {
        return keyIds.get(key);
    }

    /** U(M), whose ids of transactions and operations ascend with those of the whole. */
    HistorySelection alone() {
        LongOpenHashSet[] outside = new LongOpenHashSet[keys.size()];
        for (int id = 0; id < outside.length; id++) {
            outside[id] = new LongOpenHashSet();
            int key = keys.getInt(id);
            for (int i = placed.firstOf(key); i < placed.firstOf(key + 1); i++) {
                int o = placed.operation(i);
                if (table.isWrite(o) && !members.contains(placed.transactionOf(o))) {
                    outside[id].add(table.value(o));
                }
            }
        }
        IntArrayList operations = new IntArrayList();
        for (int t : moving) {
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                if (placed.isVisible(o)
                        && (table.isWrite(o) || !outside[keyIds.get(table.key(o))].contains(table.value(o)))) {
                    operations.add(o);
                }
            }
        }
        return HistorySelection.of(table, moving, operations.toIntArray());
    }

    /**
     * R(M), from the present places.
     *
     * @param time real time that the level has; null for none
     */
    WindowProblem problem(Borders borders, @Nullable Intervals time) {
        Extraction made = new Extraction(placed, this, borders, time);
        extraction = made;
        return made.problem();
    }

    /** The transactions, of the whole history, that the refutation of the last {@link #problem} names. */
    int[] named(WindowProblem.Answer answer) {
        IntOpenHashSet named = new IntOpenHashSet();
        for (int t : answer.named()) {
            int frozen = extraction().transaction(t);
            if (placed.isActive(frozen)) {
                named.add(frozen);
            }
        }
        return named.toIntArray();
    }

    /** Moves M to the places of an answer to the last {@link #problem}. */
    void apply(WindowProblem.Answer answer) {
        for (int i = 0; i < moving.length; i++) {
            if (placed.isOptional(moving[i])) {
                placed.count(moving[i], answer.counted()[i]);
            }
        }
        placed.reorder(from, merged(answer.order()));
    }

    private Extraction extraction() {
        Extraction made = extraction;
        if (made == null) {
            throw new IllegalStateException("there was no problem");
        }
        return made;
    }

    /**
     * All events between the borders: those of the problem in their order, the rest right after the frozen one before
     * it.
     */
    private int[] merged(int[] ordered) {
        int per = placed.eventsPerTransaction();
        int[] merged = new int[to - from];
        int count = 0;
        int next = from;
        for (int event : ordered) {
            int member = event / per;
            if (member < moving.length) {
                merged[count++] = placed.begin(moving[member]) + event % per;
                continue;
            }
            for (int end = Math.min(to, extraction().place(event) + 1); next < end; next++) {
                int other = placed.atPlace(next);
                if (!members.contains(placed.transaction(other))) {
                    merged[count++] = other;
                }
            }
        }
        return merged;
    }
}
