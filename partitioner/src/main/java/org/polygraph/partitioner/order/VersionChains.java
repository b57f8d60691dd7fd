package org.polygraph.partitioner.order;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.polygraph.partitioner.graph.Events;
import org.polygraph.partitioner.graph.KnownGraph;
import org.polygraph.partitioner.index.CommitStatus;
import org.polygraph.partitioner.index.VersionIndex;

/**
 * The version order of histories in which every transaction that writes a key has read it before (mini-transactions,
 * read-modify-write) and every read has one possible writer. There the reads determine it, so neither saturation nor
 * closure nor search is needed: the level holds iff one graph, with {@link #addTo these edges}, has no cycle.
 *
 * <p><b>Why.</b> Let w write x, and v be the version of x that w read. In an order that explains the history w reads
 * the last version before it: under SER no transaction writes x between v and w; under SI no writer of x committed
 * between v and the snapshot of w, nor, as writers of a key do not overlap, between the snapshot and the commit of w.
 * So w comes immediately after v among the writers of x.
 * <ul>
 *   <li><i>Divergence.</i> Two writers cannot both come immediately after one version: if two have read the same
 *       version, no order explains the history. (Lost update.)
 *   <li><i>Necessary.</i> Else each version has at most one successor, and as each writer has a predecessor, the
 *       versions of x are a chain from the initial one, or some of them form a cycle of WR edges. A reader r of v reads
 *       before the successor s of v commits: b(r) -> c(s), unless r is s itself. With SO and WR these are edges of
 *       every order that explains the history; a cycle refutes it.
 *   <li><i>Sufficient.</i> Take any order that extends the acyclic graph. The chain of x is ordered by its WR edges
 *       c(v) -> b(s), so writers of x do not overlap. A reader of v has v before its snapshot and the successor after
 *       it, and all later versions after that one: it reads v.
 *   <li><i>Real time</i> only adds edges that an order must keep.
 * </ul>
 * MTC (Si and others, "Efficient Black-box Checking of Snapshot Isolation and Serializability with Mini-transactions",
 * 2025) has the theorem for transactions of at most two reads and two writes; their number does not matter.
 *
 * <p>Linear, and a search among the key's writers for each read. Memory: 4 bytes a writer, 8 a key.
 */
public final class VersionChains {
    private static final int NONE = -1;

    private final VersionIndex index;
    /** By slot of the index: the transaction that overwrote the version after reading it, or {@link #NONE}. */
    private final int[] successors;
    /** Two transactions each that read the same version and overwrote it. */
    private final IntArrayList diverging = new IntArrayList();

    private VersionChains(VersionIndex index) {
        this.index = index;
        this.successors = new int[index.slotStarts().length];
        Arrays.fill(successors, NONE);
    }

    /** The chains, or null if the history is not of this kind; the first key that is not ends the search. */
    public static @Nullable VersionChains of(VersionIndex index, CommitStatus commitStatus) {
        if (index.ambiguous() > 0 || commitStatus.optional() > 0 || index.rows() != null) {
            return null;
        }
        VersionChains chains = new VersionChains(index);
        for (int key = 0; key < index.keys(); key++) {
            if (!chains.follow(key)) {
                return null;
            }
        }
        return chains;
    }

    /** Finds the successors of a key's versions; false if some writer has not read the key. */
    private boolean follow(int key) {
        int first = index.writerStarts()[key];
        int last = index.writerStarts()[key + 1];
        if (first == last) {
            return true;
        }
        int[] writers = index.writerTransactions();
        int[] readers = index.readerTransactions();
        int[] slots = index.slotStarts();
        int found = 0;
        for (int slot = index.slot(key); slot <= index.slot(key) + last - first; slot++) {
            for (int r = slots[slot]; r < slots[slot + 1]; r++) {
                if (Arrays.binarySearch(writers, first, last, readers[r]) < 0) {
                    continue;
                }
                found++;
                if (successors[slot] == NONE) {
                    successors[slot] = readers[r];
                } else {
                    diverging.add(successors[slot]);
                    diverging.add(readers[r]);
                }
            }
        }
        return found == last - first;
    }

    /** Whether two transactions overwrote the same version after reading it: no order explains that. */
    public boolean isDiverging() {
        return !diverging.isEmpty();
    }

    /**
     * Adds RW edges, as the next round: from each session's last reader of a version to its successor. Where versions
     * diverge, adds edges in both directions between the two transactions, as the round after that, so the graph has a
     * cycle.
     *
     * @param graph with the WR edges
     */
    public void addTo(KnownGraph graph) {
        Events events = graph.events();
        int[] sessionOf = events.chainsByTransaction();
        int[] readers = index.readerTransactions();
        int[] slots = index.slotStarts();
        graph.nextRound();
        for (int slot = 0; slot + 1 < slots.length; slot++) {
            int successor = successors[slot];
            if (successor == NONE) {
                continue;
            }
            for (int r = slots[slot]; r < slots[slot + 1]; r++) {
                int reader = readers[r];
                boolean isLast = r + 1 == slots[slot + 1] || sessionOf[readers[r + 1]] != sessionOf[reader];
                // The last reader of a session implies the others; in the successor's own session the session order
                // implies the edge.
                if (isLast && (sessionOf[reader] != sessionOf[successor] || reader > successor)) {
                    graph.add(events.begin(reader), events.commit(successor));
                }
            }
        }
        for (int i = 0; i < diverging.size(); i += 2) {
            graph.add(events.begin(diverging.getInt(i)), events.commit(diverging.getInt(i + 1)));
        }
        if (isDiverging() && events.perTransaction() == 2) {
            graph.nextRound();
            for (int i = 0; i < diverging.size(); i += 2) {
                int a = diverging.getInt(i);
                int b = diverging.getInt(i + 1);
                graph.add(events.commit(a), events.begin(b));
                graph.add(events.commit(b), events.begin(a));
            }
        }
    }
}
