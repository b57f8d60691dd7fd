package org.polygraph.jobs.certificate.replay;

import java.io.Serializable;
import java.util.function.LongFunction;

/**
 * A sentence about an order: a text, a transaction, a text, a transaction, a text. The order names its transactions by the places of
 * their events. A place of {@value #NONE} stands for no transaction.
 */
public record PlacedFault(String before, long place, String between, long other, String after) implements Serializable {
    private static final long serialVersionUID = 1L;

    public static final long NONE = -1;

    static PlacedFault of(long place, String after) {
        return new PlacedFault("", place, after, NONE, "");
    }

    /** Returns the sentence. @param names by place: the name of its transaction */
    public String text(LongFunction<String> names) {
        return before + name(place, names) + between + name(other, names) + after;
    }

    private static String name(long place, LongFunction<String> names) {
        return place == NONE ? "" : names.apply(place);
    }
}
