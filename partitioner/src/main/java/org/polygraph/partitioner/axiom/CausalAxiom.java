package org.polygraph.partitioner.axiom;

import java.util.Arrays;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.closure.ChainClocks;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.index.CommitStatus;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.index.VersionIndex;
import org.polygraph.storage.model.StoppedException;

/**
 * CC: a transaction sees every transaction that reaches it by SO and WR. For each version of a key and each session,
 * the last writer of the key in this session that reaches a reader of the version comes before the writer of the
 * version; no edge is added if it already reaches that writer. Each version is processed once, and an edge is added
 * only if others do not imply it. AWDIT (section 3.3) adds an edge for each read and session.
 *
 * <p>Time: O(n k) for n operations and k sessions, as AWDIT. Memory: the clocks, 4 bytes times transactions times
 * sessions. If that is too much, or takes longer because sessions are short, {@link CausalBits} infer the same order.
 */
public final class CausalAxiom implements Axiom {
    private static final int CHECK_EVERY = 1 << 12;
    /** With fewer sessions clocks are fast, even if sessions are short. */
    private static final int MANY_SESSIONS = 256;
    /**
     * If sessions have fewer writes, bits take about the time of clocks, and less memory: 5,000 sessions of 80 writes
     * 8.4 CPU-s and 0.3 GB with bits, 6.8 CPU-s and 2.4 GB with clocks.
     */
    private static final int FEW_WRITES = 128;

    private final VersionIndex index;
    private final CommitStatus commitStatus;
    private final long mostBytes;
    private @Nullable Conflict conflict;

    // The current key's counted writers, by session and position.
    private int[] transactions = new int[256];
    private int[] writerChains = new int[256];
    private int[] positions = new int[256];
    private int writers;
    // Their sessions: session g of the key has the writers [sessionStarts[g], sessionStarts[g + 1]).
    private int[] sessionStarts = new int[65];
    private int sessions;
    /** By chain: how many events the readers of the current version see. */
    private int[] seen = new int[0];

    private int seenCells;
    private int[] merged = new int[0];

    /**
     * Creates the axiom. Open reads require nothing, and transactions that may count but need not are left out.
     *
     * @param mostBytes the most bytes that the clocks may take
     */
    public CausalAxiom(IndexedHistory history, long mostBytes) {
        this.index = history.versions();
        this.commitStatus = history.commitStatus();
        this.mostBytes = mostBytes;
    }

    /** Returns the bytes that the clocks need at least for this many transactions. */
    public static long leastBytes(long transactions) {
        return CausalBits.bytes(transactions);
    }

    /** Returns the most bytes that it uses; not less than {@link #leastBytes}. */
    public static long bytes(long transactions, long sessions, long writes) {
        long clocks = isShort(sessions, writes) ? 0 : 4 * transactions * (sessions + 1);
        return Math.max(leastBytes(transactions), clocks);
    }

    private static boolean isShort(long sessions, long writes) {
        return sessions >= MANY_SESSIONS && writes / FEW_WRITES < sessions;
    }

    private boolean isByBits(Events events) {
        return isShort(events.chains(), index.writers()) || ChainClocks.plainBytes(events) > mostBytes;
    }

    @Override
    public @Nullable Conflict infer(KnownGraph graph, BooleanSupplier stop) {
        graph.addReads(index);
        if (isByBits(graph.events())) {
            return CausalBits.infer(index, commitStatus, graph, stop);
        }
        ChainClocks rows = ChainClocks.plain(graph);
        if (!rows.update(stop)) {
            return null;
        }
        graph.nextRound();
        for (int key = 0; key < index.keys(); key++) {
            if (index.writerStarts()[key] < index.writerStarts()[key + 1]) {
                key(key, graph, rows);
                if (conflict != null) {
                    return conflict;
                }
            }
            if (key % CHECK_EVERY == 0 && stop.getAsBoolean()) {
                throw new StoppedException();
            }
        }
        return null;
    }

    private void key(int key, KnownGraph graph, ChainClocks rows) {
        Events events = graph.events();
        int first = index.writerStarts()[key];
        int last = index.writerStarts()[key + 1];
        load(first, last, events);
        findSessions();
        int base = index.slot(key);
        int[] slots = index.slotStarts();
        for (int slot = base; slot <= base + last - first; slot++) {
            if (slots[slot] == slots[slot + 1]) {
                continue;
            }
            see(slots[slot], slots[slot + 1], events, rows);
            if (slot == base) {
                initial(key, slots[slot], slots[slot + 1], rows);
                if (conflict != null) {
                    return;
                }
            } else {
                before(index.writerTransactions()[first + slot - base - 1], graph, rows);
            }
        }
    }

    /** The counted writers. */
    private void load(int first, int last, Events events) {
        if (last - first > transactions.length) {
            transactions = new int[Math.max(last - first, 2 * transactions.length)];
            writerChains = new int[transactions.length];
            positions = new int[transactions.length];
        }
        writers = 0;
        for (int w = first; w < last; w++) {
            int t = index.writerTransactions()[w];
            if (commitStatus.isCounted(t)) {
                int chain = events.chain(t);
                transactions[writers] = t;
                writerChains[writers] = chain;
                positions[writers++] = t - events.chainStart(chain);
            }
        }
    }

    private void findSessions() {
        sessions = 0;
        int previous = -1;
        for (int w = 0; w < writers; w++) {
            if (writerChains[w] != previous) {
                if (sessions == sessionStarts.length - 1) {
                    sessionStarts = Arrays.copyOf(sessionStarts, 2 * sessions + 1);
                }
                sessionStarts[sessions++] = w;
                previous = writerChains[w];
            }
        }
        sessionStarts[sessions] = writers;
    }

    /**
     * Sets {@link #seen} for the readers [from, to) of a version: the row of a single one, or the maximum of several.
     */
    private void see(int from, int to, Events events, ChainClocks rows) {
        int k = rows.chains();
        boolean any = false;
        for (int r = from; r < to; r++) {
            int reader = index.readerTransactions()[r];
            int chain = events.chain(reader);
            // Of several readers of one session, the last one sees the most.
            if (r + 1 < to && events.chain(index.readerTransactions()[r + 1]) == chain) {
                continue;
            }
            int[] row = rows.rows(chain);
            int cells = (reader - events.chainStart(chain)) * k;
            if (!any) {
                any = true;
                seen = row;
                seenCells = cells;
            } else {
                if (seen != merged) {
                    if (merged.length < k) {
                        merged = new int[k];
                    }
                    System.arraycopy(seen, seenCells, merged, 0, k);
                    seen = merged;
                    seenCells = 0;
                }
                for (int c = 0; c < k; c++) {
                    merged[c] = Math.max(merged[c], row[cells + c]);
                }
            }
        }
    }

    /**
     * Adds an edge from the last writer of each session that is seen to the writer of the version, unless it is
     * implied.
     */
    private void before(int writer, KnownGraph graph, ChainClocks rows) {
        Events events = graph.events();
        int own = events.chain(writer);
        int[] row = rows.rows(own);
        int cells = (writer - events.chainStart(own)) * rows.chains();
        for (int g = 0; g < sessions; g++) {
            int chain = writerChains[sessionStarts[g]];
            int covered = row[cells + chain];
            int bound = seen[seenCells + chain];
            if (bound <= covered) {
                continue;
            }
            int found = lastBefore(g, bound);
            if (found >= 0 && transactions[found] != writer && positions[found] >= covered) {
                graph.add(transactions[found], writer);
            }
        }
    }

    private void initial(int key, int from, int to, ChainClocks rows) {
        for (int w = 0; w < writers; w++) {
            if (seen[seenCells + writerChains[w]] > positions[w]) {
                for (int r = from; r < to; r++) {
                    int reader = index.readerTransactions()[r];
                    if (rows.reaches(transactions[w], reader)) {
                        conflict = new Conflict(transactions[w], reader, key);
                        return;
                    }
                }
            }
        }
    }

    /** The last writer of a session at a position below the bound, or -1. */
    private int lastBefore(int g, int bound) {
        int from = sessionStarts[g];
        int found = Arrays.binarySearch(positions, from, sessionStarts[g + 1], bound);
        int first = found < 0 ? -found - 1 : found;
        return first == from ? -1 : first - 1;
    }
}
