package org.polygraph.jobs.report;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;
import org.polygraph.jobs.certificate.format.Fingerprint;

/**
 * The id of a run: the first 16 hex digits of a SHA-256 of the bytes of the input, the level, the options that can
 * change the answer, and the version. Budgets are not part of it, so that a run can be resumed with larger ones.
 */
public final class RunId {
    private static final int DIGITS = 16;

    private RunId() {}

    /**
     * The id.
     *
     * @param question level and options, in a fixed order
     * @param input fingerprint of the bytes of the input
     */
    public static String of(String question, String name, String input) {
        MessageDigest digest = Fingerprint.digest();
        // A plain file named .gz is rejected, but the same bytes under another name are not.
        String ending = name.endsWith(".gz") ? ".gz" : name.endsWith(".zst") ? ".zst" : "";
        for (String string : List.of(Version.current(), question, ending, input)) {
            // The length keeps different sequences of strings apart.
            byte[] bytes = string.getBytes(StandardCharsets.UTF_8);
            digest.update((bytes.length + ":").getBytes(StandardCharsets.US_ASCII));
            digest.update(bytes);
        }
        return Fingerprint.hex(digest).substring(0, DIGITS);
    }
}
