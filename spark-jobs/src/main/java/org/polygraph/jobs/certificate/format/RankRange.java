package org.polygraph.jobs.certificate.format;

import java.io.Serializable;
import java.util.List;

/**
 * The result of a {@link RankWriter} for a range of transactions, from which {@link RankFile#finish} makes the header.
 *
 * @param parts the files with the counted transactions of the range, in their order; none if no transaction counts
 * @param content the hashes of all transactions of the range
 */
public record RankRange(List<RankPart> parts, ContentTree content) implements Serializable {
    public RankRange {
        parts = List.copyOf(parts);
    }
}
