package org.polygraph.storage.format.io;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/** The compression of a file, which its first bytes show. */
public enum Compression {
    NONE,
    GZIP,
    ZSTD;

    /** The number of bytes that {@link #of} needs. */
    public static final int PREFIX = 1 << 16;

    private static final int START = 512;

    /** @param b the first {@value #PREFIX} bytes of a file, or all */
    public static Compression of(byte[] b) {
        if (b.length >= 3 && b[0] == 0x1F && b[1] == (byte) 0x8B && b[2] == 8) {
            return GZIP;
        }
        if (b.length >= 4) {
            int magic = (b[3] & 0xFF) << 24 | (b[2] & 0xFF) << 16 | (b[1] & 0xFF) << 8 | (b[0] & 0xFF);
            // The magic of a frame, or of a skippable frame, which parallel compressors write first.
            if (magic == 0xFD2FB528 || (magic & 0xFFFFFFF0) == 0x184D2A50) {
                return ZSTD;
            }
        }
        return NONE;
    }

    /** Returns the decompressed content. */
    InputStream undo(InputStream raw) throws IOException {
        return switch (this) {
            case NONE -> raw;
            case GZIP -> new GzipInput(raw);
            case ZSTD -> new ZstdInput(raw);
        };
    }

    /**
     * Returns the first bytes of the content, at most {@value #START}, as far as the first bytes of the file contain
     * them.
     */
    byte[] start(byte[] prefix) {
        byte[] start = new byte[START];
        int n = 0;
        try (InputStream in = undo(new ByteArrayInputStream(prefix))) {
            for (int read; n < start.length && (read = in.read(start, n, start.length - n)) > 0; ) {
                n += read;
            }
        } catch (IOException e) {
            // The prefix ends within the content, so an error here means nothing; damage is reported when the file is
            // read.
            return Arrays.copyOf(start, n);
        }
        return Arrays.copyOf(start, n);
    }
}
