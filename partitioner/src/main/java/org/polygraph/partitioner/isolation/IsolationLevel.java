package org.polygraph.partitioner.isolation;

import java.util.Locale;
import java.util.Optional;

/**
 * Isolation levels. Session order is part of every level but PL2 and LIN; SSER and SSI (strong SI) add real time. SSER
 * implies SER and SSI, each of these implies SI, SI implies PC, PC implies CC, CC implies RA, RA implies RC, and RC
 * implies PL2, which has no session order. No other level implies LIN, and it implies none.
 *
 * <p>Sources: Adya, Liskov, O'Neil, "Generalized Isolation Level Definitions" (ICDE 2000) for SER, RC and PL2; Cerone
 * and Gotsman, "Analysing Snapshot Isolation" (PODC 2016), theorem 4.1 for SI = acyclic (SO u WR u WW);RW?; Biswas and
 * Enea, "On the Complexity of Checking Transactional Consistency" (OOPSLA 2019) for CC, RA and RC as axioms; Cerone,
 * Bernardi, Gotsman, "A Framework for Transactional Consistency Models with Atomic Visibility" (CONCUR 2015) for PC.
 */
public enum IsolationLevel {
    SSER("sser", "strict serializability", 1, true),
    SER("ser", "serializability", 1, false),
    SSI("ssi", "strong snapshot isolation", 2, true),
    SI("si", "snapshot isolation", 2, false),
    /** SI without first-committer-wins: writers of a key may overlap. */
    PC("pc", "prefix consistency", 2, false),
    CC("cc", "causal consistency", 1, false),
    RA("ra", "read atomicity", 1, false),
    RC("rc", "read committed", 1, false),
    /** Adya's PL-2: no G0, G1a, G1b or G1c. Session order is no part of it. */
    PL2("pl2", "PL-2", 1, false),
    /** One order of operations per key; sessions are not considered. */
    LIN("lin", "linearizability by key", 1, true);

    private final String label;
    private final String title;
    private final int eventsPerTransaction;
    private final boolean realTime;

    IsolationLevel(String label, String title, int eventsPerTransaction, boolean realTime) {
        this.label = label;
        this.title = title;
        this.eventsPerTransaction = eventsPerTransaction;
        this.realTime = realTime;
    }

    /** The name on the command line. */
    public String label() {
        return label;
    }

    /** The name in prose. */
    public String title() {
        return title;
    }

    /** 1: a transaction happens at one point; 2: it reads at its snapshot and writes at its commit. */
    public int eventsPerTransaction() {
        return eventsPerTransaction;
    }

    /** Whether real-time order is part of it. */
    public boolean realTime() {
        return realTime;
    }

    /**
     * Whether writers of a key need not be apart, so that an append reads nothing, and inserts and deletes are other
     * writes: PC, the axioms about the order of commits, and LIN.
     */
    public boolean isAxiom() {
        return this == PC || !isOfEvents();
    }

    /**
     * Whether the level is defined by one order of events in which reads return the last write. CC, RA, RC and PL2 are
     * axioms about the order of commits, LIN is one order per key.
     */
    public boolean isOfEvents() {
        return switch (this) {
            case SSER, SER, SSI, SI, PC -> true;
            case CC, RA, RC, PL2, LIN -> false;
        };
    }

    /** Whether each read is judged alone, so that a transaction may read two values of a key. */
    public boolean readsAlone() {
        return this == RC || this == PL2;
    }

    /** The level with real time added: SSER for SER and SSI for SI; every other level is returned unchanged. */
    public IsolationLevel strict() {
        return switch (this) {
            case SER -> SSER;
            case SI -> SSI;
            default -> this;
        };
    }

    public static Optional<IsolationLevel> ofLabel(String label) {
        String wanted = label.toLowerCase(Locale.ROOT);
        for (IsolationLevel level : values()) {
            if (level.label.equals(wanted)) {
                return Optional.of(level);
            }
        }
        return Optional.empty();
    }
}
