package org.polygraph.jobs.report.wording;

import java.util.ArrayList;
import java.util.List;
import org.polygraph.partitioner.isolation.Dependency;
import org.polygraph.partitioner.isolation.EdgeKind;

/**
 * An RW edge of a cycle with the edge before it: a transaction missed a write, although the rest of the cycle puts that
 * write before it.
 *
 * @param missed from the transaction that read, to the one that overwrote what it read
 * @param before the edge before it in the cycle, which leads to the transaction that read
 */
record MissedWrite(Dependency missed, Dependency before) {
    /** Returns those of a cycle, in its order. */
    static List<MissedWrite> of(List<Dependency> cycle) {
        List<MissedWrite> found = new ArrayList<>();
        for (int i = 0; i < cycle.size(); i++) {
            if (cycle.get(i).kind() == EdgeKind.RW) {
                found.add(new MissedWrite(cycle.get(i), cycle.get((i + cycle.size() - 1) % cycle.size())));
            }
        }
        return found;
    }

    /** The transaction whose read missed a write. */
    int reader() {
        return missed.from();
    }

    /** The transaction whose write was missed. */
    int writer() {
        return missed.to();
    }

    /** Whether the reader overwrote another transaction of the cycle, so that both wrote one key. */
    boolean isOverwriter() {
        return before.kind() == EdgeKind.WW;
    }
}
