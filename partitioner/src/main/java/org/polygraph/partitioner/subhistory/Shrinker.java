package org.polygraph.partitioner.subhistory;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.polygraph.storage.table.HistorySelection;
import org.polygraph.storage.table.HistoryTable;

/**
 * Shrinks a closed set of operations that violates, until nothing more can be removed: transactions and operations,
 * first many at once (delta debugging, Zeller and Hildebrandt 2002), then one by one until a whole round removes
 * nothing. A removed write takes the reads that require it with it, so every set that is judged is closed.
 * Deterministic.
 *
 * <p>An operation without which the set passes is essential, and so it is in every smaller set: removals that include
 * one are not tried. There is a rare exception, since a write that its own transaction overwrote can become the last
 * one. So for sets of a few operations, essential operations are forgotten in each round, and the last round has
 * tried every removal.
 *
 * <p>If nearly all of a large set is essential, as in refutations that take much search, the budget would end long
 * before the removal of each unit was tried, and a set that is a tenth smaller explains no more. Shrinking gives up
 * after a few such rounds. Work is what the judge counts, never time.
 */
final class Shrinker {
    /** Sets of at most this many operations are shrunk exhaustively. */
    private static final int SMALL = 64;
    /**
     * Up to this many transactions, four times as many reads, and this many writes for each transaction are removed one
     * by one from the start. Of more, halves are tried first.
     */
    private static final int FEW = 12;
    /** After this many consecutive rounds that removed hardly anything, there is no small set. */
    private static final int BARREN_ROUNDS = 3;
    /** A round removed hardly anything if that is less than an eighth of the operations. */
    private static final int LEAST_PART = 8;
    /** Shrinking ends if one more trial for each unit would take this many times the whole budget. */
    private static final double MOST_BUDGETS = 2;

    private final HistoryTable table;
    private final SubHistoryJudge judge;
    private final BooleanSupplier stop;
    private final int[] operations;
    /** By position: the positions of the operations that require it. */
    private final List<IntArrayList> dependents = new ArrayList<>();

    private final BitSet alive = new BitSet();
    private final BitSet essential = new BitSet();
    private int trials;

    /** @param operations a closed set that violates, ascending */
    Shrinker(ReadSources sources, int[] operations, SubHistoryJudge judge, BooleanSupplier stop) {
        this.table = sources.table();
        this.operations = operations;
        this.judge = judge;
        this.stop = stop;
        alive.set(0, operations.length);
        for (int i = 0; i < operations.length; i++) {
            dependents.add(new IntArrayList(0));
        }
        for (int i = 0; i < operations.length; i++) {
            IntArrayList required = sources.required(operations[i]);
            for (int j = 0; j < required.size(); j++) {
                dependents
                        .get(Arrays.binarySearch(operations, required.getInt(j)))
                        .add(i);
            }
        }
    }

    /** Shrinks. @return whether nothing more can be removed; false if it was stopped or gave up */
    boolean run() {
        List<int[]> transactions = transactions();
        List<int[]> reads = single(false);
        // Few reads that need many writers: removing writers first would always remove the reads too.
        if (transactions.size() > FEW && reads.size() * 4 <= transactions.size()) {
            oneByOne(reads);
        }
        if (!severalAtOnce(transactions, FEW)
                || !severalAtOnce(single(false), 4 * FEW)
                || !severalAtOnce(single(true), FEW * transactions().size())) {
            return false;
        }
        boolean changed = true;
        while (changed && !stop.getAsBoolean()) {
            if (alive.cardinality() <= SMALL) {
                essential.clear();
            }
            changed = oneByOne(single(false));
            changed |= oneByOne(transactions());
            // The first write is removed first: of several writes of a key the last one stays, whose value the
            // explanation names.
            List<int[]> writes = single(true);
            Collections.reverse(writes);
            changed |= oneByOne(writes);
        }
        return !changed && !stop.getAsBoolean();
    }

    /** Removes whole transactions. @return whether any was removed; false also if shrinking should end */
    boolean removesTransactions() {
        int before = alive.cardinality();
        return severalAtOnce(transactions(), FEW) && (oneByOne(transactions()) || alive.cardinality() < before);
    }

    /** The remaining operations, ascending. */
    int[] result() {
        return pick(alive);
    }

    private int[] pick(BitSet positions) {
        int[] picked = new int[positions.cardinality()];
        int n = 0;
        for (int i = positions.nextSetBit(0); i >= 0; i = positions.nextSetBit(i + 1)) {
            picked[n++] = operations[i];
        }
        return picked;
    }

    /** The remaining positions, by transaction. */
    private List<int[]> transactions() {
        List<int[]> units = new ArrayList<>();
        for (int i = alive.nextSetBit(0); i >= 0; ) {
            int end = table.operationsEnd(HistorySelection.transactionOf(table, operations[i]));
            IntArrayList unit = new IntArrayList();
            for (; i >= 0 && operations[i] < end; i = alive.nextSetBit(i + 1)) {
                unit.add(i);
            }
            units.add(unit.toIntArray());
        }
        return units;
    }

    private List<int[]> single(boolean writes) {
        List<int[]> units = new ArrayList<>();
        for (int i = alive.nextSetBit(0); i >= 0; i = alive.nextSetBit(i + 1)) {
            if (table.isWrite(operations[i]) == writes) {
                units.add(new int[] {i});
            }
        }
        return units;
    }

    /** Removes halves, quarters and so on of more than a few units. @return false if shrinking should end */
    private boolean severalAtOnce(List<int[]> units, int few) {
        int barren = 0;
        for (int size = units.size() > few ? units.size() / 2 : 0; size > 1; size /= 2) {
            int before = alive.cardinality();
            double spentBefore = judge.spent();
            int trialsBefore = trials;
            for (int from = 0; from < units.size() && !stop.getAsBoolean(); from += size) {
                BitSet removal = new BitSet();
                for (int[] unit : units.subList(from, Math.min(units.size(), from + size))) {
                    for (int i : unit) {
                        removal.set(i);
                    }
                }
                remove(removal);
            }
            int taken = before - alive.cardinality();
            barren = taken < before / LEAST_PART ? barren + 1 : 0;
            // Sets were larger in earlier rounds, and each trial took more.
            double each = (judge.spent() - spentBefore) / Math.max(1, trials - trialsBefore);
            if (barren >= BARREN_ROUNDS && takesTooLong(units, each)) {
                return false;
            }
        }
        return true;
    }

    /** @param each share of the budget that a trial takes now */
    private boolean takesTooLong(List<int[]> units, double each) {
        long left = units.stream().filter(this::isLeft).count();
        return judge.spent() + each * (alive.cardinality() + left) > MOST_BUDGETS;
    }

    private boolean isLeft(int[] unit) {
        return IntStream.of(unit).anyMatch(alive::get);
    }

    private boolean oneByOne(List<int[]> units) {
        boolean changed = false;
        for (int u = units.size() - 1; u >= 0 && !stop.getAsBoolean(); u--) {
            BitSet removal = new BitSet();
            for (int i : units.get(u)) {
                removal.set(i);
            }
            changed |= remove(removal);
        }
        return changed;
    }

    private boolean remove(BitSet unit) {
        BitSet removal = (BitSet) unit.clone();
        removal.and(alive);
        int own = removal.cardinality();
        if (own == 0) {
            return false;
        }
        for (int i = removal.nextSetBit(0); i >= 0; i = removal.nextSetBit(i + 1)) {
            IntArrayList along = dependents.get(i);
            for (int j = 0; j < along.size(); j++) {
                if (alive.get(along.getInt(j))) {
                    removal.set(along.getInt(j));
                }
            }
        }
        int size = removal.cardinality();
        boolean trusted = size > own || alive.cardinality() > SMALL;
        if (size == alive.cardinality() || (trusted && removal.intersects(essential))) {
            return false;
        }
        BitSet left = (BitSet) alive.clone();
        left.andNot(removal);
        trials++;
        if (judge.violates(HistorySelection.of(table, pick(left)).table())) {
            alive.andNot(removal);
            return true;
        }
        if (size == 1) {
            essential.or(removal);
        }
        return false;
    }
}
