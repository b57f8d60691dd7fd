package org.polygraph.partitioner.evidence;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.partitioner.isolation.Basis;
import org.polygraph.partitioner.isolation.Dependency;
import org.polygraph.partitioner.isolation.EdgeKind;
import org.polygraph.storage.table.HistoryTable;

/**
 * The name of a cycle by its kinds of edges. Adya's (thesis, sections 3 to 5): no RW is G0 (version order only) or
 * G1c, one is G-single, more are G-nonadjacent or, if two of them follow each other, G2-item. The names of MTC and of
 * SQL are patterns within these; a cycle that matches none of them keeps Adya's name.
 */
final class CycleName {
    private CycleName() {}

    static Anomaly of(List<Dependency> cycle, WriterLookup lookup, HistoryTable table) {
        int rw = count(cycle, EdgeKind.RW);
        int ww = count(cycle, EdgeKind.WW);
        if (count(cycle, EdgeKind.RT) > 0) {
            return Anomaly.REAL_TIME_VIOLATION;
        }
        if (rw == 0) {
            return withoutMissedWrites(cycle);
        }
        if (isLostUpdate(cycle, lookup)) {
            return Anomaly.LOST_UPDATE;
        }
        if (rw == 1) {
            return ww == 0
                    ? single(cycle, table, false)
                    : isReadBeforeMissed(cycle) ? Anomaly.READ_SKEW : Anomaly.SINGLE;
        }
        if (!hasAdjacentAntiDependencies(cycle)) {
            return rw == 2 && ww == 0 ? Anomaly.LONG_FORK : Anomaly.NON_ADJACENT;
        }
        for (Dependency d : cycle) {
            if (isReadOnly(table, d.from())) {
                return Anomaly.READ_ONLY_ANOMALY;
            }
        }
        return cycle.size() == 2 ? Anomaly.WRITE_SKEW : Anomaly.ITEM_CYCLE;
    }

    /** Whether no operation of the transaction is a write. */
    private static boolean isReadOnly(HistoryTable table, int transaction) {
        for (int o = table.firstOperation(transaction); o < table.operationsEnd(transaction); o++) {
            if (table.isWrite(o)) {
                return false;
            }
        }
        return true;
    }

    /**
     * Whether the transaction that missed a write read from the transaction before it. Then no single snapshot has both
     * of its reads.
     */
    private static boolean isReadBeforeMissed(List<Dependency> cycle) {
        for (int i = 0; i < cycle.size(); i++) {
            if (cycle.get((i + 1) % cycle.size()).kind() == EdgeKind.RW) {
                return cycle.get(i).kind() == EdgeKind.WR;
            }
        }
        return false;
    }

    /**
     * A cycle without RW. An order of writes that no list and no version shows is a consequence of reads, so a cycle of such orders is no G0
     * and no G1c.
     */
    static Anomaly withoutMissedWrites(List<Dependency> cycle) {
        int wr = count(cycle, EdgeKind.WR);
        if (!isObserved(cycle)) {
            return Anomaly.SINGLE;
        }
        if (wr == 1 && count(cycle, EdgeKind.WW) == 0) {
            return Anomaly.FUTURE_READ;
        }
        return wr > 0 ? Anomaly.CIRCULAR_INFORMATION_FLOW : Anomaly.DIRTY_WRITE;
    }

    private static boolean isObserved(List<Dependency> cycle) {
        return cycle.stream()
                .allMatch(d -> d.kind() != EdgeKind.WW || d.reason().basis() == Basis.OBSERVED);
    }

    /** Adya's name of the cycle, then the other names of the anomaly. */
    static List<String> aliases(Anomaly anomaly, List<Dependency> cycle) {
        Set<String> names = new LinkedHashSet<>();
        if (count(cycle, EdgeKind.RT) == 0 && anomaly != Anomaly.NO_VALID_ORDER) {
            names.add(adya(cycle));
        }
        names.addAll(anomaly.aliases());
        names.remove(anomaly.label());
        return List.copyOf(names);
    }

    private static String adya(List<Dependency> cycle) {
        return switch (count(cycle, EdgeKind.RW)) {
            case 0 -> !isObserved(cycle) ? "G-single" : count(cycle, EdgeKind.WR) > 0 ? "G1c" : "G0";
            case 1 -> "G-single";
            default -> hasAdjacentAntiDependencies(cycle) ? "G2-item" : "G-nonadjacent";
        };
    }

    /**
     * One RW, the rest is SO and WR.
     *
     * @param inOrder whether the level puts each read after the earlier ones of its transaction only, so that the read that missed the
     *     write came after the one that saw it
     */
    static Anomaly single(List<Dependency> cycle, HistoryTable table, boolean inOrder) {
        int so = count(cycle, EdgeKind.SO);
        int wr = count(cycle, EdgeKind.WR);
        if (wr == 0) {
            return Anomaly.SESSION_GUARANTEE_VIOLATION;
        }
        if (so == 1 && wr == 1) {
            // The session saw the overwriting transaction and later read the old version.
            for (int i = 0; i < 3; i++) {
                if (cycle.get(i).kind() == EdgeKind.WR && cycle.get((i + 1) % 3).kind() == EdgeKind.SO) {
                    return Anomaly.SESSION_GUARANTEE_VIOLATION;
                }
            }
        }
        if (cycle.size() > 2) {
            return Anomaly.CAUSALITY_VIOLATION;
        }
        Dependency seen = cycle.get(cycle.get(0).kind() == EdgeKind.WR ? 0 : 1);
        Dependency missed = cycle.get(cycle.get(0).kind() == EdgeKind.WR ? 1 : 0);
        return inOrder || firstRead(table, seen.to(), seen.key()) < firstRead(table, seen.to(), missed.key())
                ? Anomaly.NON_MONOTONIC_READ
                : Anomaly.FRACTURED_READ;
    }

    /** The first read of a key, or more than every operation. */
    static int firstRead(HistoryTable table, int transaction, int key) {
        int o = table.firstRead(transaction, key);
        return o < 0 ? Integer.MAX_VALUE : o;
    }

    /**
     * Whether two transactions write a key, and one of them had read it and missed the write of the other. If the
     * history shows that the other came first, the read is wrong, and no update is lost.
     */
    private static boolean isLostUpdate(List<Dependency> cycle, WriterLookup lookup) {
        if (cycle.size() != 2) {
            return false;
        }
        for (int i = 0; i < 2; i++) {
            Dependency missed = cycle.get(i);
            Dependency back = cycle.get(1 - i);
            boolean isObservedFirst = back.kind() == EdgeKind.WR || back.kind() == EdgeKind.SO;
            if (missed.kind() == EdgeKind.RW
                    && !isObservedFirst
                    && missed.key() != Dependency.NO_KEY
                    && lookup.writes(missed.key(), missed.from())) {
                boolean same = lookup.readOneVersion(missed.key(), missed.from(), missed.to());
                if (same || back.key() == missed.key()) {
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
