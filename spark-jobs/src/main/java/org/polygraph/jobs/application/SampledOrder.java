package org.polygraph.jobs.application;

import it.unimi.dsi.fastutil.ints.IntArrays;
import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import it.unimi.dsi.fastutil.longs.LongSet;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.jobs.certificate.replay.Replay;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.Check;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Finding;
import org.polygraph.jobs.decision.RecordedPlaces;
import org.polygraph.jobs.evidence.Implications;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.PredicateReads;
import org.polygraph.storage.table.ReadSample;

/**
 * Looks for an order of a large history with predicates by a sample of its reads ({@link ReadSample}): an order of the
 * sample is replayed on the history, and what it does not explain is added, until it explains everything or the sample
 * has no order. The order has to respect real time or, without times, to be near the order in which transactions were
 * recorded, so a read has few candidates. This class only accepts.
 */
final class SampledOrder {
    private static final long MOST_NANOS = 30_000_000_000L;
    /** Without times: how many transactions of each session may be between a recorded place and the effect. */
    private static final int[] FAR = {2, 8};

    private final Check check;
    private final Checker checker;
    private final PredicateReads predicates;
    /** Pairs of a condition and a row of samples that had no order. */
    private final LongSet refuted = new LongOpenHashSet();

    SampledOrder(Check check, Checker checker, PredicateReads predicates) {
        this.check = check;
        this.checker = checker;
        this.predicates = predicates;
    }

    /** Returns the pairs that had no order in real time. They may have none at all. */
    LongSet refuted() {
        return refuted;
    }

    /** Returns an order that explains the history, replayed; null if none was found. */
    @Nullable
    Finding find() {
        HistoryTable table = check.table();
        CheckRequest request = check.request();
        if (predicates.areAllRead() || table.values().hasOthers() || table.transactions() == 0) {
            return null;
        }
        long[] starts = table.starts();
        long[] ends = table.ends();
        if (request.time() != TimeMode.NONE && starts != null && ends != null) {
            return find(starts, ends, request.clockSkewNanos());
        }
        long[] recorded = RecordedPlaces.of(table, false);
        if (recorded == null || request.level().realTime()) {
            return null;
        }
        long[] places = places(recorded);
        for (int far : FAR) {
            Finding found = find(places, places, 2L * far * table.sessions());
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    /**
     * By transaction: its rank by recorded place, which ascends in each session. A transaction without writes may have
     * read old values. So it is first placed evenly between the writers before and after it in its session, or before
     * the first or after the last of them, and then where its reads are explained ({@link ReaderPlaces}).
     */
    private long[] places(long[] recorded) {
        HistoryTable table = check.table();
        for (int session = 0; session < table.sessions(); session++) {
            int first = -1;
            int before = -1;
            for (int t = table.firstTransaction(session); t < table.transactionsEnd(session); t++) {
                if (!writes(t)) {
                    continue;
                }
                first = before < 0 ? t : first;
                for (int u = before + 1; before >= 0 && u < t; u++) {
                    recorded[u] = Math.max(recorded[u], even(recorded, before, t, u));
                }
                before = t;
            }
            for (int u = table.firstTransaction(session); first < before && u < table.transactionsEnd(session); u++) {
                if (u < first || u > before) {
                    recorded[u] = Math.max(recorded[u], even(recorded, first, before, u));
                }
            }
            for (int t = table.firstTransaction(session) + 1; t < table.transactionsEnd(session); t++) {
                recorded[t] = Math.max(recorded[t], recorded[t - 1]);
            }
        }
        long[] places = ranks(recorded);
        ReaderPlaces readers = new ReaderPlaces(table, places);
        for (int t = 0; t < places.length; t++) {
            if (!writes(t)) {
                readers.move(t);
            }
        }
        for (int session = 0; session < table.sessions(); session++) {
            for (int t = table.firstTransaction(session) + 1; t < table.transactionsEnd(session); t++) {
                places[t] = Math.max(places[t], places[t - 1]);
            }
        }
        return places;
    }

    /** By transaction: twice its rank. */
    private static long[] ranks(long[] recorded) {
        int[] order = new int[recorded.length];
        Arrays.setAll(order, t -> t);
        IntArrays.mergeSort(order, (a, b) -> Long.compare(recorded[a], recorded[b]));
        long[] ranks = new long[order.length];
        for (int i = 0; i < order.length; i++) {
            ranks[order[i]] = 2L * i;
        }
        return ranks;
    }

    /** The place of a transaction on the line through those of two others of its session. */
    private static long even(long[] recorded, int first, int second, int transaction) {
        double step = (double) (recorded[second] - recorded[first]) / (second - first);
        return recorded[first] + (long) (step * (transaction - first));
    }

    private boolean writes(int t) {
        HistoryTable table = check.table();
        for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
            if (table.isWrite(o)) {
                return table.status(t) == TransactionStatus.COMMITTED;
            }
        }
        return false;
    }

    private @Nullable Finding find(long[] starts, long[] ends, long skew) {
        List<IsolationLevel> levels = check.request().level().eventsPerTransaction() == 2
                ? List.of(IsolationLevel.SSER, IsolationLevel.SSI)
                : List.of(IsolationLevel.SSER);
        for (IsolationLevel level : levels) {
            ReadSample sample = predicates.sample(check.table(), starts, ends, skew);
            Budget budget = check.budget().atMost(MOST_NANOS);
            CheckRequest strict = new CheckRequest(
                    level, TimeMode.STRICT, skew, check.request().indeterminate(), false, 1);
            Finding found;
            try {
                found = find(sample, strict, budget);
            } catch (BudgetException e) {
                return null;
            }
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    private @Nullable Finding find(ReadSample sample, CheckRequest strict, Budget budget) {
        while (true) {
            Finding finding = checker.find(check.beside(sample.history(), strict, budget));
            if (!(finding instanceof Finding.Order order)) {
                if (finding instanceof Finding.Refuted) {
                    sample.pairs(refuted);
                }
                return null;
            }
            budget.require();
            Witness witness = order.witness();
            ReadSample.Replayed replayed = sample.extend(witness.counted(), witness.position());
            if (replayed == ReadSample.Replayed.RIGHT) {
                Witness same = witness.with(check.table());
                Witness shown = Implications.inTerms(same, check.request().terms());
                return Replay.of(shown).holds() ? new Finding.Order(shown, true) : null;
            }
            if (replayed == ReadSample.Replayed.HOPELESS) {
                return null;
            }
            budget.require();
        }
    }
}
