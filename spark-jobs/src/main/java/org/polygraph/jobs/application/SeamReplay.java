package org.polygraph.jobs.application;

import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Claim;
import org.polygraph.jobs.certificate.format.Guarantee;
import org.polygraph.jobs.certificate.format.RankFile;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.storage.analysis.Loaders;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.format.InitialState;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

/** Checks the seam of a run against the order of its certificate. It uses no code that finds cuts or exchanges. */
public final class SeamReplay {
    private final Seam seam;
    private final Witness witness;
    /** The history, in which those that the order leaves out count as aborted. */
    private final HistoryTable table;
    /** The committed transactions that the order leaves out. */
    private final BitSet open;
    /** The transactions that the seam leaves to later parts. */
    private final BitSet tail = new BitSet();
    /** The transactions of the tail whose snapshot is before the cut. */
    private final BitSet begun = new BitSet();
    /** By transaction of the tail: its number in the history. */
    private int[] sameAs = new int[0];

    private SeamReplay(Seam seam, Witness witness, BitSet open) {
        this.seam = seam;
        this.witness = witness;
        this.open = open;
        table = witness.table();
    }

    /** Whether a run has a seam. */
    public static boolean isNeeded(Location run) throws IOException {
        return Seam.file(run, Seam.FILE).exists();
    }

    /**
     * Checks the seam of a run whose order was replayed.
     *
     * @param claim of the run
     * @param table the history that the order is about, as {@link Chain#read} returns it
     * @return the result of the check if it has a seam
     */
    public static Optional<Result> of(
            Location run, Claim claim, HistoryTable table, BooleanSupplier stop, long memoryBytes)
            throws IOException, HistoryException {
        Seam seam = Seam.of(run, stop);
        if (seam == null) {
            return Optional.empty();
        }
        long skew = claim.terms().map(Terms::clockSkewNanos).orElse(0L);
        HistoryTable judged =
                Loaders.of(table, claim.loaders(), claim.usesTimes(), skew).applied();
        RankFile.Content order = RankFile.read(run, judged, stop);
        BitSet open = new BitSet();
        IntStream.range(0, judged.transactions())
                .filter(t -> !order.counted()[t] && judged.status(t) == TransactionStatus.COMMITTED)
                .forEach(open::set);
        // The rest is replayed without them.
        HistoryTable rest = judged.withStatus(open.stream().toArray(), TransactionStatus.ABORTED);
        SeamReplay replay = new SeamReplay(seam, order.witness(rest), open);
        String problem = replay.problem(Chain.of(run), stop, memoryBytes);
        return Optional.of(new Result(
                problem == null ? "" : "the seam does not follow from the order: " + problem,
                "seam         state and tail of " + seam.transactions() + " transactions follow from the order"));
    }

    /**
     * A result.
     *
     * @param problem one sentence; empty if there is no problem
     * @param checked what was checked
     */
    public record Result(String problem, String checked) {}

    private @Nullable String problem(Chain chain, BooleanSupplier stop, long memoryBytes)
            throws IOException, HistoryException {
        if (seam.covered() != chain.parts().size() || !seam.cut().terms().equals(witness.terms())) {
            return "the seam is of other parts, or of another level";
        }
        HistoryTable kept = seam.files().tail().read(stop, memoryBytes);
        String problem = tail(kept);
        if (problem == null) {
            problem = cut(chain.seam());
        }
        if (problem == null) {
            problem = ends(chain.seam());
        }
        if (problem != null) {
            return problem;
        }
        InitialState earlier = chain.initial(stop, memoryBytes);
        Map<String, String> state = earlier == null ? new HashMap<>() : labels(earlier);
        Seam before = chain.seam();
        ExchangeReplay exchanges = new ExchangeReplay(witness, exchanges(before, stop, memoryBytes));
        exchanges.apply(state);
        Map<String, String> written = written(witness);
        state.putAll(written);
        if (!labels(seam.files().state().read(stop, memoryBytes)).equals(state)) {
            return "the state is not that at the cut of the order";
        }
        problem = operations(kept, state);
        return problem != null
                ? problem
                : exchanges.problem(
                        exchanges(seam, stop, memoryBytes),
                        before == null ? 0 : before.cut().places(),
                        seam.cut().places(),
                        written,
                        this::written);
    }

    private static @Nullable HistoryTable exchanges(@Nullable Seam of, BooleanSupplier stop, long memoryBytes)
            throws IOException, HistoryException {
        return of == null || !of.files().exchanges().isStored()
                ? null
                : of.files().exchanges().read(stop, memoryBytes);
    }

    /** Checks that each transaction of the tail is one of the history. */
    private @Nullable String tail(HistoryTable kept) {
        sameAs = new int[kept.transactions()];
        for (int t = 0; t < kept.transactions(); t++) {
            int same = table.transaction(kept.sessionLabel(kept.sessionOf(t)), kept.index(t));
            boolean isSame = same >= 0
                    && kept.status(t) == (open.get(same) ? TransactionStatus.COMMITTED : table.status(same))
                    && time(kept.starts(), t) == time(table.starts(), same)
                    && time(kept.ends(), t) == time(table.ends(), same);
            if (!isSame) {
                return kept.whereIs(t) + " is not a transaction of the history";
            }
            tail.set(same);
            sameAs[t] = same;
        }
        for (int t = open.nextSetBit(0); t >= 0; t = open.nextSetBit(t + 1)) {
            if (!tail.get(t)) {
                return table.whereIs(t) + " is neither in the order nor in the tail";
            }
        }
        return tail.cardinality() == seam.transactions()
                ? null
                : "the number of transactions of the tail is not the stated one";
    }

    /**
     * Checks that the transactions of the tail have their operations. Those whose snapshot is before the cut have only
     * writes, and reads of the values that they overwrite.
     */
    private @Nullable String operations(HistoryTable kept, Map<String, String> state) {
        for (int t = 0; t < kept.transactions(); t++) {
            List<String> expected = new ArrayList<>();
            Set<String> overwritten = new HashSet<>();
            for (int o = table.firstOperation(sameAs[t]); o < table.operationsEnd(sameAs[t]); o++) {
                boolean isBegun = begun.get(sameAs[t]);
                if (isBegun && table.isWrite(o) && overwritten.add(key(table, o))) {
                    String initial = table.values().label(table.initialValue(table.key(o)));
                    expected.add("r " + key(table, o) + " " + state.getOrDefault(key(table, o), initial));
                }
                if (!isBegun || table.isWrite(o)) {
                    expected.add(operation(table, o));
                }
            }
            List<String> found = new ArrayList<>();
            for (int o = kept.firstOperation(t); o < kept.operationsEnd(t); o++) {
                found.add(operation(kept, o));
            }
            if (!found.equals(expected)) {
                return kept.whereIs(t) + " has other operations than in the history";
            }
        }
        return null;
    }

    private static String operation(HistoryTable table, int o) {
        return (table.isWrite(o) ? "w " : "r ") + key(table, o) + " "
                + table.values().label(table.value(o));
    }

    private static String key(HistoryTable table, int operation) {
        return table.keys().label(table.key(operation));
    }

    private static long time(long @Nullable [] times, int t) {
        return times == null ? HistoryTable.NO_TIME : times[t];
    }

    /**
     * Checks that the commits of transactions outside the tail precede those of the others, and that no other event
     * precedes them.
     */
    private @Nullable String cut(@Nullable Seam earlier) {
        if (witness.terms().guarantee() == Guarantee.LIN) {
            return cuts(earlier);
        }
        int events = witness.terms().guarantee().events();
        int[] places = IntStream.range(0, witness.position().length)
                .filter(e -> witness.counted()[e / events])
                .map(e -> witness.position()[e])
                .sorted()
                .toArray();
        long before = seam.cut().places() - (earlier == null ? 0 : earlier.cut().places());
        if (before < 0 || before > places.length) {
            return "the number of places before the cut is not one of the order";
        }
        int cut = before == places.length ? Integer.MAX_VALUE : places[(int) before];
        for (int s = 0; s < table.sessions(); s++) {
            boolean isFollowed = false;
            for (int t = table.transactionsEnd(s) - 1; t >= table.firstTransaction(s); t--) {
                boolean isCounted = witness.counted()[t];
                if (isCounted && tail.get(t) == witness.position()[(t + 1) * events - 1] < cut) {
                    return "the tail is not the end of the order";
                }
                begun.set(t, isCounted && tail.get(t) && witness.position()[t * events] < cut);
                isFollowed |= isCounted && witness.position()[t * events] < cut;
                boolean isOver = witness.terms().guarantee().realTime()
                        && witness.terms()
                                .precedes(time(table.ends(), t), seam.cut().latestStart());
                boolean isLeftOut = open.get(t) || table.status(t) == TransactionStatus.INDETERMINATE;
                if (tail.get(t) && !isCounted && (!isLeftOut || isFollowed || isOver)) {
                    return table.whereIs(t) + " is in the tail, but precedes transactions that are not";
                }
            }
        }
        return null;
    }

    /** Checks that of each key the operations outside the tail precede those in it. */
    private @Nullable String cuts(@Nullable Seam earlier) {
        Map<Integer, Integer> lastBefore = new HashMap<>();
        long places = earlier == null ? 0 : earlier.cut().places();
        for (int t = 0; t < table.transactions(); t++) {
            if (witness.counted()[t] && !tail.get(t)) {
                places++;
                if (table.firstOperation(t) < table.operationsEnd(t)) {
                    lastBefore.merge(table.key(table.firstOperation(t)), witness.position()[t], Math::max);
                }
            }
        }
        for (int t = tail.nextSetBit(0); t >= 0; t = tail.nextSetBit(t + 1)) {
            boolean isUnknown = !witness.counted()[t] && table.status(t) == TransactionStatus.INDETERMINATE;
            boolean isAfter = witness.counted()[t]
                    && witness.position()[t] > lastBefore.getOrDefault(table.key(table.firstOperation(t)), -1);
            if (!isUnknown && !isAfter) {
                return table.whereIs(t) + " is in the tail, but precedes operations that are not";
            }
        }
        return seam.cut().places() == places ? null : "the number of places before the cut is not that of the order";
    }

    /** Checks the last index of each session, and the latest start. */
    private @Nullable String ends(@Nullable Seam earlier) {
        Map<Long, Long> last = new HashMap<>();
        long latestStart = HistoryTable.NO_TIME;
        if (earlier != null) {
            last.putAll(earlier.sessions());
            latestStart = earlier.cut().latestStart();
        }
        for (int t = 0; t < table.transactions(); t++) {
            last.merge(table.sessionLabel(table.sessionOf(t)), table.index(t), Math::max);
            if (witness.counted()[t] && (!tail.get(t) || begun.get(t))) {
                latestStart = Math.max(latestStart, time(table.starts(), t));
            }
        }
        if (!last.equals(seam.sessions())) {
            return "the last transactions stated of sessions are not those of the history";
        }
        return latestStart > seam.cut().latestStart()
                ? "a transaction before the cut starts after the latest start stated"
                : null;
    }

    /** Returns for each key that transactions before the cut write its last value in an order. */
    private Map<String, String> written(Witness order) {
        Map<String, String> written = new HashMap<>();
        int events = order.terms().guarantee().events();
        int[] before = IntStream.range(0, table.transactions())
                .filter(t -> order.counted()[t] && !tail.get(t))
                .boxed()
                .sorted(Comparator.comparing(t -> order.position()[(t + 1) * events - 1]))
                .mapToInt(Integer::intValue)
                .toArray();
        for (int t : before) {
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                if (table.isWrite(o)) {
                    written.put(key(table, o), table.values().label(table.value(o)));
                }
            }
        }
        return written;
    }

    private static Map<String, String> labels(InitialState state) {
        Map<String, String> labels = new HashMap<>();
        state.known().stream()
                .forEach(key ->
                        labels.put(state.keys().label(key), state.values().label(state.code(key))));
        return labels;
    }
}
