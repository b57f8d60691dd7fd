package org.polygraph.jobs.certificate.format;

import java.util.Locale;
import java.util.Optional;

/** The guarantee that a certificate shows. Session order is part of each but {@link #PL2} and {@link #LIN}. */
public enum Guarantee {
    /** Serializability: a transaction is one event. */
    SER(1, false),
    /** Snapshot isolation: a transaction is two events, its snapshot and its commit. */
    SI(2, false),
    /** Strict serializability: real time is part of it. */
    SSER(1, true),
    /** Strong snapshot isolation: real time, from commit to snapshot, is part of it. */
    SSI(2, true),
    /**
     * Prefix consistency: snapshots and commits as at SI, but writers of a key may overlap. It implies CC, RA and RC, so a
     * certificate of these may show it.
     */
    PC(2, false),
    /** Causal consistency: an order of commits, in which a read need not return the last write. */
    CC(1, false),
    /** Read atomicity: an order of commits. */
    RA(1, false),
    /** Read committed: an order of commits. */
    RC(1, false),
    /**
     * Adya's PL-2: an order of commits, in which what a transaction read from comes before it; without session order.
     */
    PL2(1, false),
    /**
     * Linearizability: an order of the operations of each key, with real time. Places of different keys are unrelated.
     */
    LIN(1, true);

    private final int events;
    private final boolean realTime;

    Guarantee(int events, boolean realTime) {
        this.events = events;
        this.realTime = realTime;
    }

    /** Whether each read is judged alone, so that a transaction may read two values of a key. */
    public boolean readsAlone() {
        return this == RC || this == PL2;
    }

    /** Events per transaction: 1, or 2 (snapshot and commit). */
    public int events() {
        return events;
    }

    /**
     * True for PC, CC, RA, RC, PL2 and LIN, at which inserts, deletes and appends are plain writes. At the others an append
     * also reads, and rows are objects.
     */
    public boolean hasPlainWrites() {
        return switch (this) {
            case PC, CC, RA, RC, PL2, LIN -> true;
            case SER, SI, SSER, SSI -> false;
        };
    }

    /** True for PC, CC, RA, RC and PL2, at which inserts and deletes are other writes, and an append reads nothing. */
    public boolean isOfCommits() {
        return hasPlainWrites() && this != LIN;
    }

    /** True for CC, RA, RC and PL2, whose orders have sources of reads. */
    public boolean hasSources() {
        return isOfCommits() && this != PC;
    }

    /**
     * Whether this guarantee implies the other one: each of SSER, SER, SI, PC, CC, RA, RC, PL2 implies the next, as do
     * SSER, SSI, SI.
     */
    public boolean implies(Guarantee other) {
        if (this == LIN || other == LIN) {
            return this == other;
        }
        boolean order = rank() <= other.rank();
        return order && (realTime || !other.realTime);
    }

    private int rank() {
        return switch (this) {
            case SSER, SER -> 0;
            case SSI, SI -> 1;
            case PC -> 2;
            case CC -> 3;
            case RA -> 4;
            case RC -> 5;
            case PL2 -> 6;
            case LIN -> 7;
        };
    }

    /** Whether a transaction that had ended before another started comes before it. */
    public boolean realTime() {
        return realTime;
    }

    /** The name in files and messages: {@code ser}, {@code si}, {@code sser}, {@code ssi}, {@code cc} and so on. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Optional<Guarantee> ofLabel(String label) {
        for (Guarantee guarantee : values()) {
            if (guarantee.label().equals(label)) {
                return Optional.of(guarantee);
            }
        }
        return Optional.empty();
    }

    /** The guarantee of a level's label, with real time if {@code strictTime} adds it; empty for an unknown label. */
    public static Optional<Guarantee> of(String level, boolean strictTime) {
        return ofLabel(level).map(found -> !strictTime ? found : found == SER ? SSER : found == SI ? SSI : found);
    }
}
