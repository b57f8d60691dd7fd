package org.polygraph.partitioner.isolation;

/**
 * One edge of a counterexample: {@code from} comes before {@code to}.
 *
 * @param from transaction id; {@link #INITIAL} is the implicit initial transaction
 * @param to transaction id
 * @param key dense key id, or {@link #NO_KEY} for SO and RT
 * @param value code of the value concerned: the one read (WR), the one that {@code from} wrote (WW), the one that
 *     {@code from} read (RW); meaningless without a key
 */
public record Dependency(int from, int to, EdgeKind kind, int key, long value, Reason reason) {
    /** {@link #key} of an edge that concerns no key. */
    public static final int NO_KEY = -1;
    /** {@link #from} of an edge that leaves the initial transaction. */
    public static final int INITIAL = -1;

    /** An edge that needs no other; its basis follows from its kind. */
    public Dependency(int from, int to, EdgeKind kind, int key, long value, String why) {
        this(
                from,
                to,
                kind,
                key,
                value,
                new Reason(
                        switch (kind) {
                            case SO -> Basis.SESSION;
                            case RT -> Basis.REAL_TIME;
                            case WR, WW, RW -> Basis.OBSERVED;
                        },
                        why));
    }

    /** One sentence: observed, or forced because the alternative closes another cycle. */
    public String why() {
        return reason.why();
    }
}
