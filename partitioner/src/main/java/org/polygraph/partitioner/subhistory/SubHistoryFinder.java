package org.polygraph.partitioner.subhistory;

import it.unimi.dsi.fastutil.ints.IntOpenHashSet;
import it.unimi.dsi.fastutil.ints.IntRBTreeSet;
import it.unimi.dsi.fastutil.ints.IntSets;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.evidence.Explanation;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.partitioner.isolation.Dependency;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.SubHistory;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistorySelection;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.PredicateReads;

/**
 * Finds a small sub-history that shows a violation, and explains the violation again from this sub-history alone.
 */
public final class SubHistoryFinder {
    /** Larger histories are not shrunk as a whole if the operations that the violation names do not suffice. */
    private static final int MOST_OPERATIONS = 200_000;
    /** Larger sets are not shrunk, because the budget ends after a few attempts to halve them. */
    private static final int MOST_STARTING = 2 * MOST_OPERATIONS;
    /** A larger sub-history that is not known to be minimal is not shown. */
    private static final int MOST_UNSHRUNK = 20_000;
    /**
     * A sub-history has all writes of a row or none. If a row has more than this many, no sub-history with it is small.
     */
    private static final int MOST_OF_ROW = 100;

    private final HistoryTable whole;
    private final IsolationLevel level;
    private final IndexedHistory.Indeterminate indeterminate;
    private final long clockSkewNanos;
    private final SubHistoryJudge judge;
    private final BooleanSupplier stop;
    private final ReadSources sources;
    /**
     * The history with plain writes in place of inserts and deletes, which more orders explain; null if it would not
     * help.
     */
    private final @Nullable ReadSources plain;

    /**
     * For the violations of one history.
     *
     * @param clockSkewNanos used if real-time order is part of the level
     * @param judge decides sub-histories at the same level, with the same meaning of unknown outcomes
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
        boolean isSerial = !level.isAxiom() && level.eventsPerTransaction() == 1;
        this.sources = new ReadSources(whole, indeterminate, isSerial);
        // Under SI plain writers may not overlap, those of a row may.
        this.plain = whole.hasRows() && isSerial ? new ReadSources(whole.withoutRows(), indeterminate, true) : null;
    }

    /**
     * The violation as a minimal sub-history shows it; unchanged if none was found within the budget.
     *
     * @param more edges that the violation uses besides its own
     */
    public Violation shrunk(Violation violation, List<Dependency> more) {
        // One of unknown outcome needs a reader of what it wrote, as other violations do.
        if (violation.anomaly() == Anomaly.DUPLICATE_ROW
                && whole.status(violation.transactions().get(0)) == TransactionStatus.COMMITTED) {
            return repeatedRow(violation, plain == null ? sources : plain);
        }
        boolean hasManyWrites = sources.requiresMore(MOST_OF_ROW);
        ReadSources weaker = violation.anomaly().isOfRow() && !hasManyWrites ? null : plain;
        if (weaker != null) {
            Violation shown = shrunk(violation, more, weaker);
            if (shown.minimal() != null) {
                return shown;
            }
        }
        return hasManyWrites ? violation : shrunk(violation, more, sources);
    }

    /** Shows a repeated row by what it requires. Without it the other reads of its result may violate the level too. */
    private Violation repeatedRow(Violation violation, ReadSources of) {
        int repeated = of.table().firstRepeatedRow(violation.transactions().get(0));
        int[] operations = of.closed(IntSets.singleton(repeated));
        int[] transactions = HistorySelection.of(of.table(), operations).transactions();
        return violates(operations, of) ? violation.shownBy(shown(transactions, operations, true, of)) : violation;
    }

    /**
     * The same, where inserts and deletes keep their meaning.
     *
     * @param violation has no sub-history
     */
    public Violation shrunkWithRows(Violation violation) {
        return sources.requiresMore(MOST_OF_ROW) ? violation : shrunk(violation, List.of(), sources);
    }

    private Violation shrunk(Violation violation, List<Dependency> more, ReadSources of) {
        int[] start = start(violation, more, of);
        if (start == null) {
            return violation;
        }
        Violation found = shrunk(new Shrinker(of, start, judge, stop), of);
        return found == null ? violation : isSameThinAir(violation, found) ? violation.shownBy(found.minimal()) : found;
    }

    /** Explains what is left of a set of operations; null if that is too large. */
    private @Nullable Violation shrunk(Shrinker shrinker, ReadSources of) {
        boolean minimal = shrinker.run();
        int[] operations = withImplying(of.table(), shrinker.result());
        if (!minimal && operations.length > MOST_UNSHRUNK) {
            return null;
        }
        HistorySelection selection = HistorySelection.of(of.table(), operations);
        SubHistory shown = shown(selection.transactions(), operations, minimal, of);
        IntPredicate isOfCondition =
                key -> PredicateReads.isPair(of.table(), selection.keys()[key]);
        return new WholeHistoryIds(selection)
                .of(explained(selection.table(), isOfCondition))
                .shownBy(shown);
    }

    /**
     * Explains a sub-history. If plain writes in place of inserts and deletes keep the level, an insert or a delete finds the wrong state of
     * its row in every order of them. At SI plain writes have cycles to show, and inserts and deletes have none; so plain writes are taken if
     * they violate the level too and each key has one incarnation. Example: a lost update of an inserted row.
     */
    private Violation explained(HistoryTable sub, IntPredicate isOfCondition) {
        if (!sub.hasRows() || level.isAxiom()) {
            return Explanation.of(sub, level, indeterminate, clockSkewNanos, stop);
        }
        boolean violates = judge.violates(sub.withoutRows());
        // The judge has no answer after the end of the budget.
        boolean keeps = !violates && !stop.getAsBoolean();
        boolean isPlain = violates && level.eventsPerTransaction() == 2 && hasOneIncarnation(sub);
        Violation found = Explanation.of(isPlain ? sub.withoutRows() : sub, level, indeterminate, clockSkewNanos, stop);
        // A cycle in which one transaction missed what the other wrote, and overwrote it, says more.
        boolean isNamed = found.anomaly().isOfRow() || found.anomaly() == Anomaly.LOST_UPDATE;
        return keeps && !isNamed
                ? RowCause.named(found, sub, judge.violates(sub.withoutInserts()), isOfCondition)
                : found;
    }

    /** Whether no row is deleted or inserted twice. */
    private static boolean hasOneIncarnation(HistoryTable sub) {
        IntOpenHashSet inserted = new IntOpenHashSet();
        for (int o = 0; o < sub.operations(); o++) {
            if (sub.isDelete(o) || (sub.isInsert(o) && !inserted.add(sub.key(o)))) {
                return false;
            }
        }
        return true;
    }

    private static SubHistory shown(int[] transactions, int[] operations, boolean minimal, ReadSources of) {
        SubHistory shown = new SubHistory(transactions, operations, minimal, SubHistory.Judge.CHECKER);
        return of.table().hasRows() ? shown : shown.asWrites();
    }

    /** The history that consists of a sub-history, as its level judges it. */
    public static HistoryTable alone(HistoryTable whole, SubHistory sub) {
        HistoryTable alone = HistorySelection.of(whole, sub.operations()).table();
        return sub.ofWrites() ? alone.withoutRows() : alone;
    }

    /** All operations of the transactions of a sub-history, with those that they require, ascending. */
    public int[] around(SubHistory sub) {
        IntOpenHashSet operations = new IntOpenHashSet();
        for (int t : sub.transactions()) {
            for (int o = whole.firstOperation(t); o < whole.operationsEnd(t); o++) {
                operations.add(o);
            }
        }
        return sources.closed(operations);
    }

    /** A violation of a weaker level, whose sub-history is minimal only if nothing can be left out of it at the level of this finder. */
    public Violation ofWeakerLevel(Violation violation) {
        SubHistory sub = violation.minimal();
        if (sub == null || !sub.minimal()) {
            return violation;
        }
        int[] closed = sources.closed(new IntOpenHashSet(sub.operations()));
        Shrinker shrinker = new Shrinker(sources, closed, judge, stop);
        boolean isMinimal = shrinker.run() && shrinker.result().length == sub.operations().length;
        return isMinimal ? violation : violation.shownBy(sub.notMinimal());
    }

    /** A violation by fewer transactions of a sub-history; null if it needs all of them. */
    public @Nullable Violation withFewerTransactions(SubHistory sub) {
        ReadSources of = sub.ofWrites() && plain != null ? plain : sources;
        Shrinker shrinker = new Shrinker(of, of.closed(new IntOpenHashSet(sub.operations())), judge, stop);
        if (!shrinker.removesTransactions()) {
            return null;
        }
        return shrunk(shrinker, of);
    }

    /** The detail of such a read also states what others wrote, or undid, which is not in the sub-history. */
    private static boolean isSameThinAir(Violation one, Violation other) {
        return (one.anomaly() == Anomaly.THIN_AIR_READ || one.anomaly() == Anomaly.ABORTED_READ)
                && other.anomaly() == Anomaly.THIN_AIR_READ
                && one.transactions().equals(other.transactions())
                && one.keys().equals(other.keys());
    }

    /**
     * The same operations with the appends and reads of lists that implied operations belong to, and the appends that
     * these read, if the table has no recorded lists. Each element is appended once, so no read gets another possible
     * writer.
     */
    private static int[] withImplying(HistoryTable table, int[] operations) {
        if (table.listVersions() != null) {
            return operations;
        }
        IntRBTreeSet all = new IntRBTreeSet(operations);
        for (int o : operations) {
            int implying = table.implying(o);
            if (all.add(implying) && !table.isWrite(implying)) {
                addWrites(table, table.key(implying), table.value(implying), all);
            }
        }
        return all.toIntArray();
    }

    private static void addWrites(HistoryTable table, int key, long value, IntRBTreeSet to) {
        for (int o = 0; o < table.operations(); o++) {
            if (table.isWriteOf(o, key) && table.value(o) == value) {
                to.add(o);
            }
        }
    }

    /** A closed set of operations that violates, or null. */
    private int @Nullable [] start(Violation violation, List<Dependency> more, ReadSources of) {
        StartingOperations start = new StartingOperations(of, violation, more);
        int[] subHistory = start.closed();
        if (violates(subHistory, of)) {
            return subHistory;
        }
        if (start.addOutcomes()) {
            subHistory = start.closed();
            if (violates(subHistory, of)) {
                return subHistory;
            }
        }
        start.addWholeTransactions();
        start.addOutcomes();
        subHistory = start.closed();
        if (subHistory.length > MOST_STARTING) {
            return null;
        }
        if (subHistory.length < whole.operations() && violates(subHistory, of)) {
            return subHistory;
        }
        if (whole.operations() > MOST_OPERATIONS) {
            return null;
        }
        start.addAll();
        subHistory = start.closed();
        // Times of transactions without operations may contradict a session, and no set of operations shows that.
        boolean hasAll = of == sources && (!level.realTime() || stop.getAsBoolean());
        return hasAll || violates(subHistory, of) ? subHistory : null;
    }

    private boolean violates(int[] subHistory, ReadSources of) {
        return subHistory.length > 0
                && !stop.getAsBoolean()
                && judge.violates(HistorySelection.of(of.table(), subHistory).table());
    }
}
