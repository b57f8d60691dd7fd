package org.polygraph.partitioner.axiom;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.util.function.Predicate;
import org.polygraph.partitioner.index.CommitStatus;
import org.polygraph.partitioner.index.ReadsFrom;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistorySelection;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryTableBuilder;

/**
 * A search for a writer of each open read, and so for the indeterminate transactions that committed, under which a
 * level holds. Each step judges a history in which chosen reads have one writer and the others are left out. A history
 * that lacks some reads requires less. So if it violates the level, it does so with every further choice.
 *
 * <p>Exponential in the number of open reads, so it is meant for few of them.
 */
public final class WriterChoices {
    /** How a search ended. */
    public enum Result {
        HOLDS,
        FAILS,
        /** Too many choices. */
        GIVEN_UP
    }

    private static final int UNDECIDED = -4;

    private final HistoryTable table;
    private final CommitStatus commitStatus;
    private final int[] sources;
    private final boolean[] counted;
    private final int[] open;
    private final Predicate<HistoryTable> judge;
    private long steps;

    private WriterChoices(ReadsFrom reads, Predicate<HistoryTable> judge, long steps) {
        this.table = reads.table();
        this.commitStatus = reads.commitStatus();
        this.sources = reads.sources().clone();
        this.open = reads.open();
        this.judge = judge;
        this.steps = steps;
        counted = new boolean[table.transactions()];
        for (int t = 0; t < counted.length; t++) {
            counted[t] = commitStatus.isCounted(t);
        }
        for (int o : open) {
            sources[o] = UNDECIDED;
        }
    }

    /**
     * Searches for choices under which the level holds.
     *
     * @param reads of the level that {@code judge} judges, without violations
     * @param judge whether the level holds for a history without open reads
     * @param steps most judgements; gives up at once if more reads are open
     */
    public static Result search(ReadsFrom reads, Predicate<HistoryTable> judge, long steps) {
        if (reads.open().length > steps) {
            return Result.GIVEN_UP;
        }
        WriterChoices choices = new WriterChoices(reads, judge, steps);
        return choices.judge.test(choices.history()) ? choices.search() : Result.FAILS;
    }

    private Result search() {
        int operation = -1;
        int reader = -1;
        for (int o : open) {
            int t = HistorySelection.transactionOf(table, o);
            if (sources[o] == UNDECIDED && counted[t]) {
                operation = o;
                reader = t;
                break;
            }
        }
        if (operation < 0) {
            return Result.HOLDS;
        }
        int key = table.key(operation);
        long value = table.value(operation);
        IntArrayList candidates = new IntArrayList();
        if (value == table.initialValue(key)) {
            candidates.add(ReadsFrom.INITIAL);
        }
        for (int t = 0; t < table.transactions(); t++) {
            int write = t == reader || commitStatus.of(t) == CommitStatus.DROPPED ? -1 : table.lastWrite(t, key);
            if (write >= 0 && table.value(write) == value) {
                candidates.add(t);
            }
        }
        Result result = Result.FAILS;
        for (int i = 0; i < candidates.size() && result == Result.FAILS; i++) {
            int writer = candidates.getInt(i);
            boolean joins = writer >= 0 && !counted[writer];
            if (steps-- <= 0) {
                return Result.GIVEN_UP;
            }
            sources[operation] = writer;
            if (joins) {
                counted[writer] = true;
            }
            if (judge.test(history())) {
                result = search();
            }
            sources[operation] = UNDECIDED;
            if (joins) {
                counted[writer] = false;
            }
        }
        return result;
    }

    /**
     * The history with the reads chosen so far, in which every write has its own value; transactions keep their
     * numbers.
     */
    private HistoryTable history() {
        HistoryTableBuilder builder = new HistoryTableBuilder();
        builder.file("choices");
        builder.initialValue(builder.values().code(-1));
        for (int t = 0; t < table.transactions(); t++) {
            builder.begin(
                    table.sessionOf(t), t, counted[t] ? TransactionStatus.COMMITTED : TransactionStatus.ABORTED, t);
            for (int o = table.firstOperation(t); o < table.operationsEnd(t) && counted[t]; o++) {
                int key = builder.keys().id(table.key(o));
                if (table.isWrite(o)) {
                    builder.write(key, builder.values().code(o));
                } else if (sources[o] == ReadsFrom.INITIAL) {
                    builder.read(key, builder.initialValue());
                } else if (sources[o] >= 0) {
                    builder.read(key, builder.values().code(table.lastWrite(sources[o], table.key(o))));
                }
            }
            builder.end();
        }
        try {
            return builder.build().withListsOf(table);
        } catch (HistoryException e) {
            throw new IllegalStateException("the history of the choices is invalid", e);
        }
    }
}
