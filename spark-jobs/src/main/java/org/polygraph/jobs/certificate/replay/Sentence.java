package org.polygraph.jobs.certificate.replay;

import java.io.Serializable;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A message {@code before first between second after}. Its transactions get their names later, where the pieces of the
 * input are known.
 */
public record Sentence(
        String before,
        @Nullable Named first,
        String between,
        @Nullable Named second,
        String after) implements Serializable {
    static Sentence of(Named first, String after) {
        return new Sentence("", first, after, null, "");
    }

    /** @param names of transactions */
    String text(Function<Named, String> names) {
        return before
                + (first == null ? "" : names.apply(first))
                + between
                + (second == null ? "" : names.apply(second))
                + after;
    }
}
