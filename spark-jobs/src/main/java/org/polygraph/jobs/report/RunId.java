package org.polygraph.jobs.report;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.artifact.SeekableInput;

/**
 * Names a run by what its verdict depends on: the bytes of the input, the level, the options that can change the answer,
 * the version. Budgets are no part of it, so that a run that ran out of them is resumed with more. SHA-256, of which 16
 * hex digits are kept.
 */
public final class RunId {
    private static final int DIGITS = 16;

    private final MessageDigest digest;

    /** @param question level and options, in a fixed order */
    public RunId(String question) {
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
        text(Version.current());
        text(question);
    }

    /** The digest to feed input bytes to, where they are read only once. */
    public MessageDigest digest() {
        return digest;
    }

    /** Adds a file, or the files of a folder by name. Reads everything once. */
    public RunId input(Location location) throws IOException {
        if (location.isFolder()) {
            for (Location child : location.children()) {
                if (!child.isFolder()) {
                    text(child.fileName());
                    contents(child);
                }
            }
        } else {
            contents(location);
        }
        return this;
    }

    private void contents(Location file) throws IOException {
        byte[] buffer = new byte[1 << 16];
        if (file.length() < 0) {
            throw new IOException(
                    file.name() + ": found a pipe, which can be read only once; expected a file, since the"
                            + " run's id is made from its content first; save it, or give it as -");
        }
        // A plain file that is called .gz is refused, the same bytes under another name are not.
        text(file.fileName().endsWith(".gz") ? ".gz" : file.fileName().endsWith(".zst") ? ".zst" : "");
        long length = 0;
        try (SeekableInput in = file.open()) {
            int n;
            while ((n = in.read(buffer, 0, buffer.length)) > 0) {
                digest.update(buffer, 0, n);
                length += n;
            }
        }
        text(Long.toString(length));
    }

    /** With its length, so that no two sequences of texts are alike. */
    private void text(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        digest.update((bytes.length + ":").getBytes(StandardCharsets.US_ASCII));
        digest.update(bytes);
    }

    /** The id; ends the use of this object. */
    public String id() {
        return HexFormat.of().formatHex(digest.digest()).substring(0, DIGITS);
    }
}
