package org.polygraph.jobs.report;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;
import org.polygraph.jobs.certificate.format.Fingerprint;
import org.polygraph.storage.artifact.Location;

/**
 * Names a run by what its verdict depends on: the bytes of the input, the level, the options that can change the answer,
 * the version. Budgets are no part of it, so that a run that ran out of them is resumed with more. SHA-256, of which 16
 * hex digits are kept.
 */
public final class RunId {
    private static final int DIGITS = 16;

    private RunId() {}

    /**
     * The id.
     *
     * @param question level and options, in a fixed order
     * @param name the input's
     * @param input fingerprint of its bytes
     */
    public static String of(String question, String name, String input) {
        MessageDigest digest = Fingerprint.digest();
        // A plain file that is called .gz is refused, the same bytes under another name are not.
        String ending = name.endsWith(".gz") ? ".gz" : name.endsWith(".zst") ? ".zst" : "";
        for (String text : List.of(Version.current(), question, ending, input)) {
            // With its length, so that no two sequences of texts are alike.
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            digest.update((bytes.length + ":").getBytes(StandardCharsets.US_ASCII));
            digest.update(bytes);
        }
        return Fingerprint.hex(digest).substring(0, DIGITS);
    }

    /** The id for a file or folder, whose bytes are read once for it. */
    public static String of(String question, Location input) throws IOException {
        return of(question, input.fileName(), Fingerprint.ofInput(input, () -> false));
    }
}
