package org.polygraph.solver;

import java.util.Arrays;
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

    private int n;
    private int[] hidden;
    private int[] edgeFrom = new int[1024];
    private int[] edgeTo = new int[1024];
    private int edges;

    /** One operation: key, transaction, value. */
    private long[] writes = new long[1024];

    private int[] writeValue = new int[1024];
    private int writeCount;
    private long[] reads = new long[1024];
    private int[] readValue = new int[1024];
    private int readCount;

    Polygraph build() {
        Random random = new Random(seed);
        n = transactions;
        int e = eventsPerTxn;
        hidden = new int[n * e];
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
                    edge(e * lastOfSession[s] + e - 1, e * t);
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
                        read(k, t, value[k]);
                        if (values == 0 && writer[k] >= 0) {
                            edge(e * writer[k] + e - 1, e * t);
                        }
                    } else {
                        w[ws++] = k;
                    }
                }
                writeSet[s] = Arrays.copyOf(w, ws);
                if (e == 2) {
                    edge(2 * t, 2 * t + 1);
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
                write(k, t, value[k]);
            }
            hidden[e * t + e - 1] = e == 1 ? hidden[t] : time++;
            active[s] = -1;
            done++;
        }
        return assemble(random);
    }

    private static int key(Random random, double[] cumulative) {
        double x = random.nextDouble() * cumulative[cumulative.length - 1];
        int at = Arrays.binarySearch(cumulative, x);
        return Math.min(cumulative.length - 1, at < 0 ? ~at : at);
    }

    private void edge(int from, int to) {
        if (edges == edgeFrom.length) {
            edgeFrom = Arrays.copyOf(edgeFrom, 2 * edges);
            edgeTo = Arrays.copyOf(edgeTo, 2 * edges);
        }
        edgeFrom[edges] = from;
        edgeTo[edges++] = to;
    }

    private void write(int key, int txn, int value) {
        if (writeCount == writes.length) {
            writes = Arrays.copyOf(writes, 2 * writeCount);
            writeValue = Arrays.copyOf(writeValue, 2 * writeCount);
        }
        writes[writeCount] = (long) key << 32 | txn;
        writeValue[writeCount++] = value;
    }

    private void read(int key, int txn, int value) {
        if (readCount == reads.length) {
            reads = Arrays.copyOf(reads, 2 * readCount);
            readValue = Arrays.copyOf(readValue, 2 * readCount);
        }
        reads[readCount] = (long) key << 32 | txn;
        readValue[readCount++] = value;
    }

    private Polygraph assemble(Random random) {
        int events = n * eventsPerTxn;
        int[][] successors = csr(events, edgeFrom, edgeTo);
        int[] writerStart = new int[keys + 1];
        int[] writerTxn = new int[writeCount];
        int[] writerClass = new int[writeCount];
        int[] readerStart = new int[keys + 1];
        int[] readerTxn = new int[readCount];
        int[] readerClass = new int[readCount];
        int[] writeOrder = sorted(writes, writeCount);
        int[] readOrder = sorted(reads, readCount);
        int r = 0;
        int w = 0;
        java.util.HashMap<Integer, Integer> classes = new java.util.HashMap<>();
        for (int k = 0; k < keys; k++) {
            classes.clear();
            classes.put(0, Polygraph.INITIAL);
            while (w < writeCount && writes[writeOrder[w]] >> 32 == k) {
                classes.putIfAbsent(writeValue[writeOrder[w]], w);
                writerTxn[w] = (int) writes[writeOrder[w]];
                writerClass[w] = classes.get(writeValue[writeOrder[w]]);
                w++;
            }
            while (r < readCount && reads[readOrder[r]] >> 32 == k) {
                readerTxn[r] = (int) reads[readOrder[r]];
                readerClass[r] = classes.get(readValue[readOrder[r]]);
                r++;
            }
            writerStart[k + 1] = w;
            readerStart[k + 1] = r;
        }
        int[][] predecessors = csr(events, edgeTo, edgeFrom);
        return Polygraph.builder(n, eventsPerTxn)
                .position(nearby(random, events, successors))
                .predecessors(predecessors[0], predecessors[1])
                .writers(writerStart, writerTxn, writerClass)
                .readers(readerStart, readerTxn, readerClass)
                .build();
    }

    /** A topological order that always takes the ready event whose changed hidden place is the least. */
    private int[] nearby(Random random, int events, int[][] successors) {
        double[] wish = new double[events];
        int[] incoming = new int[events];
        for (int i = 0; i < edges; i++) {
            incoming[edgeTo[i]]++;
        }
        for (int e = 0; e < events; e++) {
            wish[e] = hidden[e] + noise * eventsPerTxn * random.nextGaussian();
        }
        java.util.PriorityQueue<Integer> ready =
                new java.util.PriorityQueue<>((a, b) -> Double.compare(wish[a], wish[b]));
        for (int e = 0; e < events; e++) {
            if (incoming[e] == 0) {
                ready.add(e);
            }
        }
        int[] position = new int[events];
        int at = 0;
        while (!ready.isEmpty()) {
            int e = ready.poll();
            position[e] = at++;
            for (int i = successors[0][e]; i < successors[0][e + 1]; i++) {
                if (--incoming[successors[1][i]] == 0) {
                    ready.add(successors[1][i]);
                }
            }
        }
        return position;
    }

    private static int[] sorted(long[] items, int count) {
        return java.util.stream.IntStream.range(0, count)
                .boxed()
                .sorted((a, b) -> Long.compare(items[a], items[b]))
                .mapToInt(i -> i)
                .toArray();
    }

    private int[][] csr(int events, int[] from, int[] to) {
        int[] start = new int[events + 1];
        for (int i = 0; i < edges; i++) {
            start[from[i] + 1]++;
        }
        for (int e = 0; e < events; e++) {
            start[e + 1] += start[e];
        }
        int[] at = start.clone();
        int[] target = new int[edges];
        for (int i = 0; i < edges; i++) {
            target[at[from[i]]++] = to[i];
        }
        return new int[][] {start, target};
    }
}
