package org.polygraph.jobs.certificate.replay;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.polygraph.jobs.certificate.format.Guarantee;
import org.polygraph.jobs.certificate.format.Terms;
import org.polygraph.storage.dictionary.KeyDictionary;
import org.polygraph.storage.dictionary.ValueDictionary;
import org.polygraph.storage.model.TransactionStatus;
import org.polygraph.storage.testkit.SplitMix;
import org.polygraph.storage.testkit.SuiteScale;

/**
 * Compares {@link PlacedSessions} and {@link PlacedReplay} at SI with the definition, on random orders of snapshots and
 * commits.
 */
class PlacedOrderTest {
    private static final long SEED = 0x51a7;
    private static final Terms TERMS = Terms.of(Guarantee.SI);

    private record Op(int key, boolean isWrite, long value) {}

    private record Txn(int session, int index, List<Op> ops) {}

    /** @param place of the snapshot, then of the commit */
    private record Placed(Txn txn, int snapshot, int commit) {}

    @Test
    void ordersAreAcceptedThatTheDefinitionAccepts() {
        int accepted = 0;
        int rejected = 0;
        for (int i = 0; i < SuiteScale.of(20_000); i++) {
            SplitMix random = new SplitMix(SplitMix.seedOf(SEED, i));
            List<Placed> order = order(random);
            boolean isOrder = isOrder(order);
            assertThat(replay(order) == null)
                    .as("seed " + SplitMix.seedOf(SEED, i) + " " + order)
                    .isEqualTo(isOrder);
            accepted += isOrder ? 1 : 0;
            rejected += isOrder ? 0 : 1;
        }
        System.out.println(accepted + " orders accepted, " + rejected + " rejected, seed " + SEED);
        assertThat(accepted).isPositive();
        assertThat(rejected).isPositive();
    }

    /** Runs transactions at SI in a random order of events, and then spoils some orders. */
    private static List<Placed> order(SplitMix random) {
        int sessions = random.between(1, 3);
        List<Placed> order = new ArrayList<>();
        int[] next = new int[sessions];
        int[] open = new int[sessions];
        List<Map<Integer, Long>> views = new ArrayList<>();
        for (int s = 0; s < sessions; s++) {
            views.add(new HashMap<>());
            open[s] = -1;
        }
        Map<Integer, Long> state = new HashMap<>();
        int place = 0;
        long value = 1;
        int steps = random.between(2, 14);
        for (int step = 0; step < steps || anyOpen(open); step++) {
            int s = random.nextInt(sessions);
            if (open[s] < 0 && step < steps) {
                open[s] = place++;
                views.set(s, new HashMap<>(state));
            } else if (open[s] >= 0) {
                List<Op> ops = new ArrayList<>();
                Map<Integer, Long> own = new HashMap<>();
                for (int o = random.between(0, 4); o > 0; o--) {
                    int key = random.nextInt(2);
                    if (random.chance(0.5)) {
                        own.put(key, ++value);
                        ops.add(new Op(key, true, value));
                    } else {
                        Map<Integer, Long> view = own.containsKey(key) ? own : views.get(s);
                        long read = view.getOrDefault(key, 0L);
                        ops.add(new Op(key, false, random.chance(0.03) ? read + 1 : read));
                    }
                }
                state.putAll(own);
                order.add(new Placed(new Txn(s, next[s]++, ops), open[s], place++));
                open[s] = -1;
            }
        }
        if (order.size() > 1 && random.chance(0.2)) {
            int a = random.nextInt(order.size());
            int b = random.nextInt(order.size());
            Placed one = order.get(a);
            Placed other = order.get(b);
            order.set(a, new Placed(one.txn, one.snapshot, a == b ? one.commit : other.commit));
            order.set(b, new Placed(other.txn, other.snapshot, a == b ? one.commit : one.commit));
        }
        return order;
    }

    private static boolean anyOpen(int[] open) {
        for (int each : open) {
            if (each >= 0) {
                return true;
            }
        }
        return false;
    }

    private static boolean isOrder(List<Placed> order) {
        for (Placed one : order) {
            if (one.snapshot >= one.commit) {
                return false;
            }
            for (Placed other : order) {
                if (one.txn.session == other.txn.session
                        && one.txn.index < other.txn.index
                        && one.commit > other.snapshot) {
                    return false;
                }
                boolean overlaps = one != other && one.snapshot < other.commit && other.snapshot < one.commit;
                if (overlaps && one.txn.ops.stream().anyMatch(a -> a.isWrite && writes(other.txn, a.key))) {
                    return false;
                }
            }
            Map<Integer, Long> view = new HashMap<>();
            order.stream()
                    .filter(other -> other.commit < one.snapshot)
                    .sorted((a, b) -> Integer.compare(a.commit, b.commit))
                    .forEach(other -> other.txn.ops.forEach(op -> {
                        if (op.isWrite) {
                            view.put(op.key, op.value);
                        }
                    }));
            for (Op op : one.txn.ops) {
                if (op.isWrite) {
                    view.put(op.key, op.value);
                } else if (view.getOrDefault(op.key, 0L) != op.value) {
                    return false;
                }
            }
        }
        return true;
    }

    private static boolean writes(Txn txn, int key) {
        return txn.ops.stream().anyMatch(op -> op.isWrite && op.key == key);
    }

    /** Replays the events one by one, in two parts of sessions; returns the first discrepancy. */
    private static String replay(List<Placed> order) {
        PlacedSessions first = new PlacedSessions();
        PlacedSessions second = new PlacedSessions();
        KeyDictionary labels = new KeyDictionary();
        labels.id(0);
        labels.id(1);
        PlacedReplay keys = new PlacedReplay(labels, new ValueDictionary(), key -> 0, 2);
        for (int place = 0; place < 2 * order.size(); place++) {
            PlacedSessions sessions = place < order.size() ? first : second;
            for (Placed each : order) {
                if (each.snapshot == place) {
                    snapshot(each, sessions, keys);
                }
                if (each.commit == place) {
                    commit(each, sessions, keys);
                }
            }
        }
        first.then(second);
        PlacedFault wrong = keys.discrepancy();
        return first.discrepancy() != null ? first.discrepancy() : wrong == null ? null : wrong.text(Long::toString);
    }

    private static void snapshot(Placed each, PlacedSessions sessions, PlacedReplay keys) {
        Txn txn = each.txn;
        PlacedSessions.Event event = PlacedSessions.Event.SNAPSHOT;
        byte status = TransactionStatus.COMMITTED.code();
        sessions.event(TERMS, each.snapshot, event, txn.session, txn.index, status, true);
        int number = 0;
        for (Op op : txn.ops) {
            if (isAtSnapshot(txn, op)) {
                sessions.operation(event, op.key, op.isWrite);
                keys.operation(each.snapshot, number++, op.key, txn.session, op.isWrite, op.value);
            }
        }
        for (int key = 0; key < 2; key++) {
            if (writes(txn, key)) {
                keys.intent(each.snapshot, number++, key, txn.session);
            }
        }
    }

    private static void commit(Placed each, PlacedSessions sessions, PlacedReplay keys) {
        Txn txn = each.txn;
        PlacedSessions.Event event = PlacedSessions.Event.COMMIT;
        byte status = TransactionStatus.COMMITTED.code();
        sessions.event(TERMS, each.commit, event, txn.session, txn.index, status, true);
        int number = 0;
        for (Op op : txn.ops) {
            if (!isAtSnapshot(txn, op)) {
                sessions.operation(event, op.key, op.isWrite);
                keys.operation(each.commit, number++, op.key, txn.session, op.isWrite, op.value);
            }
        }
    }

    private static boolean isAtSnapshot(Txn txn, Op op) {
        for (Op each : txn.ops) {
            if (each == op) {
                return !op.isWrite;
            }
            if (each.isWrite && each.key == op.key) {
                return false;
            }
        }
        throw new IllegalArgumentException("an operation of another transaction");
    }
}
