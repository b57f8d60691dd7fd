package org.polygraph.partitioner.isolation;

import java.util.Locale;
import java.util.Optional;

/**
 * Isolation levels, strongest first. Session order is part of every level; SSER and strong SI add real time.
 *
 * <p>Sources: Adya, Liskov, O'Neil, "Generalized Isolation Level Definitions" (ICDE 2000) for SER and RC; Cerone and
 * Gotsman, "Analysing Snapshot Isolation" (PODC 2016), theorem 4.1 for SI = acyclic (SO u WR u WW);RW?; Biswas and Enea,
 * "On the Complexity of Checking Transactional Consistency" (OOPSLA 2019) for CC, RA and RC as axioms.
 */
public enum IsolationLevel {
    SSER("sser", "strict serializability", 1),
    SER("ser", "serializability", 1),
    SI("si", "snapshot isolation", 2),
    CC("cc", "causal consistency", 1),
    RA("ra", "read atomicity", 1),
    RC("rc", "read committed", 1);

    private final String label;
    private final String title;
    private final int eventsPerTransaction;

    IsolationLevel(String label, String title, int eventsPerTransaction) {
        this.label = label;
        this.title = title;
        this.eventsPerTransaction = eventsPerTransaction;
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
