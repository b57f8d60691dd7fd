package org.polygraph.storage.testkit;

import static org.polygraph.storage.testkit.Simulator.Feature.ABORTED;
import static org.polygraph.storage.testkit.Simulator.Feature.BLIND;
import static org.polygraph.storage.testkit.Simulator.Feature.COLUMNS;
import static org.polygraph.storage.testkit.Simulator.Feature.COMPARE_AND_SET;
import static org.polygraph.storage.testkit.Simulator.Feature.CONDITIONS;
import static org.polygraph.storage.testkit.Simulator.Feature.COUNTERS;
import static org.polygraph.storage.testkit.Simulator.Feature.HIDDEN_ROWS;
import static org.polygraph.storage.testkit.Simulator.Feature.INITIAL;
import static org.polygraph.storage.testkit.Simulator.Feature.LARGE;
import static org.polygraph.storage.testkit.Simulator.Feature.LISTS;
import static org.polygraph.storage.testkit.Simulator.Feature.LONG;
import static org.polygraph.storage.testkit.Simulator.Feature.NOTATION;
import static org.polygraph.storage.testkit.Simulator.Feature.NULLS;
import static org.polygraph.storage.testkit.Simulator.Feature.ODD_TIMES;
import static org.polygraph.storage.testkit.Simulator.Feature.OVERLAPS;
import static org.polygraph.storage.testkit.Simulator.Feature.REPEATED;
import static org.polygraph.storage.testkit.Simulator.Feature.ROWS;
import static org.polygraph.storage.testkit.Simulator.Feature.SAVEPOINTS;
import static org.polygraph.storage.testkit.Simulator.Feature.SINGLE;
import static org.polygraph.storage.testkit.Simulator.Feature.TIMES;
import static org.polygraph.storage.testkit.Simulator.Feature.UNKNOWN;
import static org.polygraph.storage.testkit.Simulator.Feature.UPDATES;
import static org.polygraph.storage.testkit.Simulator.Feature.VERSIONS;
import static org.polygraph.storage.testkit.Simulator.Feature.WIDE;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.testkit.Definitions.Kind;
import org.polygraph.storage.testkit.Definitions.Op;
import org.polygraph.storage.testkit.Definitions.Result;
import org.polygraph.storage.testkit.Definitions.Row;
import org.polygraph.storage.testkit.Definitions.Transaction;
import org.polygraph.storage.testkit.Definitions.Where;

/**
 * A simulated store. A seed is a history, mostly a tiny one: transactions commit one after the other, each reads what a
 * set of the earlier ones left, which its isolation allows, and then some results are tampered with. Each history has a
 * random subset of the features that may occur, so that each feature occurs with and without each other one.
 *
 * <pre>
 * Simulator.of(7, Feature.ROWS, Feature.TIMES).json()
 * </pre>
 */
public final class Simulator {
    /** What a history may have beside reads and writes of unique values. */
    public enum Feature {
        /** Appends and reads of lists, in some histories beside single values. */
        LISTS,
        /** Inserts and deletes. */
        ROWS,
        /** Conditions on values. */
        CONDITIONS,
        /** Rows with columns, and conditions on these; only with conditions. */
        COLUMNS,
        /** Writes by a condition that lack the keys of their rows; only with conditions. */
        HIDDEN_ROWS,
        COMPARE_AND_SET,
        /** Most writes follow a read of their key. */
        UPDATES,
        /** Values that more than one transaction writes, the initial one among them or not. */
        REPEATED,
        ABORTED,
        /** Transactions of unknown outcome. */
        UNKNOWN,
        TIMES,
        /** Times that are equal, of no length, missing, of clocks that differ, or at the ends of the range. */
        ODD_TIMES,
        /** Keys that do not begin with the initial value, or one row. */
        INITIAL,
        /** The initial value is null, beside which 0 is a value; for single values. */
        NULLS,
        /** Transactions of one operation with times, as level lin needs them. */
        SINGLE,
        /** More operations than a word has bits, or many keys. */
        WIDE,
        /** Up to 30 transactions. */
        LONG,
        /** Hundreds of transactions. */
        LARGE,
        /** Keys, values, lines and indexes in another notation. */
        NOTATION,
        /** Versions that the database gave, with values that repeat; no lists, rows or conditions. */
        VERSIONS,
        /** Additions that return their sums. */
        COUNTERS,
        /** Most of them do not; only with these. */
        BLIND,
        /** Savepoints and rollbacks to them; without versions, single operations and hidden rows. */
        SAVEPOINTS,
        /**
         * Snapshots that overlap, or arbitrary reads, of transactions that read more than they write and are seldom
         * tampered with, so that cycles of several transactions are likely; for single values.
         */
        OVERLAPS
    }

    /** The earlier transactions that a transaction sees. */
    enum Isolation {
        SERIAL,
        /** Each transaction sees a prefix, and writers of a key seldom overlap. */
        SNAPSHOT,
        /** Each session sees a prefix, which grows. */
        PREFIX,
        CAUSAL,
        ATOMIC,
        /** Each read sees another prefix. */
        COMMITTED,
        /** Each read sees any transactions. */
        ARBITRARY
    }

    private static final Feature[] OF_ROWS = {REPEATED, ABORTED, UNKNOWN, TIMES, INITIAL};
    private static final Feature[] OF_CONDITIONS = {ROWS, COLUMNS, REPEATED, ABORTED, UNKNOWN, TIMES, INITIAL};

    static final long NULL = SimulatedHistory.NULL;
    private static final long ABSENT = Definitions.ABSENT;
    /** Keys of single values in a history of lists come after those of lists. */
    private static final int BESIDE_LISTS = 5;

    /** A transaction that is being made. */
    static final class Txn {
        int session;
        char status = Definitions.COMMITTED;
        long start = SimulatedHistory.NONE;
        long end = SimulatedHistory.NONE;
        /** Whether others see its writes. */
        boolean hasEffect = true;
        /** It sees none that commits after this number of transactions. */
        int from;

        /** The transactions of its snapshot. */
        final BitSet visible = new BitSet();

        boolean readsLists;
        boolean writesValues;
        final List<Op> ops = new ArrayList<>();
    }

    private final SplitMix random;
    /** Other choices, so that histories without savepoints are the same as if there were none. */
    private final SplitMix savepoints;

    private final Set<Feature> features = EnumSet.noneOf(Feature.class);
    private final List<Txn> txns = new ArrayList<>();
    private final Map<Integer, Long> initials = new TreeMap<>();
    private final long initial;
    private final boolean hasRows;
    /** Whether there are single values, beside lists each of its own. */
    private final boolean hasValues;

    private Isolation isolation;
    private int n;
    private int sessions;
    private int keys;
    private int leastOps = 1;
    private int mostOps;
    /** Shares: of reads, of operations on the first key, and of what a transaction may do with a key. */
    private final double reads;

    private final double hot;
    private final double readModifyWrites;
    private final double twice;
    /** The shares of transactions that read, and that write, all keys. */
    private double readers;

    private double writers;
    /** The number of values; 0 if each write has its own. */
    private final int domain;
    /** The least value, 0 if the initial one is among those that are written. */
    private final int least;

    private long fresh;

    private Simulator(long seed, Set<Feature> always, Set<Feature> sometimes) {
        random = new SplitMix(seed);
        features.addAll(always);
        sometimes.stream().filter(feature -> chance(0.5)).forEach(features::add);
        hasRows = has(ROWS) || has(CONDITIONS);
        savepoints = new SplitMix(~seed);
        hasValues = !has(LISTS) || chance(0.5);
        initial = has(NULLS) || ((hasRows || has(NOTATION)) && chance(0.6)) ? NULL : 0;
        isolation = isolation();
        n = has(LARGE)
                ? random.between(100, 800)
                : has(LONG) ? random.between(8, 30) : hasRows ? random.between(2, 4) : random.between(3, 7);
        sessions = chance(0.05) ? 1 : chance(0.1) ? n : random.between(2, 4);
        keys = hasRows ? 2 : random.between(1, 3);
        mostOps = has(SINGLE) ? 1 : random.between(2, hasRows ? 3 : 4);
        if (has(LARGE)) {
            sessions = random.between(2, 15);
            keys = random.between(3, 60);
        }
        if (has(OVERLAPS)) {
            boolean isOfSnapshots = chance(0.6);
            isolation = isOfSnapshots ? Isolation.SNAPSHOT : Isolation.ARBITRARY;
            n = isOfSnapshots ? random.between(6, 7) : random.between(3, 7);
            sessions = random.between(isOfSnapshots ? 4 : 2, isOfSnapshots ? 5 : 4);
            keys = random.between(2, 3);
            leastOps = isOfSnapshots ? 3 : 1;
            mostOps = isOfSnapshots ? 4 : random.between(2, 4);
        }
        reads = has(UPDATES)
                ? 1
                : has(OVERLAPS) ? 0.6 + 0.15 * random.nextDouble() : chance(0.1) ? 0 : 0.3 + 0.45 * random.nextDouble();
        hot = chance(0.25) ? 0.8 : 0;
        readModifyWrites = has(UPDATES) ? 0.4 + 0.6 * random.nextDouble() : has(OVERLAPS) || chance(0.5) ? 0 : 0.3;
        twice = has(OVERLAPS) || chance(0.8) ? 0 : 0.5;
        readers = has(OVERLAPS) || chance(0.6) ? 0 : 0.35;
        if (has(WIDE)) {
            widen();
        }
        boolean isByValue = has(CONDITIONS) && !(has(COLUMNS) && has(HIDDEN_ROWS));
        boolean isRepeated = has(REPEATED) && !has(LISTS) && !has(VERSIONS);
        domain = hasRows && (isByValue || isRepeated)
                ? 4
                : isRepeated ? random.between(1, 3) + (has(OVERLAPS) ? 1 : 0) : 0;
        least = hasRows || chance(0.5) ? 0 : 1;
        // Conditions on values are about the smallest.
        fresh = hasRows ? 9 : 0;
        int only = hasRows ? random.nextInt(keys) : -1;
        for (int key = 0; has(INITIAL) && !has(LISTS) && key < keys; key++) {
            if (key == only || (only < 0 && chance(0.4))) {
                int value = random.between(hasRows ? -1 : 0, 3);
                initials.put(key, value < 0 ? NULL : value);
            }
        }
    }

    private void widen() {
        n = random.between(2, 5);
        sessions = random.between(1, 3);
        boolean isOfKeys = chance(0.5);
        keys = isOfKeys ? random.between(60, 140) : random.between(1, 3);
        mostOps = isOfKeys ? 3 : random.between(25, 70);
        readers = isOfKeys ? 0.4 : 0;
        writers = readers;
    }

    private Isolation isolation() {
        double[] shares = {0.15, 0.45, 0.57, 0.67, 0.77, 0.87};
        double drawn = random.nextDouble();
        int number = (int) Arrays.stream(shares).filter(share -> share < drawn).count();
        return Isolation.values()[number];
    }

    /** The history of a seed, in which each of the features may occur. */
    public static SimulatedHistory of(long seed, Feature... sometimes) {
        return with(EnumSet.noneOf(Feature.class), seed, sometimes);
    }

    /** Reads and writes of single values. */
    public static SimulatedHistory values(long seed) {
        return of(seed, COMPARE_AND_SET, REPEATED, ABORTED, UNKNOWN, TIMES, ODD_TIMES, INITIAL, NOTATION);
    }

    /** The same in one notation, with write skew. */
    public static SimulatedHistory tiny(long seed) {
        boolean isAny = Math.floorMod(SplitMix.mix(seed), 7) == 0;
        return with(
                isAny ? EnumSet.noneOf(Feature.class) : EnumSet.of(OVERLAPS),
                seed,
                REPEATED,
                ABORTED,
                UNKNOWN,
                TIMES,
                ODD_TIMES);
    }

    /** Reads, writes, inserts and deletes. */
    public static SimulatedHistory rows(long seed) {
        return with(EnumSet.of(ROWS), seed, OF_ROWS);
    }

    /** The same with conditions on values and columns. */
    public static SimulatedHistory conditions(long seed) {
        return with(EnumSet.of(CONDITIONS), seed, OF_CONDITIONS);
    }

    /** The same, where most writes by a condition lack the keys of their rows. */
    public static SimulatedHistory unknownRows(long seed) {
        return with(EnumSet.of(CONDITIONS, HIDDEN_ROWS), seed, OF_CONDITIONS);
    }

    /** Reads and writes of values with versions that the database gave. */
    public static SimulatedHistory versions(long seed) {
        return with(EnumSet.of(VERSIONS), seed, REPEATED, UPDATES, ABORTED, UNKNOWN, TIMES, NOTATION);
    }

    public static SimulatedHistory lists(long seed) {
        return with(EnumSet.of(LISTS), seed, ABORTED, UNKNOWN, TIMES, NOTATION);
    }

    /** Transactions of one append, or of one read of a list and perhaps an append to it. */
    public static SimulatedHistory singleLists(long seed) {
        return with(EnumSet.of(LISTS, SINGLE), seed, ABORTED, UNKNOWN, ODD_TIMES, NOTATION);
    }

    /** Transactions of one operation. */
    public static SimulatedHistory registers(long seed) {
        return with(EnumSet.of(SINGLE), seed, COMPARE_AND_SET, REPEATED, ABORTED, UNKNOWN, ODD_TIMES, NOTATION);
    }

    /** The history of a seed with some features. Each of the others may occur. */
    public static SimulatedHistory with(Set<Feature> always, long seed, Feature... sometimes) {
        Set<Feature> others = EnumSet.noneOf(Feature.class);
        others.addAll(Arrays.asList(sometimes));
        return new Simulator(seed, always, others).run();
    }

    private boolean has(Feature feature) {
        return features.contains(feature);
    }

    private boolean chance(double p) {
        return random.chance(p);
    }

    private SimulatedHistory run() {
        for (int i = 0; i < n; i++) {
            txns.add(transaction(i));
        }
        if (has(LISTS) && chance(0.5)) {
            new Tampering(random, txns).scatter(keys);
        }
        if (has(OVERLAPS) && isolation == Isolation.ARBITRARY) {
            new Tampering(random, txns).scramble(initial);
        }
        if (has(TIMES) || has(SINGLE)) {
            new SimulatedTimes(random, txns).set(has(ODD_TIMES), has(SINGLE));
        }
        for (int left = chance(has(SINGLE) ? 0.15 : has(OVERLAPS) ? 0.9 : 0.35)
                        ? 0
                        : random.between(1, has(SINGLE) ? 5 : 3);
                left > 0;
                left--) {
            new Tampering(random, txns).change(initial, has(LISTS) || has(VERSIONS));
        }
        SimulatedHistory.Style style = SimulatedHistory.Style.of(
                random, has(COMPARE_AND_SET) && !hasRows, has(NOTATION), hasRows || has(COUNTERS));
        List<Transaction> all = txns.stream()
                .map(t -> new Transaction(t.session, t.status, t.start, t.end, t.ops))
                .toList();
        SimulatedVersions versions = has(VERSIONS) ? SimulatedVersions.of(all, random) : null;
        return new SimulatedHistory(all, initial, initials, style, has(CONDITIONS) ? keys : 0, versions);
    }

    private Txn transaction(int i) {
        Txn t = new Txn();
        t.session = sessions == n ? i : random.nextInt(sessions);
        double fate = random.nextDouble();
        if (has(ABORTED) && fate < 0.15) {
            t.status = Definitions.ABORTED;
            t.hasEffect = false;
        } else if (has(UNKNOWN) && fate > 0.7) {
            t.status = Definitions.INDETERMINATE;
            t.hasEffect = chance(0.6);
        }
        see(t, i);
        // The reader refuses a transaction of unknown outcome that reads lists and writes values.
        t.readsLists = t.status != Definitions.INDETERMINATE || chance(0.5);
        t.writesValues = t.status != Definitions.INDETERMINATE || !has(LISTS) || !t.readsLists;
        int count = random.between(leastOps, mostOps);
        if (!has(SINGLE) && chance(readers)) {
            int shift = random.nextInt(keys);
            for (int k = 0; k < keys; k++) {
                read(t, (k + shift) % keys);
            }
            count = chance(0.6) ? 0 : 1;
        }
        for (int k = 0; k < keys && writers > 0 && chance(writers); k++) {
            write(t, k);
        }
        savepoint(t);
        for (int o = 0; o < count; o++) {
            operation(t, chance(hot) ? 0 : random.nextInt(keys));
            savepoint(t);
        }
        if (isolation == Isolation.SNAPSHOT && t.hasEffect && chance(0.85) && conflicts(t, i)) {
            t.hasEffect = false;
            t.status = t.status == Definitions.COMMITTED ? Definitions.ABORTED : t.status;
        }
        return t;
    }

    /**
     * Sets a savepoint, or rolls back to one and works on. What an undone write of a key left is read half of the time.
     */
    private void savepoint(Txn t) {
        if (has(SAVEPOINTS) && savepoints.chance(0.35)) {
            List<Op> left = Definitions.inEffect(t.ops);
            List<Op> open = left.stream().filter(Op::isOfSavepoint).toList();
            if (open.isEmpty() || savepoints.chance(0.4)) {
                t.ops.add(Op.of(Kind.SAVEPOINT, savepoints.nextInt(2)));
                write(t, key());
            } else if (savepoints.chance(0.15)) {
                t.ops.add(Op.of(
                        Kind.RELEASE,
                        open.get(savepoints.nextInt(open.size())).row().value()));
            } else {
                if (savepoints.chance(0.5)) {
                    read(t, key());
                }
                t.ops.add(Op.of(
                        Kind.ROLLBACK_TO,
                        open.get(savepoints.nextInt(open.size())).row().value()));
                if (savepoints.chance(0.5)) {
                    read(t, key());
                }
            }
        }
    }

    private int key() {
        int key = savepoints.nextInt(keys);
        return !has(LISTS) ? key : hasValues && savepoints.chance(0.4) ? BESIDE_LISTS + key % 2 : key % BESIDE_LISTS;
    }

    /** Chooses the snapshot of a transaction, which has the earlier ones of its session. */
    private void see(Txn t, int i) {
        int after = 0;
        for (int j = 0; j < i; j++) {
            after = txns.get(j).session == t.session ? j + 1 : after;
        }
        t.from = i;
        switch (isolation) {
            case SNAPSHOT -> t.from = Math.max(after, i - (has(OVERLAPS) ? 1 : 0) - random.nextInt(4));
            case PREFIX -> t.from = Math.max(after, random.between(after == 0 ? 0 : txns.get(after - 1).from, i));
            case CAUSAL, ATOMIC -> {
                for (int j = 0; j < i; j++) {
                    if (chance(0.6) || txns.get(j).session == t.session) {
                        t.visible.set(j);
                        if (isolation == Isolation.CAUSAL) {
                            t.visible.or(txns.get(j).visible);
                        }
                    }
                }
                return;
            }
            default -> {}
        }
        t.visible.set(0, t.from);
    }

    private boolean conflicts(Txn t, int i) {
        int all = has(LISTS) ? BESIDE_LISTS + keys : keys;
        for (int j = t.from; j < i; j++) {
            for (int k = 0; txns.get(j).hasEffect && k < all; k++) {
                if (writes(t, k) && writes(txns.get(j), k)) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean writes(Txn t, int key) {
        return Definitions.inEffect(t.ops).stream().anyMatch(op -> op.writes(key));
    }

    private boolean isList(int key) {
        return has(LISTS) && key < BESIDE_LISTS;
    }

    private void operation(Txn t, int key) {
        if (has(CONDITIONS) && chance(0.5)) {
            t.ops.add(byCondition(t));
        } else if (has(COUNTERS) && chance(0.6)) {
            add(t, key);
        } else if (has(LISTS)) {
            boolean isBeside = hasValues && chance(0.4);
            int of = isBeside ? BESIDE_LISTS + key % 2 : key % BESIDE_LISTS;
            if (has(SINGLE) && t.readsLists && isList(of) && chance(0.3)) {
                read(t, of);
                write(t, of);
            } else if (chance(reads)) {
                read(t, of);
            } else {
                write(t, of);
            }
        } else if (has(COMPARE_AND_SET) && chance(0.4)) {
            compareAndSet(t, key);
        } else if (!has(SINGLE) && chance(twice)) {
            write(t, key);
            read(t, key);
            if (chance(0.7)) {
                write(t, key);
            }
        } else if (!has(SINGLE) && chance(readModifyWrites)) {
            read(t, key);
            write(t, key);
        } else if (chance(reads)) {
            read(t, key);
        } else {
            write(t, key);
        }
    }

    private void read(Txn t, int key) {
        Object state = state(t, key);
        if (isList(key) && !t.readsLists) {
            write(t, key);
        } else if (isList(key)) {
            t.ops.add(new Op(Kind.READ_LIST, key, 0, elements(state)));
        } else {
            t.ops.add(Op.read(key, Interpreter.value(state)));
        }
    }

    private void write(Txn t, int key) {
        if (isList(key)) {
            t.ops.add(new Op(Kind.APPEND, key, ++fresh, List.of()));
        } else if (!t.writesValues) {
            read(t, key);
        } else {
            t.ops.add(Op.of(kind(t, key), key, row()));
        }
    }

    private void add(Txn t, int key) {
        Op added = new Op(Kind.ADD, key, random.between(-2, 3), List.of());
        Row sum = added.sum(state(t, key));
        if (sum == null) {
            write(t, key);
        } else {
            boolean isBlind = has(BLIND) && chance(0.7);
            t.ops.add(isBlind ? added : new Op(Kind.ADD, key, added.row(), List.of(sum.value()), Result.NONE));
        }
    }

    /** An insert of a row that is not there, or a delete of one that is, now and then of the other kind; or a write. */
    private Kind kind(Txn t, int key) {
        if (!has(ROWS) || chance(0.3)) {
            return Kind.WRITE;
        }
        BitSet all = new BitSet();
        all.set(0, txns.size());
        boolean isThere = chance(0.05) ? chance(0.5) : state(t, key, all) != null;
        return isThere ? Kind.DELETE : Kind.INSERT;
    }

    private Row row() {
        boolean isWide = has(CONDITIONS) && has(COLUMNS) && chance(0.75);
        return new Row(value(), isWide ? random.nextInt(3) : ABSENT, isWide ? random.nextInt(2) : ABSENT);
    }

    private long value() {
        if (domain == 0) {
            return ++fresh;
        }
        if (hasRows) {
            return chance(0.12) ? NULL : random.nextInt(domain);
        }
        int value = least + random.nextInt(domain);
        return value == 0 && !has(NULLS) ? initial : value;
    }

    /** A compare-and-set: a read and a write, or a read of any other value than the one that was expected. */
    private void compareAndSet(Txn t, int key) {
        long now = Interpreter.value(state(t, key));
        long other = random.between(1, 4);
        if (chance(0.65) || other == now) {
            read(t, key);
            write(t, key);
        } else {
            t.ops.add(new Op(Kind.READ_OTHER, key, other, List.of()));
        }
    }

    private Op byCondition(Txn t) {
        boolean ofColumns = has(COLUMNS) && (domain == 0 || chance(0.7));
        int lo = random.nextInt(ofColumns ? 3 : 4);
        int names = ofColumns ? random.nextInt(4) : chance(0.3) ? random.between(2, 3) : 0;
        boolean isSetAlone = ofColumns && names != 0 && chance(0.3);
        Where where = new Where(ofColumns, lo, lo + random.nextInt(3) - (isSetAlone ? 9 : 0), names);
        long[] rows = new long[keys];
        for (int k = 0; k < keys; k++) {
            Object state = state(t, k);
            rows[k] = state instanceof Row row && where.matches(row) ? row.value() : ABSENT;
        }
        if (chance(0.1)) {
            rows[random.nextInt(keys)] = chance(0.5) ? ABSENT : random.nextInt(4);
        }
        Kind kind = chance(0.6) ? Kind.READ_ROWS : has(ROWS) && chance(0.5) ? Kind.DELETE_ROWS : Kind.WRITE_ROWS;
        int count = Result.GIVEN;
        if (has(HIDDEN_ROWS) && kind != Kind.READ_ROWS && chance(0.8)) {
            int found =
                    (int) Arrays.stream(rows).filter(value -> value != ABSENT).count();
            count = chance(0.3) ? Result.UNKNOWN : found;
        }
        return new Op(kind, 0, row(), List.of(), new Result(where, rows, count));
    }

    /** What a transaction sees of a key now. */
    private @Nullable Object state(Txn t, int key) {
        BitSet visible = t.visible;
        if (isolation == Isolation.COMMITTED) {
            visible = t.visible.get(0, random.between(Math.max(0, t.from - 3), t.from));
        } else if (isolation == Isolation.ARBITRARY) {
            visible = new BitSet();
            for (int j = 0; j < t.from; j++) {
                visible.set(j, chance(0.5));
            }
        }
        return state(t, key, visible);
    }

    private @Nullable Object state(Txn t, int key, BitSet visible) {
        List<Long> list = new ArrayList<>();
        Object state = isList(key) ? list : SimulatedHistory.row(initials.getOrDefault(key, initial));
        for (int j = visible.nextSetBit(0); j >= 0; j = visible.nextSetBit(j + 1)) {
            if (txns.get(j).hasEffect) {
                state = after(txns.get(j), key, state, list);
            }
        }
        return after(t, key, state, list);
    }

    private static @Nullable Object after(Txn t, int key, @Nullable Object before, List<Long> list) {
        Object state = before;
        for (Op op : Definitions.inEffect(t.ops)) {
            if (op.kind() == Kind.APPEND && op.key() == key) {
                list.add(op.row().value());
            } else if (op.writes(key)) {
                boolean isSum = op.kind() == Kind.ADD;
                boolean isBlind = isSum && op.list().isEmpty();
                state = isBlind ? op.sum(state) : isSum ? Row.of(op.list().get(0)) : op.left();
            }
        }
        return state;
    }

    private static List<Long> elements(@Nullable Object state) {
        List<Long> elements = new ArrayList<>();
        if (state instanceof List<?> list) {
            list.forEach(each -> elements.add((Long) each));
        }
        return elements;
    }
}
