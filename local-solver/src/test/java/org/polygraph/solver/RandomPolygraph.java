package org.polygraph.solver;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.polygraph.solver.proof.KeyKind;

/** A small problem whose fields are visible to tests. */
final class RandomPolygraph {
    final int n;
    final int eventsPerTxn;
    final List<int[]> edges = new ArrayList<>();
    int[] position;
    final int keys;
    final List<List<int[]>> writers = new ArrayList<>();
    final List<List<int[]>> readers = new ArrayList<>();
    KeyKind[] kinds;
    boolean[] optional;
    boolean[][] reaches;
    int[] dirtyKeys;

    RandomPolygraph(int n, int eventsPerTxn, int keys) {
        this.n = n;
        this.eventsPerTxn = eventsPerTxn;
        this.keys = keys;
        for (int k = 0; k < keys; k++) {
            writers.add(new ArrayList<>());
            readers.add(new ArrayList<>());
        }
    }

    int events() {
        return n * eventsPerTxn;
    }

    int b(int t) {
        return eventsPerTxn * t;
    }

    int c(int t) {
        return eventsPerTxn * t + eventsPerTxn - 1;
    }

    KeyKind kind(int key) {
        return kinds == null ? KeyKind.PLAIN : kinds[key];
    }

    /** The event at which a transaction reads a key. */
    int readAt(int key, int t) {
        return kind(key) == KeyKind.ROW_UNBORN || kind(key) == KeyKind.ROW_BORN ? c(t) : b(t);
    }

    /** Value 0 is the initial value. */
    void write(int key, int txn, int value) {
        writers.get(key).add(new int[] {txn, value});
    }

    void read(int key, int txn, int value) {
        readers.get(key).add(new int[] {txn, value});
    }

    void edge(int from, int to) {
        edges.add(new int[] {from, to});
    }

    static RandomPolygraph random(Random random, int n, int eventsPerTxn) {
        int keys = 1 + random.nextInt(3);
        RandomPolygraph g = new RandomPolygraph(n, eventsPerTxn, keys);
        if (eventsPerTxn == 2 && random.nextBoolean()) {
            g.kinds = new KeyKind[keys];
            for (int k = 0; k < keys; k++) {
                g.kinds[k] = KeyKind.values()[random.nextInt(KeyKind.values().length)];
            }
        }
        int values = random.nextInt(3) == 0 ? 100 : 1 + random.nextInt(3);
        int[] hidden = permutation(random, g.events(), eventsPerTxn);
        boolean[][] writes = new boolean[n][keys];
        double writeShare = 0.2 + 0.6 * random.nextDouble();
        double readShare = 0.2 + 0.6 * random.nextDouble();
        for (int t = 0; t < n; t++) {
            for (int k = 0; k < keys; k++) {
                if (random.nextDouble() < writeShare) {
                    int value = values == 100 ? t + 1 : random.nextInt(values + 1);
                    g.write(k, t, value);
                    writes[t][k] = true;
                }
            }
        }
        boolean lawful = random.nextBoolean();
        for (int t = 0; t < n; t++) {
            for (int k = 0; k < keys; k++) {
                if (random.nextDouble() < readShare) {
                    int value = 0;
                    if (lawful && random.nextInt(8) != 0) {
                        int last = -1;
                        for (int[] w : g.writers.get(k)) {
                            int at = hidden[g.c(w[0])];
                            if (at < hidden[g.readAt(k, t)] && at > last) {
                                last = at;
                                value = w[1];
                            }
                        }
                    } else if (!g.writers.get(k).isEmpty() && random.nextInt(4) != 0) {
                        value = g.writers.get(k)
                                .get(random.nextInt(g.writers.get(k).size()))[1];
                    }
                    g.read(k, t, value);
                }
            }
        }
        for (int t = 0; eventsPerTxn == 2 && t < n; t++) {
            g.edge(2 * t, 2 * t + 1);
        }
        int extra = random.nextInt(n + 1);
        for (int i = 0; i < extra; i++) {
            int a = random.nextInt(n);
            int b = random.nextInt(n);
            int from = random.nextInt(3) == 0 ? g.b(a) : g.c(a);
            int to = random.nextInt(3) == 0 ? g.c(b) : g.b(b);
            if (a != b && hidden[from] < hidden[to]) {
                g.edge(from, to);
            }
        }
        if (random.nextInt(3) == 0) {
            g.optional = new boolean[n];
            for (int t = 0; t < n; t++) {
                g.optional[t] = random.nextInt(3) == 0;
            }
        }
        g.position = g.topological(random);
        g.close(random);
        return g;
    }

    private static int[] permutation(Random random, int events, int eventsPerTxn) {
        int[] p = new int[events];
        for (int i = 0; i < events; i++) {
            int j = random.nextInt(i + 1);
            p[i] = p[j];
            p[j] = i;
        }
        for (int e = 0; eventsPerTxn == 2 && e < events; e += 2) {
            if (p[e] > p[e + 1]) {
                int swap = p[e];
                p[e] = p[e + 1];
                p[e + 1] = swap;
            }
        }
        return p;
    }

    /** A random order that extends the edges. */
    int[] topological(Random random) {
        int[] incoming = new int[events()];
        for (int[] edge : edges) {
            incoming[edge[1]]++;
        }
        List<Integer> ready = new ArrayList<>();
        for (int e = 0; e < events(); e++) {
            if (incoming[e] == 0) {
                ready.add(e);
            }
        }
        int[][] successors = csr(0, 1);
        int[] result = new int[events()];
        for (int at = 0; at < events(); at++) {
            int chosen = ready.remove(random.nextInt(ready.size()));
            result[chosen] = at;
            for (int i = successors[0][chosen]; i < successors[0][chosen + 1]; i++) {
                if (--incoming[successors[1][i]] == 0) {
                    ready.add(successors[1][i]);
                }
            }
        }
        return result;
    }

    /** Reachability: the closure of the edges, of which random pairs may be left out. */
    private void close(Random random) {
        close();
        boolean partial = random.nextBoolean();
        for (int i = 0; partial && i < events(); i++) {
            for (int j = 0; j < events(); j++) {
                reaches[i][j] &= random.nextBoolean();
            }
        }
    }

    /** The complete closure. */
    void close() {
        int events = events();
        boolean[][] all = new boolean[events][events];
        for (int[] edge : edges) {
            all[edge[0]][edge[1]] = true;
        }
        for (int k = 0; k < events; k++) {
            for (int i = 0; i < events; i++) {
                for (int j = 0; j < events; j++) {
                    all[i][j] |= all[i][k] && all[k][j];
                }
            }
        }
        reaches = all;
    }

    Polygraph build(boolean withReachability) {
        int[] writerStart = new int[keys + 1];
        int[] readerStart = new int[keys + 1];
        int w = writers.stream().mapToInt(List::size).sum();
        int r = readers.stream().mapToInt(List::size).sum();
        int[] writerTxn = new int[w];
        int[] writerClass = new int[w];
        int[] readerTxn = new int[r];
        int[] readerClass = new int[r];
        w = 0;
        r = 0;
        for (int k = 0; k < keys; k++) {
            java.util.Map<Integer, Integer> classes = new java.util.HashMap<>();
            classes.put(0, Polygraph.INITIAL);
            for (int[] write : writers.get(k)) {
                classes.putIfAbsent(write[1], w);
                writerTxn[w] = write[0];
                writerClass[w++] = classes.get(write[1]);
            }
            for (int[] read : readers.get(k)) {
                readerTxn[r] = read[0];
                readerClass[r++] = classes.get(read[1]);
            }
            writerStart[k + 1] = w;
            readerStart[k + 1] = r;
        }
        Polygraph.Builder builder = Polygraph.builder(n, eventsPerTxn)
                .position(position.clone())
                .writers(writerStart, writerTxn, writerClass)
                .readers(readerStart, readerTxn, readerClass)
                .kinds(kinds)
                .optional(optional)
                .dirtyKeys(dirtyKeys);
        int[][] csr = csr(1, 0);
        builder.predecessors(csr[0], csr[1]);
        if (withReachability) {
            builder.reachability((a, b) -> reaches[a][b]);
        }
        Polygraph polygraph = builder.build();
        PolygraphLaw.validate(polygraph);
        return polygraph;
    }

    private int[][] csr(int from, int to) {
        int[] start = new int[events() + 1];
        for (int[] edge : edges) {
            start[edge[from] + 1]++;
        }
        for (int e = 0; e < events(); e++) {
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
