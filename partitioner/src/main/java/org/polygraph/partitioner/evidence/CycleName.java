package org.polygraph.partitioner.evidence;

import java.util.List;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.partitioner.isolation.Dependency;
import org.polygraph.partitioner.isolation.EdgeKind;

/**
 * The name of a cycle by its kinds of edges (Adya's thesis, section 3; MTC, table I): no RW: G0 or G1c; one RW: a read
 * that misses a write it depends on; more: lost update, write skew or long fork.
 */
final class CycleName {
    private CycleName() {}

    static Anomaly of(List<Dependency> cycle, WriterLookup lookup) {
        int rw = count(cycle, EdgeKind.RW);
        if (count(cycle, EdgeKind.RT) > 0) {
            return Anomaly.REAL_TIME_VIOLATION;
        }
        if (rw == 0) {
            return count(cycle, EdgeKind.WR) > 0 || count(cycle, EdgeKind.SO) > 0
                    ? Anomaly.CIRCULAR_INFORMATION_FLOW
                    : Anomaly.DIRTY_WRITE;
        }
        if (isLostUpdate(cycle, lookup)) {
            return Anomaly.LOST_UPDATE;
        }
        if (rw == 1) {
            return single(cycle);
        }
        return hasAdjacentAntiDependencies(cycle) ? Anomaly.WRITE_SKEW : Anomaly.LONG_FORK;
    }

    private static Anomaly single(List<Dependency> cycle) {
        int so = count(cycle, EdgeKind.SO);
        int wr = count(cycle, EdgeKind.WR);
        if (so > 0 && so + 1 == cycle.size()) {
            return Anomaly.SESSION_GUARANTEE_VIOLATION;
        }
        if (so == 1 && wr == 1 && cycle.size() == 3) {
            // Overwritten, then seen by the session, then the old version read: the session moved backwards.
            for (int i = 0; i < 3; i++) {
                if (cycle.get(i).kind() == EdgeKind.WR && cycle.get((i + 1) % 3).kind() == EdgeKind.SO) {
                    return Anomaly.SESSION_GUARANTEE_VIOLATION;
                }
            }
        }
        return cycle.size() == 2 && wr == 1 ? Anomaly.FRACTURED_READ : Anomaly.CAUSALITY_VIOLATION;
    }

    /** Two transactions that read the same version of a key and both overwrite it. */
    private static boolean isLostUpdate(List<Dependency> cycle, WriterLookup lookup) {
        if (cycle.size() != 2) {
            return false;
        }
        Dependency first = cycle.get(0);
        for (Dependency d : cycle) {
            if (d.kind() == EdgeKind.RW) {
                int other = d.from() == first.from() ? first.to() : first.from();
                int version = lookup.writerOf(d.key(), d.from());
                if (lookup.writes(d.key(), d.from())
                        && version != WriterLookup.UNDECIDED
                        && lookup.writerOf(d.key(), other) == version) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean hasAdjacentAntiDependencies(List<Dependency> cycle) {
        for (int i = 0; i < cycle.size(); i++) {
            if (cycle.get(i).kind() == EdgeKind.RW
                    && cycle.get((i + 1) % cycle.size()).kind() == EdgeKind.RW) {
                return true;
            }
        }
        return false;
    }

    private static int count(List<Dependency> cycle, EdgeKind kind) {
        int count = 0;
        for (Dependency d : cycle) {
            count += d.kind() == kind ? 1 : 0;
        }
        return count;
    }
}
