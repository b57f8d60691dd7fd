package org.polygraph.solver;

/** What {@link Polygraph} requires of its arrays, except that the known edges hold in every order. */
final class PolygraphLaw {
    private PolygraphLaw() {}

    /** @throws IllegalArgumentException naming the array and index that is wrong */
    static void validate(Polygraph p) {
        int events = p.events();
        boolean[] taken = new boolean[events];
        for (int e = 0; e < events; e++) {
            require(
                    p.position[e] >= 0 && p.position[e] < events && !taken[p.position[e]],
                    "position",
                    e,
                    p.position[e]);
            taken[p.position[e]] = true;
        }
        for (int e = 0; e < events; e++) {
            int from = p.predecessorStart[e];
            require(from >= 0 && from <= p.predecessorStart[e + 1], "predecessorStart", e, from);
            for (int i = from; i < p.predecessorStart[e + 1]; i++) {
                int source = p.predecessor[i];
                require(source >= 0 && source < events, "predecessor", i, source);
                require(p.position[source] < p.position[e], "predecessor against position", i, source);
            }
        }
        if (p.eventsPerTransaction == 2) {
            for (int t = 0; t < p.transactions; t++) {
                require(p.position[2 * t] < p.position[2 * t + 1], "position of snapshot", t, p.position[2 * t]);
            }
        }
        validateKeys(p, "writer", p.writerStart, p.writerTxn, p.writerClass);
        validateKeys(p, "reader", p.readerStart, p.readerTxn, p.readerClass);
    }

    private static void validateKeys(Polygraph p, String name, int[] start, int[] txn, int[] valueClass) {
        for (int k = 0; k < p.keys(); k++) {
            require(start[k] >= 0 && start[k] <= start[k + 1] && start[k + 1] <= txn.length, name, k, start[k]);
            for (int i = start[k]; i < start[k + 1]; i++) {
                require(txn[i] >= 0 && txn[i] < p.transactions, name + "Txn", i, txn[i]);
                int c = valueClass[i];
                require(
                        c == Polygraph.INITIAL
                                || (c >= p.writerStart[k] && c < p.writerStart[k + 1] && p.writerClass[c] == c),
                        name + "Class",
                        i,
                        c);
            }
        }
    }

    private static void require(boolean holds, String array, int index, int value) {
        if (!holds) {
            throw new IllegalArgumentException(array + "[" + index + "] = " + value + " is not allowed");
        }
    }
}
