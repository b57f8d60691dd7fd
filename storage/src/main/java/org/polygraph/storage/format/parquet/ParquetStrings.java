package org.polygraph.storage.format.parquet;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.apache.parquet.io.api.Binary;

/**
 * Converts strings of Parquet, which are UTF-8. Java silently replaces malformed text in both directions, so that
 * different keys would become equal. Here malformed text is an error.
 */
final class ParquetStrings {
    private static final char REPLACEMENT = '\uFFFD';

    private ParquetStrings() {}

    /** Decodes bytes. */
    static String of(byte[] bytes, int from, int length) throws IOException {
        String text = new String(bytes, from, length, StandardCharsets.UTF_8);
        if (text.indexOf(REPLACEMENT) >= 0
                && !Arrays.equals(
                        text.getBytes(StandardCharsets.UTF_8), Arrays.copyOfRange(bytes, from, from + length))) {
            throw new IOException("bytes that are not UTF-8 where a text should be");
        }
        return text;
    }

    /**
     * Encodes a string.
     *
     * @throws UncheckedIOException with an {@link UnwritableStringException}, so that it passes through Parquet's
     *     writer
     */
    static Binary of(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (Character.isSurrogate(c)) {
                if (i + 1 == text.length() || !Character.isSurrogatePair(c, text.charAt(i + 1))) {
                    throw new UncheckedIOException(new UnwritableStringException(text));
                }
                i++;
            }
        }
        return Binary.fromString(text);
    }
}
