package org.polygraph.partitioner.evidence;

import java.util.ArrayList;
import java.util.List;
import org.polygraph.partitioner.isolation.Alternative;
import org.polygraph.partitioner.isolation.Basis;
import org.polygraph.partitioner.isolation.Dependency;
import org.polygraph.partitioner.isolation.EdgeKind;
import org.polygraph.partitioner.isolation.Reason;
import org.polygraph.partitioner.isolation.ReasonTree;
import org.polygraph.storage.table.HistoryTable;

/**
 * Rewrites a cycle with forced edges into one with the reads that forced them, which shows more clearly what happened.
 * The new cycle follows from the same edges, so it refutes the history too.
 */
final class ClearerCycle {
    private final HistoryTable table;
    private final EdgeReasons reasons;

    ClearerCycle(HistoryTable table, EdgeReasons reasons) {
        this.table = table;
        this.reasons = reasons;
    }

    /**
     * Rewrites a cycle without RW in which a version order S before T was forced. In the cycle T reaches S. So if a
     * read of T's value forced the order, its reader comes before S, and S reaches the reader; if S and T cannot
     * overlap, S began before T committed. This cycle shows which transaction missed which write. It is no G0 or G1c,
     * because S and T may have committed in the other order. Of several orders the clearest is the one that a transaction shows which reads
     * from both S and T, or that follows from more than sessions and reads. Any other cycle is returned unchanged.
     */
    List<Dependency> of(List<Dependency> found) {
        List<Dependency> cycle = withoutLateOverwrite(withoutDetour(throughLists(found)));
        int orders = 0;
        // The cycle of an alternative. The alternative of a rewritten read would have two assumptions.
        boolean isAssumed = false;
        for (Dependency d : cycle) {
            if (d.kind() == EdgeKind.RW) {
                return cycle;
            }
            orders += d.kind() == EdgeKind.WW ? 1 : 0;
            isAssumed |= d.reason().basis() == Basis.ASSUMED;
        }
        List<Dependency> clearer = null;
        for (int at = 0; at < cycle.size(); at++) {
            Dependency order = cycle.get(at);
            List<Alternative> because = order.reason().because();
            if (order.kind() != EdgeKind.WW || because.isEmpty()) {
                continue;
            }
            List<Dependency> missed = because.get(0).cycle();
            boolean byRead = missed.get(0).kind() == EdgeKind.RW;
            boolean isClear =
                    byRead && (orders == 1 || isPartlyRead(missed)) || missed.size() > 1 && !isCausal(because);
            if (!(byRead && isAssumed)
                    && missed.stream().noneMatch(d -> d.kind() == EdgeKind.RT)
                    && (byRead || isBetween(order, missed))
                    && (isClear || (byRead && clearer == null))) {
                List<Dependency> later = new ArrayList<>(cycle.subList(at + 1, cycle.size()));
                later.addAll(cycle.subList(0, at));
                List<Dependency> rewritten = byRead ? throughReader(order, because, later) : joined(missed, later);
                if (isSimple(rewritten)) {
                    clearer = rewritten;
                }
                if (isClear && clearer == rewritten) {
                    return clearer;
                }
            }
        }
        return clearer == null ? cycle : clearer;
    }

    /**
     * Whether the reader that missed a write read another write of the same transaction later. If it read that one
     * before, RC puts the transactions into the other order.
     */
    private boolean isPartlyRead(List<Dependency> missed) {
        int reader = missed.get(0).from();
        return missed.size() == 2
                && missed.get(1).kind() == EdgeKind.WR
                && CycleName.firstRead(table, reader, missed.get(0).key())
                        < CycleName.firstRead(table, reader, missed.get(1).key());
    }

    /**
     * Replaces W -WW-> X -WR-> R by W -WR-> R where all three are about one list. Example: W appended 1, X appended 2,
     * and R read [1, 2]. R read the append of W too, so X is left out.
     */
    private List<Dependency> throughLists(List<Dependency> cycle) {
        for (int i = 0; i < cycle.size(); i++) {
            Dependency order = cycle.get(i);
            Dependency read = cycle.get((i + 1) % cycle.size());
            int append = order.kind() == EdgeKind.WW ? table.lastWrite(order.from(), read.key()) : -1;
            if (append >= 0
                    && read.kind() == EdgeKind.WR
                    && order.key() == read.key()
                    && order.reason().basis() == Basis.OBSERVED
                    && table.isAppend(append)
                    && order.from() != read.to()) {
                List<Dependency> shorter = new ArrayList<>(cycle);
                shorter.set(
                        i,
                        new Dependency(
                                order.from(),
                                read.to(),
                                EdgeKind.WR,
                                read.key(),
                                table.value(append),
                                "observed: the only transaction that appended this element of the list"));
                shorter.remove(read);
                return throughLists(shorter);
            }
        }
        return cycle;
    }

    /**
     * Rewrites a cycle of two edges, in which S read a version that T overwrote, and S overwrote the version of T, if S
     * had ended before T started. It would be a lost update, but the times show that T wrote later. In this order, the
     * transaction whose read forced T before S missed T's write. Without times the lost update is the simpler
     * explanation.
     */
    private List<Dependency> withoutLateOverwrite(List<Dependency> cycle) {
        long[] starts = table.starts();
        long[] ends = table.ends();
        for (int at = 0; cycle.size() == 2 && starts != null && ends != null && at < 2; at++) {
            Dependency order = cycle.get(at);
            Dependency missed = cycle.get(1 - at);
            List<Alternative> because = order.reason().because();
            if (order.kind() == EdgeKind.WW
                    && missed.kind() == EdgeKind.RW
                    && order.key() == missed.key()
                    && ends[order.to()] != HistoryTable.NO_TIME
                    && ends[order.to()] < starts[order.from()]
                    && !because.isEmpty()
                    && because.get(0).cycle().get(0).kind() == EdgeKind.RW) {
                List<Dependency> rewritten = throughReader(order, because, List.of(missed));
                if (isSimple(rewritten)) {
                    return rewritten;
                }
            }
        }
        return cycle;
    }

    /**
     * Rewrites a cycle with W -WR-> R -RW-> X, both of one key, to one with the path from W to X that shows that X
     * wrote later. The read of R does not show this order, which other transactions force.
     */
    private static List<Dependency> withoutDetour(List<Dependency> cycle) {
        for (int i = 0; i < cycle.size(); i++) {
            Dependency read = cycle.get(i);
            Dependency missed = cycle.get((i + 1) % cycle.size());
            List<Alternative> because = missed.reason().because();
            if (read.kind() == EdgeKind.WR
                    && missed.kind() == EdgeKind.RW
                    && read.key() == missed.key()
                    && !because.isEmpty()
                    && because.get(0).cycle().size() > 1
                    && because.get(0).cycle().get(1).from() == read.from()) {
                List<Dependency> back = new ArrayList<>();
                for (int k = 2; k < cycle.size(); k++) {
                    back.add(cycle.get((i + k) % cycle.size()));
                }
                List<Dependency> shown = joined(because.get(0).cycle(), back);
                if (isSimple(shown)) {
                    return withoutDetour(shown);
                }
            }
        }
        return cycle;
    }

    /** Whether the path after the consequence of an alternative leads from one end of an edge to the other. */
    private static boolean isBetween(Dependency order, List<Dependency> missed) {
        return missed.size() > 1
                && missed.get(1).from() == order.from()
                && missed.get(missed.size() - 1).to() == order.to();
    }

    private static boolean isSimple(List<Dependency> cycle) {
        return cycle.stream().mapToInt(Dependency::from).distinct().count() == cycle.size();
    }

    private List<Dependency> throughReader(Dependency order, List<Alternative> because, List<Dependency> later) {
        List<Dependency> missed = because.get(0).cycle();
        Dependency read = missed.get(0);
        String why = "forced: it read what " + table.name(order.to()) + " wrote, and " + table.name(order.from())
                + " wrote later (" + reasons.describe(later) + ")";
        Dependency assumed = reasons.assumed(order.from(), order.to(), order.key());
        Reason reason = EdgeReasons.forced(
                why, reasons.alternatives(assumed, assumed, later, because.subList(1, because.size())));
        return EdgeReasons.closed(
                new Dependency(read.from(), read.to(), EdgeKind.RW, read.key(), read.value(), reason),
                missed.subList(1, missed.size()));
    }

    /** Whether alternatives fail by sessions and reads alone. */
    private static boolean isCausal(List<Alternative> because) {
        return because.stream()
                .flatMap(alternative -> ReasonTree.of(alternative.cycle(), List.of()).edges().stream())
                .allMatch(
                        d -> d.reason().basis() == Basis.ASSUMED || d.kind() == EdgeKind.SO || d.kind() == EdgeKind.WR);
    }

    /** A cycle of the path after the consequence of an alternative, and of a path back. */
    private static List<Dependency> joined(List<Dependency> alternative, List<Dependency> back) {
        List<Dependency> cycle = new ArrayList<>(alternative.subList(1, alternative.size()));
        cycle.addAll(back);
        return cycle;
    }
}
