package org.polygraph.jobs.certificate;

import java.util.Locale;
import java.util.Optional;

/** What an order of events can show. Session order is part of each. */
public enum Promise {
    /** Serializability: a transaction is one event. */
    SER(1, false),
    /** Snapshot isolation: a transaction is two events, its snapshot and its commit. */
    SI(2, false),
    /** Strict serializability: real time is part of it. */
    SSER(1, true),
    /** Strong snapshot isolation: real time, from commit to snapshot, is part of it. */
    SSI(2, true);

    private final int events;
    private final boolean realTime;

    Promise(int events, boolean realTime) {
        this.events = events;
        this.realTime = realTime;
    }

    /** Events a transaction: 1, or 2 with a snapshot of its own. */
    public int events() {
        return events;
    }

    /** Whether a transaction that had ended before another started comes before it. */
    public boolean realTime() {
        return realTime;
    }

    /** The name in files and messages: {@code ser}, {@code si}, {@code sser}, {@code ssi}. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The promise of a name. */
    public static Optional<Promise> ofLabel(String label) {
        for (Promise promise : values()) {
            if (promise.label().equals(label)) {
                return Optional.of(promise);
            }
        }
        return Optional.empty();
    }

    /** The promise of a level as users name it ({@code ser}, {@code si}, {@code sser}); empty for weaker levels. */
    public static Optional<Promise> of(String level, boolean strictTime) {
        return switch (level) {
            case "ser" -> Optional.of(strictTime ? SSER : SER);
            case "sser" -> Optional.of(SSER);
            case "si" -> Optional.of(strictTime ? SSI : SI);
            default -> Optional.empty();
        };
    }
}
