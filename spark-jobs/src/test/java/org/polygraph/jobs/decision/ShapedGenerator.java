package org.polygraph.jobs.decision;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.decision.ShapedHistory.Kind;
import org.polygraph.jobs.decision.ShapedHistory.Op;
import org.polygraph.jobs.decision.ShapedHistory.Txn;
import org.polygraph.jobs.decision.ShapedStore.Visibility;
import org.polygraph.storage.testkit.Definitions;
import org.polygraph.storage.testkit.SplitMix;

/**
 * Makes tiny histories of shapes that {@link org.polygraph.storage.testkit.TinyHistories} has seldom or never: few hot
 * keys, long readers, own reads between own writes, blind writes only, readers only, aborted and unknown transactions
 * that are read, values that repeat with the initial one among them, compare-and-sets, one session, a session each,
 * lists; replicas that lag, causal and atomic visibility; times that are equal, of no length, missing, or at the ends
 * of the range. A seed is a history.
 */
final class ShapedGenerator {
    /** The special property of a history. Sizes, kept levels and errors vary in each shape. */
    enum Shape {
        HOT_KEY,
        LONG_READERS,
        WRITE_TWICE,
        BLIND_WRITES,
        READ_ONLY,
        ABORTED,
        INDETERMINATE,
        REPEATED,
        COMPARE_AND_SET,
        A_SESSION_EACH,
        ONE_SESSION,
        READ_MODIFY_WRITE,
        MIXED,
        SCRAMBLED,
        /** More operations than a word has bits, on few keys. */
        MANY_OPERATIONS,
        /** Some transactions read all keys, or write all of them. */
        MANY_KEYS,
        REGISTERS,
        LISTS
    }

    private final SplitMix random;
    private final Shape shape;
    private final ShapedHistory history = new ShapedHistory();
    private final List<Txn> txns = history.txns;
    private final ShapedStore store;

    private int n;
    private int sessions;
    private int keys;
    private int maxOps;
    private double hot;
    private double reads;
    private double readModifyWrites;
    private double twice;
    private double compareAndSets;
    private double aborted;
    private double unknown;
    private double tampered;
    private double readOnly;
    private double longReaders;
    private double longWriters;

    private ShapedGenerator(long seed) {
        random = new SplitMix(seed);
        Shape[] shapes = Shape.values();
        shape = shapes[random.nextInt(shapes.length)];
        store = new ShapedStore(random, history);
    }

    /** The history of a seed. */
    static ShapedHistory of(long seed) {
        return of(seed, null);
    }

    /** The history of a seed, with the initial value and the notation of keys and values of another one. */
    static ShapedHistory of(long seed, @Nullable ShapedHistory like) {
        ShapedGenerator generator = new ShapedGenerator(seed);
        generator.history.drawStyle(generator.random);
        if (like != null) {
            generator.history.setStyle(like);
        }
        generator.run();
        return generator.history;
    }

    /** The shape of the history of a seed. */
    static Shape shapeOf(long seed) {
        return new ShapedGenerator(seed).shape;
    }

    private void run() {
        parameters();
        switch (shape) {
            case LISTS -> new ShapedLists(random, txns).run();
            case REGISTERS -> new ShapedRegisters(random, history, store).run();
            default -> generate();
        }
        if (shape == Shape.REGISTERS || chance(0.55)) {
            new ShapedTimes(random, txns).set(shape == Shape.REGISTERS);
        }
        for (double left = tampered; left > 0 && chance(left); left--) {
            tamper();
        }
        if (chance(0.3)) {
            txns.forEach(t -> t.index = 7 * t.index - 3);
        }
        if (chance(0.4)) {
            shuffle();
        }
    }

    private boolean chance(double p) {
        return random.chance(p);
    }

    private void parameters() {
        n = random.between(3, 8);
        sessions = random.between(2, 4);
        keys = random.between(1, 4);
        maxOps = random.between(2, 4);
        hot = chance(0.3) ? 0.7 : 0;
        reads = 0.35 + 0.4 * random.nextDouble();
        readModifyWrites = chance(0.5) ? 0 : 0.3;
        aborted = chance(0.7) ? 0 : 0.2;
        unknown = chance(0.7) ? 0 : 0.25;
        store.domain = chance(0.6) ? 0 : random.between(2, 3);
        store.initialInDomain = chance(0.5);
        tampered = chance(0.5) ? 0 : chance(0.7) ? 0.6 : 1.5;
        double p = random.nextDouble();
        store.visibility = p < 0.12
                ? Visibility.ALL
                : p < 0.42
                        ? Visibility.SNAPSHOT
                        : p < 0.6
                                ? Visibility.REPLICA
                                : p < 0.72
                                        ? Visibility.CAUSAL
                                        : p < 0.84
                                                ? Visibility.ATOMIC
                                                : p < 0.94 ? Visibility.COMMITTED : Visibility.ANYTHING;
        switch (shape) {
            case HOT_KEY -> {
                hot = 0.85;
                keys = random.between(2, 5);
            }
            case LONG_READERS -> {
                longReaders = 0.35;
                keys = random.between(3, 5);
                reads = 0.3;
                maxOps = 2;
            }
            case WRITE_TWICE -> twice = 0.5;
            case BLIND_WRITES -> {
                reads = 0;
                readModifyWrites = 0;
                readOnly = 0.3;
                longReaders = 0.25;
                keys = random.between(1, 3);
            }
            case READ_ONLY -> {
                readOnly = 0.6;
                longReaders = 0.3;
                reads = 0.3;
            }
            case ABORTED -> {
                aborted = 0.35;
                tampered = 0.5;
                unknown = chance(0.5) ? 0.2 : 0;
            }
            case INDETERMINATE -> {
                unknown = 0.5;
                store.domain = chance(0.5) ? 0 : 2;
            }
            case REPEATED -> {
                store.domain = random.between(1, 3);
                store.initialInDomain = chance(0.7);
            }
            case COMPARE_AND_SET -> {
                compareAndSets = 0.6;
                store.domain = chance(0.5) ? 0 : random.between(2, 3);
            }
            case A_SESSION_EACH -> sessions = n;
            case ONE_SESSION -> sessions = 1;
            case READ_MODIFY_WRITE -> {
                readModifyWrites = 1;
                reads = 1;
                store.domain = chance(0.8) ? 0 : 3;
            }
            case SCRAMBLED -> {
                n = random.between(2, 5);
                keys = random.between(1, 2);
                store.visibility = Visibility.ANYTHING;
                tampered = 0;
            }
            case REGISTERS -> tampered = chance(0.5) ? 0 : 0.8;
            case MANY_OPERATIONS -> {
                n = random.between(2, 5);
                keys = random.between(1, 3);
                maxOps = random.between(25, 70);
                store.domain = 0;
                twice = chance(0.5) ? 0 : 0.5;
            }
            case MANY_KEYS -> {
                n = random.between(2, 6);
                keys = random.between(60, 140);
                maxOps = chance(0.5) ? 3 : keys;
                longReaders = 0.4;
                longWriters = 0.4;
                store.domain = 0;
            }
            default -> {}
        }
    }

    private int key() {
        return hot > 0 && chance(hot) ? 0 : random.nextInt(keys);
    }

    /** Transactions one after another in commit order. Each sees a set of the earlier ones. */
    private void generate() {
        int[] next = new int[sessions];
        int[][] seen = new int[n][];
        int[] order = new int[n]; // session of each
        for (int i = 0; i < n; i++) {
            order[i] = sessions == n ? i : random.nextInt(sessions);
        }
        int[] pointer = new int[sessions];
        for (int i = 0; i < n; i++) {
            Txn t = new Txn();
            t.session = order[i];
            t.index = next[t.session]++;
            t.fate(random, aborted, unknown);
            int visible = 0; // mask
            int own = 0;
            int lastOwn = -1;
            for (int j = 0; j < i; j++) {
                if (order[j] == t.session) {
                    own |= 1 << j;
                    lastOwn = j;
                }
            }
            int all = (1 << i) - 1;
            switch (store.visibility) {
                case SNAPSHOT -> {
                    int from = Math.max(lastOwn + 1, i - random.nextInt(4));
                    visible = (1 << from) - 1;
                }
                case REPLICA -> {
                    pointer[t.session] = Math.max(Math.max(pointer[t.session], lastOwn + 1), random.nextInt(i + 1));
                    visible = (1 << pointer[t.session]) - 1;
                }
                case CAUSAL, ATOMIC -> {
                    visible = own | (random.nextInt(1 << Math.min(i, 20)) & all);
                    if (chance(0.5)) {
                        visible |= random.nextInt(1 << i) & all;
                    }
                    if (store.visibility == Visibility.CAUSAL) {
                        for (int j = i - 1; j >= 0; j--) {
                            if ((visible >> j & 1) == 1) {
                                visible |= seen[j][0];
                            }
                        }
                    }
                }
                default -> visible = all;
            }
            seen[i] = new int[] {visible};
            fill(t, i, visible);
            if (store.visibility == Visibility.SNAPSHOT && t.effect && chance(0.75)) {
                for (int j = 0; j < i; j++) {
                    if ((visible >> j & 1) == 0 && txns.get(j).effect && conflict(txns.get(j), t)) {
                        t.effect = false;
                        t.status = t.status == Definitions.COMMITTED ? Definitions.ABORTED : t.status;
                    }
                }
            }
            txns.add(t);
        }
    }

    private static boolean conflict(Txn a, Txn b) {
        for (Op x : a.ops) {
            for (Op y : b.ops) {
                if (x.key == y.key && x.isWrite() && y.isWrite()) {
                    return true;
                }
            }
        }
        return false;
    }

    private void fill(Txn t, int i, int visible) {
        int count = random.between(1, maxOps);
        boolean onlyReads = chance(readOnly);
        if (chance(longReaders)) {
            int rounds = chance(0.3) ? 2 : 1;
            int shift = random.nextInt(keys);
            for (int r = 0; r < rounds; r++) {
                for (int k = 0; k < keys; k++) {
                    store.read(t, i, visible, (k + shift) % keys);
                }
            }
            count = onlyReads || chance(0.6) ? 0 : 1;
        }
        if (!onlyReads && chance(longWriters)) {
            boolean reading = chance(readModifyWrites);
            for (int key = 0; key < keys; key++) {
                if (reading) {
                    store.read(t, i, visible, key);
                }
                store.write(t, key);
            }
        }
        for (int o = 0; o < count; o++) {
            int key = key();
            if (onlyReads) {
                store.read(t, i, visible, key);
            } else if (chance(twice)) {
                if (chance(0.4)) {
                    store.read(t, i, visible, key);
                }
                store.write(t, key);
                if (chance(0.6)) {
                    store.read(t, i, visible, key);
                }
                if (chance(0.7)) {
                    store.write(t, key);
                    if (chance(0.4)) {
                        store.read(t, i, visible, key);
                    }
                }
            } else if (chance(compareAndSets)) {
                store.compareAndSet(t, i, visible, key);
            } else if (chance(readModifyWrites)) {
                store.read(t, i, visible, key);
                store.write(t, key);
            } else if (chance(reads)) {
                store.read(t, i, visible, key);
            } else {
                store.write(t, key);
            }
        }
        if (t.ops.isEmpty() && chance(0.9)) {
            store.read(t, i, visible, key());
        }
    }

    private void tamper() {
        Txn t = txns.get(random.nextInt(txns.size()));
        if (chance(0.15)) {
            t.status = "cau".charAt(random.nextInt(3));
            return;
        }
        if (t.ops.isEmpty()) {
            return;
        }
        Op op = t.ops.get(random.nextInt(t.ops.size()));
        if (op.kind == Kind.READ) {
            op.value = shape != Shape.LISTS && chance(0.06) ? 99 : store.anyValue(op.key);
        } else if (op.kind == Kind.WRITE && chance(0.3)) {
            op.value = store.anyValue(op.key);
        } else if (op.kind == Kind.COMPARE_AND_SET) {
            op.expected = store.anyValue(op.key);
        }
    }

    private void shuffle() {
        boolean sorted = chance(0.3);
        for (int i = txns.size() - 1; i > 0; i--) {
            int j = random.nextInt(i + 1);
            Txn a = txns.get(i);
            txns.set(i, txns.get(j));
            txns.set(j, a);
        }
        if (sorted) {
            txns.sort((a, b) -> a.session != b.session ? a.session - b.session : Long.compare(a.index, b.index));
        }
    }
}
