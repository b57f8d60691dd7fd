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
import org.junit.jupiter.api.Test;
import org.polygraph.jobs.application.EmbeddedChecker;
import org.polygraph.jobs.certificate.format.Witness;
import org.polygraph.jobs.certificate.replay.Replay;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.jobs.verdict.WindowCounts;
import org.polygraph.partitioner.index.FirstPass;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.index.TransactionScan;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.BruteForceChecker;
import org.polygraph.storage.testkit.HistoryDsl;
import org.polygraph.storage.testkit.HistoryGenerator;
import org.polygraph.storage.testkit.InjectedAnomaly;
import org.polygraph.storage.testkit.SplitMix;
import org.polygraph.storage.testkit.SuiteScale;
import org.polygraph.storage.testkit.TinyHistories;

/**
 * Windows and moving sets against brute force, at SER: unique and repeated values, unknown outcomes, true times, times
 * of clocks that differ, no times, and random places.
 */
class SeamTest {
    private static final long SEED = 0x5ea3;
    private static final CheckRequest REQUEST = CheckRequest.of(IsolationLevel.SER);
    /** Every set and every window is tried up to so many transactions. */
    private static final int FEW = 5;

    private static final int DRAWN = 40;

    private long repaired;
    private long unrepaired;
    private long refuted;
    private long grown;

    /** Whatever the window and the first order, the verdict is that of brute force, and an order replays. */
    @Test
    void windowsEndInTheVerdictOfBruteForce() {
        TinyHistories stream = new TinyHistories(SEED);
        int accepted = 0;
        int rejected = 0;
        for (int i = 0; i < SuiteScale.of(10_000); i++) {
            HistoryTable history = stream.at(i);
            BruteForceChecker.Verdict truth = BruteForceChecker.judge(history, BruteForceChecker.Level.SER);
            if (truth == BruteForceChecker.Verdict.INVALID) {
                continue;
            }
            boolean holds = truth == BruteForceChecker.Verdict.ACCEPTED;
            accepted += holds ? 1 : 0;
            rejected += holds ? 0 : 1;
            SplitMix random = new SplitMix(stream.seedOf(i));
            for (int window = 1; window <= history.transactions(); window++) {
                decide(history, window, Places.of(history), holds, stream.seedOf(i));
                decide(history, window, randomOrder(history, random), holds, stream.seedOf(i));
            }
        }
        System.out.println(accepted + " histories accepted, " + rejected + " rejected, seed " + SEED + "; sets grew "
                + grown + " times");
        assertThat(accepted).isPositive();
        assertThat(rejected).isPositive();
        assertThat(grown).isPositive();
    }

    private void decide(HistoryTable history, int window, int[] order, boolean holds, long seed) {
        String what = "window " + window + " order " + Arrays.toString(order) + " seed " + seed + " "
                + HistoryDsl.print(history);
        Check check = new Check(history, REQUEST, Progress.NONE, Budget.unlimited(), Checkpoints.NONE);
        WindowedDecision decision = new WindowedDecision(check, Tuning.DEFAULT, window);
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
    @Test
    void manyWindows() {
        int needed = 0;
        long largest = 0;
        for (int i = 0; i < SuiteScale.of(60); i++) {
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
            boolean holds = new EmbeddedChecker()
                            .check(history, REQUEST, Progress.NONE, Budget.unlimited())
                            .status()
                    == Verdict.Status.PASS;
            for (int window : new int[] {4, 50, 500, 5_000}) {
                Check check = new Check(history, REQUEST, Progress.NONE, Budget.unlimited(), Checkpoints.NONE);
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
    @Test
    void everySetBetweenEveryTwoPlaces() {
        TinyHistories stream = new TinyHistories(SEED + 1);
        for (int i = 0; i < SuiteScale.of(2_000); i++) {
            HistoryTable history = stream.at(i);
            BruteForceChecker.Verdict truth = BruteForceChecker.judge(history, BruteForceChecker.Level.SER);
            IndexedHistory indexed = IndexedHistory.of(history, REQUEST.indexing());
            if (truth == BruteForceChecker.Verdict.INVALID
                    || !indexed.violations().isEmpty()) {
                continue;
            }
            boolean holds = truth == BruteForceChecker.Verdict.ACCEPTED;
            SplitMix random = new SplitMix(stream.seedOf(i));
            int n = history.transactions();
            String what = "seed " + stream.seedOf(i) + " " + HistoryDsl.print(history);
            for (int drawn = 0; n > FEW && drawn < DRAWN; drawn++) {
                int from = random.nextInt(n);
                int to = random.between(from + 1, n);
                judge(
                        history,
                        indexed,
                        randomOrder(history, random),
                        from,
                        to,
                        random.nextInt(1 << (to - from)),
                        holds,
                        what);
            }
            for (int from = 0; n <= FEW && from < n; from++) {
                for (int to = from + 1; to <= n; to++) {
                    int[] order = random.chance(0.5) ? Places.of(history) : randomOrder(history, random);
                    for (int chosen = 1; chosen < 1 << (to - from); chosen++) {
                        judge(history, indexed, order.clone(), from, to, chosen, holds, what);
                    }
                }
            }
        }
        System.out.println(
                repaired + " sets repaired, " + unrepaired + " not, " + refuted + " refute alone, seed " + (SEED + 1));
        assertThat(repaired).isPositive();
        assertThat(unrepaired).isPositive();
        assertThat(refuted).isPositive();
    }

    private void judge(
            HistoryTable history,
            IndexedHistory indexed,
            int[] order,
            int from,
            int to,
            int chosen,
            boolean holds,
            String history1) {
        String what = "M " + Integer.toBinaryString(chosen) + " of [" + from + ", " + to + ") in "
                + Arrays.toString(order) + " " + history1;
        byte[] roles = FirstPass.of(history, REQUEST.indexing(), TransactionScan.Reads.FIRST)
                .roles();
        PlacedHistory placed = new PlacedHistory(history, roles, indexed.commitStatus(), order);
        IntArrayList members = new IntArrayList();
        for (int place = from; place < to; place++) {
            if ((chosen >> (place - from) & 1) != 0 && placed.isActive(placed.atPlace(place))) {
                members.add(placed.atPlace(place));
            }
        }
        if (members.isEmpty()) {
            return;
        }
        members.sort(null);
        MovingSet moving = new MovingSet(placed, members.toIntArray(), from, to);
        if (BruteForceChecker.judge(moving.alone().table(), BruteForceChecker.Level.SER)
                == BruteForceChecker.Verdict.REJECTED) {
            refuted++;
            assertThat(holds).as("U of %s", what).isFalse();
        }
        Enumeration enumeration = new Enumeration(placed, members, from, to);
        boolean exists = enumeration.exists();
        WindowProblem.Answer answer = solved(moving.problem(true));
        assertThat(answer.holds()).as("R of %s", what).isEqualTo(exists);
        if (!answer.holds()) {
            unrepaired++;
            return;
        }
        repaired++;
        IntOpenHashSet before = new IntOpenHashSet(placed.violatedReads());
        moving.apply(answer);
        for (int read : placed.violatedReads()) {
            assertThat(members.contains(placed.transactionOf(read))).as(what).isFalse();
            assertThat(before.contains(read)).as(what).isTrue();
        }
        if (placed.violatedReads().isEmpty()) {
            assertThat(holds).as(what).isTrue();
            boolean[] counted = new boolean[history.transactions()];
            for (int t = 0; t < counted.length; t++) {
                counted[t] = placed.isCounted(t);
            }
            Witness witness = new Witness(history, REQUEST.terms().orElseThrow(), counted, placed.places());
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

    /** A random order that extends session order. */
    private static int[] randomOrder(HistoryTable history, SplitMix random) {
        int[] next = Arrays.copyOf(history.sessionStarts(), history.sessions());
        int[] order = new int[history.transactions()];
        for (int i = 0; i < order.length; i++) {
            int session = random.nextInt(next.length);
            while (next[session] == history.transactionsEnd(session)) {
                session = (session + 1) % next.length;
            }
            order[i] = next[session]++;
        }
        return order;
    }

    /** Tries all orders of the transactions between two places, with all choices of open outcomes in M. */
    private static final class Enumeration {
        private final PlacedHistory placed;
        private final HistoryTable table;
        private final IntArrayList members;
        private final int from;
        private final int to;
        private final IntOpenHashSet violated;
        private final int[] order;
        private final boolean[] used;
        private final boolean[] counted;

        Enumeration(PlacedHistory placed, IntArrayList members, int from, int to) {
            this.placed = placed;
            this.table = placed.table();
            this.members = members;
            this.from = from;
            this.to = to;
            this.violated = new IntOpenHashSet(placed.violatedReads());
            this.order = placed.order().clone();
            this.used = new boolean[order.length];
            this.counted = new boolean[order.length];
        }

        boolean exists() {
            IntArrayList open = new IntArrayList();
            for (int t = 0; t < counted.length; t++) {
                counted[t] = placed.isCounted(t);
                if (placed.isOptional(t) && members.contains(t)) {
                    open.add(t);
                }
            }
            for (int choice = 0; choice < 1 << open.size(); choice++) {
                for (int i = 0; i < open.size(); i++) {
                    counted[open.getInt(i)] = (choice >> i & 1) != 0;
                }
                if (exists(from)) {
                    return true;
                }
            }
            return false;
        }

        private boolean exists(int place) {
            if (place == to) {
                return explains();
            }
            for (int i = from; i < to; i++) {
                int t = placed.atPlace(i);
                if (!used[t] && isNext(t)) {
                    used[t] = true;
                    order[place] = t;
                    boolean found = exists(place + 1);
                    used[t] = false;
                    if (found) {
                        return true;
                    }
                }
            }
            return false;
        }

        /**
         * Whether nothing that must precede a transaction is left: of its session, and of the frozen ones if it is
         * frozen.
         */
        private boolean isNext(int transaction) {
            for (int i = from; i < to; i++) {
                int other = placed.atPlace(i);
                if (used[other] || other == transaction) {
                    continue;
                }
                boolean before = placed.isActive(other)
                        && placed.isActive(transaction)
                        && other < transaction
                        && table.sessionOf(other) == table.sessionOf(transaction);
                boolean frozen = !members.contains(other)
                        && !members.contains(transaction)
                        && placed.place(other) < placed.place(transaction);
                if (before || frozen) {
                    return false;
                }
            }
            return true;
        }

        /** Runs the transactions one after the other. */
        private boolean explains() {
            long[] values = new long[table.keys().size()];
            Arrays.fill(values, table.initialValue());
            for (int t : order) {
                if (!counted[t]) {
                    continue;
                }
                for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                    if (placed.isVisible(o)
                            && !table.isWrite(o)
                            && values[table.key(o)] != table.value(o)
                            && (members.contains(t) || !violated.contains(o))) {
                        return false;
                    }
                }
                for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                    if (placed.isVisible(o) && table.isWrite(o)) {
                        values[table.key(o)] = table.value(o);
                    }
                }
            }
            return true;
        }
    }
}
