package org.polygraph.partitioner.axiom;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import org.polygraph.partitioner.index.CommitStatus;
import org.polygraph.partitioner.index.ReadsFrom;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryTableBuilder;

/**
 * The choices that a history with open reads leaves: whom each of them read from, and with that which optional
 * transactions committed. A search over them, read by read; each step asks about a history in which what has been chosen
 * is certain and what has not is left out. Leaving a read out only takes demands away, so a history that is rejected
 * rejects all that would follow.
 *
 * <p>Exponential in the number of open reads. For few of them.
 */
public final class WriterChoices {
    /** The judgement of a history without open reads. */
    @FunctionalInterface
    public interface Judge {
        /** Whether the level holds. */
        boolean holds(HistoryTable history);
    }

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
    private final Judge judge;
    private long steps;

    private WriterChoices(ReadsFrom reads, Judge judge, long steps) {
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
     * @param reads found for the level that {@code judge} judges, without violations
     * @param steps gives up after so many judgements; at once where more reads are open, each of which takes one
     */
    public static Result search(ReadsFrom reads, Judge judge, long steps) {
        if (reads.open().length > steps) {
            return Result.GIVEN_UP;
        }
        WriterChoices choices = new WriterChoices(reads, judge, steps);
        return choices.judge.holds(choices.history()) ? choices.search() : Result.FAILS;
    }

    private Result search() {
        int operation = -1;
        int reader = -1;
        for (int o : open) {
            int t = transaction(o);
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
        if (value == table.initialValue()) {
            candidates.add(ReadsFrom.INITIAL);
        }
        for (int t = 0; t < table.transactions(); t++) {
            if (t != reader && commitStatus.of(t) != CommitStatus.DROPPED && lastWrite(t, key) == value) {
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
            if (judge.holds(history())) {
                result = search();
            }
            sources[operation] = UNDECIDED;
            if (joins) {
                counted[writer] = false;
            }
        }
        return result;
    }

    private int transaction(int operation) {
        int t = 0;
        while (table.operationsEnd(t) <= operation) {
            t++;
        }
        return t;
    }

    /** The code of what the transaction leaves in the key; null's where it does not write it. */
    private long lastWrite(int transaction, int key) {
        for (int o = table.operationsEnd(transaction) - 1; o >= table.firstOperation(transaction); o--) {
            if (table.isWriteOf(o, key)) {
                return table.value(o);
            }
        }
        return NOTHING;
    }

    private static final long NOTHING = Long.MAX_VALUE;

    /** What has been decided, with a value of its own for every write; transactions keep their numbers. */
    private HistoryTable history() {
        HistoryTableBuilder builder = new HistoryTableBuilder(true);
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
                    builder.read(key, builder.values().code(written(sources[o], table.key(o))));
                }
            }
            builder.end();
        }
        try {
            return builder.build();
        } catch (HistoryException e) {
            throw new IllegalStateException("a history of choices is no history", e);
        }
    }

    private int written(int transaction, int key) {
        for (int o = table.operationsEnd(transaction) - 1; ; o--) {
            if (table.isWriteOf(o, key)) {
                return o;
            }
        }
    }
}
