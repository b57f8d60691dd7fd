package org.polygraph.jobs.decision;

import java.util.ArrayList;
import java.util.List;
import org.polygraph.jobs.decision.ShapedHistory.Kind;
import org.polygraph.jobs.decision.ShapedHistory.Op;
import org.polygraph.jobs.decision.ShapedHistory.Txn;
import org.polygraph.storage.testkit.Definitions;
import org.polygraph.storage.testkit.SplitMix;

/** Tiny histories of lists, in some of them with single values beside them. */
public final class ListExamples {
    private ListExamples() {}

    /** The history of a seed. */
    public static Example of(long seed) {
        SplitMix random = new SplitMix(seed);
        ShapedHistory history = new ShapedHistory();
        history.drawStyle(random);
        if (random.chance(0.5)) {
            new ShapedLists(random, history.txns).run();
        } else {
            new Orders(random, history.txns).run();
        }
        if (random.chance(0.4)) {
            addRegisters(random, history);
        }
        boolean timed = random.chance(0.5);
        for (int i = 0; timed && i < history.txns.size(); i++) {
            Txn t = history.txns.get(i);
            t.start = random.between(0, 3) + 4L * i;
            t.end = t.start + random.between(1, 14);
        }
        return history;
    }

    /** Adds reads and writes of single values, each written once, which show too that transactions of unknown outcome count. */
    private static void addRegisters(SplitMix random, ShapedHistory history) {
        int keys = random.between(1, 2);
        List<List<Long>> seen = List.of(new ArrayList<>(), new ArrayList<>());
        seen.forEach(each -> each.add(history.initial));
        double late = random.chance(0.5) ? 1 : 0.7;
        long fresh = 20;
        for (Txn txn : history.txns) {
            long[] own = new long[keys];
            // The reader refuses one of unknown outcome that reads lists and writes values.
            boolean mayWrite = txn.status != Definitions.INDETERMINATE
                    || txn.ops.stream().noneMatch(op -> op.kind == Kind.READ_LIST);
            for (int count = random.between(0, 3), at = 0; count > 0; count--) {
                int key = random.nextInt(keys);
                List<Long> of = seen.get(key);
                boolean isWrite = mayWrite && random.chance(0.5);
                long read = own[key] != 0 && random.chance(0.95)
                        ? own[key]
                        : of.get(random.chance(late) ? of.size() - 1 : random.nextInt(of.size()));
                long value = isWrite ? ++fresh : read;
                at = random.between(at, txn.ops.size());
                txn.ops.add(at++, new Op(isWrite ? Kind.WRITE : Kind.READ, 5 + key, value));
                own[key] = isWrite ? value : own[key];
            }
            for (int key = 0; key < keys; key++) {
                if (own[key] != 0 && txn.effect) {
                    seen.get(key).add(own[key]);
                }
            }
        }
    }

    /**
     * Appends that have an order of their own for each key, in most histories near the order of the transactions; each
     * transaction reads beginnings of it, now and then one between two appends of a transaction.
     */
    private static final class Orders {
        private final SplitMix random;
        private final List<Txn> txns;
        private final List<List<Op>> orders = new ArrayList<>();

        Orders(SplitMix random, List<Txn> txns) {
            this.random = random;
            this.txns = txns;
        }

        void run() {
            int n = random.between(2, 6);
            int keys = random.between(1, 3);
            double near = random.nextDouble();
            double whole = random.chance(0.5) ? 1 : 0.5;
            double unknown = random.chance(0.6) ? 0 : 0.3;
            long element = 0;
            int[] next = new int[4];
            for (int t = 0; t < n; t++) {
                Txn txn = new Txn();
                txn.session = random.nextInt(4);
                txn.index = next[txn.session]++;
                txn.fate(random, 0.05, unknown);
                for (int count = random.between(1, 4); count > 0; count--) {
                    boolean isAppend = random.chance(0.45);
                    txn.ops.add(new Op(
                            isAppend ? Kind.APPEND : Kind.READ_LIST, random.nextInt(keys), isAppend ? ++element : 0));
                }
                txns.add(txn);
            }
            for (int key = 0; key < keys; key++) {
                orders.add(new ArrayList<>());
                for (Txn txn : random.chance(near) ? txns : shuffled()) {
                    for (Op op : txn.ops) {
                        if (op.kind == Kind.APPEND && op.key == key && txn.effect) {
                            orders.get(key).add(op);
                        }
                    }
                }
            }
            for (Txn txn : txns) {
                for (int o = 0; o < txn.ops.size(); o++) {
                    if (txn.ops.get(o).kind == Kind.READ_LIST) {
                        read(txn, o, whole);
                    }
                }
            }
        }

        private List<Txn> shuffled() {
            List<Txn> shuffled = new ArrayList<>(txns);
            for (int i = shuffled.size() - 1; i > 0; i--) {
                shuffled.add(shuffled.remove(random.nextInt(i + 1)));
            }
            return shuffled;
        }

        private void read(Txn txn, int o, double whole) {
            List<Op> order = orders.get(txn.ops.get(o).key);
            List<Long> list = new ArrayList<>();
            List<Long> own = new ArrayList<>();
            int most = order.size();
            for (Op op : txn.ops) {
                most = order.contains(op) ? Math.min(most, order.indexOf(op)) : most;
                if (txn.ops.indexOf(op) < o && op.kind == Kind.APPEND && op.key == txn.ops.get(o).key) {
                    own.add(op.value);
                }
            }
            int length = !own.isEmpty() || random.chance(whole) ? most : random.nextInt(most + 1);
            order.subList(0, length).forEach(op -> list.add(op.value));
            list.addAll(own);
            txn.ops.get(o).list = list;
        }
    }
}
