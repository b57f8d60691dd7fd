package org.polygraph.storage.format.parquet;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import org.apache.parquet.format.CompressionCodec;
import org.polygraph.storage.format.io.GzipInput;
import org.xerial.snappy.Snappy;

/** The compression of a page: zstd (which we write), snappy (Spark's default), gzip, or none. */
enum PageCompression {
    NONE(1),
    SNAPPY(64),
    GZIP(1100),
    ZSTD(1 << 15);

    /** A page of more bytes is refused before memory is allocated for it. */
    static final int MOST_BYTES = 1 << 28;

    private static final int SLACK = 1 << 17;

    /** A page is at most this many times as large as its compressed bytes, plus {@link #SLACK}. */
    private final int mostRatio;

    PageCompression(int mostRatio) {
        this.mostRatio = mostRatio;
    }

    /** Returns the compression of a codec. */
    static PageCompression of(CompressionCodec codec) throws IOException {
        return switch (codec) {
            case UNCOMPRESSED -> NONE;
            case SNAPPY -> SNAPPY;
            case GZIP -> GZIP;
            case ZSTD -> ZSTD;
            default ->
                throw new IOException("compression by " + codec + ", which is not read (zstd, snappy and gzip are)");
        };
    }

    /** Refuses a size that is out of range. */
    static void checkSize(int size) throws IOException {
        if (size < 0 || size > MOST_BYTES) {
            throw new IOException("a page of " + size + " bytes, more than " + MOST_BYTES);
        }
    }

    /** Refuses a size that the compressed bytes cannot have, before memory is allocated for it. */
    void checkSize(int length, int size) throws IOException {
        checkSize(size);
        if (this == NONE ? size != length : size > (long) mostRatio * length + SLACK) {
            throw new IOException("a page of " + size + " bytes in " + length);
        }
    }

    /** Decompresses a page and checks that it has the announced size. */
    void undo(byte[] from, int at, int length, byte[] into, int offset, int size) throws IOException {
        checkSize(size);
        long found =
                switch (this) {
                    case NONE -> {
                        System.arraycopy(from, at, into, offset, Math.min(length, size));
                        yield length;
                    }
                    case SNAPPY -> snappy(from, at, length, into, offset, size);
                    case GZIP -> {
                        try (GzipInput in = new GzipInput(new ByteArrayInputStream(from, at, length))) {
                            int n = in.readNBytes(into, offset, size);
                            // The checksum follows the last byte, so this read also checks it.
                            if (in.read() >= 0) {
                                throw new IOException("a page of more bytes than the " + size + " announced");
                            }
                            yield n;
                        }
                    }
                    case ZSTD -> {
                        try {
                            yield Zstd.decompressByteArray(into, offset, size, from, at, length);
                        } catch (ZstdException e) {
                            throw new IOException("damaged zstd data: " + e.getMessage(), e);
                        }
                    }
                };
        if (found != size) {
            throw new IOException("a page of " + found + " bytes where " + size + " are announced");
        }
    }

    private static int snappy(byte[] from, int at, int length, byte[] into, int offset, int size) throws IOException {
        // Snappy writes as many bytes as its data announces, so that number is checked first.
        int stated = Snappy.uncompressedLength(from, at, length);
        return stated == size ? Snappy.uncompress(from, at, length, into, offset) : stated;
    }
}
