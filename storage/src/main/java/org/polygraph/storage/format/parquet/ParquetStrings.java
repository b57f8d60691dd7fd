package org.polygraph.storage.format.parquet;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.apache.parquet.io.api.Binary;

/**
 * Strings of Parquet, which are UTF-8. Java replaces what is not, in both directions and without a word, so that different
 * keys would become one.
 */
final class ParquetStrings {
    private static final char REPLACEMENT = '\uFFFD';

    private ParquetStrings() {}

    /** The text of some bytes. */
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
     * The bytes of a text.
     *
     * @throws UncheckedIOException of an {@link UnwritableStringException}: it passes through Parquet's writer
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
