package org.polygraph.jobs.certificate.format;

import java.util.Locale;
import java.util.Optional;

/** What an order of events can show. Session order is part of each. */
public enum Guarantee {
    /** Serializability: a transaction is one event. */
    SER(1, false),
    /** Snapshot isolation: a transaction is two events, its snapshot and its commit. */
    SI(2, false),
    /** Strict serializability: real time is part of it. */
    SSER(1, true),
    /** Strong snapshot isolation: real time, from commit to snapshot, is part of it. */
    SSI(2, true),
    /** Causal consistency: the order is that of commits, and reads need not return the last write of it. */
    CC(1, false),
    /** Read atomicity, likewise. */
    RA(1, false),
    /** Read committed, likewise. */
    RC(1, false),
    /** Linearizability: an order of the operations of each key, with real time; between keys places say nothing. */
    LIN(1, true);

    private final int events;
    private final boolean realTime;

    Guarantee(int events, boolean realTime) {
        this.events = events;
        this.realTime = realTime;
    }

    /** Events a transaction: 1, or 2 with a snapshot of its own. */
    public int events() {
        return events;
    }

    /**
     * Whether it is something else than an order of all events in which reads return the last write: RC, RA and CC are axioms
     * about the order of commits, LIN is an order a key.
     */
    public boolean isAxiom() {
        return switch (this) {
            case CC, RA, RC, LIN -> true;
            case SER, SI, SSER, SSI -> false;
        };
    }

    /** Whether what keeps this promise keeps the other one: SSER SER SI CC RA RC, each the next, and SSER SSI SI. */
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
            case CC -> 2;
            case RA -> 3;
            case RC -> 4;
            case LIN -> 5;
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

    /** The promise of a name. */
    public static Optional<Guarantee> ofLabel(String label) {
        for (Guarantee promise : values()) {
            if (promise.label().equals(label)) {
                return Optional.of(promise);
            }
        }
        return Optional.empty();
    }

    /** The promise of a level as users name it ({@code ser}, {@code si}, {@code sser}, {@code ssi}); empty for weaker levels. */
    public static Optional<Guarantee> of(String level, boolean strictTime) {
        return switch (level) {
            case "ser" -> Optional.of(strictTime ? SSER : SER);
            case "sser" -> Optional.of(SSER);
            case "si" -> Optional.of(strictTime ? SSI : SI);
            case "ssi" -> Optional.of(SSI);
            case "cc" -> Optional.of(CC);
            case "ra" -> Optional.of(RA);
            case "rc" -> Optional.of(RC);
            case "lin" -> Optional.of(LIN);
            default -> Optional.empty();
        };
    }
}
