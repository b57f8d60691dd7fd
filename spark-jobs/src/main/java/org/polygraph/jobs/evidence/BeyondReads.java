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
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.partitioner.subhistory.Renumbering;
import org.polygraph.storage.format.HistorySize;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.table.HistorySelection;
import org.polygraph.storage.table.HistoryTable;

/**
 * What else is wrong with a history that single reads refute: the same check of the history without those reads. Leaving
 * reads out only takes constraints away, and every possible writer of the reads that stay is kept, so what is violated then is
 * violated by the whole too ({@link org.polygraph.jobs.certificate.judge.SubHistoryProof}).
 *
 * <p>Costs at most the check of a history without violations, once more for each time that leaving reads out brings others to
 * light (inconsistent transactions, then reads without a writer, then what they had committed), and 20 s in all.
 */
public final class BeyondReads {
    private static final Set<Anomaly> SINGLE = EnumSet.of(
            Anomaly.NON_REPEATABLE_READ,
            Anomaly.NOT_MY_LAST_WRITE,
            Anomaly.NOT_MY_OWN_WRITE,
            Anomaly.FUTURE_READ,
            Anomaly.INTERMEDIATE_READ,
            Anomaly.ABORTED_READ,
            Anomaly.THIN_AIR_READ);

    /** So many are not all that there are: the index tells no more. */
    private static final int TOO_MANY = 100;

    /** The verdict stands already: no more than this is spent on telling more, whatever the rest of the history costs. */
    private static final long MOST_NANOS = 20_000_000_000L;

    private final HistoryTable table;
    private final CheckRequest request;
    private final Budget whole;
    private final Rest rest;

    /** Checks what is left of a history. */
    @FunctionalInterface
    public interface Rest {
        /** Violations with their sub-histories; none if the budget ends. */
        List<Violation> violations(HistoryTable rest, CheckRequest request, Budget budget);
    }

    /** @param whole of which this takes a part */
    BeyondReads(HistoryTable table, CheckRequest request, Budget whole, Rest rest) {
        this.rest = rest;
        this.table = table;
        this.request = request;
        this.whole = whole;
    }

    /**
     * Further violations.
     *
     * @param violations of the whole
     * @return in the whole's numbers, with their sub-histories; none if there are none, these are no single reads, or the
     *     budget ended: time, or memory for a second check beside what the first one holds
     */
    List<Violation> of(List<Violation> violations) {
        if (violations.size() >= TOO_MANY || !violations.stream().allMatch(BeyondReads::isSingle)) {
            return List.of();
        }
        long each = Estimate.of(Estimate.Engine.EMBEDDED, HistorySize.of(table), request.level())
                .leastBytes();
        Budget budget = whole.part(MOST_NANOS, each);
        if (!budget.fits(0, each)) {
            return List.of();
        }
        try {
            return of(violations, budget);
        } catch (BudgetException | OutOfMemoryError e) {
            // An estimate is one. The verdict stands without these.
            return List.of();
        }
    }

    private List<Violation> of(List<Violation> violations, Budget budget) {
        HistorySelection part = HistorySelection.of(table, without(violations));
        if (Counts.of(part.table()).transactionsCommitted() == 0 || budget.exhausted()) {
            return List.of();
        }
        Renumbering renumbering = new Renumbering(part);
        return rest.violations(part.table(), request, budget).stream()
                .map(renumbering::of)
                .toList();
    }

    private static boolean isSingle(Violation violation) {
        return SINGLE.contains(violation.anomaly()) && violation.cycle().isEmpty();
    }

    /** All operations but the reads of these keys by these transactions, and of others where these contradict themselves. */
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
                if (table.isWrite(o) || !refuted.contains((long) t << 32 | table.key(o))) {
                    kept.add(o);
                }
            }
        }
        return kept.toIntArray();
    }

    /**
     * Adds the keys of which a transaction read something else than it had written or, unless each read is judged by itself, read.
     * The index tells the first such read only: one at a time, the next ones would take a check each.
     */
    private void addContradicted(int transaction, LongSet refuted) {
        Int2LongOpenHashMap seen = new Int2LongOpenHashMap();
        for (int o = table.firstOperation(transaction); o < table.operationsEnd(transaction); o++) {
            int key = table.key(o);
            long value = table.value(o);
            if (table.isWrite(o)) {
                seen.put(key, value);
            } else if (!seen.containsKey(key)) {
                if (request.level() != IsolationLevel.RC) {
                    seen.put(key, value);
                }
            } else if (seen.get(key) != value) {
                refuted.add((long) transaction << 32 | key);
            }
        }
    }
}
