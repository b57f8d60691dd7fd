package org.polygraph.benchmarks.experiment;

import it.unimi.dsi.fastutil.ints.Int2ObjectOpenHashMap;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.objects.Object2IntOpenHashMap;
import java.util.ArrayList;
import java.util.List;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.table.HistoryTable;

/**
 * Looks for a contradiction in a history of unique values, from its raw operations and by code that shares nothing with
 * the engine: edges of sessions and reads, then whatever order of two versions either choice of which closes a cycle, to
 * the fixpoint. A cycle refutes the level. No cycle says nothing: there may be choices that no rule decides.
 *
 * <p>Plain, not fast: events x sessions ints, a topological sort a round, some ten rounds.
 */
final class Refuter {
    private record Version(int key, long value) {}

    private final int perTransaction;
    private final int events;
    private final int sessions;
    private final long initial;
    private final int[] session;
    private final int[] place;
    private final List<IntArrayList> next = new ArrayList<>();
    /** By key and session: writers in session order. */
    private final Int2ObjectOpenHashMap<IntArrayList[]> writers = new Int2ObjectOpenHashMap<>();

    private final Object2IntOpenHashMap<Version> writer = new Object2IntOpenHashMap<>();
    private final IntArrayList readers = new IntArrayList();
    private final List<Version> read = new ArrayList<>();
    private final boolean readable;
    private int[] reached = new int[0];
    private int forced;

    /** @param perTransaction 1 for SER, 2 for SI */
    Refuter(HistoryTable table, int perTransaction) {
        this.perTransaction = perTransaction;
        sessions = table.sessions();
        initial = table.initialValue();
        session = new int[table.transactions()];
        place = new int[table.transactions()];
        events = perTransaction * table.transactions();
        for (int e = 0; e < events; e++) {
            next.add(new IntArrayList(2));
        }
        writer.defaultReturnValue(-1);
        int[] length = new int[sessions];
        int[] last = new int[sessions];
        boolean consistent = true;
        for (int t = 0; t < table.transactions(); t++) {
            int s = table.sessionOf(t);
            session[t] = s;
            if (table.status(t) == TransactionStatus.INDETERMINATE) {
                throw new IllegalArgumentException(
                        "an indeterminate transaction; only decided ones can be judged here");
            }
            if (table.status(t) != TransactionStatus.COMMITTED) {
                continue;
            }
            place[t] = length[s]++;
            if (place[t] > 0) {
                next.get(commit(last[s])).add(begin(t));
            }
            if (perTransaction == 2) {
                next.get(begin(t)).add(commit(t));
            }
            last[s] = t;
            consistent &= add(table, t);
        }
        for (int i = 0; i < read.size(); i++) {
            Version version = read.get(i);
            int from = writer.getInt(version);
            if (from >= 0) {
                next.get(commit(from)).add(begin(readers.getInt(i)));
            } else {
                consistent &= version.value == initial;
            }
        }
        readable = consistent;
    }

    /** Whether the level cannot hold. */
    boolean refutes() {
        if (!readable) {
            return true;
        }
        while (close()) {
            if (!force()) {
                return false;
            }
        }
        return true;
    }

    private int begin(int t) {
        return perTransaction * t;
    }

    private int commit(int t) {
        return perTransaction * t + perTransaction - 1;
    }

    private boolean add(HistoryTable table, int t) {
        Int2ObjectOpenHashMap<Long> own = new Int2ObjectOpenHashMap<>();
        Int2ObjectOpenHashMap<Long> seen = new Int2ObjectOpenHashMap<>();
        boolean consistent = true;
        for (int o = table.firstOperation(t); o < table.operationsEnd(t); o++) {
            int key = table.key(o);
            long value = table.value(o);
            if (table.isWrite(o)) {
                own.put(key, Long.valueOf(value));
            } else if (own.containsKey(key)) {
                consistent &= own.get(key) == value;
            } else {
                Long before = seen.putIfAbsent(key, Long.valueOf(value));
                consistent &= before == null || before == value;
            }
        }
        for (var write : own.int2ObjectEntrySet()) {
            if (writer.put(new Version(write.getIntKey(), write.getValue()), t) >= 0 || write.getValue() == initial) {
                throw new IllegalArgumentException("values repeat; only unique ones can be judged here");
            }
            IntArrayList[] bySession = writers.computeIfAbsent(write.getIntKey(), k -> new IntArrayList[sessions]);
            if (bySession[session[t]] == null) {
                bySession[session[t]] = new IntArrayList(2);
            }
            bySession[session[t]].add(t);
        }
        for (var each : seen.int2ObjectEntrySet()) {
            readers.add(t);
            read.add(new Version(each.getIntKey(), each.getValue()));
        }
        return consistent;
    }

    /** Fills {@link #reached}: by event and session, how many of its events come before the event or are it. */
    private boolean close() {
        int[] waits = new int[events];
        for (IntArrayList targets : next) {
            for (int i = 0; i < targets.size(); i++) {
                waits[targets.getInt(i)]++;
            }
        }
        int[] order = new int[events];
        int size = 0;
        for (int e = 0; e < events; e++) {
            if (waits[e] == 0) {
                order[size++] = e;
            }
        }
        reached = new int[Math.multiplyExact(events, sessions)];
        for (int i = 0; i < size; i++) {
            int e = order[i];
            int own = e * sessions + session[e / perTransaction];
            reached[own] = Math.max(reached[own], position(e) + 1);
            IntArrayList targets = next.get(e);
            for (int j = 0; j < targets.size(); j++) {
                int target = targets.getInt(j);
                for (int s = 0; s < sessions; s++) {
                    reached[target * sessions + s] =
                            Math.max(reached[target * sessions + s], reached[e * sessions + s]);
                }
                if (--waits[target] == 0) {
                    order[size++] = target;
                }
            }
        }
        return size == events;
    }

    private int position(int event) {
        return perTransaction * place[event / perTransaction] + event % perTransaction;
    }

    /** Whether one event is sure to come before another. */
    private boolean before(int from, int to) {
        return from != to && reached[to * sessions + session[from / perTransaction]] > position(from);
    }

    /** One round; whether something new was forced. */
    private boolean force() {
        int before = forced;
        for (int i = 0; i < read.size(); i++) {
            int reader = readers.getInt(i);
            int from = writer.getInt(read.get(i));
            IntArrayList[] bySession = writers.get(read.get(i).key);
            for (int s = 0; bySession != null && s < sessions; s++) {
                if (bySession[s] != null) {
                    earlier(reader, from, bySession[s]);
                    later(reader, from, bySession[s]);
                }
            }
        }
        if (perTransaction == 2) {
            for (IntArrayList[] bySession : writers.values()) {
                disjoint(bySession);
            }
        }
        return forced > before;
    }

    private void edge(int from, int to) {
        if (!before(from, to)) {
            next.get(from).add(to);
            forced++;
        }
    }

    /** The last writer of a session that is sure to be before the reader is before the version read. */
    private void earlier(int reader, int from, IntArrayList others) {
        int low = 0;
        int high = others.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (before(commit(others.getInt(middle)), begin(reader))) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if (low > 0 && others.getInt(low - 1) != from) {
            int other = others.getInt(low - 1);
            if (from < 0) {
                edge(begin(reader), commit(other));
            } else {
                edge(commit(other), begin(from));
            }
        }
    }

    /** The first writer of a session that is sure to be after the version read is after the reader. */
    private void later(int reader, int from, IntArrayList others) {
        int low = 0;
        int high = from < 0 ? 0 : others.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (others.getInt(middle) != from && before(commit(from), begin(others.getInt(middle)))) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        if (low < others.size() && others.getInt(low) != reader) {
            edge(begin(reader), commit(others.getInt(low)));
        }
    }

    /** SI: a writer that begins before another commits must commit before that one begins. */
    private void disjoint(IntArrayList[] bySession) {
        for (IntArrayList ones : bySession) {
            for (int i = 0; ones != null && i < ones.size(); i++) {
                int one = ones.getInt(i);
                for (IntArrayList others : bySession) {
                    if (others != null) {
                        disjoint(one, others);
                    }
                }
            }
        }
    }

    private void disjoint(int one, IntArrayList others) {
        int low = 0;
        int high = others.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (before(begin(others.getInt(middle)), commit(one))) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if (low > 0 && others.getInt(low - 1) != one) {
            edge(commit(others.getInt(low - 1)), begin(one));
        }
    }
}
