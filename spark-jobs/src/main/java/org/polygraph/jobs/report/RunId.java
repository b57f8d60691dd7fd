package org.polygraph.jobs.report;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

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

    /** Adds a file, or the files of a folder by name. Reads everything once, about a second a gigabyte. */
    public RunId input(Path path) throws IOException {
        if (Files.isDirectory(path)) {
            try (Stream<Path> entries = Files.list(path)) {
                List<Path> files = entries.filter(Files::isRegularFile).sorted().toList();
                for (Path file : files) {
                    text(file.getFileName().toString());
                    contents(file);
                }
            }
        } else {
            contents(path);
        }
        return this;
    }

    private void contents(Path file) throws IOException {
        text(Long.toString(Files.size(file)));
        byte[] buffer = new byte[1 << 16];
        try (InputStream in = Files.newInputStream(file)) {
            int n;
            while ((n = in.read(buffer)) > 0) {
                digest.update(buffer, 0, n);
            }
        }
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
