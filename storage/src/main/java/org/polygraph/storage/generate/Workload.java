package org.polygraph.storage.generate;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.polygraph.storage.table.HistoryTable;

/**
 * The settings of a history to generate. Each has a default; {@link #plan} checks them together. Settings have the
 * names of the options of {@code polygraph generate}, and messages use these names.
 */
public final class Workload implements Serializable {
    private static final long serialVersionUID = 1L;

    /** The level that the simulated store guarantees. */
    public enum Level {
        /** Each transaction reads and writes at one instant between its start and its end: SSER. */
        SER,
        /**
         * Each transaction has a snapshot, then a commit. If two writers of a key overlap, only the first committer
         * writes it: SSI.
         */
        SI,
        /** As SI, but writers of a key that overlap all write it: prefix consistency. */
        PC,
        /** As PC, but the later half of a transaction's operations reads the store at its commit: read committed. */
        RC
    }

    /** The distribution of operations over keys. */
    public enum Distribution {
        UNIFORM,
        ZIPF,
        HOTSPOT,
        EXPONENTIAL
    }

    /** An anomaly and the transaction where it begins. */
    record Planted(PlantedAnomaly anomaly, long at) implements Serializable {}

    private static final int MOST_SESSIONS = 1 << 16;
    private static final int MOST_OPERATIONS = 1 << 10;
    private static final int MOST_KEYS = 1 << 30;
    private static final int MOST_PLANTED = 1 << 10;
    private static final int MOST_SELECTED = 100_000;
    private static final int MOST_WITH_PREDICATES = 1 << 29;
    /** The most transactions. With more, a time in ns could overflow. */
    private static final long MOST_TRANSACTIONS = 1L << 38;

    long seed = 1;
    long transactions = 10_000;
    int sessions = 10;
    int leastOperations = 8;
    int operations = 8;
    int keys = 1_000;
    double reads = 0.5;
    double modifies;
    double inserts;
    double deletes;
    double predicates;
    int selectivity = 10;
    Distribution distribution = Distribution.UNIFORM;
    double zipf = 0.99;
    double hotKeys = 0.01;
    double hotShare = 0.9;
    int values;
    double repeats = 1;
    Level level = Level.SER;
    double aborted;
    double savepoints;
    double indeterminate;
    boolean timed = true;
    boolean versions;
    long skewNanos;
    final List<Planted> planted = new ArrayList<>();

    /**
     * The defaults: 10,000 transactions of 8 operations in 10 sessions over 1,000 keys, half reads, SER, with times.
     */
    public Workload() {}

    public Workload seed(long number) {
        seed = number;
        return this;
    }

    /** Sets the number of transactions, including aborted and planted ones; 1 to 2^38. */
    public Workload transactions(long count) {
        transactions = range("transactions", count, 1, MOST_TRANSACTIONS);
        return this;
    }

    /** Sets the number of sessions that run side by side, 1 to 65,536; labelled from 0. */
    public Workload sessions(int count) {
        sessions = (int) range("sessions", count, 1, MOST_SESSIONS);
        return this;
    }

    /** Sets the number of operations of every transaction, 1 to 1,024. */
    public Workload operations(int count) {
        return operations(count, count);
    }

    /** Sets the number of operations of a transaction to a uniform choice in [least, most]. */
    public Workload operations(int least, int most) {
        operations = (int) range("operations", most, 1, MOST_OPERATIONS);
        leastOperations = (int) range("operations", least, 1, most);
        return this;
    }

    /** Sets the number of keys, at most 2^30. Keys are 0 to count - 1; planted anomalies add two each. */
    public Workload keys(int count) {
        keys = (int) range("keys", count, 1, MOST_KEYS);
        return this;
    }

    /** Sets the share of reads among the operations that {@link #modifies} leaves. */
    public Workload reads(double share) {
        reads = share("reads", share);
        return this;
    }

    /** Sets the share of pairs of operations that read a key and then write it. */
    public Workload modifies(double share) {
        modifies = share("read-modify-writes", share);
        return this;
    }

    /**
     * Sets the shares of writes that insert a row and that delete one. If either is used, the initial value is null and
     * no row exists at first. An insert that finds a row, or a delete that finds none, becomes a read.
     */
    public Workload rows(double insertShare, double deleteShare) {
        inserts = share("inserts", insertShare);
        deletes = share("deletes", deleteShare);
        return this;
    }

    /**
     * Sets the share of operations that are by a condition, and the most rows that a condition selects, 1 to 100,000.
     * All rows exist at first; see {@link PredicateStore}.
     */
    public Workload predicates(double share, int rows) {
        predicates = share("predicates", share);
        selectivity = (int) range("selectivity", rows, 1, MOST_SELECTED);
        return this;
    }

    /** Returns the share of operations that are by a condition. */
    public double predicates() {
        return predicates;
    }

    /** Returns the most rows that a condition selects. */
    public int selectivity() {
        return selectivity;
    }

    public Workload distribution(Distribution shape) {
        distribution = shape;
        return this;
    }

    /** Sets the exponent of ZIPF: key k has weight (k + 1)^-exponent; above 0, at most 10. */
    public Workload zipf(double exponent) {
        if (!(exponent > 0 && exponent <= 10)) {
            throw wrong("zipf", number(exponent), "a number above 0, at most 10");
        }
        zipf = exponent;
        return this;
    }

    /** Sets for HOTSPOT which share of the keys has which share of the operations. */
    public Workload hot(double keyShare, double operationShare) {
        hotKeys = share("hot", keyShare);
        hotShare = share("hot", operationShare);
        return this;
    }

    /** Sets from how many different values writes draw, 1 to 2^30; 0 gives every write a value of its own. */
    public Workload values(int distinct) {
        values = (int) range("values", distinct, 0, MOST_KEYS);
        return this;
    }

    /**
     * With {@link #values}: sets the share of the keys on which values repeat. On the other keys every write has a
     * value of its own.
     */
    public Workload repeats(double share) {
        repeats = share("repeat", share);
        return this;
    }

    public Workload level(Level value) {
        level = value;
        return this;
    }

    /** Sets the share of transactions that roll back. */
    public Workload aborted(double share) {
        aborted = share("aborted", share);
        return this;
    }

    /** Sets the share of transactions that roll back to a savepoint and go on. */
    public Workload savepoints(double share) {
        savepoints = share("savepoints", share);
        return this;
    }

    /** Sets the share of transactions whose client did not learn the outcome: half of them take effect. */
    public Workload indeterminate(double share) {
        indeterminate = share("indeterminate", share);
        return this;
    }

    /**
     * Sets whether reads and the writes of committed transactions have the versions that the store gave. Excludes rows
     * and predicates.
     */
    public Workload versions(boolean given) {
        versions = given;
        return this;
    }

    /** Sets whether transactions have start and end. */
    public Workload timed(boolean times) {
        timed = times;
        return this;
    }

    /**
     * Sets the clock skew: each session's clock is ahead by an amount of its own, uniform in [0, ns]; at most 10^18.
     */
    public Workload skew(long ns) {
        skewNanos = range("skew", ns, 0, 1_000_000_000_000_000_000L);
        return this;
    }

    /** Plants an anomaly in transactions at, at + 1, ... */
    public Workload plant(PlantedAnomaly anomaly, long at) {
        planted.add(new Planted(anomaly, at));
        return this;
    }

    public long transactions() {
        return transactions;
    }

    /** Returns the most operations of a transaction. */
    public int operations() {
        return operations;
    }

    /** Returns the fewest operations of a transaction. */
    public int leastOperations() {
        return leastOperations;
    }

    public int sessions() {
        return sessions;
    }

    public double reads() {
        return reads;
    }

    public double modifies() {
        return modifies;
    }

    public int values() {
        return values;
    }

    public double savepoints() {
        return savepoints;
    }

    public double aborted() {
        return aborted;
    }

    public long seed() {
        return seed;
    }

    public int keys() {
        return keys;
    }

    /**
     * Returns the plan of all transactions.
     *
     * @throws IllegalArgumentException if settings do not fit each other; begins with the name of one
     */
    public TransactionPlan plan() {
        if (aborted + indeterminate > 1) {
            throw wrong(
                    "aborted", number(aborted) + " and indeterminate " + number(indeterminate), "at most 1 together");
        }
        if (planted.size() > MOST_PLANTED) {
            throw wrong("anomaly", planted.size() + " times", "at most " + MOST_PLANTED);
        }
        if (inserts + deletes > 1) {
            throw wrong("inserts", number(inserts) + " and deletes " + number(deletes), "at most 1 together");
        }
        if (versions && inserts + deletes + predicates > 0) {
            throw wrong("versions", "with rows or predicates", "reads and writes of values");
        }
        if (predicates > 0 && !planted.isEmpty()) {
            throw wrong("anomaly", planted.size() + " times with predicates", "none");
        }
        if (predicates > 0 && savepoints > 0) {
            throw wrong("savepoints", number(savepoints) + " with predicates", "0");
        }
        if (predicates > 0 && transactions > MOST_WITH_PREDICATES) {
            throw wrong("transactions", transactions + " with predicates", "at most " + MOST_WITH_PREDICATES);
        }
        if (predicates > 0 && level.compareTo(Level.PC) >= 0) {
            throw wrong("level", level.name().toLowerCase(Locale.ROOT) + " with predicates", "ser or si");
        }
        planted.sort((a, b) -> Long.compare(a.at, b.at));
        long free = 0;
        for (Planted each : planted) {
            PlantedAnomaly anomaly = each.anomaly;
            if (sessions <= anomaly.players()) {
                throw wrong(
                        "sessions",
                        Integer.toString(sessions),
                        "at least " + (anomaly.players() + 1) + " for " + anomaly.label());
            }
            if (operations < anomaly.operations()) {
                throw wrong(
                        "operations",
                        Integer.toString(operations),
                        "at least " + anomaly.operations() + " for " + anomaly.label());
            }
            if (each.at < 0 || each.at > transactions - anomaly.players()) {
                throw wrong(
                        "at",
                        Long.toString(each.at),
                        "0 to " + (transactions - anomaly.players()) + ": " + anomaly.label() + " takes "
                                + anomaly.players() + " of the " + transactions + " transactions");
            }
            if (each.at < free) {
                throw wrong("at", Long.toString(each.at), "at least " + free + ", after the anomaly before");
            }
            free = each.at + anomaly.players();
        }
        return new TransactionPlan(this);
    }

    /** Returns the whole history. */
    public HistoryTable table() {
        return GeneratedRows.all(plan(), done -> {}).table();
    }

    /** Returns the distribution of keys. */
    public KeyChoice keyChoice() {
        return switch (distribution) {
            case UNIFORM -> new KeyChoice.Uniform(keys);
            case ZIPF -> new KeyChoice.Zipf(keys, zipf);
            case HOTSPOT ->
                new KeyChoice.Hotspot(keys, (int) Math.max(1, Math.min(keys, Math.round(keys * hotKeys))), hotShare);
            case EXPONENTIAL -> new KeyChoice.Exponential(keys);
        };
    }

    /** Returns all settings as a JSON object; the same settings give the same text. */
    String json() {
        return "{\"seed\":\"" + seed + "\",\"transactions\":" + transactions + ",\"sessions\":" + sessions
                + ",\"operations\":"
                + (leastOperations == operations ? operations : "\"" + leastOperations + "-" + operations + "\"")
                + ",\"keys\":" + keys + ",\"reads\":" + number(reads)
                + (modifies == 0 ? "" : ",\"read_modify_writes\":" + number(modifies))
                + (inserts == 0 ? "" : ",\"inserts\":" + number(inserts))
                + (deletes == 0 ? "" : ",\"deletes\":" + number(deletes))
                + (predicates == 0 ? "" : ",\"predicates\":" + number(predicates) + ",\"selectivity\":" + selectivity)
                + ",\"distribution\":\"" + distribution.name().toLowerCase(Locale.ROOT) + "\""
                + (distribution == Distribution.ZIPF ? ",\"zipf\":" + number(zipf) : "")
                + (distribution == Distribution.HOTSPOT
                        ? ",\"hot\":\"" + number(hotKeys) + ":" + number(hotShare) + "\""
                        : "")
                + ",\"values\":" + (values == 0 ? "\"unique\"" : values)
                + (values == 0 || repeats == 1 ? "" : ",\"repeat\":" + number(repeats)) + ",\"level\":\""
                + level.name().toLowerCase(Locale.ROOT) + "\",\"aborted\":" + number(aborted) + ",\"indeterminate\":"
                + number(indeterminate) + (savepoints == 0 ? "" : ",\"savepoints\":" + number(savepoints))
                + (timed ? ",\"skew_ns\":" + skewNanos : "") + (versions ? ",\"versions\":true" : "") + "}";
    }

    private static String number(double value) {
        return value == Math.rint(value) && Math.abs(value) < 1e15
                ? Long.toString((long) value)
                : Double.toString(value);
    }

    private static long range(String name, long value, long min, long max) {
        if (value < min || value > max) {
            throw wrong(name, Long.toString(value), min + " to " + max);
        }
        return value;
    }

    private static double share(String name, double value) {
        if (!(value >= 0 && value <= 1)) {
            throw wrong(name, number(value), "a share, 0 to 1");
        }
        return value;
    }

    private static IllegalArgumentException wrong(String name, String found, String expected) {
        return new IllegalArgumentException(name + " " + found + "; expected " + expected);
    }
}
