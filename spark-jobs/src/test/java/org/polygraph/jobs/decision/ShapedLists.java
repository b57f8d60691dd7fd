package org.polygraph.jobs.decision;

import java.util.ArrayList;
import java.util.List;
import org.polygraph.jobs.decision.ShapedHistory.Kind;
import org.polygraph.jobs.decision.ShapedHistory.Op;
import org.polygraph.jobs.decision.ShapedHistory.Txn;
import org.polygraph.storage.testkit.SplitMix;

/** Lists: serial, of snapshots or of replicas that lag; then reads that lose, swap, repeat or invent elements. */
final class ShapedLists {
    private final SplitMix random;
    private final List<Txn> txns;
    private long fresh;

    ShapedLists(SplitMix random, List<Txn> txns) {
        this.random = random;
        this.txns = txns;
    }

    void run() {
        int n = random.between(2, 6);
        int sessions = random.between(1, 4);
        int keys = random.between(1, 3);
        double aborted = random.chance(0.6) ? 0 : 0.2;
        double unknown = random.chance(0.6) ? 0 : 0.35;
        double p = random.nextDouble();
        boolean snapshots = p >= 0.2 && p < 0.75;
        boolean replicas = p >= 0.75;
        boolean blind = random.chance(0.3);
        int[] next = new int[sessions];
        int[] order = new int[n];
        int[] pointer = new int[sessions];
        List<Long> allElements = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            order[i] = random.nextInt(sessions);
            Txn t = new Txn();
            t.session = order[i];
            t.index = next[t.session]++;
            t.fate(random, aborted, unknown);
            int lastOwn = -1;
            for (int j = 0; j < i; j++) {
                lastOwn = order[j] == t.session ? j : lastOwn;
            }
            int from = i;
            if (snapshots) {
                from = Math.max(lastOwn + 1, i - random.nextInt(4));
            } else if (replicas) {
                from = pointer[t.session] = Math.max(Math.max(pointer[t.session], lastOwn + 1), random.nextInt(i + 1));
            }
            int count = random.between(1, 4);
            for (int o = 0; o < count; o++) {
                int key = random.nextInt(keys);
                if (random.chance(blind ? 0.7 : 0.45)) {
                    boolean lost = false;
                    for (int j = from; j < i && snapshots; j++) {
                        for (Op op : txns.get(j).ops) {
                            lost |= txns.get(j).effect && op.kind == Kind.APPEND && op.key == key;
                        }
                    }
                    if (!lost || random.chance(0.1)) {
                        Op op = new Op(Kind.APPEND, key, ++fresh);
                        allElements.add(fresh);
                        t.ops.add(op);
                        continue;
                    }
                }
                Op op = new Op(Kind.READ_LIST, key, 0);
                op.list = listAt(t, from, key);
                t.ops.add(op);
            }
            txns.add(t);
        }
        int times = random.chance(0.5) ? 0 : random.chance(0.7) ? 1 : 2;
        for (int i = 0; i < times; i++) {
            Txn t = txns.get(random.nextInt(n));
            if (t.ops.isEmpty()) {
                continue;
            }
            Op op = t.ops.get(random.nextInt(t.ops.size()));
            if (op.kind == Kind.READ_LIST) {
                List<Long> l = new ArrayList<>(op.list);
                switch (random.nextInt(6)) {
                    case 0 -> {
                        if (!l.isEmpty()) {
                            l.remove(random.nextInt(l.size()));
                        }
                    }
                    case 1 -> {
                        if (l.size() > 1) {
                            int x = random.nextInt(l.size() - 1);
                            long v = l.get(x);
                            l.set(x, l.get(x + 1));
                            l.set(x + 1, v);
                        }
                    }
                    case 2 -> {
                        if (!l.isEmpty()) {
                            l.add(random.nextInt(l.size() + 1), l.get(random.nextInt(l.size())));
                        }
                    }
                    case 3 -> l = new ArrayList<>(l.subList(0, random.nextInt(l.size() + 1)));
                    case 4 ->
                        l.add(
                                random.nextInt(l.size() + 1),
                                allElements.isEmpty() || random.chance(0.2)
                                        ? 99L
                                        : allElements.get(random.nextInt(allElements.size())));
                    default -> {
                        // the result of another read of the key
                        for (Txn u : txns) {
                            for (Op other : u.ops) {
                                if (other.kind == Kind.READ_LIST && other.key == op.key && random.chance(0.4)) {
                                    l = new ArrayList<>(other.list);
                                }
                            }
                        }
                    }
                }
                op.list = l;
            } else if (random.chance(0.5)) {
                t.status = "cau".charAt(random.nextInt(3));
            }
        }
    }

    private List<Long> listAt(Txn t, int from, int key) {
        List<Long> l = new ArrayList<>();
        for (int j = 0; j < from; j++) {
            if (txns.get(j).effect) {
                for (Op op : txns.get(j).ops) {
                    if (op.kind == Kind.APPEND && op.key == key) {
                        l.add(op.value);
                    }
                }
            }
        }
        for (Op op : t.ops) {
            if (op.kind == Kind.APPEND && op.key == key) {
                l.add(op.value);
            }
        }
        return l;
    }
}
