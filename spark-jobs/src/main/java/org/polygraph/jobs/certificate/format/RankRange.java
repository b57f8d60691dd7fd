package org.polygraph.jobs.certificate.format;

import java.io.Serializable;
import java.util.List;

/**
 * What a {@link RankWriter} leaves of a range of transactions, and all that {@link RankFile#finish} needs.
 *
 * @param parts of the counted transactions of the range, in their order; none if no transaction counts
 * @param content of all transactions of the range
 */
public record RankRange(List<RankPart> parts, ContentTree content) implements Serializable {
    public RankRange {
        parts = List.copyOf(parts);
    }
}
