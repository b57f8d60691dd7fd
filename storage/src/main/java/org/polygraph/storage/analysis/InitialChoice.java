package org.polygraph.storage.analysis;

import java.util.Optional;

/**
 * The choice of the transactions that load the initial rows, see {@link Loaders}.
 *
 * @param session the session of the transaction that is named; 0 otherwise
 * @param index its index within the session; 0 otherwise
 */
public record InitialChoice(Kind kind, long session, long index) {
    /** How loaders are found. */
    public enum Kind {
        /** The loaders are recognized by what they write. */
        AUTO,
        /** No transaction is a loader. */
        IMPLICIT,
        /** The user names a loader. */
        NAMED
    }

    public static final InitialChoice AUTO = new InitialChoice(Kind.AUTO, 0, 0);
    public static final InitialChoice IMPLICIT = new InitialChoice(Kind.IMPLICIT, 0, 0);

    /** Returns {@code auto}, {@code implicit} or {@code SESSION#INDEX}: the inverse of {@link #ofLabel}. */
    public String label() {
        return switch (kind) {
            case AUTO -> "auto";
            case IMPLICIT -> "implicit";
            case NAMED -> session + "#" + index;
        };
    }

    /**
     * Returns the choice that a label names; empty if it names none. The session may have the letter s before it, as in
     * reports.
     */
    public static Optional<InitialChoice> ofLabel(String label) {
        if (label.equals(AUTO.label())) {
            return Optional.of(AUTO);
        }
        if (label.equals(IMPLICIT.label())) {
            return Optional.of(IMPLICIT);
        }
        int mark = label.indexOf('#');
        try {
            return mark < 0
                    ? Optional.empty()
                    : Optional.of(new InitialChoice(
                            Kind.NAMED,
                            Long.parseLong(label.substring(label.startsWith("s") ? 1 : 0, mark)),
                            Long.parseLong(label.substring(mark + 1))));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }
}
