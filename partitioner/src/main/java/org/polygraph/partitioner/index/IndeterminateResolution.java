package org.polygraph.partitioner.index;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.objects.Object2IntOpenHashMap;
import java.util.ArrayList;
import java.util.List;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

/**
 * Decides which indeterminate transactions count, to a fixpoint:
 *
 * <ul>
 *   <li>one that no counted or possibly counted transaction reads is dropped, unless it writes a key that is inserted
 *       or deleted; without it an order has less to explain;
 *   <li>one that contradicts itself, or reads what no other transaction wrote, cannot have committed;
 *   <li>one that is the only candidate writer of a counted read has committed;
 *   <li>what then remains is optional: a choice of the solver. That happens only where values repeat, or rows are
 *       inserted and deleted.
 * </ul>
 *
 * <p>It considers only values that indeterminate transactions wrote or read; linear in their number, apart from one
 * pass over the history.
 */
final class IndeterminateResolution {
    /** One (key, value) that an indeterminate transaction wrote or read. */
    private static final class Version {
        final boolean initial;
        final IntArrayList writers = new IntArrayList(2);
        final IntArrayList readers = new IntArrayList(2);

        Version(boolean initial) {
            this.initial = initial;
        }
    }

    private record KeyValue(int key, long value) {}

    private final HistoryTable table;
    private final byte[] roles;
    private final CommitStatus commitStatus;
    private final Object2IntOpenHashMap<KeyValue> ids = new Object2IntOpenHashMap<>();
    private final List<Version> versions = new ArrayList<>();
    private final IntArrayList indeterminate = new IntArrayList();
    /**
     * By transaction: whether it writes a key that is inserted or deleted. An insert or a delete may need such a write.
     */
    private final boolean[] writesRow;

    private IndeterminateResolution(HistoryTable table, byte[] roles, CommitStatus commitStatus) {
        this.table = table;
        this.roles = roles;
        this.commitStatus = commitStatus;
        ids.defaultReturnValue(-1);
        writesRow = writesRow(table);
    }

    private static boolean[] writesRow(HistoryTable table) {
        boolean[] writes = new boolean[table.transactions()];
        if (!table.hasRows()) {
            return writes;
        }
        boolean[] rows = new boolean[table.keys().size()];
        for (int o = 0; o < table.operations(); o++) {
            rows[table.key(o)] |= table.isInsert(o) || table.isDelete(o);
        }
        for (int t = 0; t < writes.length; t++) {
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                writes[t] |= table.isWrite(o) && rows[table.key(o)];
            }
        }
        return writes;
    }

    /** @param broken indeterminate transactions that contradict themselves */
    static void resolve(HistoryTable table, byte[] roles, CommitStatus commitStatus, IntArrayList broken) {
        IndeterminateResolution resolution = new IndeterminateResolution(table, roles, commitStatus);
        byte code = TransactionStatus.INDETERMINATE.code();
        byte[] outcomes = table.statuses();
        for (int t = 0; t < outcomes.length; t++) {
            if (outcomes[t] == code) {
                resolution.indeterminate.add(t);
                commitStatus.set(t, CommitStatus.OPTIONAL);
            }
        }
        if (!resolution.indeterminate.isEmpty()) {
            resolution.collect();
            resolution.run(broken);
        }
    }

    private void collect() {
        for (int i = 0; i < indeterminate.size(); i++) {
            int t = indeterminate.getInt(i);
            for (int o = first(t); o < first(t + 1); o++) {
                if (roles[o] != TransactionScan.HIDDEN) {
                    KeyValue version = versionOf(o);
                    if (!ids.containsKey(version)) {
                        ids.put(version, versions.size());
                        versions.add(new Version(version.value == table.initialValue(version.key)));
                    }
                }
            }
        }
        for (int t = 0; t < table.transactions(); t++) {
            if (commitStatus.of(t) == CommitStatus.DROPPED) {
                continue;
            }
            for (int o = first(t); o < first(t + 1); o++) {
                if (roles[o] != TransactionScan.HIDDEN) {
                    int id = ids.getInt(versionOf(o));
                    if (id >= 0) {
                        Version version = versions.get(id);
                        (roles[o] == TransactionScan.VISIBLE_WRITE ? version.writers : version.readers).add(t);
                    }
                }
            }
        }
    }

    private int first(int transaction) {
        return table.firstOperation(transaction);
    }

    private KeyValue versionOf(int operation) {
        return new KeyValue(table.key(operation), table.value(operation));
    }

    private void run(IntArrayList broken) {
        dropUnobserved();
        boolean changed = true;
        while (changed) {
            changed = commitForced();
            for (int i = 0; i < broken.size(); i++) {
                changed |= dropIfOptional(broken.getInt(i));
            }
            for (int i = 0; i < indeterminate.size(); i++) {
                int t = indeterminate.getInt(i);
                if (commitStatus.of(t) == CommitStatus.OPTIONAL && readsTheImpossible(t)) {
                    changed |= dropIfOptional(t);
                }
            }
            if (changed) {
                dropUnobserved();
            }
        }
    }

    private boolean dropIfOptional(int transaction) {
        if (commitStatus.of(transaction) != CommitStatus.OPTIONAL) {
            return false;
        }
        commitStatus.set(transaction, CommitStatus.DROPPED);
        return true;
    }

    /** Returns 0 if the read has no candidate, the id of its only candidate plus 2 if that is optional, otherwise 1. */
    private int candidates(Version version, int reader) {
        int count = version.initial ? 1 : 0;
        int optional = -1;
        for (int i = 0; i < version.writers.size() && count < 2; i++) {
            int w = version.writers.getInt(i);
            byte state = commitStatus.of(w);
            if (w != reader && state != CommitStatus.DROPPED) {
                count++;
                optional = state == CommitStatus.OPTIONAL ? w : -1;
            }
        }
        return count == 0 ? 0 : count == 1 && optional >= 0 ? 2 + optional : 1;
    }

    private boolean commitForced() {
        boolean any = false;
        boolean changed = true;
        while (changed) {
            changed = false;
            for (Version version : versions) {
                for (int i = 0; i < version.readers.size(); i++) {
                    int r = version.readers.getInt(i);
                    if (commitStatus.of(r) == CommitStatus.COUNTED) {
                        int forced = candidates(version, r) - 2;
                        if (forced >= 0) {
                            commitStatus.set(forced, CommitStatus.COUNTED);
                            changed = any = true;
                        }
                    }
                }
            }
        }
        return any;
    }

    private boolean readsTheImpossible(int transaction) {
        for (int o = first(transaction); o < first(transaction + 1); o++) {
            if (roles[o] == TransactionScan.EXTERNAL_READ
                    && candidates(versions.get(ids.getInt(versionOf(o))), transaction) == 0) {
                return true;
            }
        }
        return false;
    }

    /**
     * Drops each optional transaction from which no counted one reads, directly or through other optional ones. Writers
     * of rows stay.
     */
    private void dropUnobserved() {
        boolean[] useful = writesRow.clone();
        boolean changed = true;
        while (changed) {
            changed = false;
            for (Version version : versions) {
                for (int i = 0; i < version.writers.size(); i++) {
                    int w = version.writers.getInt(i);
                    if (commitStatus.of(w) == CommitStatus.OPTIONAL && !useful[w] && observed(version, w, useful)) {
                        useful[w] = changed = true;
                    }
                }
            }
        }
        for (int i = 0; i < indeterminate.size(); i++) {
            int t = indeterminate.getInt(i);
            if (!useful[t]) {
                dropIfOptional(t);
            }
        }
    }

    private boolean observed(Version version, int writer, boolean[] useful) {
        for (int i = 0; i < version.readers.size(); i++) {
            int r = version.readers.getInt(i);
            if (r != writer && (commitStatus.of(r) == CommitStatus.COUNTED || useful[r])) {
                return true;
            }
        }
        return false;
    }
}
