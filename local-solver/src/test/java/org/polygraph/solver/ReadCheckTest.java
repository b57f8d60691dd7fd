package org.polygraph.solver;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.polygraph.solver.proof.EdgeLists;
import org.polygraph.solver.sat.SearchBudget;
import org.polygraph.solver.theory.DynamicOrder;
import org.polygraph.solver.theory.EventGraph;

/**
 * Random edges move events, and random transactions begin and cease to count. The incremental check agrees with a full
 * one.
 */
class ReadCheckTest {
    @Test
    void agreesWithAFullCheckAfterEveryMove() {
        int violated = 0;
        int clean = 0;
        for (long seed = 1; seed <= 120; seed++) {
            Random random = new Random(seed);
            HiddenOrder g = new HiddenOrder();
            g.seed = seed;
            g.transactions = 5 + random.nextInt(120);
            g.keys = 1 + random.nextInt(12);
            g.values = random.nextInt(4);
            g.eventsPerTxn = 1 + random.nextInt(2);
            g.operations = 1 + random.nextInt(4);
            g.noise = random.nextInt(3) == 0 ? 5 : 0;
            g.readShare = random.nextInt(4) == 0 ? 0 : 0.5;
            RandomPolygraph problem = g.problem();
            // Only b -> c is kept, so that random edges can move anything.
            problem.edges.removeIf(edge -> edge[0] / g.eventsPerTxn != edge[1] / g.eventsPerTxn);
            Polygraph p = problem.build(false);
            int events = p.events();
            EdgeLists successors = p.successors();
            SearchBudget budget = SearchBudget.unlimited();
            DynamicOrder order = new DynamicOrder(
                    new EventGraph(
                            events, successors.start(), successors.target(), p.predecessorStart, p.predecessor, budget),
                    p.position,
                    budget);
            boolean[] counted = null;
            if (random.nextBoolean()) {
                counted = new boolean[p.transactions];
                for (int t = 0; t < p.transactions; t++) {
                    counted[t] = random.nextInt(5) != 0;
                }
            }
            ReadCheck check = new ReadCheck(p, order, counted, budget);
            for (int step = 0; step < 80; step++) {
                boolean found = check.next();
                String what = "seed " + seed + " step " + step;
                assertThat(found).as(what).isEqualTo(anyViolated(p, order.position(), counted));
                if (found) {
                    violated++;
                    assertThat(isViolated(p, order.position(), counted, check))
                            .as(what)
                            .isTrue();
                } else {
                    clean++;
                }
                int changes = 1 + random.nextInt(step % 10 == 0 ? 40 : 3);
                int reach = step % 4 == 0 ? events : 6;
                for (int i = 0; i < changes; i++) {
                    if (counted != null && random.nextInt(3) == 0) {
                        int t = random.nextInt(p.transactions);
                        check.setCounted(t, !counted[t]);
                    }
                    int a = random.nextInt(events);
                    int b = Math.max(0, Math.min(events - 1, a + random.nextInt(2 * reach + 1) - reach));
                    if (a != b && order.add(a, b, 0)) {
                        order.removeNewest();
                    }
                }
            }
        }
        assertThat(violated).isGreaterThan(1000);
        assertThat(clean).isGreaterThan(100);
    }

    private static boolean counts(boolean[] counted, int txn) {
        return counted == null || counted[txn];
    }

    /** The counted writer of a key with the greatest commit below {@code limit}, or -1. */
    private static int lastBefore(Polygraph p, int[] position, boolean[] counted, int key, int limit) {
        int last = -1;
        for (int w = p.writerStart[key]; w < p.writerStart[key + 1]; w++) {
            int at = position[p.commit(p.writerTxn[w])];
            if (counts(counted, p.writerTxn[w])
                    && at < limit
                    && (last < 0 || at > position[p.commit(p.writerTxn[last])])) {
                last = w;
            }
        }
        return last;
    }

    private static boolean violatedRead(Polygraph p, int[] position, boolean[] counted, int key, int r) {
        int last = lastBefore(p, position, counted, key, position[p.snapshot(p.readerTxn[r])]);
        return counts(counted, p.readerTxn[r]) && (last < 0 ? -1 : p.writerClass[last]) != p.readerClass[r];
    }

    private static boolean overlap(Polygraph p, int[] position, boolean[] counted, int v, int w) {
        int a = p.writerTxn[v];
        int b = p.writerTxn[w];
        return p.eventsPerTransaction == 2
                && v != w
                && counts(counted, a)
                && counts(counted, b)
                && position[p.commit(a)] > position[p.snapshot(b)]
                && position[p.commit(b)] > position[p.snapshot(a)];
    }

    private static boolean anyViolated(Polygraph p, int[] position, boolean[] counted) {
        for (int k = 0; k < p.keys(); k++) {
            for (int r = p.readerStart[k]; r < p.readerStart[k + 1]; r++) {
                if (violatedRead(p, position, counted, k, r)) {
                    return true;
                }
            }
            for (int v = p.writerStart[k]; v < p.writerStart[k + 1]; v++) {
                for (int w = p.writerStart[k]; w < v; w++) {
                    if (overlap(p, position, counted, v, w)) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    private static boolean isViolated(Polygraph p, int[] position, boolean[] counted, ReadCheck check) {
        if (check.reader() < 0) {
            return overlap(p, position, counted, check.writer(), check.otherWriter());
        }
        int limit = position[p.snapshot(p.readerTxn[check.reader()])];
        return violatedRead(p, position, counted, check.key(), check.reader())
                && lastBefore(p, position, counted, check.key(), limit) == check.writer();
    }
}
