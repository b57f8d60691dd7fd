package org.polygraph.solver;

import java.util.Arrays;
import java.util.Comparator;
import java.util.Random;

/**
 * A satisfiable problem of any size, made by running transactions in a hidden order. Sessions interleave at random;
 * with two events a transaction several run at once and the first committer wins.
 */
final class HiddenOrder {
    int sessions = 20;
    int transactions = 1000;
    int operations = 8;
    int keys = 500;
    /** The number of values of a key. 0: every value is unique, and reads are decided. */
    int values = 5;

    double readShare = 0.5;
    /** Keys are chosen with probability 1 / (rank + 1) ^ skew. */
    double skew;

    int eventsPerTxn = 1;
    /** The approximate distance of the initial order from the hidden one, in transactions. */
    double noise = 50;

    long seed = 1;

    Polygraph build() {
        return problem().build(false);
    }

    RandomPolygraph problem() {
        Random random = new Random(seed);
        int n = transactions;
        int e = eventsPerTxn;
        RandomPolygraph g = new RandomPolygraph(n, e, keys);
        int[] hidden = new int[n * e];
        int[] lastOfSession = new int[sessions];
        Arrays.fill(lastOfSession, -1);
        int[] value = new int[keys];
        int[] writer = new int[keys];
        int[] written = new int[keys];
        Arrays.fill(writer, -1);
        Arrays.fill(written, -1);
        double[] cumulative = new double[keys];
        for (int k = 0; k < keys; k++) {
            cumulative[k] = (k == 0 ? 0 : cumulative[k - 1]) + 1 / Math.pow(k + 1, skew);
        }
        int[] active = new int[sessions];
        Arrays.fill(active, -1);
        int[][] writeSet = new int[sessions][];
        int[] startedAt = new int[sessions];
        int begun = 0;
        int done = 0;
        int time = 0;
        int unique = 0;
        while (done < n) {
            int s = random.nextInt(sessions);
            if (active[s] < 0) {
                if (begun == n) {
                    continue;
                }
                int t = begun++;
                active[s] = t;
                startedAt[s] = time;
                hidden[e * t] = time++;
                if (lastOfSession[s] >= 0) {
                    g.edge(e * lastOfSession[s] + e - 1, e * t);
                }
                lastOfSession[s] = t;
                int[] keysUsed = new int[operations];
                int ws = 0;
                int[] w = new int[operations];
                for (int i = 0; i < operations; i++) {
                    int k = key(random, cumulative);
                    boolean seen = false;
                    for (int j = 0; j < i; j++) {
                        seen |= keysUsed[j] == k;
                    }
                    keysUsed[i] = k;
                    if (seen) {
                        continue;
                    }
                    if (random.nextDouble() < readShare) {
                        g.read(k, t, value[k]);
                        if (values == 0 && writer[k] >= 0) {
                            g.edge(e * writer[k] + e - 1, e * t);
                        }
                    } else {
                        w[ws++] = k;
                    }
                }
                writeSet[s] = Arrays.copyOf(w, ws);
                if (e == 2) {
                    g.edge(2 * t, 2 * t + 1);
                    continue;
                }
            }
            int t = active[s];
            for (int k : writeSet[s]) {
                if (e == 2 && written[k] >= startedAt[s]) {
                    continue;
                }
                value[k] = values == 0 ? ++unique : 1 + random.nextInt(values);
                writer[k] = t;
                written[k] = time;
                g.write(k, t, value[k]);
            }
            hidden[e * t + e - 1] = e == 1 ? hidden[t] : time++;
            active[s] = -1;
            done++;
        }
        double[] wish = new double[n * e];
        for (int event = 0; event < wish.length; event++) {
            wish[event] = hidden[event] + noise * e * random.nextGaussian();
        }
        g.writers.forEach(list -> list.sort(Comparator.comparingInt(write -> write[0])));
        g.position = g.topological(wish);
        return g;
    }

    private static int key(Random random, double[] cumulative) {
        double x = random.nextDouble() * cumulative[cumulative.length - 1];
        int at = Arrays.binarySearch(cumulative, x);
        return Math.min(cumulative.length - 1, at < 0 ? ~at : at);
    }
}
