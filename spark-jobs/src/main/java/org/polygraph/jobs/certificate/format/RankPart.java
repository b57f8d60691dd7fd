package org.polygraph.jobs.certificate.format;

import java.io.Serializable;

/**
 * A file with some consecutive rows of a certificate. Its range of transactions ends at the first row of the next part.
 * The range of the first part has no beginning, and that of the last part has no end.
 *
 * @param file its name in the folder of the certificate
 * @param session with {@code index} the first row
 * @param sha256 of the bytes of the file
 */
public record RankPart(String file, long session, long index, long rows, String sha256) implements Serializable {
    /** Whether its first row comes before a transaction. */
    boolean begins(long otherSession, long otherIndex) {
        return session < otherSession || (session == otherSession && index < otherIndex);
    }
}
