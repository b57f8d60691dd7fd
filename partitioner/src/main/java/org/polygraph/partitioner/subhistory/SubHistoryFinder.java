package org.polygraph.partitioner.subhistory;

import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.evidence.CycleEvidence;
import org.polygraph.partitioner.evidence.Explanation;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.isolation.Dependency;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.SubHistory;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.table.HistorySelection;
import org.polygraph.storage.table.HistoryTable;

/**
 * Finds a small sub-history that shows a violation, and explains the violation again from that sub-history alone, so
 * that it names nothing outside.
 */
public final class SubHistoryFinder {
    /** Larger histories are not shrunk as a whole if the operations that the violation names do not suffice. */
    private static final int MOST_OPERATIONS = 200_000;
    /** A larger sub-history that is not known to be minimal helps no one. */
    private static final int MOST_UNSHRUNK = 20_000;
    /** Writes of a row, which a sub-history has all or not at all: with more, none is small. */
    private static final int MOST_OF_ROW = 500;

    private final HistoryTable whole;
    private final IsolationLevel level;
    private final IndexedHistory.Indeterminate indeterminate;
    private final long clockSkewNanos;
    private final SubHistoryJudge judge;
    private final BooleanSupplier stop;
    private final ReadSources sources;

    /**
     * For the violations of one history.
     *
     * @param clockSkewNanos used if real-time order is part of the level
     * @param judge decides sub-histories at the same level, with the same meaning of unknown outcomes
     * @param stop true ends the search
     */
    public SubHistoryFinder(
            HistoryTable whole,
            IsolationLevel level,
            IndexedHistory.Indeterminate indeterminate,
            long clockSkewNanos,
            SubHistoryJudge judge,
            BooleanSupplier stop) {
        this.whole = whole;
        this.level = level;
        this.indeterminate = indeterminate;
        this.clockSkewNanos = clockSkewNanos;
        this.judge = judge;
        this.stop = stop;
        this.sources = new ReadSources(whole, indeterminate);
    }

    /**
     * The violation as a minimal sub-history shows it; unchanged if none was found within the budget.
     *
     * @param more edges that the violation rests on besides its own
     */
    public Violation shrunk(Violation violation, List<Dependency> more) {
        int[] start = sources.requiresMore(MOST_OF_ROW) ? null : start(violation, more);
        if (start == null) {
            return violation;
        }
        Shrinker shrinker = new Shrinker(sources, start, judge, stop);
        boolean minimal = shrinker.run();
        int[] operations = shrinker.result();
        if (!minimal && operations.length > MOST_UNSHRUNK) {
            return violation;
        }
        HistorySelection part = HistorySelection.of(whole, operations);
        SubHistory shown = new SubHistory(part.transactions(), operations, minimal, SubHistory.Judge.CHECKER);
        Violation again = Explanation.of(
                part.table(),
                level,
                indeterminate,
                clockSkewNanos,
                t -> CycleEvidence.isReadOnly(whole, part.transactions()[t]),
                stop);
        return new Renumbering(part).of(again).shownBy(shown);
    }

    /** A closed set of operations that violates, or null. */
    private int @Nullable [] start(Violation violation, List<Dependency> more) {
        StartingOperations start = new StartingOperations(sources, violation, more);
        int[] part = start.closed();
        if (violates(part)) {
            return part;
        }
        if (start.addOutcomes()) {
            part = start.closed();
            if (violates(part)) {
                return part;
            }
        }
        start.addWholeTransactions();
        start.addOutcomes();
        part = start.closed();
        if (part.length < whole.operations() && violates(part)) {
            return part;
        }
        if (whole.operations() > MOST_OPERATIONS) {
            return null;
        }
        start.addAll();
        part = start.closed();
        // Times of transactions without operations may contradict a session, and no set of operations shows that.
        boolean hasAll = !level.realTime() || stop.getAsBoolean() || violates(part);
        return hasAll ? part : null;
    }

    private boolean violates(int[] part) {
        return part.length > 0
                && !stop.getAsBoolean()
                && judge.violates(HistorySelection.of(whole, part).table());
    }
}
