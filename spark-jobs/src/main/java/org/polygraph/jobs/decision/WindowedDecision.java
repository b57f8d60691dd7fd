package org.polygraph.jobs.decision;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.jobs.verdict.WindowCounts;
import org.polygraph.partitioner.index.CommitStatus;
import org.polygraph.partitioner.index.FirstPass;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.index.TransactionScan;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.table.HistorySelection;
import org.polygraph.storage.table.HistoryTable;

/**
 * Decides SER, SI, SSER and SSI by windows: events get places, windows of neighbouring places are repaired at the same
 * time, and growing sets repair the operations that are violated after that. Windows never change a verdict: an order
 * is found only if no operation of the whole history is violated in it, and a violation only if a {@link MovingSet}
 * violates the level alone.
 */
public final class WindowedDecision {
    /**
     * The calls of the budget that a window may make, besides those for each of its transactions. A window that needs
     * more is left to growing sets.
     */
    private static final long LOOKS = 50_000;

    private static final long LOOKS_A_TRANSACTION = 20;

    /** Small sets are tried before windows if at most one operation in this many transactions is violated. */
    private static final int MANY = 100;

    /** Transactions of a small set, and the times that it may grow. */
    private static final int SMALL = 200;

    private static final int FEW_TIMES = 6;

    /**
     * One pass over all windows.
     *
     * @param factor of the size of a window
     * @param shifted whether by half a window
     */
    private record Pass(int factor, boolean shifted, Borders borders) {}

    /** Places of commits. */
    private record Window(int from, int to) {}

    private static final List<Pass> PASSES = List.of(
            new Pass(1, false, Borders.RELAXED),
            new Pass(1, true, Borders.FIRM),
            new Pass(1, false, Borders.FIRM),
            new Pass(4, false, Borders.FIRM),
            new Pass(4, true, Borders.FIRM));

    private final Check check;
    private final Tuning tuning;
    private final int window;
    private final @Nullable Intervals time;
    private long decided;
    private long grown;
    private long largest;

    /** @param window transactions of a window, at least 1 */
    WindowedDecision(Check check, Tuning tuning, int window) {
        this.check = check;
        this.tuning = tuning;
        this.window = window;
        CheckRequest request = check.request();
        this.time = request.level().realTime() ? Intervals.of(check.table(), request.clockSkewNanos()) : null;
    }

    /**
     * Decides the history.
     *
     * @param window transactions of a window, at least 1
     * @throws IllegalArgumentException if windows are {@link #unsupported}
     * @throws BudgetException if the budget ends
     */
    public static Finding of(Check check, Tuning tuning, int window) {
        String unsupported = unsupported(check.table(), check.request());
        int[] order = unsupported == null ? Places.of(check.table(), check.request()) : null;
        if (order == null) {
            throw new IllegalArgumentException(unsupported == null ? "no places" : unsupported);
        }
        return new WindowedDecision(check, tuning, window).find(order);
    }

    /** Why windows cannot decide a history; null if they can. */
    public static @Nullable String unsupported(HistoryTable table, CheckRequest request) {
        IsolationLevel level = request.level();
        if (level.isAxiom()) {
            return "windows do not support level " + level.label();
        }
        if (table.hasRows()) {
            return "windows do not support inserts and deletes";
        }
        return level.realTime() && Places.of(table, request) == null
                ? "windows do not support sessions whose times contradict their order"
                : null;
    }

    /**
     * Decides the history.
     *
     * @param order events in the order that is tried first, which extends session order, and real time if the level has
     *     it; overwritten
     */
    Finding find(int[] order) {
        HistoryTable table = check.table();
        PhaseClock phases = check.phases();
        phases.begin("index");
        IndexedHistory history = IndexedHistory.of(table, check.request().indexing(), check.budget()::exhausted);
        if (!history.violations().isEmpty()) {
            phases.begin("evidence");
            keepCounts();
            return new Finding.Refuted(history.violations());
        }
        check.uniqueValues(history.versions().hasUniqueValues());
        FirstPass pass = FirstPass.of(table, check.request().indexing(), TransactionScan.Reads.FIRST);
        CommitStatus status = history.commitStatus();
        PlacedHistory placed =
                new PlacedHistory(table, check.request().level().eventsPerTransaction(), pass.roles(), status, order);
        phases.end(table.operations());
        try {
            phases.begin("windows");
            Finding refuted = repairWindows(placed);
            phases.end(decided);
            if (refuted == null) {
                phases.begin("growth");
                refuted = grow(placed);
                phases.end(grown);
            }
            return refuted == null ? new Finding.Order(witness(placed, status), false) : refuted;
        } finally {
            keepCounts();
        }
    }

    private void keepCounts() {
        check.windows(new WindowCounts(window, decided, grown, largest, ""));
    }

    private Witness witness(PlacedHistory placed, CommitStatus status) {
        return check.witness(status, placed.counted(), placed.places());
    }

    /** Repairs the windows that contain violated operations. @return null unless a window violates the level alone */
    private @Nullable Finding repairWindows(PlacedHistory placed) {
        for (Pass pass : PASSES) {
            IntArrayList violated = placed.violated();
            if (violated.isEmpty()) {
                return null;
            }
            if (violated.size() <= placed.table().transactions() / MANY) {
                repairNear(placed, violated);
                violated = placed.violated();
            }
            List<Window> windows = windows(placed, violated, pass);
            while (!windows.isEmpty()) {
                Finding refuted = repair(takeApart(placed, windows), pass.borders);
                if (refuted != null) {
                    return refuted;
                }
            }
        }
        return null;
    }

    /** The windows that contain commits of transactions with violated operations, ascending by place. */
    private List<Window> windows(PlacedHistory placed, IntArrayList violated, Pass pass) {
        int[] places = new int[violated.size()];
        for (int i = 0; i < places.length; i++) {
            places[i] = placed.commitPlace(placed.transactionOf(violated.getInt(i)));
        }
        Arrays.sort(places);
        long size = (long) window * pass.factor * placed.eventsPerTransaction();
        long shift = pass.shifted ? size / 2 : 0;
        List<Window> windows = new ArrayList<>();
        long end = -1;
        for (int place : places) {
            if (place >= end) {
                long from = (place + size - shift) / size * size - size + shift;
                end = from + size;
                windows.add(new Window((int) Math.max(0, from), (int) Math.min(placed.events(), end)));
            }
        }
        return windows;
    }

    /**
     * Takes windows out of a list that have no place in common; snapshots may lie before the windows of their commits.
     */
    private static List<MovingSet> takeApart(PlacedHistory placed, List<Window> windows) {
        List<MovingSet> apart = new ArrayList<>();
        List<Window> rest = new ArrayList<>();
        int end = 0;
        for (Window each : windows) {
            if (MovingSet.firstSnapshot(placed, each.from, each.to) >= end) {
                apart.add(MovingSet.window(placed, each.from, each.to));
                end = each.to;
            } else {
                rest.add(each);
            }
        }
        windows.clear();
        windows.addAll(rest);
        return apart;
    }

    /**
     * Repairs windows that have no place in common, all from the present state. @return null unless one violates the
     * level alone
     */
    private @Nullable Finding repair(List<MovingSet> windows, Borders borders) {
        WindowProblem.@Nullable Answer[] answers = new WindowProblem.Answer[windows.size()];
        @Nullable Finding[] refuted = new Finding[windows.size()];
        check.budget().require();
        tuning.crew()
                .run(
                        answers.length,
                        () -> (i, stop) -> {
                            MovingSet moving = windows.get(i);
                            Budget budget =
                                    check.budget().ofLooks(LOOKS + LOOKS_A_TRANSACTION * moving.transactions().length);
                            WindowProblem.Answer answer = answer(moving, borders, budget);
                            if (answer != null && !answer.holds() && borders == Borders.RELAXED) {
                                answer = answer(moving, Borders.NONE, budget);
                            }
                            if (answer != null && answer.holds()) {
                                answers[i] = answer;
                            } else {
                                refuted[i] = refuteWindow(moving, budget);
                            }
                        },
                        check.budget()::exhausted);
        decided += answers.length;
        for (int i = 0; i < answers.length; i++) {
            WindowProblem.Answer answer = answers[i];
            if (refuted[i] != null) {
                return refuted[i];
            }
            if (answer != null) {
                windows.get(i).apply(answer);
            }
        }
        return null;
    }

    /** The answer to the problem of a window; null if the budget ended. */
    private WindowProblem.@Nullable Answer answer(MovingSet moving, Borders borders, Budget budget) {
        try {
            return moving.problem(borders, time).solve(budget);
        } catch (BudgetException e) {
            check.budget().require();
            return null;
        }
    }

    private @Nullable Finding refuteWindow(MovingSet moving, Budget budget) {
        try {
            return refute(moving, budget, tuning.withWorkers(1));
        } catch (BudgetException e) {
            check.budget().require();
            return null;
        }
    }

    /** Repairs violated operations by small sets around them, as far as these suffice. */
    private void repairNear(PlacedHistory placed, IntArrayList violated) {
        for (int operation : violated) {
            if (!placed.isViolated(operation)) {
                continue;
            }
            GrowingSet set = GrowingSet.around(placed, operation);
            for (int i = 0; i < FEW_TIMES && set.size() <= SMALL; i++) {
                MovingSet moving = set.moving();
                WindowProblem.Answer answer =
                        answer(moving, Borders.STRICT, check.budget().ofLooks(LOOKS));
                if (answer == null) {
                    break;
                }
                if (answer.holds()) {
                    moving.apply(answer);
                    break;
                }
                set.extend(moving.named(answer));
            }
        }
    }

    /**
     * Repairs what is violated after the windows, by sets that grow. @return null unless one violates the level alone
     */
    private @Nullable Finding grow(PlacedHistory placed) {
        for (IntArrayList left = placed.violated(); !left.isEmpty(); left = placed.violated()) {
            for (int operation : left) {
                if (placed.isViolated(operation)) {
                    grown++;
                    Finding refuted = grow(placed, operation);
                    if (refuted != null) {
                        return refuted;
                    }
                }
            }
        }
        return null;
    }

    /**
     * Repairs one violated operation. No other becomes violated, except for writes of transactions that have such a
     * write already.
     */
    private @Nullable Finding grow(PlacedHistory placed, int operation) {
        GrowingSet set = GrowingSet.around(placed, operation);
        // A set that is hardly larger than one that holds alone is not decided alone.
        int held = 0;
        while (true) {
            check.budget().require();
            MovingSet moving = set.moving();
            largest = Math.max(largest, set.size());
            WindowProblem.Answer answer = moving.problem(Borders.STRICT, time).solve(check.budget());
            if (answer.holds()) {
                moving.apply(answer);
                return null;
            }
            boolean isWhole = set.places() >= 2L * placed.events();
            if (set.size() > held + held / 2 || (isWhole && set.size() > held)) {
                Finding refuted = refute(moving, check.budget(), tuning);
                if (refuted != null) {
                    return refuted;
                }
                held = set.size();
            }
            set.extend(moving.named(answer));
        }
    }

    /** The refutation of U(M); null if U(M) holds. */
    private @Nullable Finding refute(MovingSet moving, Budget budget, Tuning with) {
        HistorySelection alone = moving.alone();
        Check sub = new Check(alone.table(), check.request().withoutReplay(), Progress.NONE, budget, Checkpoints.NONE);
        Finding found = Decision.of(sub, with);
        return found instanceof Finding.Refuted refuted ? new Finding.RefutedAlone(alone, refuted) : null;
    }
}
