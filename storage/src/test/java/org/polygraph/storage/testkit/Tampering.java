package org.polygraph.storage.testkit;

import it.unimi.dsi.fastutil.ints.Int2LongOpenHashMap;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.testkit.Definitions.Kind;
import org.polygraph.storage.testkit.Definitions.Op;
import org.polygraph.storage.testkit.Definitions.Result;
import org.polygraph.storage.testkit.Simulator.Txn;

/** Changes what a simulated store did, so that it may break its guarantees. */
public final class Tampering {
    /** A value that no transaction of a tiny history writes. */
    private static final long INVENTED = 99;

    private final SplitMix random;
    private final List<Txn> txns;

    Tampering(SplitMix random, List<Txn> txns) {
        this.random = random;
        this.txns = txns;
    }

    /** Replaces what one read of a table returns by any value of its key, in place; not without a source of choices. */
    public static HistoryTable oneRead(HistoryTable table, @Nullable SplitMix random) {
        int[] reads = IntStream.range(0, table.operations())
                .filter(o -> !table.isWrite(o))
                .toArray();
        if (random != null && reads.length > 0) {
            int read = reads[random.nextInt(reads.length)];
            int candidates = 1;
            table.operationValues()[read] = table.initialValue(table.key(read));
            for (int o = 0; o < table.operations(); o++) {
                if (table.isWriteOf(o, table.key(read)) && random.nextInt(++candidates) == 0) {
                    table.operationValues()[read] = table.value(o);
                }
            }
        }
        return table;
    }

    /** Lets keys begin with 1 instead of 0, so that the initial value may be one that is written. */
    public static HistoryTable withWrittenInitial(HistoryTable table) {
        long[] values = table.operationValues();
        Int2LongOpenHashMap state = new Int2LongOpenHashMap();
        for (int o = 0; o < values.length; o++) {
            values[o] = values[o] == table.initialValue() ? table.values().code(1) : values[o];
            state.put(table.key(o), table.values().code(1));
        }
        return table.withInitialState(state);
    }

    /** Gives each list an order of its own, in most histories near that of commits, of which reads are beginnings. */
    void scatter(int keys) {
        double near = random.nextDouble();
        double whole = random.chance(0.5) ? 1 : 0.5;
        for (int key = 0; key < keys; key++) {
            List<Txn> order = new ArrayList<>(txns);
            if (!random.chance(near)) {
                for (int i = order.size() - 1; i > 0; i--) {
                    Collections.swap(order, i, random.nextInt(i + 1));
                }
            }
            List<Long> list = new ArrayList<>();
            for (Txn t : order) {
                if (t.hasEffect) {
                    list.addAll(appended(t, key, t.ops.size()));
                }
            }
            for (Txn t : txns) {
                int most = list.size();
                for (long own : appended(t, key, t.ops.size())) {
                    most = list.contains(own) ? Math.min(most, list.indexOf(own)) : most;
                }
                for (int o = 0; o < t.ops.size(); o++) {
                    if (t.ops.get(o).kind() == Kind.READ_LIST && t.ops.get(o).key() == key) {
                        List<Long> own = appended(t, key, o);
                        int length = !own.isEmpty() || random.chance(whole) ? most : random.nextInt(most + 1);
                        List<Long> found = new ArrayList<>(list.subList(0, length));
                        found.addAll(own);
                        t.ops.set(o, new Op(Kind.READ_LIST, key, 0, found));
                    }
                }
            }
        }
    }

    /** What the first operations of a transaction append to a key. */
    private static List<Long> appended(Txn t, int key, int end) {
        return Definitions.inEffect(t.ops.subList(0, end)).stream()
                .filter(op -> op.kind() == Kind.APPEND && op.key() == key)
                .map(op -> op.row().value())
                .toList();
    }

    /** Lets each read of a single value, or each second one, return any value of its key. */
    void scramble(long initial) {
        double share = random.chance(0.5) ? 1 : 0.5;
        for (Txn t : txns) {
            t.ops.replaceAll(op ->
                    op.kind() == Kind.READ && random.chance(share) ? Op.read(op.key(), any(op.key(), initial)) : op);
        }
    }

    /** Changes the outcome of one transaction, or the result or the value of one operation. */
    void change(long initial, boolean hasLists) {
        Txn t = txns.get(random.nextInt(txns.size()));
        if (random.chance(0.15)) {
            t.status = "cau".charAt(random.nextInt(hasLists ? 2 : 3));
            // At lin what committed has an end.
            t.end = t.status == Definitions.COMMITTED && t.end == SimulatedHistory.NONE ? t.start : t.end;
        } else if (!t.ops.isEmpty()) {
            int o = random.nextInt(t.ops.size());
            Op op = t.ops.get(o);
            switch (op.kind()) {
                case READ, READ_OTHER -> {
                    long value = random.chance(0.06) ? INVENTED : any(op.key(), initial);
                    t.ops.set(o, new Op(op.kind(), op.key(), value, List.of()));
                }
                case READ_ROWS -> {
                    long[] rows = op.result().rows().clone();
                    int key = random.nextInt(rows.length);
                    rows[key] = any(key, initial);
                    Result other =
                            new Result(op.result().where(), rows, op.result().count());
                    t.ops.set(o, new Op(op.kind(), op.key(), op.row(), op.list(), other));
                }
                case READ_LIST -> t.ops.set(o, new Op(Kind.READ_LIST, op.key(), 0, changed(op)));
                case WRITE -> {
                    if (!hasLists && random.chance(0.3)) {
                        t.ops.set(o, Op.write(op.key(), any(op.key(), initial)));
                    }
                }
                case ADD -> {
                    boolean isBlind = op.list().isEmpty();
                    long value = isBlind ? 0 : op.list().get(0) + 1;
                    value = random.chance(0.3) ? value : Math.max(0, any(op.key(), initial));
                    t.ops.set(
                            o,
                            isBlind
                                    ? new Op(op.kind(), op.key(), value, List.of())
                                    : new Op(op.kind(), op.key(), op.row(), List.of(value), op.result()));
                }
                default -> {}
            }
        }
    }

    /** The initial value, or one that some transaction writes. */
    private long any(int key, long initial) {
        long chosen = initial;
        int candidates = 1;
        for (Txn t : txns) {
            for (Op op : t.ops) {
                if (op.kind().writes && op.key() == key && random.nextInt(++candidates) == 0) {
                    chosen = op.kind() == Kind.ADD && !op.list().isEmpty()
                            ? op.list().get(0)
                            : op.row().value();
                }
            }
        }
        return chosen;
    }

    /** The list without an element, with two in another order, a repeated or an invented one, cut, or another's. */
    private List<Long> changed(Op op) {
        List<Long> list = new ArrayList<>(op.list());
        int at = list.isEmpty() ? 0 : random.nextInt(list.size());
        int what = random.nextInt(6);
        if (what == 0) {
            list.add(random.nextInt(list.size() + 1), random.chance(0.2) ? INVENTED : any(op.key(), INVENTED));
        } else if (what == 1) {
            for (Txn t : txns) {
                for (Op other : t.ops) {
                    if (other.kind() == Kind.READ_LIST && other.key() == op.key() && random.chance(0.4)) {
                        list = new ArrayList<>(other.list());
                    }
                }
            }
        } else if (!list.isEmpty()) {
            switch (what) {
                case 2 -> list.remove(at);
                case 3 -> Collections.swap(list, at, (at + 1) % list.size());
                case 4 -> list.add(at, list.get(random.nextInt(list.size())));
                default -> list.subList(at, list.size()).clear();
            }
        }
        return list;
    }
}
