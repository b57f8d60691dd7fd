package org.polygraph.storage.format;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.compression.CompressionCodecFactory;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.xerial.snappy.Snappy;

/**
 * Page compression without Hadoop's codecs, whose configuration alone costs half a second: zstd (which we write), snappy
 * (Spark's default), gzip and none. A page that claims to be larger than {@value #MAX_PAGE} bytes is refused before memory
 * is taken for it.
 */
final class ParquetCodecs implements CompressionCodecFactory {
    private static final int MAX_PAGE = 1 << 28;

    @Override
    public BytesInputCompressor getCompressor(CompressionCodecName codec) {
        if (codec != CompressionCodecName.ZSTD) {
            throw new IllegalArgumentException("histories are written with zstd, not " + codec);
        }
        return new BytesInputCompressor() {
            @Override
            public BytesInput compress(BytesInput bytes) throws IOException {
                return BytesInput.from(Zstd.compress(bytes.toInputStream().readAllBytes()));
            }

            @Override
            public CompressionCodecName getCodecName() {
                return codec;
            }

            @Override
            public void release() {}
        };
    }

    @Override
    public BytesInputDecompressor getDecompressor(CompressionCodecName codec) {
        return new BytesInputDecompressor() {
            @Override
            public BytesInput decompress(BytesInput bytes, int size) throws IOException {
                return codec == CompressionCodecName.UNCOMPRESSED
                        ? bytes
                        : BytesInput.from(decompressed(codec, bytes.toByteArray(), size));
            }

            @Override
            public void decompress(ByteBuffer input, int compressedSize, ByteBuffer output, int size)
                    throws IOException {
                byte[] bytes = new byte[Math.min(compressedSize, input.remaining())];
                input.get(bytes);
                output.put(codec == CompressionCodecName.UNCOMPRESSED ? bytes : decompressed(codec, bytes, size));
            }

            @Override
            public void release() {}
        };
    }

    private static byte[] decompressed(CompressionCodecName codec, byte[] bytes, int size) throws IOException {
        if (size < 0 || size > MAX_PAGE) {
            throw new IOException("a page of " + size + " bytes, more than " + MAX_PAGE);
        }
        byte[] page =
                switch (codec) {
                    case ZSTD -> zstd(bytes, size);
                    case SNAPPY -> snappy(bytes, size);
                    case GZIP -> {
                        try (GzipInput in = new GzipInput(new ByteArrayInputStream(bytes))) {
                            yield in.readNBytes(size);
                        }
                    }
                    default ->
                        throw new IOException(
                                "compression by " + codec + ", which is not read (zstd, snappy and" + " gzip are)");
                };
        if (page.length != size) {
            throw new IOException("a page of " + page.length + " bytes where " + size + " are announced");
        }
        return page;
    }

    private static byte[] zstd(byte[] bytes, int size) throws IOException {
        try {
            return Zstd.decompress(bytes, size);
        } catch (ZstdException e) {
            throw new IOException("damaged zstd data: " + e.getMessage(), e);
        }
    }

    private static byte[] snappy(byte[] bytes, int size) throws IOException {
        // Snappy states its own size, which must be believed before it is allocated.
        if (Snappy.uncompressedLength(bytes) != size) {
            throw new IOException("a snappy page of another size than announced");
        }
        return Snappy.uncompress(bytes);
    }

    @Override
    public void release() {}
}
