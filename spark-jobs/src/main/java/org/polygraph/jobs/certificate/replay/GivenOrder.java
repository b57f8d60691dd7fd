package org.polygraph.jobs.certificate.replay;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.format.Names;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

/**
 * What versions that the database gave mean, from what was recorded: those of the last writes of a key by committed
 * transactions ascend in the order of commits, and a read with a version returns the write that has it. A read whose
 * version no write has returns a value without a version. This class shares no code with the decision.
 */
public final class GivenOrder {
    private final HistoryTable read;
    private final ValueDictionary values;
    /** What transactions wrote with versions, intermediate values too. */
    private final Set<Cell> written = new HashSet<>();
    /** By key and value: the codes that transactions left, and one of these transactions. */
    private final Map<Cell, Map<Long, Integer>> left = new HashMap<>();

    private record Cell(int key, long code) {}

    private GivenOrder(HistoryTable read) {
        this.read = read;
        values = read.values();
    }

    /** The history in which each read has the code of what it returned; the same one if there are no versions. */
    public static HistoryTable named(HistoryTable read) {
        return read.values().hasGiven() ? new GivenOrder(read).names() : read;
    }

    private HistoryTable names() {
        for (int t = 0; t < read.transactions(); t++) {
            for (int o = read.firstOperation(t); o < read.operationsEnd(t); o++) {
                if (read.isWrite(o) && values.isGiven(read.value(o))) {
                    written.add(new Cell(read.key(o), read.value(o)));
                }
            }
            if (read.status(t) == TransactionStatus.ABORTED) {
                continue;
            }
            int writer = t;
            lasts(read, t).forEach((key, code) -> {
                Map<Long, Integer> codes =
                        left.computeIfAbsent(new Cell(key, values.withoutVersion(code)), c -> new HashMap<>());
                codes.merge(code, writer, (a, b) -> a.equals(b) ? a : -1);
            });
        }
        long[] named = read.operationValues().clone();
        for (int t = 0; t < read.transactions(); t++) {
            Map<Integer, Long> own = new HashMap<>();
            for (int o = read.firstOperation(t); o < read.operationsEnd(t); o++) {
                if (read.isWrite(o)) {
                    own.put(read.key(o), read.value(o));
                } else {
                    Long before = own.get(read.key(o));
                    named[o] = before == null ? source(t, read.key(o), read.value(o)) : own(before, read.value(o));
                }
            }
        }
        return read.withValues(named);
    }

    private long own(long before, long code) {
        boolean isOpen = !values.isGiven(before) || !values.isGiven(code);
        return isOpen && values.withoutVersion(before) == values.withoutVersion(code) ? before : code;
    }

    private long source(int t, int key, long code) {
        if (written.contains(new Cell(key, code))) {
            return code;
        }
        long value = values.withoutVersion(code);
        Map<Long, Integer> codes = left.getOrDefault(new Cell(key, value), Map.of());
        if (value == read.initialValue(key) || codes.containsKey(value)) {
            return value;
        }
        long found = code;
        for (Map.Entry<Long, Integer> each : codes.entrySet()) {
            found = values.isGiven(code) || each.getValue() == t ? found : each.getKey();
        }
        return found;
    }

    /** By key: what a transaction leaves. */
    private static Map<Integer, Long> lasts(HistoryTable of, int t) {
        Map<Integer, Long> lasts = new HashMap<>();
        for (int o = of.firstOperation(t); o < of.operationsEnd(t); o++) {
            if (of.isWrite(o)) {
                lasts.put(of.key(o), of.value(o));
            }
        }
        return lasts;
    }

    /** Gives the order of committed transactions that wrote a key, see {@link ListStates#pairs}. */
    static void pairs(HistoryTable read, ListStates.Pairs to) {
        Map<Integer, TreeMap<Long, Integer>> byKey = new HashMap<>();
        for (int t = 0; read.values().hasGiven() && t < read.transactions(); t++) {
            int writer = t;
            eachVersion(read, t, (key, version) -> byKey.computeIfAbsent(key, k -> new TreeMap<>())
                    .put(version, writer));
        }
        for (TreeMap<Long, Integer> order : byKey.values()) {
            Integer previous = null;
            for (int t : order.values()) {
                if (previous != null) {
                    to.next(previous, t);
                }
                previous = t;
            }
        }
    }

    private interface Versions {
        void next(int key, long version);
    }

    private static void eachVersion(HistoryTable read, int t, Versions to) {
        if (read.status(t) == TransactionStatus.COMMITTED) {
            lasts(read, t).forEach((key, code) -> {
                if (read.values().isGiven(code)) {
                    to.next(key, read.values().givenVersion(code));
                }
            });
        }
    }

    /** The first commit that comes after one with a later version of a key, one sentence; null if there is none. */
    static @Nullable String discrepancy(HistoryTable read, int[] commits) {
        Map<Integer, Long> latest = new HashMap<>();
        String[] wrong = {null};
        for (int i = 0; read.values().hasGiven() && i < commits.length && wrong[0] == null; i++) {
            int t = commits[i];
            eachVersion(read, t, (key, version) -> {
                Long before = latest.put(key, version);
                if (before != null && before >= version) {
                    wrong[0] = Names.transaction(read, t) + " wrote key " + Names.key(read, key) + " with version "
                            + version + ", and version " + before + " was committed before it";
                }
            });
        }
        return wrong[0];
    }
}
