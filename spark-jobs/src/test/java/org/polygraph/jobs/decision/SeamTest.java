package org.polygraph.jobs.decision;

import static org.assertj.core.api.Assertions.assertThat;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.ints.IntOpenHashSet;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.polygraph.jobs.application.EmbeddedChecker;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.jobs.certificate.replay.Replay;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.jobs.verdict.WindowCounts;
import org.polygraph.partitioner.index.FirstPass;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.index.TransactionScan;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.BruteForceChecker;
import org.polygraph.storage.testkit.HistoryDsl;
import org.polygraph.storage.testkit.HistoryGenerator;
import org.polygraph.storage.testkit.InjectedAnomaly;
import org.polygraph.storage.testkit.SplitMix;
import org.polygraph.storage.testkit.SuiteScale;
import org.polygraph.storage.testkit.TinyHistories;

/**
 * Windows and moving sets against brute force: unique and repeated values, unknown outcomes, true times, times of
 * clocks that differ, no times, and random places.
 */
class SeamTest {
    private static final long SEED = 0x5ea3;
    private static final long SKEW = 20_000;
    /** Every set and every window is tried up to so many events. */
    private static final int FEW = 5;

    private static final int DRAWN = 40;

    private long repaired;
    private long unrepaired;
    private long refuted;
    private long grown;

    /** Whatever the window and the first order, the verdict is that of brute force, and an order replays. */
    @ParameterizedTest
    @EnumSource(names = {"SER", "SI", "SSER", "SSI"})
    void windowsEndInTheVerdictOfBruteForce(IsolationLevel level) {
        TinyHistories stream = new TinyHistories(SEED);
        CheckRequest request = request(level, 0);
        int accepted = 0;
        int rejected = 0;
        for (int i = 0; i < SuiteScale.of(10_000); i++) {
            HistoryTable history = stream.at(i);
            BruteForceChecker.Verdict truth = judged(history, level);
            if (truth == BruteForceChecker.Verdict.INVALID || Places.of(history, request) == null) {
                continue;
            }
            boolean holds = truth == BruteForceChecker.Verdict.ACCEPTED;
            accepted += holds ? 1 : 0;
            rejected += holds ? 0 : 1;
            SplitMix random = new SplitMix(stream.seedOf(i));
            for (int window = 1; window <= history.transactions(); window++) {
                decide(history, request, window, first(history, request), holds, stream.seedOf(i));
                decide(history, request, window, randomOrder(history, request, random), holds, stream.seedOf(i));
            }
        }
        System.out.println(accepted + " histories accepted, " + rejected + " rejected, seed " + SEED + "; sets grew "
                + grown + " times");
        assertThat(accepted).isPositive();
        assertThat(rejected).isPositive();
        assertThat(grown).isPositive();
    }

    private static CheckRequest request(IsolationLevel level, long skew) {
        return new CheckRequest(level, TimeMode.HINT, skew, IndeterminateMode.MAYBE);
    }

    private static BruteForceChecker.Verdict judged(HistoryTable history, IsolationLevel level) {
        return BruteForceChecker.judge(history, BruteForceChecker.Level.valueOf(level.name()));
    }

    private static int[] first(HistoryTable history, CheckRequest request) {
        return Objects.requireNonNull(Places.of(history, request));
    }

    private void decide(HistoryTable history, CheckRequest request, int window, int[] order, boolean holds, long seed) {
        String what = request.level() + " window " + window + " order " + Arrays.toString(order) + " seed " + seed + " "
                + HistoryDsl.print(history);
        Check check = new Check(history, request, Progress.NONE, Budget.unlimited(), Checkpoints.NONE);
        WindowedDecision decision = new WindowedDecision(check, Tuning.DEFAULT.withWorkers(1), window);
        Finding found = decision.find(order);
        grown += Objects.requireNonNull(check.windows()).grown();
        if (found instanceof Finding.Order accepted) {
            assertThat(holds).as(what).isTrue();
            assertThat(Replay.of(accepted.witness()).discrepancy()).as(what).isNull();
        } else {
            assertThat(holds).as(what).isFalse();
            assertThat(found instanceof Finding.RefutedAlone || found instanceof Finding.Refuted)
                    .as(what)
                    .isTrue();
        }
    }

    /** Histories of many windows: the verdict is that of the whole-history way, and an order replays. */
    @ParameterizedTest
    @EnumSource(names = {"SER", "SI", "SSER", "SSI"})
    void manyWindows(IsolationLevel level) {
        int needed = 0;
        long largest = 0;
        for (int i = 0; i < SuiteScale.of(40); i++) {
            SplitMix random = new SplitMix(SplitMix.seedOf(SEED + 2, i));
            HistoryGenerator generator = HistoryGenerator.withSeed(random.nextLong())
                    .isolation(HistoryGenerator.Isolation.OPTIMISTIC)
                    .sessions(random.between(2, 30))
                    .transactions(1_000)
                    .operations(1, 6)
                    .keys(random.between(20, 500))
                    .zipf(random.chance(0.5) ? 0.9 : 0)
                    .indeterminateShare(random.chance(0.5) ? 0 : 0.02)
                    .clockSkew(random.chance(0.5) ? 0 : 20_000);
            if (random.chance(0.3)) {
                generator.repeatedValues(1, 20, 0.3);
            }
            if (random.chance(0.3)) {
                generator.inject(InjectedAnomaly.WRITE_SKEW, 1);
            }
            HistoryTable history = TinyHistories.of(generator, random.chance(0.2) ? random : null);
            CheckRequest request = request(level, random.chance(0.5) ? 0 : SKEW);
            if (WindowedDecision.unsupported(history, request) != null) {
                continue;
            }
            boolean holds = new EmbeddedChecker()
                            .check(history, request, Progress.NONE, Budget.unlimited())
                            .status()
                    == Verdict.Status.PASS;
            for (int window : new int[] {4, 50, 500, 5_000}) {
                Check check = new Check(history, request, Progress.NONE, Budget.unlimited(), Checkpoints.NONE);
                Finding found = WindowedDecision.of(check, Tuning.DEFAULT, window);
                WindowCounts counts = Objects.requireNonNull(check.windows());
                needed += counts.grown() > 0 ? 1 : 0;
                largest = Math.max(largest, counts.largest());
                assertThat(found instanceof Finding.Order)
                        .as("seed %s #%s window %s", SEED + 2, i, window)
                        .isEqualTo(holds);
                if (found instanceof Finding.Order accepted) {
                    assertThat(Replay.of(accepted.witness()).discrepancy())
                            .as("seed %s #%s window %s", SEED + 2, i, window)
                            .isNull();
                }
            }
        }
        System.out.println(needed + " decisions needed sets that grew, to " + largest + " at most, seed " + (SEED + 2));
    }

    /**
     * R(M) holds exactly if M has places between the borders at which nothing else changes; U(M) violates only what
     * violates.
     */
    @ParameterizedTest
    @EnumSource(names = {"SER", "SI", "SSER", "SSI"})
    void everySetBetweenEveryTwoPlaces(IsolationLevel level) {
        TinyHistories stream = new TinyHistories(SEED + 1);
        CheckRequest request = request(level, 0);
        for (int i = 0; i < SuiteScale.of(2_000); i++) {
            HistoryTable history = stream.at(i);
            BruteForceChecker.Verdict truth = judged(history, level);
            IndexedHistory indexed = IndexedHistory.of(history, request.indexing());
            if (truth == BruteForceChecker.Verdict.INVALID
                    || Places.of(history, request) == null
                    || !indexed.violations().isEmpty()) {
                continue;
            }
            boolean holds = truth == BruteForceChecker.Verdict.ACCEPTED;
            SplitMix random = new SplitMix(stream.seedOf(i));
            int n = history.transactions() * level.eventsPerTransaction();
            String what = level + " seed " + stream.seedOf(i) + " " + HistoryDsl.print(history);
            for (int drawn = 0; n > FEW && drawn < DRAWN; drawn++) {
                int from = random.nextInt(n);
                int to = random.between(from + 1, n);
                int chosen = random.nextInt(1 << history.transactions());
                judge(history, request, indexed, randomOrder(history, request, random), from, to, chosen, holds, what);
            }
            for (int from = 0; n <= FEW && from < n; from++) {
                for (int to = from + 1; to <= n; to++) {
                    int[] order = random.chance(0.5) ? first(history, request) : randomOrder(history, request, random);
                    for (int chosen = 1; chosen < 1 << history.transactions(); chosen++) {
                        judge(history, request, indexed, order.clone(), from, to, chosen, holds, what);
                    }
                }
            }
        }
        System.out.println(level + ": " + repaired + " sets repaired, " + unrepaired + " not, " + refuted
                + " refute alone, seed " + (SEED + 1));
        assertThat(repaired).isPositive();
        assertThat(unrepaired).isPositive();
        assertThat(refuted).isPositive();
    }

    private void judge(
            HistoryTable history,
            CheckRequest request,
            IndexedHistory indexed,
            int[] order,
            int from,
            int to,
            int chosen,
            boolean holds,
            String history1) {
        IsolationLevel level = request.level();
        String what = "M " + Integer.toBinaryString(chosen) + " of [" + from + ", " + to + ") in "
                + Arrays.toString(order) + " " + history1;
        byte[] roles = FirstPass.of(history, request.indexing(), TransactionScan.Reads.FIRST)
                .roles();
        PlacedHistory placed =
                new PlacedHistory(history, level.eventsPerTransaction(), roles, indexed.commitStatus(), order);
        IntArrayList members = new IntArrayList();
        for (int t = 0; t < history.transactions(); t++) {
            if ((chosen >> t & 1) != 0
                    && placed.isActive(t)
                    && placed.beginPlace(t) >= from
                    && placed.commitPlace(t) < to) {
                members.add(t);
            }
        }
        if (members.isEmpty()) {
            return;
        }
        MovingSet moving = new MovingSet(placed, members.toIntArray(), from, to);
        if (judged(moving.alone().table(), level) == BruteForceChecker.Verdict.REJECTED) {
            refuted++;
            assertThat(holds).as("U of %s", what).isFalse();
        }
        Intervals time = level.realTime() ? Intervals.of(history, 0) : null;
        boolean exists = new Enumeration(placed, time, members, from, to).exists();
        WindowProblem.Answer answer = solved(moving.problem(Borders.STRICT, time));
        assertThat(answer.holds()).as("R of %s", what).isEqualTo(exists);
        if (!answer.holds()) {
            unrepaired++;
            return;
        }
        repaired++;
        IntOpenHashSet before = new IntOpenHashSet(placed.violated());
        IntOpenHashSet overlapping = new IntOpenHashSet();
        for (int t = 0; t < history.transactions(); t++) {
            if (placed.hasViolatedWrite(t)) {
                overlapping.add(t);
            }
        }
        moving.apply(answer);
        for (int operation : placed.violated()) {
            int t = placed.transactionOf(operation);
            assertThat(members.contains(t)).as(what).isFalse();
            assertThat(before.contains(operation) || (history.isWrite(operation) && overlapping.contains(t)))
                    .as(what)
                    .isTrue();
        }
        if (placed.violated().isEmpty()) {
            assertThat(holds).as(what).isTrue();
            Witness witness = new Witness(history, request.terms().orElseThrow(), placed.counted(), placed.places());
            assertThat(Replay.of(witness).discrepancy()).as(what).isNull();
        }
    }

    /** Solves a problem after it went through the bytes in which another process gets it. */
    private static WindowProblem.Answer solved(WindowProblem problem) {
        try {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
                out.writeObject(problem);
            }
            try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
                return ((WindowProblem) in.readObject()).solve(Budget.unlimited());
            }
        } catch (IOException | ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A random order of events that extends session order, and real time if the level has it. */
    private static int[] randomOrder(HistoryTable history, CheckRequest request, SplitMix random) {
        int per = request.level().eventsPerTransaction();
        Intervals time = request.level().realTime() ? Intervals.of(history, request.clockSkewNanos()) : null;
        int[] next = Arrays.copyOf(history.sessionStarts(), history.sessions());
        boolean[] begun = new boolean[history.transactions()];
        boolean[] ended = new boolean[history.transactions()];
        int[] order = new int[per * history.transactions()];
        for (int i = 0; i < order.length; ) {
            int session = random.nextInt(next.length);
            int t = next[session];
            if (t == history.transactionsEnd(session)) {
                continue;
            }
            if (begun[t] || (per == 1 && mayBegin(history, time, t, ended))) {
                order[i++] = t * per + per - 1;
                ended[t] = true;
                next[session]++;
            } else if (per == 2 && mayBegin(history, time, t, ended)) {
                order[i++] = 2 * t;
                begun[t] = true;
            }
        }
        return order;
    }

    private static boolean mayBegin(HistoryTable history, @Nullable Intervals time, int t, boolean[] ended) {
        for (int u = 0; time != null && u < ended.length; u++) {
            if (!ended[u] && history.status(t) != TransactionStatus.ABORTED && time.end(u) < time.bound(t)) {
                return false;
            }
        }
        return true;
    }

    /** Tries all orders of the events between two places, with all choices of open outcomes in M. */
    private static final class Enumeration {
        private final PlacedHistory placed;
        private final HistoryTable table;
        private final @Nullable Intervals time;
        private final IntArrayList members;
        private final int from;
        private final int to;
        private final IntOpenHashSet violated;
        private final IntOpenHashSet overlapping = new IntOpenHashSet();
        private final boolean[] used;
        private final boolean[] counted;

        Enumeration(PlacedHistory placed, @Nullable Intervals time, IntArrayList members, int from, int to) {
            this.placed = placed;
            this.time = time;
            this.table = placed.table();
            this.members = members;
            this.from = from;
            this.to = to;
            this.violated = new IntOpenHashSet(placed.violated());
            this.used = new boolean[placed.events()];
            this.counted = placed.counted().clone();
            for (int t = 0; t < counted.length; t++) {
                if (placed.hasViolatedWrite(t)) {
                    overlapping.add(t);
                }
            }
        }

        boolean exists() {
            IntArrayList open = new IntArrayList();
            for (int t = 0; t < counted.length; t++) {
                if (placed.isOptional(t) && members.contains(t)) {
                    open.add(t);
                }
            }
            for (int choice = 0; choice < 1 << open.size(); choice++) {
                for (int i = 0; i < open.size(); i++) {
                    counted[open.getInt(i)] = (choice >> i & 1) != 0;
                }
                State state = new State(table, placed.events());
                boolean explained = true;
                for (int place = 0; place < from && explained; place++) {
                    explained = runs(placed.atPlace(place), state);
                }
                if (explained && exists(from, state)) {
                    return true;
                }
            }
            return false;
        }

        private boolean exists(int place, State state) {
            if (place == to) {
                State end = new State(state);
                for (int i = to; i < placed.events(); i++) {
                    if (!runs(placed.atPlace(i), end)) {
                        return false;
                    }
                }
                return true;
            }
            for (int i = from; i < to; i++) {
                int event = placed.atPlace(i);
                if (!used[event] && isNext(event)) {
                    State next = new State(state);
                    used[event] = true;
                    boolean found = runs(event, next) && exists(place + 1, next);
                    used[event] = false;
                    if (found) {
                        return true;
                    }
                }
            }
            return false;
        }

        /** Whether nothing between the borders that must precede an event is left. */
        private boolean isNext(int event) {
            for (int i = from; i < to; i++) {
                int other = placed.atPlace(i);
                if (!used[other] && other != event && precedes(other, event)) {
                    return false;
                }
            }
            return true;
        }

        private boolean precedes(int first, int second) {
            int u = placed.transaction(first);
            int v = placed.transaction(second);
            if (u == v) {
                return first < second;
            }
            if (!members.contains(u) && !members.contains(v)) {
                return placed.place(first) < placed.place(second);
            }
            boolean ordered = placed.isActive(u)
                    && placed.isActive(v)
                    && ((u < v && table.sessionOf(u) == table.sessionOf(v))
                            || (time != null && time.end(u) < time.bound(v)));
            return ordered && first == placed.commit(u) && second == placed.begin(v);
        }

        /** Runs an event; whether it reads what it has to, and no writer overlaps it that must not. */
        private boolean runs(int event, State state) {
            int t = placed.transaction(event);
            state.time++;
            if (!counted[t]) {
                return true;
            }
            boolean moves = members.contains(t);
            if (event == placed.begin(t)) {
                state.begins[t] = state.time;
                for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                    if (placed.isVisible(o)
                            && !table.isWrite(o)
                            && state.values[table.key(o)] != table.value(o)
                            && (moves || !violated.contains(o))) {
                        return false;
                    }
                }
            }
            for (int o = table.firstOperation(t); event == placed.commit(t) && o < table.operationsEnd(t); o++) {
                if (placed.isVisible(o) && table.isWrite(o)) {
                    boolean overlaps = state.commits[table.key(o)] > state.begins[t];
                    if (overlaps && (moves || !overlapping.contains(t))) {
                        return false;
                    }
                    state.values[table.key(o)] = table.value(o);
                    state.commits[table.key(o)] = state.time;
                }
            }
            return true;
        }
    }

    /** By key its value and the time of the last commit that wrote it; by transaction the time of its snapshot. */
    private static final class State {
        final long[] values;
        final int[] commits;
        final int[] begins;
        int time;

        State(HistoryTable table, int events) {
            values = table.initialValues();
            commits = new int[values.length];
            begins = new int[events];
        }

        State(State other) {
            values = other.values.clone();
            commits = other.commits.clone();
            begins = other.begins.clone();
            time = other.time;
        }
    }
}
