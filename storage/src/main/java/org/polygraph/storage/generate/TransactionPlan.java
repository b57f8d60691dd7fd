package org.polygraph.storage.generate;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTableBuilder;

/**
 * Computes what transaction i of a workload does, for any i in O(1) and in any order. Random numbers are SplitMix64's
 * (Steele, Lea, Flood 2014), at a place that i and the operation give. What reads return is computed by
 * {@link SimulatedStore}. Immutable.
 *
 * <p>Time: sessions take turns, so transaction i is number i / sessions of session i mod sessions. Its slot is [i T, (i
 * + sessions) T) with T = {@value #TICK_NANOS} ns. Within the slot are start &lt; snapshot &lt; commit &lt; end, all
 * random; the length is on average a quarter of the slot. So the slots of as many transactions as there are sessions
 * overlap; neither the order of starts nor that of ends is the order of effects; when the slot of i begins,
 * transactions up to i - sessions have ended.
 */
public final class TransactionPlan implements Serializable {
    private static final long serialVersionUID = 1L;

    /** The time between the slots of two transactions. */
    static final long TICK_NANOS = 10_000;

    /** More transactions than these do not overlap, unless there are more sessions. */
    private static final int TIE_BITS = 16;

    private static final long GOLDEN = 0x9E3779B97F4A7C15L;
    /** The number of random numbers of a transaction, without two more for each operation. */
    private static final int LANES = 8;

    private static final int OUTCOME = 0;
    private static final int LENGTH = 1;
    private static final int LENGTH_FACTOR = 2;
    private static final int START = 3;
    private static final int COMMIT = 4;
    private static final int SNAPSHOT = 5;
    private static final int EFFECT = 6;
    private static final int COUNT = 7;

    private final Workload workload;
    private final long key;
    private final long lanes;
    private final int operations;
    private final long slot;
    private final KeyChoice keyChoice;
    private final long[] plantedAt;
    /** The share of reads, as a threshold for 53 random bits. */
    private final double reads;

    TransactionPlan(Workload workload) {
        this.workload = workload;
        key = mix(workload.seed + GOLDEN);
        operations = workload.operations;
        lanes = LANES + 2L * operations;
        slot = workload.sessions * TICK_NANOS;
        keyChoice = workload.keyChoice();
        reads = workload.reads;
        plantedAt = new long[workload.planted.size()];
        for (int i = 0; i < plantedAt.length; i++) {
            plantedAt[i] = workload.planted.get(i).at();
        }
    }

    /** A bijection of the 64-bit numbers that looks random. */
    static long mix(long z) {
        long a = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        long b = (a ^ (a >>> 27)) * 0x94D049BB133111EBL;
        return b ^ (b >>> 31);
    }

    private long bits(long transaction, int lane) {
        return mix(key + GOLDEN * (transaction * lanes + lane));
    }

    private double fraction(long transaction, int lane) {
        return KeyChoice.fraction(bits(transaction, lane));
    }

    public Workload workload() {
        return workload;
    }

    public long transactions() {
        return workload.transactions;
    }

    public int sessions() {
        return workload.sessions;
    }

    /** Returns the most operations that a transaction has. */
    public int operations() {
        return operations;
    }

    /** Returns the number of operations of this transaction. */
    public int operations(long transaction) {
        int least = workload.leastOperations;
        return least == operations
                ? operations
                : Math.max(
                        scripted(transaction),
                        least + KeyChoice.below(operations - least + 1, bits(transaction, COUNT)));
    }

    /** Returns the number of transactions of the history, with the one that inserts all rows. */
    public long totalTransactions() {
        return workload.transactions + (workload.predicates > 0 ? 1 : 0);
    }

    /**
     * Returns the number of operations of all transactions, with the one that inserts all rows. If these have different
     * numbers, it visits each transaction.
     */
    public long totalOperations() {
        long sum = workload.predicates > 0 ? workload.keys : 0;
        if (workload.leastOperations == operations) {
            return sum + workload.transactions * operations;
        }
        for (long t = 0; t < workload.transactions; t++) {
            sum += operations(t);
        }
        return sum;
    }

    int session(long transaction) {
        return (int) (transaction % workload.sessions);
    }

    /** Returns the place of the transaction in its session, from 0. */
    public long index(long transaction) {
        return transaction / workload.sessions;
    }

    /** Returns the place of a transaction among all rows, which ascend by (session, index). */
    public long row(long transaction) {
        long each = workload.transactions / workload.sessions;
        long longer = workload.transactions % workload.sessions;
        long session = transaction % workload.sessions;
        return session * each + Math.min(session, longer) + transaction / workload.sessions;
    }

    /** Returns the transaction of a row: the inverse of {@link #row}. */
    long transactionOf(long row) {
        long each = workload.transactions / workload.sessions;
        long longer = workload.transactions % workload.sessions;
        long inLonger = longer * (each + 1);
        long session = row < inLonger ? row / (each + 1) : longer + (row - inLonger) / each;
        long index = row < inLonger ? row % (each + 1) : (row - inLonger) % each;
        return index * workload.sessions + session;
    }

    /** Returns the anomaly that the transaction takes part in, or -1. */
    private int planted(long transaction) {
        if (plantedAt.length == 0) {
            return -1;
        }
        int found = Arrays.binarySearch(plantedAt, transaction);
        int i = found < 0 ? -found - 2 : found;
        return i >= 0
                        && transaction - plantedAt[i]
                                < workload.planted.get(i).anomaly().players()
                ? i
                : -1;
    }

    private PlantedAnomaly.Player player(int planted, long transaction) {
        return workload.planted.get(planted).anomaly().player((int) (transaction - plantedAt[planted]));
    }

    /** Returns the number of first operations that come from a script, which also has what they read. */
    public int scripted(long transaction) {
        int planted = planted(transaction);
        return planted < 0 ? 0 : player(planted, transaction).steps().size();
    }

    /** Whether an operation is planned as a write. Under SI it may lose and become a read. */
    public boolean isWrite(long transaction, int operation) {
        int planted = planted(transaction);
        if (planted >= 0) {
            List<PlantedAnomaly.Step> steps = player(planted, transaction).steps();
            return operation < steps.size() && steps.get(operation).write();
        }
        return modifies(transaction, operation)
                ? operation % 2 == 1
                : KeyChoice.fraction(bits(transaction, LANES + 2 * operation)) >= reads;
    }

    /** Whether the operation is one of two that read a key and write it; operations are paired from the first on. */
    private boolean modifies(long transaction, int operation) {
        int first = operation & ~1;
        return workload.modifies > 0
                && first + 1 < operations(transaction)
                && KeyChoice.fraction(mix(~bits(transaction, LANES + 2 * first))) < workload.modifies;
    }

    /** The operation before which a transaction writes and reads what it then undoes; -1 if there is none. */
    int undoes(long transaction) {
        long chosen = mix(~bits(transaction, OUTCOME));
        return KeyChoice.fraction(chosen) < workload.savepoints
                ? KeyChoice.below(operations(transaction), mix(chosen))
                : -1;
    }

    /** Whether writes insert and delete rows. */
    boolean hasRows() {
        return workload.inserts + workload.deletes > 0;
    }

    /** Whether a write that is not scripted is to insert a row. */
    boolean inserts(long transaction, int operation) {
        return rowFraction(transaction, operation) < workload.inserts;
    }

    /** Whether a write that is not scripted is to delete a row. */
    boolean deletes(long transaction, int operation) {
        return rowFraction(transaction, operation) >= 1 - workload.deletes;
    }

    /** Whether an operation is by a condition, see {@link PredicateStore}. */
    boolean selects(long transaction, int operation) {
        return workload.predicates > 0
                && KeyChoice.fraction(mix(key ^ ~bits(transaction, LANES + 2 * operation + 1))) < workload.predicates;
    }

    private double rowFraction(long transaction, int operation) {
        return KeyChoice.fraction(mix(GOLDEN ^ bits(transaction, LANES + 2 * operation)));
    }

    /** Returns the key. Planted keys are above all others. */
    public int key(long transaction, int operation) {
        int planted = planted(transaction);
        if (planted >= 0) {
            List<PlantedAnomaly.Step> steps = player(planted, transaction).steps();
            if (operation < steps.size()) {
                return workload.keys
                        + planted * PlantedAnomaly.MOST_KEYS
                        + steps.get(operation).key();
            }
        }
        int choosing = planted < 0 && modifies(transaction, operation) ? operation & ~1 : operation;
        return keyChoice.of(bits(transaction, LANES + 2 * choosing + 1));
    }

    /**
     * Returns the number of the write that this operation is, from 1. Each operation has another number.
     */
    long write(long transaction, int operation) {
        return transaction * operations + operation + 1;
    }

    /** Returns the number of the write that a scripted operation does or reads. */
    long scriptedWrite(long transaction, int operation) {
        int planted = planted(transaction);
        PlantedAnomaly.Step step = player(planted, transaction).steps().get(operation);
        if (step.value() == 0) {
            return 0;
        }
        int writer = workload.planted.get(planted).anomaly().writerOf(step.key(), step.value());
        return writer < 0
                ? write(workload.transactions + planted, 0)
                : write(plantedAt[planted] + (writer >> 8), writer & 0xff);
    }

    /**
     * Returns the value of a write.
     *
     * @param write its number; 0 gives the initial value
     */
    long value(long write, int key) {
        if (workload.values == 0 || write == 0) {
            return write;
        }
        // On planted keys values are unique, even if other values repeat.
        return key >= workload.keys || !repeats(key)
                ? workload.values + write
                : 1 + KeyChoice.below(workload.values, mix(this.key ^ mix(write)));
    }

    private boolean repeats(int key) {
        return workload.repeats == 1 || KeyChoice.fraction(mix(this.key + mix(~(long) key))) < workload.repeats;
    }

    TransactionStatus outcome(long transaction) {
        int planted = planted(transaction);
        if (planted >= 0) {
            return player(planted, transaction).aborted() ? TransactionStatus.ABORTED : TransactionStatus.COMMITTED;
        }
        if (workload.aborted + workload.indeterminate == 0) {
            return TransactionStatus.COMMITTED;
        }
        double fate = fraction(transaction, OUTCOME);
        return fate < workload.aborted
                ? TransactionStatus.ABORTED
                : fate < workload.aborted + workload.indeterminate
                        ? TransactionStatus.INDETERMINATE
                        : TransactionStatus.COMMITTED;
    }

    /** Whether its writes enter the store. */
    boolean takesEffect(long transaction) {
        return switch (outcome(transaction)) {
            case COMMITTED, INITIAL -> true;
            case ABORTED -> false;
            case INDETERMINATE -> bits(transaction, EFFECT) < 0;
        };
    }

    /** Returns the beginning of the slot. Nothing of the transaction, or of those after it, happens before. */
    long slotStart(long transaction) {
        return transaction * TICK_NANOS;
    }

    private boolean isStale(int planted) {
        return workload.planted.get(planted).anomaly() == PlantedAnomaly.STALE_READ;
    }

    /**
     * Returns the instant at which all players of an anomaly are open; the players of a stale read follow each other.
     */
    private long plantedInstant(int planted, long transaction) {
        long of = isStale(planted)
                ? transaction
                : plantedAt[planted] + workload.planted.get(planted).anomaly().players() - 1;
        return slotStart(of) + TICK_NANOS / 2;
    }

    private long length(long transaction) {
        return 8 + (long) ((slot - 16) * (fraction(transaction, LENGTH) * fraction(transaction, LENGTH_FACTOR)));
    }

    /** Returns the true start, without the error of any clock. */
    private long trueStart(long transaction, int planted, long length) {
        return planted >= 0
                ? slotStart(transaction) + 1
                : slotStart(transaction) + 1 + (long) ((slot - 8 - length) * fraction(transaction, START));
    }

    /** Returns the time when the transaction began, by its session's clock. */
    long start(long transaction) {
        return trueStart(transaction, planted(transaction), length(transaction)) + clockAhead(transaction);
    }

    /** Returns the time when its outcome was known, by its session's clock. */
    long end(long transaction) {
        int planted = planted(transaction);
        long length = length(transaction);
        long end = planted >= 0
                ? plantedInstant(planted, transaction) + TICK_NANOS / 4
                : trueStart(transaction, planted, length) + length;
        return end + clockAhead(transaction);
    }

    private long clockAhead(long transaction) {
        long skew = workload.skewNanos;
        // The place is beyond all transactions, so that sessions share no random numbers with them.
        return skew == 0 ? 0 : (long) (KeyChoice.fraction(mix(~key + GOLDEN * session(transaction))) * (skew + 1.0));
    }

    /** Returns the version that the store gave to a write. Those of a key ascend in the order of its commits. */
    long version(long write) {
        long transaction = (write - 1) / operations;
        // Of transactions that commit at one time, the first one commits first.
        return write == 0 ? 0 : (commit(transaction) << TIE_BITS) + (transaction & ((1 << TIE_BITS) - 1));
    }

    /** Returns the time at which the writes enter the store. */
    long commit(long transaction) {
        int planted = planted(transaction);
        if (planted >= 0) {
            return plantedInstant(planted, transaction);
        }
        long length = length(transaction);
        return trueStart(transaction, planted, length) + 2 + (long) ((length - 3) * fraction(transaction, COMMIT));
    }

    /** Returns the time at which the store is read; for SER this is the commit. */
    long snapshot(long transaction, long commit) {
        int planted = planted(transaction);
        if (planted >= 0 || workload.level == Workload.Level.SER) {
            return commit;
        }
        long start = trueStart(transaction, planted, length(transaction));
        return start + 1 + (long) ((commit - start - 1) * fraction(transaction, SNAPSHOT));
    }

    /** Whether writers of a key that overlap all write it. */
    boolean mayOverlap() {
        return workload.level.compareTo(Workload.Level.PC) >= 0;
    }

    /** Whether an operation sees the store at the commit instead of the snapshot. */
    boolean seesCommit(long transaction, int operation) {
        return workload.level == Workload.Level.RC && 2 * operation >= operations(transaction);
    }

    /** Adds the header fields that describe the workload. */
    void metadata(HistoryTableBuilder builder) {
        StringBuilder anomalies = new StringBuilder("[");
        for (int i = 0; i < plantedAt.length; i++) {
            PlantedAnomaly anomaly = workload.planted.get(i).anomaly();
            anomalies.append(i == 0 ? "" : ",").append("{\"name\":\"").append(anomaly.label());
            anomalies.append("\",\"transactions\":[");
            for (int p = 0; p < anomaly.players(); p++) {
                long t = plantedAt[i] + p;
                anomalies.append(p == 0 ? "" : ",").append("[" + session(t) + "," + index(t) + "]");
            }
            anomalies.append("]}");
        }
        builder.metadata("generator", workload.json());
        if (plantedAt.length > 0) {
            builder.metadata("anomalies", anomalies.append("]").toString());
        }
        if (workload.timed) {
            builder.metadata("clock", "\"ns\"");
        }
    }

    /** Returns a line for each planted anomaly: its name and its transactions as {@code session#index}. */
    public List<String> plantedPlaces() {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < plantedAt.length; i++) {
            PlantedAnomaly anomaly = workload.planted.get(i).anomaly();
            StringBuilder line = new StringBuilder(anomaly.label()).append(" ");
            for (int p = 0; p < anomaly.players(); p++) {
                long t = plantedAt[i] + p;
                line.append(" s" + session(t) + "#" + index(t));
            }
            lines.add(line.toString());
        }
        return lines;
    }
}
