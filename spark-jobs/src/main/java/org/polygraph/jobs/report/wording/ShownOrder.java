package org.polygraph.jobs.report.wording;

import it.unimi.dsi.fastutil.longs.Long2IntOpenHashMap;
import it.unimi.dsi.fastutil.longs.Long2LongOpenHashMap;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import org.polygraph.partitioner.isolation.Dependency;
import org.polygraph.partitioner.isolation.EdgeKind;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

/** The order of the appends to one list, as reads of the list show it. One pass over the history. */
final class ShownOrder {
    static final int NONE = -1;

    private final HistoryTable table;
    private final int key;
    /** By version: the version that its append follows, and the next version. */
    private final Long2LongOpenHashMap before = new Long2LongOpenHashMap();

    private final Long2LongOpenHashMap after = new Long2LongOpenHashMap();
    /** By version: the first committed transaction that read it. */
    private final Long2IntOpenHashMap readers = new Long2IntOpenHashMap();

    private ShownOrder(HistoryTable table, int key) {
        this.table = table;
        this.key = key;
        readers.defaultReturnValue(NONE);
        LongArrayList implied = new LongArrayList();
        for (int t = 0; t < table.transactions(); t++) {
            for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
                if (table.isImplied(o) && !table.isWrite(o)) {
                    implied.add(table.value(o));
                    continue;
                }
                if (table.isAppend(o) && table.key(o) == key && !implied.isEmpty()) {
                    link(implied.getLong(implied.size() - 1), table.value(o));
                } else if (table.isReadOf(o, key)) {
                    // At rc, ra and cc a read implies one of each element.
                    for (int i = 0; i < implied.size(); i++) {
                        link(i == 0 ? table.initialValue() : implied.getLong(i - 1), implied.getLong(i));
                    }
                    if (table.status(t) == TransactionStatus.COMMITTED) {
                        readers.putIfAbsent(table.value(o), t);
                    }
                }
                implied.clear();
            }
            implied.clear();
        }
    }

    private void link(long first, long second) {
        before.put(second, first);
        after.put(first, second);
    }

    /**
     * Returns a transaction that read a list that has the appends of the first transaction of an edge, and before them
     * none of the second; or {@link #NONE}.
     */
    static int reader(HistoryTable table, Dependency edge) {
        if (edge.kind() != EdgeKind.WW || edge.key() == Dependency.NO_KEY || edge.from() == Dependency.INITIAL) {
            return NONE;
        }
        for (int o = table.operationsEnd(edge.from()) - 1; o >= table.firstOperation(edge.from()); o--) {
            if (table.isAppend(o) && table.key(o) == edge.key()) {
                return new ShownOrder(table, edge.key()).reader(table.value(o), edge.to());
            }
        }
        return NONE;
    }

    private int reader(long version, int other) {
        LongOpenHashSet appended = new LongOpenHashSet();
        for (int o = table.firstOperation(other); o < table.operationsEnd(other); o++) {
            if (table.isWriteOf(o, key)) {
                appended.add(table.value(o));
            }
        }
        long at = version;
        for (int steps = before.size(); steps >= 0 && before.containsKey(at); steps--) {
            if (appended.contains(at)) {
                return NONE;
            }
            at = before.get(at);
        }
        at = version;
        for (int steps = after.size(); steps > 0 && readers.get(at) == NONE && after.containsKey(at); steps--) {
            at = after.get(at);
        }
        return readers.get(at);
    }
}
