package org.polygraph.storage.testkit;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.polygraph.storage.table.HistoryTable;

/**
 * Histories of a simulated database, from a handful to tens of millions of operations.
 *
 * <p>It exists beside {@code storage.generate}, because tests need stores of weaker guarantees (PREFIX, READ_COMMITTED,
 * RANDOM), stale readers, and anomalies of sessions, which the command {@code generate} does not have.
 *
 * <pre>
 * HistoryTable history = HistoryGenerator.withSeed(7)
 *         .sessions(50).transactions(1_000_000).operations(8).keys(1_000_000)
 *         .zipf(0.9).isolation(Isolation.SNAPSHOT).inject(InjectedAnomaly.LONG_FORK, 1)
 *         .generate();
 * </pre>
 *
 * <p>All sessions run at the same time, each with one open transaction at most: it starts, takes effect at instants
 * inside its interval, ends, pauses, and the next one starts. So about {@code sessions} transactions overlap, and
 * neither the order of starts nor that of ends is the order of effects.
 *
 * <p>Seed: every choice comes from one {@link SplitMix} in a fixed order, so the same seed and settings give the same
 * history, in a table or a file, on every machine. Settings may be given in any order (injections in theirs).
 *
 * <p>Memory of the simulation: 16 bytes a key. {@link #generate} adds what the table builder needs (about 40 bytes an
 * operation at the peak). Speed: about 1 to 2 s a million transactions of 8
 * operations.
 */
public final class HistoryGenerator {
    /** The guarantees of the simulated database. */
    public enum Isolation {
        /** Each transaction takes effect at one random instant of its interval: SSER, and no conflicts. */
        SERIAL,
        /** Reads a snapshot, validates what it read at commit, else aborts: SSER, conflicts abort. */
        OPTIMISTIC,
        /** Reads a snapshot; the first committer of a key wins, the others abort: SSI, with write skew. */
        SNAPSHOT,
        /** Reads a snapshot; writes enter at commit, unchecked: CC, with lost updates. */
        PREFIX,
        /** Each read returns what is committed at its own instant; writes enter at commit, unchecked: RC. */
        READ_COMMITTED,
        /**
         * Reads return any value that is ever written to the key, or the initial one, so nothing is guaranteed. Only
         * for tiny histories, because each operation is an object.
         */
        RANDOM
    }

    static final int MAX_SESSIONS = 1 << 16;

    final long seed;
    int sessions = 4;
    int transactions = 100;
    int minOperations = 4;
    int maxOperations = 4;
    int keys = 16;
    double readShare = 0.5;
    double readModifyWriteShare;
    double zipfTheta;
    double hotKeyShare;
    double hotOperationShare;
    int lowestValue = 1;
    int distinctValues;
    double repeatingKeyShare;
    double abortedShare;
    double indeterminateShare;
    boolean timed;
    long clockSkew;
    Isolation isolation = Isolation.SERIAL;
    final List<InjectedAnomaly> injections = new ArrayList<>();

    int staleAge;
    boolean staleSnapshot;

    private HistoryGenerator(long seed) {
        this.seed = seed;
    }

    /**
     * Starts with 100 transactions of 4 operations in 4 sessions over 16 uniform keys, half of them reads, unique
     * values, all committed, no times, SERIAL.
     */
    public static HistoryGenerator withSeed(long seed) {
        return new HistoryGenerator(seed);
    }

    /** Sets how many sessions run at a time, 1 to 65,536; they are labelled from 0. */
    public HistoryGenerator sessions(int sessions) {
        this.sessions = inRange("sessions", sessions, 1, MAX_SESSIONS);
        return this;
    }

    /** Sets the number of transactions, including aborted ones and without those of injected anomalies. */
    public HistoryGenerator transactions(int transactions) {
        this.transactions = inRange("transactions", transactions, 0, Integer.MAX_VALUE);
        return this;
    }

    /** Operations of every transaction, at least 1. */
    public HistoryGenerator operations(int operations) {
        return operations(operations, operations);
    }

    /** Operations of a transaction, uniform in [min, max]. */
    public HistoryGenerator operations(int min, int max) {
        minOperations = inRange("operations", min, 1, max);
        maxOperations = inRange("operations", max, min, 1 << 20);
        return this;
    }

    /** Keys are 0 to keys - 1; injected anomalies add a few above. */
    public HistoryGenerator keys(int keys) {
        this.keys = inRange("keys", keys, 1, 1 << 29);
        return this;
    }

    /** Share of operations that read, apart from read-modify-writes. */
    public HistoryGenerator readShare(double share) {
        readShare = share("reads", share);
        return this;
    }

    /** Share of choices that read a key and then write it: two operations, where there is room for two. */
    public HistoryGenerator readModifyWriteShare(double share) {
        readModifyWriteShare = share("read-modify-writes", share);
        return this;
    }

    /** Key k with weight (k + 1)^-theta; theta 0 is uniform. */
    public HistoryGenerator zipf(double theta) {
        if (!(theta >= 0 && theta <= 10)) {
            throw new IllegalArgumentException("theta " + theta + "; expected 0 to 10");
        }
        zipfTheta = theta;
        hotOperationShare = 0;
        return this;
    }

    /** {@code operationShare} of the operations fall on the first {@code keyShare} of the keys. */
    public HistoryGenerator hotspot(double keyShare, double operationShare) {
        hotKeyShare = share("hot keys", keyShare);
        hotOperationShare = share("operations on hot keys", operationShare);
        zipfTheta = 0;
        return this;
    }

    /**
     * On this share of the keys, written values are drawn from {@code lowest .. lowest + distinct - 1} instead of being
     * unique. With lowest 0 the initial value is among them.
     */
    public HistoryGenerator repeatedValues(int lowest, int distinct, double keyShare) {
        lowestValue = inRange("the lowest value", lowest, 0, 1);
        distinctValues = inRange("distinct values", distinct, 1, 1 << 20);
        repeatingKeyShare = share("keys with repeated values", keyShare);
        return this;
    }

    /** Share of transactions that roll back on purpose; those that abort by conflicts are added. */
    public HistoryGenerator abortedShare(double share) {
        abortedShare = share("aborted transactions", share);
        return this;
    }

    /** Share of transactions whose client never learns the outcome: half of them take effect. */
    public HistoryGenerator indeterminateShare(double share) {
        indeterminateShare = share("indeterminate transactions", share);
        return this;
    }

    /** Adds start and end times to tables. */
    public HistoryGenerator withTimestamps() {
        timed = true;
        return this;
    }

    /**
     * Every session's clock is ahead of the true time by its own amount, uniform in [0, ns]: two clients' clocks differ
     * by at most ns. Times still ascend within each session, but the guarantees about real time are lost (a transaction
     * takes some 30,000 ns).
     */
    public HistoryGenerator clockSkew(long ns) {
        if (ns < 0 || ns > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("clock skew: " + ns + " ns; expected 0 to " + Integer.MAX_VALUE);
        }
        clockSkew = ns;
        return this;
    }

    /** Sets the guarantees of the simulated database, which hold for the true times. */
    public HistoryGenerator isolation(Isolation isolation) {
        this.isolation = isolation;
        return this;
    }

    /**
     * Hides an anomaly at random moments, the given number of times: additional transactions on fresh keys in ordinary
     * sessions, filled with reads of ordinary keys. Except for the anomaly the guarantees of the isolation stay true.
     */
    public HistoryGenerator inject(InjectedAnomaly anomaly, int times) {
        for (int i = 0; i < times; i++) {
            injections.add(anomaly);
        }
        return this;
    }

    /**
     * One transaction, late in the history, reads one key as it was {@code age} transactions earlier, counted as their
     * clients learnt the outcomes. The guarantees of the isolation are lost, but the history is often still valid.
     */
    public HistoryGenerator staleRead(int age) {
        staleAge = inRange("age of a stale read", age, 1, Integer.MAX_VALUE);
        staleSnapshot = false;
        return this;
    }

    /** As {@link #staleRead}, but for all keys that the transaction reads: its snapshot is too old. */
    public HistoryGenerator staleSnapshot(int age) {
        staleAge = inRange("age of a stale snapshot", age, 1, Integer.MAX_VALUE);
        staleSnapshot = true;
        return this;
    }

    /** The history as a table. */
    public HistoryTable generate() {
        TableSink sink = new TableSink("generated-" + seed, timed);
        generateTo(sink);
        return sink.table();
    }

    /**
     * Makes the history, transaction by transaction.
     *
     * @throws IllegalArgumentException if an injected anomaly has more players than there are sessions
     */
    public void generateTo(TransactionSink sink) {
        for (InjectedAnomaly anomaly : injections) {
            if (anomaly.players() > sessions) {
                throw new IllegalArgumentException(
                        anomaly + " needs " + anomaly.players() + " sessions; there are " + sessions);
            }
        }
        TransactionSink to = staleAge == 0 ? sink : new StaleSink(sink, keys, transactions, staleAge, staleSnapshot);
        if (isolation == Isolation.RANDOM) {
            MutableHistory history = new MutableHistory();
            new Simulation(this, history).run();
            history.scrambleReads(new SplitMix(SplitMix.seedOf(seed, 1)));
            history.replay(to);
        } else {
            new Simulation(this, to).run();
        }
    }

    KeyDistribution keyDistribution() {
        if (zipfTheta > 0) {
            return new KeyDistribution.Zipf(keys, zipfTheta);
        }
        if (hotOperationShare > 0) {
            int hot = (int) Math.max(1, Math.min(keys, Math.round(keys * hotKeyShare)));
            return new KeyDistribution.Hotspot(keys, hot, hotOperationShare);
        }
        return new KeyDistribution.Uniform(keys);
    }

    /** The counts of started transactions at which injections are due, ascending. */
    int[] injectionMoments(SplitMix random) {
        int[] moments = new int[injections.size()];
        for (int i = 0; i < moments.length; i++) {
            moments[i] = random.nextInt(Math.max(1, transactions));
        }
        Arrays.sort(moments);
        return moments;
    }

    private static int inRange(String what, int value, int min, int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(what + ": " + value + "; expected " + min + " to " + max);
        }
        return value;
    }

    private static double share(String what, double share) {
        if (!(share >= 0 && share <= 1)) {
            throw new IllegalArgumentException("share of " + what + ": " + share + "; expected 0 to 1");
        }
        return share;
    }
}
