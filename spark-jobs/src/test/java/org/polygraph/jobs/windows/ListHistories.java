package org.polygraph.jobs.windows;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.polygraph.storage.testkit.SplitMix;

/**
 * Histories of lists of a simulated store with snapshots, as JSON Lines: appends, reads of whole lists, and some
 * registers. Transactions commit one after the other. The snapshot of a transaction is an old state, unless a commit
 * after that state appended to one of its keys (SER), or to a key that it appends to (SI): then it is the latest state.
 */
public final class ListHistories {
    /** Instants between two commits. */
    private static final long STEP = 100;

    private final SplitMix random;
    private final int n;
    private final int sessions;
    private final int keys;
    private final boolean isSerializable;
    /** Elements of each key in their order, and the transactions that committed them. */
    private final List<LongArrayList> lists = new ArrayList<>();

    private final List<IntArrayList> commits = new ArrayList<>();
    private final int[] lastOfSession;
    private final long[] lastEnd;
    private final int[] nextIndex;
    private final long[] skews;
    private long fresh;
    /** Shares. */
    private double aborted;

    private double unknown;
    private double late;
    private double faults;
    private boolean isTimed = true;
    private boolean isText;

    /** One operation: of a register if it has no list and appends nothing. */
    private record Operation(boolean isWrite, int key, boolean isList, LongArrayList values) {}

    public ListHistories(SplitMix random, int n, int sessions, int keys, boolean isSerializable) {
        this.random = random;
        this.n = n;
        this.sessions = sessions;
        this.keys = keys;
        this.isSerializable = isSerializable;
        for (int k = 0; k < keys; k++) {
            lists.add(new LongArrayList());
            commits.add(new IntArrayList());
        }
        lastOfSession = new int[sessions];
        lastEnd = new long[sessions];
        nextIndex = new int[sessions];
        skews = new long[sessions];
    }

    /** Shares of transactions that abort, and of those whose outcome is unknown. */
    public ListHistories outcomes(double abortedShare, double unknownShare) {
        aborted = abortedShare;
        unknown = unknownShare;
        return this;
    }

    /** Adds up to this number to the clocks of each session. */
    public ListHistories skew(int most) {
        for (int s = 0; s < sessions && most > 0; s++) {
            skews[s] = random.nextInt(most);
        }
        return this;
    }

    public ListHistories withoutTimes() {
        isTimed = false;
        return this;
    }

    /** Elements and keys are texts. */
    public ListHistories texts() {
        isText = true;
        return this;
    }

    /**
     * Share of transactions that keep an old snapshot in spite of such a commit, and share of reads that return
     * something else.
     */
    public ListHistories faults(double lateShare, double wrongShare) {
        late = lateShare;
        faults = wrongShare;
        return this;
    }

    public String json() {
        StringBuilder out = new StringBuilder("{\"format\":\"history\",\"version\":1}\n");
        for (int i = 1; i <= n; i++) {
            transaction(i, out);
        }
        return out.toString();
    }

    private void transaction(int i, StringBuilder out) {
        int session = random.nextInt(sessions);
        int snapshot = Math.max(lastOfSession[session], i - 1 - random.nextInt(Math.min(i, 2 * sessions)));
        boolean[] appends = new boolean[random.between(1, 5)];
        int[] of = new int[appends.length];
        for (int o = 0; o < of.length; o++) {
            // Most operations are on a few keys, and these change.
            of[o] = random.chance(0.3) ? random.nextInt(keys) : (i / 40 + random.nextInt(3)) % keys;
            appends[o] = random.chance(0.45);
        }
        boolean isLate = random.chance(late);
        if (!isLate) {
            for (int o = 0; o < of.length; o++) {
                IntArrayList by = commits.get(of[o]);
                boolean isChanged = !by.isEmpty() && by.getInt(by.size() - 1) > snapshot;
                if (isChanged && (isSerializable || appends[o])) {
                    snapshot = i - 1;
                }
            }
        }
        double outcome = random.nextDouble();
        boolean isUnknown = outcome >= aborted && outcome < aborted + unknown;
        boolean commits = outcome >= aborted && (!isUnknown || random.chance(0.5));
        List<Operation> operations = new ArrayList<>();
        List<LongArrayList> own = new ArrayList<>();
        for (int k = 0; k < keys; k++) {
            own.add(null);
        }
        for (int o = 0; o < of.length; o++) {
            int key = of[o];
            if (own.get(key) == null) {
                own.set(key, new LongArrayList());
            }
            // A late transaction that reads its own append shows an order that others contradict.
            if (appends[o] || (isLate && !own.get(key).isEmpty())) {
                own.get(key).add(++fresh);
                operations.add(new Operation(true, key, true, LongArrayList.of(fresh)));
                continue;
            }
            LongArrayList list = at(key, snapshot);
            list.addAll(own.get(key));
            operations.add(new Operation(false, key, true, wrong(list)));
        }
        for (int k = 0; commits && k < keys; k++) {
            for (int e = 0; own.get(k) != null && e < own.get(k).size(); e++) {
                lists.get(k).add(own.get(k).getLong(e));
                this.commits.get(k).add(i);
            }
        }
        if (!isUnknown && random.chance(0.1)) {
            operations.add(new Operation(true, keys + session, false, LongArrayList.of(++fresh)));
        }
        out.append("{\"session\":").append(session).append(",\"index\":").append(nextIndex[session]++);
        if (isTimed) {
            long start = Math.max(lastEnd[session] + 1, STEP * snapshot - random.nextInt(40));
            lastEnd[session] = STEP * i + random.nextInt(40);
            out.append(",\"start\":").append(start + skews[session]);
            out.append(",\"end\":").append(lastEnd[session] + skews[session]);
        }
        lastOfSession[session] = i;
        out.append(",\"status\":\"")
                .append(isUnknown ? "unknown" : commits ? "committed" : "aborted")
                .append("\",\"ops\":[")
                .append(String.join(",", operations.stream().map(this::json).toList()))
                .append("]}\n");
    }

    /** The list of a key after some transactions. */
    private LongArrayList at(int key, int snapshot) {
        IntArrayList by = commits.get(key);
        int length = by.size();
        while (length > 0 && by.getInt(length - 1) > snapshot) {
            length--;
        }
        return new LongArrayList(lists.get(key).elements(), 0, length);
    }

    /** The list, or seldom another one. */
    private LongArrayList wrong(LongArrayList list) {
        if (list.isEmpty() || !random.chance(faults)) {
            return list;
        }
        int at = random.nextInt(list.size());
        switch (random.nextInt(10)) {
            case 0 -> list.removeLong(at);
            case 1 -> list.add(1_000_000_000L + ++fresh);
            case 2 -> list.add(list.getLong(at));
            default -> list.size(at);
        }
        return list;
    }

    private String json(Operation operation) {
        String values = String.join(
                ",",
                operation
                        .values
                        .longStream()
                        .mapToObj(value -> isText ? "\"v" + value + "\"" : Long.toString(value))
                        .toList());
        boolean isRead = !operation.isWrite;
        return String.format(
                Locale.ROOT,
                "{\"op\":\"%s\",\"key\":%s,\"value\":%s}",
                isRead ? "r" : operation.isList ? "append" : "w",
                isText ? "\"k" + operation.key + "\"" : Integer.toString(operation.key),
                isRead && operation.isList ? "[" + values + "]" : values);
    }
}
