package org.polygraph.partitioner.subhistory;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.polygraph.storage.table.HistorySelection;
import org.polygraph.storage.table.HistoryTable;

/**
 * Shrinks a closed part that violates until nothing can be taken away: transactions and operations, in chunks first
 * (delta debugging, Zeller and Hildebrandt 2002), then one by one until a whole turn brings nothing. What is taken away
 * takes along the reads that require it, so every part that is judged is closed. Deterministic.
 *
 * <p>An operation without which the part passes is essential, and stays so in every smaller part; what would take it along
 * is not tried. (Nearly always: a write that its own transaction overwrote can become the last in a part. So in parts of a
 * few operations that is forgotten in each turn, and the last turn has tried everything anew.)
 *
 * <p>Where nearly all of a large part is essential, as in refutations that take much search, the work allowed would
 * be done long before each unit had been left out once. That shows after a few chunks, and nobody is served by a part that is a tenth
 * smaller: so it ends there. Work is what the judge counts, never a clock.
 */
final class Shrinker {
    /** In so small parts nothing is left untried. */
    private static final int SMALL = 64;
    /** Fewer units are taken away one by one at once. */
    private static final int FEW = 12;
    /** So many turns of chunks in a row took next to nothing away: there is no small part. */
    private static final int BARREN_TURNS = 3;

    private static final int NEXT_TO_NOTHING = 8;
    /** The end is out of sight when it is so many times all the work away, one more trial for each unit. */
    private static final double OUT_OF_SIGHT = 2;

    private final HistoryTable table;
    private final SubHistoryJudge judge;
    private final BooleanSupplier stop;
    private final int[] operations;
    /** By position: the positions of those that require it. */
    private final List<IntArrayList> dependents = new ArrayList<>();

    private final BitSet alive = new BitSet();
    private final BitSet essential = new BitSet();
    private int trials;

    /** @param operations a closed part that violates, ascending */
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

    /** Shrinks. @return whether it ended because nothing can be taken away; false if it was stopped or gave up */
    boolean run() {
        List<int[]> transactions = transactions();
        List<int[]> reads = single(false);
        if (transactions.size() > FEW) {
            // Few reads that need many writers: taking writers away first would always take the reads along.
            if (reads.size() * 4 <= transactions.size()) {
                oneByOne(reads);
            }
            if (!chunks(transactions)) {
                return false;
            }
        }
        if (reads.size() > 4 * FEW && !chunks(reads)) {
            return false;
        }
        boolean changed = true;
        while (changed && !stop.getAsBoolean()) {
            if (alive.cardinality() <= SMALL) {
                essential.clear();
            }
            changed = oneByOne(single(false));
            changed |= oneByOne(transactions());
            changed |= oneByOne(single(true));
        }
        return !changed && !stop.getAsBoolean();
    }

    /** What is left: operations of the whole, ascending. */
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

    /** Positions that are left, by transaction. */
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

    /** @return false if the end is out of sight */
    private boolean chunks(List<int[]> units) {
        int barren = 0;
        for (int size = units.size() / 2; size > 1; size /= 2) {
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
            barren = taken < before / NEXT_TO_NOTHING ? barren + 1 : 0;
            // Parts were larger in earlier turns, and each trial took more.
            double each = (judge.spent() - spentBefore) / Math.max(1, trials - trialsBefore);
            if (barren >= BARREN_TURNS && isOutOfSight(units, each)) {
                return false;
            }
        }
        return true;
    }

    /** @param each share of the work that a trial takes now */
    private boolean isOutOfSight(List<int[]> units, double each) {
        long left = units.stream().filter(this::isLeft).count();
        return judge.spent() + each * (alive.cardinality() + left) > OUT_OF_SIGHT;
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
