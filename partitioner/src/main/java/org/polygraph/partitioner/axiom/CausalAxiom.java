package org.polygraph.partitioner.axiom;

import java.util.Arrays;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.closure.ChainClocks;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.index.Counting;
import org.polygraph.partitioner.index.IndexedHistory;
import org.polygraph.partitioner.index.VersionIndex;

/**
 * CC: t3 sees all that reaches it by SO and WR. By key and version: of each session the last writer that reaches one of the
 * version's readers comes before the version's writer, unless it already reaches it. A version is looked at once however
 * many read it, and an edge is made only where it is not implied; AWDIT (section 3.3) makes one a read and session.
 *
 * <p>Time: O(n k) for n operations and k sessions, as AWDIT. Memory: the clocks, 4 bytes times transactions times sessions.
 */
public final class CausalAxiom implements Axiom {
    private static final int CHECK_EVERY = 1 << 12;

    private final VersionIndex index;
    private final Counting counting;
    private @Nullable Conflict conflict;
    private @Nullable ChainClocks clocks;

    // The current key's writers by session: [groupStarts[g], groupStarts[g + 1]) are of chain groupChains[g].
    private int[] groupChains = new int[64];
    private int[] groupStarts = new int[65];
    private int groups;
    /** The counted ones of the current key. */
    private int[] writers = new int[256];

    private int[] bounds = new int[64];
    /** By group: where the last search ended. */
    private int[] hints = new int[64];

    /** Reads whose writer is not known demand nothing, and transactions that only may count do not. */
    public CausalAxiom(IndexedHistory history) {
        this.index = history.versions();
        this.counting = history.counting();
    }

    @Override
    public Result infer(KnownGraph graph, BooleanSupplier stop) {
        KnownGraph known = KnownGraph.of(graph.events(), index);
        for (int e = 0; e < known.edges(); e++) {
            graph.add(known.from(e), known.to(e));
        }
        ChainClocks rows = ChainClocks.of(graph);
        clocks = rows;
        ChainClocks.Result closed = rows.update(stop);
        if (closed != ChainClocks.Result.EXACT) {
            return closed == ChainClocks.Result.CYCLIC ? Result.CYCLIC : Result.STOPPED;
        }
        graph.nextRound();
        for (int key = 0; key < index.keys(); key++) {
            if (index.writerStarts()[key] < index.writerStarts()[key + 1]) {
                key(key, graph, rows);
                if (conflict != null) {
                    return Result.CONFLICT;
                }
            }
            if (key % CHECK_EVERY == 0 && stop.getAsBoolean()) {
                return Result.STOPPED;
            }
        }
        return Result.INFERRED;
    }

    private void key(int key, KnownGraph graph, ChainClocks rows) {
        Events events = graph.events();
        int first = index.writerStarts()[key];
        int last = index.writerStarts()[key + 1];
        group(first, last, events);
        int base = index.slot(key);
        int[] slots = index.slotStarts();
        for (int slot = base; slot <= base + last - first; slot++) {
            if (slots[slot] == slots[slot + 1]) {
                continue;
            }
            Arrays.fill(bounds, 0, groups, 0);
            for (int r = slots[slot]; r < slots[slot + 1]; r++) {
                int reader = index.readerTransactions()[r];
                int chain = events.chain(reader);
                // Of a session's readers of the version the last one sees the most.
                if (r + 1 < slots[slot + 1] && events.chain(index.readerTransactions()[r + 1]) == chain) {
                    continue;
                }
                int[] row = rows.rows(chain);
                int cells = (reader - events.chainStart(chain)) * rows.chains();
                for (int g = 0; g < groups; g++) {
                    bounds[g] = Math.max(bounds[g], row[cells + groupChains[g]]);
                }
            }
            if (slot == base) {
                initial(key, slots[slot], slots[slot + 1], events, rows);
                if (conflict != null) {
                    return;
                }
            } else {
                version(index.writerTransactions()[first + slot - base - 1], graph, rows);
            }
        }
    }

    private void group(int first, int last, Events events) {
        groups = 0;
        if (last - first > writers.length) {
            writers = new int[Math.max(last - first, 2 * writers.length)];
        }
        int count = 0;
        int previous = -1;
        for (int w = first; w < last; w++) {
            int transaction = index.writerTransactions()[w];
            if (!counting.isCounted(transaction)) {
                continue;
            }
            int chain = events.chain(transaction);
            if (chain != previous) {
                if (groups == groupChains.length) {
                    groupChains = Arrays.copyOf(groupChains, 2 * groups);
                    groupStarts = Arrays.copyOf(groupStarts, 2 * groups + 1);
                    bounds = new int[2 * groups];
                    hints = new int[2 * groups];
                }
                groupChains[groups] = chain;
                hints[groups] = count;
                groupStarts[groups++] = count;
                previous = chain;
            }
            writers[count++] = transaction;
        }
        groupStarts[groups] = count;
    }

    private void version(int writer, KnownGraph graph, ChainClocks rows) {
        Events events = graph.events();
        int own = events.chain(writer);
        int[] row = rows.rows(own);
        int cells = (writer - events.chainStart(own)) * rows.chains();
        for (int g = 0; g < groups; g++) {
            int covered = row[cells + groupChains[g]];
            if (bounds[g] <= covered) {
                continue;
            }
            int seen = lastBefore(g, events.chainStart(groupChains[g]) + bounds[g]);
            if (seen >= 0) {
                int other = writers[seen];
                if (other != writer && other - events.chainStart(groupChains[g]) >= covered) {
                    graph.add(other, writer);
                }
            }
        }
    }

    private void initial(int key, int from, int to, Events events, ChainClocks rows) {
        for (int g = 0; g < groups; g++) {
            int seen = lastBefore(g, events.chainStart(groupChains[g]) + bounds[g]);
            if (seen >= 0) {
                int writer = writers[seen];
                for (int r = from; r < to; r++) {
                    if (rows.reaches(writer, index.readerTransactions()[r])) {
                        conflict = new Conflict(writer, index.readerTransactions()[r], key);
                        return;
                    }
                }
            }
        }
    }

    /** The group's last writer among transactions below the bound, or -1; searched from where the last search ended. */
    private int lastBefore(int g, int bound) {
        int from = groupStarts[g];
        int to = groupStarts[g + 1];
        int low;
        int high;
        int step = 1;
        int at = hints[g];
        if (writers[at] < bound) {
            low = at;
            high = at + 1;
            while (high < to && writers[high] < bound) {
                low = high;
                step <<= 1;
                high = low + step;
            }
            high = Math.min(high, to);
        } else {
            high = at;
            low = at - 1;
            while (low >= from && writers[low] >= bound) {
                high = low;
                step <<= 1;
                low = high - step;
            }
            low = Math.max(low, from - 1);
        }
        while (high - low > 1) {
            int middle = (low + high) >>> 1;
            if (writers[middle] < bound) {
                low = middle;
            } else {
                high = middle;
            }
        }
        hints[g] = Math.max(low, from);
        return low < from ? -1 : low;
    }

    @Override
    public @Nullable Conflict conflict() {
        return conflict;
    }

    /** After {@link #infer}: what reaches what by SO and WR. */
    public ChainClocks clocks() {
        ChainClocks found = clocks;
        if (found == null) {
            throw new IllegalStateException("nothing was inferred yet");
        }
        return found;
    }
}
