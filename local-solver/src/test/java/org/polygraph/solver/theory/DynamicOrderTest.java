package org.polygraph.solver.theory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.polygraph.solver.sat.IntStack;
import org.polygraph.solver.sat.SearchBudget;

/**
 * Random edges are added and removed; order, refusals and explanations agree with a computation from the edges alone.
 */
class DynamicOrderTest {
    private static final int INFINITE = 1 << 20;

    @Test
    void shiftedWindows() {
        for (long seed = 1; seed <= 600; seed++) {
            run(seed, Integer.MAX_VALUE);
        }
    }

    @Test
    void sharedOutWindows() {
        for (long seed = 1; seed <= 600; seed++) {
            run(seed, 0);
        }
    }

    @Test
    void both() {
        for (long seed = 1; seed <= 600; seed++) {
            run(seed, 5);
        }
    }

    private static void run(long seed, int shiftWindow) {
        Random random = new Random(seed);
        int n = 2 + random.nextInt(25);
        int[] initial = new int[n];
        for (int i = 0; i < n; i++) {
            int j = random.nextInt(i + 1);
            initial[i] = initial[j];
            initial[j] = i;
        }
        List<int[]> edges = new ArrayList<>();
        int known = random.nextInt(2 * n);
        for (int i = 0; i < known; i++) {
            int a = random.nextInt(n);
            int b = random.nextInt(n);
            if (initial[a] < initial[b]) {
                edges.add(new int[] {a, b, -1});
            }
        }
        known = edges.size();
        int[][] out = csr(n, edges, 0, 1);
        int[][] in = csr(n, edges, 1, 0);
        IntStack literals = new IntStack(SearchBudget.unlimited());
        IntStack path = new IntStack(SearchBudget.unlimited());
        DynamicOrder order = new DynamicOrder(
                new EventGraph(n, out[0], out[1], in[0], in[1], SearchBudget.unlimited()),
                initial,
                SearchBudget.unlimited(),
                shiftWindow,
                seed % 2 == 0 ? 0 : Integer.MAX_VALUE - 19);
        for (int step = 0; step < 120; step++) {
            String what = "seed " + seed + " step " + step;
            if (random.nextInt(4) == 0) {
                int pops = random.nextInt(1 + Math.min(6, edges.size() - known));
                int[] before = order.position().clone();
                for (int i = 0; i < pops; i++) {
                    order.removeNewest();
                    edges.remove(edges.size() - 1);
                }
                assertThat(order.position()).as("undo moves nothing: " + what).isEqualTo(before);
            } else {
                int a = random.nextInt(n);
                int b = random.nextInt(n);
                if (a == b) {
                    continue;
                }
                int[][] cost = distances(n, edges);
                int[] before = order.position().clone();
                order.moved().clear();
                boolean added = order.add(a, b, 1000 + step);
                assertThat(added).as(what).isEqualTo(cost[b][a] == INFINITE);
                if (added) {
                    edges.add(new int[] {a, b, 1000 + step});
                    checkMoved(before, order, what);
                } else {
                    assertThat(order.position())
                            .as("a refusal moves nothing: " + what)
                            .isEqualTo(before);
                    literals.clear();
                    path.clear();
                    order.explain(a, b, literals, path);
                    checkPath(edges, a, b, literals, path, cost[b][a], what);
                }
            }
            assertThat(order.added()).as(what).isEqualTo(edges.size() - known);
            boolean[] taken = new boolean[n];
            for (int e = 0; e < n; e++) {
                assertThat(taken[order.position()[e]]).as(what).isFalse();
                taken[order.position()[e]] = true;
            }
            for (int[] edge : edges) {
                assertThat(order.position()[edge[0]]).as(what).isLessThan(order.position()[edge[1]]);
            }
        }
    }

    /** Events not reported as moved keep their order among themselves. */
    private static void checkMoved(int[] before, DynamicOrder order, String what) {
        int n = before.length;
        boolean[] moved = new boolean[n];
        for (int i = 0; i < order.moved().size(); i++) {
            moved[order.moved().get(i)] = true;
        }
        for (int a = 0; a < n; a++) {
            for (int b = 0; b < n; b++) {
                if (!moved[a] && !moved[b] && before[a] < before[b]) {
                    assertThat(order.position()[a]).as(what).isLessThan(order.position()[b]);
                }
            }
        }
    }

    private static void checkPath(
            List<int[]> edges, int source, int target, IntStack literals, IntStack path, int least, String what) {
        assertThat(literals.size()).as("fewest added edges: " + what).isEqualTo(least);
        assertThat(path.get(0)).as(what).isEqualTo(source);
        assertThat(path.get(path.size() - 1)).as(what).isEqualTo(target);
        int used = 0;
        for (int i = path.size() - 1; i > 0; i--) {
            boolean isKnown = false;
            boolean isAdded = false;
            for (int[] edge : edges) {
                if (edge[0] == path.get(i) && edge[1] == path.get(i - 1)) {
                    isKnown |= edge[2] < 0;
                    for (int j = 0; j < literals.size(); j++) {
                        isAdded |= edge[2] == literals.get(j);
                    }
                }
            }
            assertThat(isKnown || isAdded).as(what).isTrue();
            used += isKnown ? 0 : 1;
        }
        assertThat(used).as(what).isEqualTo(least);
    }

    /** The fewest added edges on a path, by Floyd and Warshall. */
    private static int[][] distances(int n, List<int[]> edges) {
        int[][] cost = new int[n][n];
        for (int i = 0; i < n; i++) {
            java.util.Arrays.fill(cost[i], INFINITE);
            cost[i][i] = 0;
        }
        for (int[] edge : edges) {
            cost[edge[0]][edge[1]] = Math.min(cost[edge[0]][edge[1]], edge[2] < 0 ? 0 : 1);
        }
        for (int k = 0; k < n; k++) {
            for (int i = 0; i < n; i++) {
                for (int j = 0; j < n; j++) {
                    cost[i][j] = Math.min(cost[i][j], cost[i][k] + cost[k][j]);
                }
            }
        }
        return cost;
    }

    private static int[][] csr(int n, List<int[]> edges, int from, int to) {
        int[] start = new int[n + 1];
        for (int[] edge : edges) {
            start[edge[from] + 1]++;
        }
        for (int e = 0; e < n; e++) {
            start[e + 1] += start[e];
        }
        int[] at = start.clone();
        int[] target = new int[edges.size()];
        for (int[] edge : edges) {
            target[at[edge[from]]++] = edge[to];
        }
        return new int[][] {start, target};
    }
}
