package org.polygraph.jobs.evidence;

import it.unimi.dsi.fastutil.ints.Int2LongOpenHashMap;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import it.unimi.dsi.fastutil.longs.LongSet;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.estimate.Estimate;
import org.polygraph.jobs.verdict.Counts;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.partitioner.subhistory.WholeHistoryIds;
import org.polygraph.storage.format.HistorySize;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.table.HistorySelection;
import org.polygraph.storage.table.HistoryTable;

/**
 * Finds further violations of a history that single reads refute, by the same check of the history without those reads.
 * Without some reads there are fewer constraints, and every possible writer of the remaining reads is kept. So a
 * violation of the rest is one of the whole history ({@link org.polygraph.jobs.certificate.judge.SubHistoryProof}).
 *
 * <p>This takes at most 20 s of CPU time. The check of the rest may refute further single reads, which are then left
 * out too. Each such round takes about as long as the check of a history without violations.
 */
public final class BeyondReads {
    private static final Set<Anomaly> SINGLE = EnumSet.of(
            Anomaly.NON_REPEATABLE_READ,
            Anomaly.NOT_MY_LAST_WRITE,
            Anomaly.NOT_MY_OWN_WRITE,
            Anomaly.FUTURE_READ,
            Anomaly.INTERMEDIATE_READ,
            Anomaly.ABORTED_READ,
            Anomaly.THIN_AIR_READ,
            Anomaly.INCOMPATIBLE_ORDER,
            Anomaly.DUPLICATE_ELEMENT,
            Anomaly.LOST_UPDATE);

    /**
     * With this many refuted reads, no further violations are looked for, because too little of the history is left.
     */
    private static final int TOO_MANY = 100;

    /** The most CPU time that is spent on further violations. The verdict is known already. */
    private static final long MOST_NANOS = 20_000_000_000L;

    private final HistoryTable table;
    private final CheckRequest request;
    private final Budget whole;
    private final Rest rest;

    /** Checks the remaining history. */
    @FunctionalInterface
    public interface Rest {
        /** Returns violations, first those with sub-histories; those found so far if the budget ends. */
        List<Violation> violations(HistoryTable rest, CheckRequest request, Budget budget);
    }

    /** @param whole the budget of the check, of which this takes a share */
    BeyondReads(HistoryTable table, CheckRequest request, Budget whole, Rest rest) {
        this.rest = rest;
        this.table = table;
        this.request = request;
        this.whole = whole;
    }

    /**
     * Returns further violations.
     *
     * @param violations of the whole history
     * @return with ids of the whole history, first those with sub-histories; empty if there are none, if the given
     *     violations are not all single reads, or if there is no time or memory for a second check
     */
    List<Violation> of(List<Violation> violations) {
        if (violations.size() >= TOO_MANY || !violations.stream().allMatch(BeyondReads::isSingle)) {
            return List.of();
        }
        long each = Estimate.of(Estimate.Engine.EMBEDDED, HistorySize.of(table), request.level())
                .leastBytes();
        Budget budget = whole.atMost(MOST_NANOS, each);
        if (!budget.fits(0, each)) {
            return List.of();
        }
        try {
            return of(violations, budget);
        } catch (BudgetException | OutOfMemoryError e) {
            // The budget was estimated too large. The verdict does not need these violations.
            return List.of();
        }
    }

    private List<Violation> of(List<Violation> violations, Budget budget) {
        HistorySelection remaining = HistorySelection.of(table, without(violations));
        if (Counts.of(remaining.table()).transactionsCommitted() == 0 || budget.exhausted()) {
            return List.of();
        }
        WholeHistoryIds ids = new WholeHistoryIds(remaining);
        return ids.of(rest.violations(remaining.table(), request, budget));
    }

    private static boolean isSingle(Violation violation) {
        return SINGLE.contains(violation.anomaly())
                && violation.cycle().isEmpty()
                && violation.cases().isEmpty();
    }

    /** Returns all operations but the refuted reads and the reads of the same transactions that contradict others. */
    private int[] without(List<Violation> violations) {
        LongSet refuted = new LongOpenHashSet();
        for (Violation v : violations) {
            int transaction = v.transactions().get(0);
            refuted.add((long) transaction << 32 | v.keys().get(0));
            addContradicted(transaction, refuted);
        }
        IntArrayList kept = new IntArrayList(table.operations());
        for (int t = 0; t < table.transactions(); t++) {
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                if (table.isWrite(o) || !refuted.contains((long) t << 32 | table.key(table.implying(o)))) {
                    kept.add(o);
                }
            }
        }
        return kept.toIntArray();
    }

    /**
     * Adds the keys of which a transaction read another value than it had written or, except at RC and PL2, read
     * before. The index reports only the first such read; without this, each further one would take a check.
     */
    private void addContradicted(int transaction, LongSet refuted) {
        Int2LongOpenHashMap seen = new Int2LongOpenHashMap();
        for (int o = table.firstOperation(transaction); o < table.operationsEnd(transaction); o++) {
            int key = table.key(o);
            long value = table.value(o);
            if (table.isWrite(o)) {
                seen.put(key, value);
            } else if (!seen.containsKey(key)) {
                if (!request.level().readsAlone()) {
                    seen.put(key, value);
                }
            } else if (seen.get(key) != value) {
                refuted.add((long) transaction << 32 | table.key(table.implying(o)));
            }
        }
    }
}
