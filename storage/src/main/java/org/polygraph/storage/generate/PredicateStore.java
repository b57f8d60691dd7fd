package org.polygraph.storage.generate;

import it.unimi.dsi.fastutil.ints.Int2LongMap;
import it.unimi.dsi.fastutil.ints.Int2LongRBTreeMap;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.longs.Long2ObjectOpenHashMap;
import it.unimi.dsi.fastutil.longs.LongArrays;
import it.unimi.dsi.fastutil.longs.LongBidirectionalIterator;
import it.unimi.dsi.fastutil.longs.LongRBTreeSet;
import java.util.BitSet;
import java.util.List;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.Condition;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.HistoryTableBuilder;
import org.polygraph.storage.table.SourceFiles;

/**
 * A store of rows with the columns v1 and v2, integers below a million, in which some operations select, update or
 * delete the rows that have a column in a range. It is one process, because a condition is about all keys. A first
 * transaction, in a session of its own, inserts all rows. A range has at most a random number of rows, between one and
 * the selectivity.
 *
 * <p>Rule: the operations of a transaction are evaluated at its snapshot, on what the transactions that committed
 * before have left and on its own writes. It locks what it writes until its commit, and it aborts if another
 * transaction has the lock. So of two transactions that overlap and write a row, one aborts. Under SER snapshot and
 * commit are one instant, and nothing aborts.
 *
 * <p>Memory: 24 bytes a transaction, about 150 a row, and the table. Time: logarithmic in the rows for each operation
 * and for each row that it selects.
 */
public final class PredicateStore {
    /** The values of columns are below it. */
    private static final int COLUMN_VALUES = 1_000_000;

    private static final int COLUMNS = 2;
    private static final int KEY_BITS = 31;
    private static final long KEY_MASK = (1L << KEY_BITS) - 1;

    private final TransactionPlan plan;
    private final HistoryTableBuilder builder = new HistoryTableBuilder(SourceFiles.Unit.ROW);
    private final int[] columns = new int[COLUMNS];
    /** By key: the last committed version; negative if that is a delete, 0 if there was none. */
    private final long[] versions;
    /** By column: value << {@value #KEY_BITS} | key of each row that exists. */
    private final LongRBTreeSet[] sorted = new LongRBTreeSet[COLUMNS];

    private final BitSet locked = new BitSet();
    /** By transaction between its snapshot and its commit: the versions that it leaves, by key. */
    private final Long2ObjectOpenHashMap<Int2LongMap> open = new Long2ObjectOpenHashMap<>();

    private PredicateStore(TransactionPlan plan) {
        this.plan = plan;
        this.versions = new long[plan.workload().keys()];
        for (int c = 0; c < COLUMNS; c++) {
            sorted[c] = new LongRBTreeSet();
            columns[c] = builder.column(name(c));
        }
    }

    private static String name(int column) {
        return "v" + (column + 1);
    }

    /**
     * Returns the whole history.
     *
     * @throws HistoryException never for a plan of a {@link Workload}
     */
    public static HistoryTable all(TransactionPlan plan, GeneratedRows.Watch watch) throws HistoryException {
        return new PredicateStore(plan).run(watch);
    }

    private HistoryTable run(GeneratedRows.Watch watch) throws HistoryException {
        builder.file("generated");
        builder.initialValue(ValueDictionary.NULL);
        plan.metadata(builder);
        insertAll();
        int events = Math.toIntExact(2 * plan.transactions());
        long[] times = new long[events];
        int[] order = new int[events];
        for (int t = 0; t < plan.transactions(); t++) {
            times[2 * t + 1] = plan.commit(t);
            times[2 * t] = plan.snapshot(t, times[2 * t + 1]);
            order[2 * t] = 2 * t;
            order[2 * t + 1] = 2 * t + 1;
        }
        LongArrays.radixSortIndirect(order, times, true);
        for (int e = 0; e < events; e++) {
            int t = order[e] >> 1;
            if ((order[e] & 1) == 0) {
                snapshot(t);
            } else {
                commit(t);
            }
            if ((e & 0xffff) == 0) {
                watch.done(e / 2);
            }
        }
        return builder.build();
    }

    private void insertAll() {
        Int2LongMap written = new Int2LongRBTreeMap();
        builder.begin(plan.sessions(), 0, TransactionStatus.COMMITTED, 0);
        if (plan.workload().timed) {
            builder.times(0, 0);
        }
        for (int key = 0; key < versions.length; key++) {
            long version = key + 1L;
            builder.row(row(version));
            builder.insert(builder.keys().id(key), code(version, key));
            written.put(key, version);
        }
        builder.end();
        open.put(plan.transactions(), written);
        commit(plan.transactions());
    }

    private void snapshot(long t) {
        TransactionStatus outcome = plan.outcome(t);
        boolean effect = plan.takesEffect(t);
        // The builder needs the outcome first, so a transaction that may abort is evaluated once more.
        if (effect && !locked.isEmpty() && isLocked(evaluate(t, false))) {
            effect = false;
            outcome = outcome == TransactionStatus.COMMITTED ? TransactionStatus.ABORTED : outcome;
        }
        builder.begin(plan.session(t), plan.index(t), outcome, t + 1);
        if (plan.workload().timed) {
            builder.times(plan.start(t), plan.end(t));
        }
        Int2LongMap written = evaluate(t, true);
        builder.end();
        if (effect) {
            written.keySet().forEach(locked::set);
            open.put(t, written);
        }
    }

    private boolean isLocked(Int2LongMap written) {
        for (int key : written.keySet().toIntArray()) {
            if (locked.get(key)) {
                return true;
            }
        }
        return false;
    }

    private void commit(long t) {
        Int2LongMap written = open.remove(t);
        if (written == null) {
            return;
        }
        for (Int2LongMap.Entry each : written.int2LongEntrySet()) {
            int key = each.getIntKey();
            for (int c = 0; c < COLUMNS; c++) {
                if (versions[key] > 0) {
                    sorted[c].remove(column(versions[key], c) << KEY_BITS | key);
                }
                if (each.getLongValue() > 0) {
                    sorted[c].add(column(each.getLongValue(), c) << KEY_BITS | key);
                }
            }
            versions[key] = each.getLongValue();
            locked.clear(key);
        }
    }

    /** The number of the version that a write leaves. Those of the first transaction are lower. */
    private long version(long t, int o) {
        return versions.length + plan.write(t, o);
    }

    /** Evaluates all operations. @param recorded whether they are added to the builder @return the versions by key */
    private Int2LongMap evaluate(long t, boolean recorded) {
        Int2LongMap written = new Int2LongRBTreeMap();
        for (int o = 0; o < plan.operations(t); o++) {
            if (plan.selects(t, o)) {
                select(t, o, written, recorded);
                continue;
            }
            int key = plan.key(t, o);
            int id = builder.keys().id(key);
            long before = written.getOrDefault(key, versions[key]);
            long version = version(t, o);
            boolean deletes = plan.deletes(t, o);
            boolean inserts = plan.inserts(t, o);
            if (!plan.isWrite(t, o) || (deletes ? before <= 0 : inserts && before > 0)) {
                if (recorded) {
                    builder.read(id, before > 0 ? code(before, key) : ValueDictionary.NULL);
                }
                continue;
            }
            written.put(key, deletes ? -version : version);
            if (recorded && deletes) {
                builder.delete(id);
            } else if (recorded) {
                builder.row(row(version));
                if (inserts) {
                    builder.insert(id, code(version, key));
                } else {
                    builder.write(id, code(version, key));
                }
            }
        }
        return written;
    }

    private void select(long t, int o, Int2LongMap written, boolean recorded) {
        long random = TransactionPlan.mix(plan.write(t, o) ^ TransactionPlan.mix(~plan.workload().seed));
        int column = (int) (random & 1);
        int low = KeyChoice.below(COLUMN_VALUES, TransactionPlan.mix(random));
        int most = 1 + KeyChoice.below(plan.workload().selectivity, TransactionPlan.mix(~random));
        int high = high(column, low, most);
        IntArrayList rows = rows(column, low, high, written);
        IntArrayList ids = new IntArrayList();
        for (int i = 0; i < rows.size(); i++) {
            ids.add(builder.keys().id(rows.getInt(i)));
        }
        boolean writes = plan.isWrite(t, o);
        boolean deletes = plan.deletes(t, o);
        long version = version(t, o);
        if (recorded) {
            record(condition(column, low, high), rows, ids, written, writes ? (deletes ? -version : version) : 0);
        }
        for (int i = 0; writes && i < rows.size(); i++) {
            written.put(rows.getInt(i), deletes ? -version : version);
        }
    }

    /** @param version that is left; negative for a delete, 0 for a read */
    private void record(Condition condition, IntArrayList rows, IntArrayList ids, Int2LongMap written, long version) {
        if (version == 0) {
            for (int i = 0; i < rows.size(); i++) {
                int key = rows.getInt(i);
                builder.read(ids.getInt(i), code(written.getOrDefault(key, versions[key]), key));
            }
            builder.predicate(condition, ids, true);
            return;
        }
        int row = version > 0 ? row(version) : -1;
        if (ids.isEmpty() && version < 0) {
            builder.deleteOfUnknownRows(condition, 0);
        } else if (ids.isEmpty()) {
            builder.writeOfUnknownRows(condition, code(version, 0), row, 0);
        } else {
            builder.predicate(condition, ids, false);
        }
        for (int i = 0; i < ids.size(); i++) {
            if (version < 0) {
                builder.delete(ids.getInt(i));
            } else {
                builder.row(row);
                builder.write(ids.getInt(i), code(version, 0));
            }
        }
    }

    private Condition condition(int column, int low, int high) {
        return new Condition(
                List.of(new Condition.Term(columns[column], low, high, null)),
                "where " + name(column) + " between " + low + " and " + high);
    }

    /** The largest bound that selects at most some number of committed rows. */
    private int high(int column, int low, int most) {
        LongBidirectionalIterator from = sorted[column].iterator(((long) low << KEY_BITS) - 1);
        for (int i = 0; i < most && from.hasNext(); i++) {
            from.nextLong();
        }
        return from.hasNext() ? Math.max(low, (int) (from.nextLong() >> KEY_BITS) - 1) : COLUMN_VALUES - 1;
    }

    /** The rows that match, ascending. */
    private IntArrayList rows(int column, int low, int high, Int2LongMap written) {
        IntArrayList rows = new IntArrayList();
        LongBidirectionalIterator from = sorted[column].iterator(((long) low << KEY_BITS) - 1);
        for (long next; from.hasNext() && (next = from.nextLong()) >> KEY_BITS <= high; ) {
            if (!written.containsKey((int) (next & KEY_MASK))) {
                rows.add((int) (next & KEY_MASK));
            }
        }
        for (Int2LongMap.Entry own : written.int2LongEntrySet()) {
            long value = own.getLongValue() > 0 ? column(own.getLongValue(), column) : -1;
            if (value >= low && value <= high) {
                rows.add(own.getIntKey());
            }
        }
        rows.sort(null);
        return rows;
    }

    private long column(long version, int column) {
        return KeyChoice.below(
                COLUMN_VALUES,
                TransactionPlan.mix(COLUMNS * version + column ^ TransactionPlan.mix(plan.workload().seed)));
    }

    private int row(long version) {
        for (int c = 0; c < COLUMNS; c++) {
            builder.columnOfRow(columns[c], builder.values().code(column(version, c)));
        }
        return builder.endOfRow();
    }

    /** The code of the value of a version; rows that one operation writes have the same value. */
    private long code(long version, int key) {
        return builder.values().code(plan.value(version, key));
    }
}
