package org.polygraph.solver;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.polygraph.solver.proof.EdgeLists;
import org.polygraph.solver.proof.KeyKind;
import org.polygraph.storage.testkit.Formula;
import org.polygraph.storage.testkit.Law;
import org.polygraph.storage.testkit.PolygraphSink;

/** A small problem whose fields are visible to tests. */
final class RandomPolygraph implements PolygraphSink, Law.Input<RandomPolygraph> {
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
    /** Whether an order exists, as another solver found; null if nothing is known. */
    Boolean answer;

    RandomPolygraph(int n, int eventsPerTxn, int keys) {
        this.n = n;
        this.eventsPerTxn = eventsPerTxn;
        this.keys = keys;
        for (int k = 0; k < keys; k++) {
            writers.add(new ArrayList<>());
            readers.add(new ArrayList<>());
        }
    }

    /** The problems without one edge, write or read. */
    @Override
    public List<RandomPolygraph> smaller() {
        List<RandomPolygraph> all = new ArrayList<>();
        for (int i = eventsPerTxn == 2 ? n : 0; answer == null && i < edges.size(); i++) {
            int at = i;
            all.add(changed(g -> g.edges.remove(at)));
        }
        for (int k = 0; answer == null && k < keys; k++) {
            int key = k;
            for (int i = 0; i < writers.get(k).size(); i++) {
                int at = i;
                all.add(changed(g -> g.writers.get(key).remove(at)));
            }
            for (int i = 0; i < readers.get(k).size(); i++) {
                int at = i;
                all.add(changed(g -> g.readers.get(key).remove(at)));
            }
        }
        return all;
    }

    private RandomPolygraph changed(Consumer<RandomPolygraph> change) {
        RandomPolygraph g = new RandomPolygraph(n, eventsPerTxn, keys);
        g.edges.addAll(edges);
        for (int k = 0; k < keys; k++) {
            g.writers.get(k).addAll(writers.get(k));
            g.readers.get(k).addAll(readers.get(k));
        }
        g.kinds = kinds;
        g.optional = optional;
        g.position = position;
        change.accept(g);
        g.close();
        return g;
    }

    @Override
    public String text() {
        StringBuilder text = new StringBuilder("transactions " + n + ", events of each " + eventsPerTxn + ", optional "
                + Arrays.toString(optional) + ", order " + Arrays.toString(position) + "\n");
        edges.forEach(edge -> text.append("edge ").append(Arrays.toString(edge)).append('\n'));
        for (int k = 0; k < keys; k++) {
            text.append("key ").append(k).append(' ').append(kind(k)).append(", by transaction: writes");
            writers.get(k).forEach(each -> text.append(' ').append(Arrays.toString(each)));
            text.append(", reads");
            readers.get(k).forEach(each -> text.append(' ').append(Arrays.toString(each)));
            text.append('\n');
        }
        return text.toString();
    }

    /** A formula, with the reads-from edges too if a database has written the versions in turn. */
    static RandomPolygraph of(Formula formula, boolean withReads, Random random) {
        RandomPolygraph g = new RandomPolygraph(formula.transactions(), 1, formula.keys());
        formula.encode(g);
        for (int k = 0; withReads && k < g.keys; k++) {
            g.edge(g.writers.get(k).get(0)[0], g.readers.get(k).get(0)[0]);
        }
        g.position = g.topological(random);
        return g;
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

    @Override
    public void write(int key, int txn, int value) {
        writers.get(key).add(new int[] {txn, value});
    }

    @Override
    public void read(int key, int txn, int value) {
        readers.get(key).add(new int[] {txn, value});
    }

    @Override
    public void edge(int from, int to) {
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
        return topological(random.doubles(events()).toArray());
    }

    /** The order that extends the edges and always takes the event with the least wish. */
    int[] topological(double[] wish) {
        int[] incoming = new int[events()];
        edges.forEach(edge -> incoming[edge[1]]++);
        PriorityQueue<Integer> ready = new PriorityQueue<>(Comparator.comparingDouble(e -> wish[e]));
        IntStream.range(0, events()).filter(e -> incoming[e] == 0).forEach(ready::add);
        EdgeLists successors = lists(0, 1);
        int[] result = new int[events()];
        for (int at = 0; at < events(); at++) {
            int chosen = ready.remove();
            result[chosen] = at;
            for (int i = successors.start()[chosen]; i < successors.start()[chosen + 1]; i++) {
                if (--incoming[successors.target()[i]] == 0) {
                    ready.add(successors.target()[i]);
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
        List<Map<Integer, Integer>> classes = new ArrayList<>();
        int first = 0;
        for (List<int[]> list : writers) {
            Map<Integer, Integer> byValue = new HashMap<>(Map.of(0, Polygraph.INITIAL));
            for (int i = 0; i < list.size(); i++) {
                byValue.putIfAbsent(list.get(i)[1], first + i);
            }
            classes.add(byValue);
            first += list.size();
        }
        EdgeLists predecessors = lists(1, 0);
        Polygraph.Builder builder = Polygraph.builder(n, eventsPerTxn)
                .position(position.clone())
                .predecessors(predecessors.start(), predecessors.target())
                .writers(starts(writers), transactions(writers), classes(writers, classes))
                .readers(starts(readers), transactions(readers), classes(readers, classes))
                .kinds(kinds)
                .optional(optional)
                .dirtyKeys(dirtyKeys);
        if (withReachability) {
            builder.reachability((a, b) -> reaches[a][b]);
        }
        Polygraph polygraph = builder.build();
        PolygraphLaw.validate(polygraph);
        return polygraph;
    }

    private static int[] starts(List<List<int[]>> byKey) {
        int[] starts = new int[byKey.size() + 1];
        for (int k = 0; k < byKey.size(); k++) {
            starts[k + 1] = starts[k] + byKey.get(k).size();
        }
        return starts;
    }

    private static int[] transactions(List<List<int[]>> byKey) {
        return byKey.stream().flatMap(List::stream).mapToInt(each -> each[0]).toArray();
    }

    private static int[] classes(List<List<int[]>> byKey, List<Map<Integer, Integer>> classes) {
        return IntStream.range(0, byKey.size())
                .flatMap(k ->
                        byKey.get(k).stream().mapToInt(each -> classes.get(k).get(each[1])))
                .toArray();
    }

    private EdgeLists lists(int from, int to) {
        List<List<int[]>> bySource = new ArrayList<>();
        IntStream.range(0, events()).forEach(e -> bySource.add(new ArrayList<>()));
        edges.forEach(edge -> bySource.get(edge[from]).add(new int[] {edge[to]}));
        return new EdgeLists(starts(bySource), transactions(bySource));
    }
}
