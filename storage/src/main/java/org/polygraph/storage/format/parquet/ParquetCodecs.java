package org.polygraph.storage.format.parquet;

import com.github.luben.zstd.Zstd;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.compression.CompressionCodecFactory;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;

/**
 * Offers {@link PageCompression} to Parquet's library. Hadoop's codecs are not used, because loading their
 * configuration costs half a second.
 */
final class ParquetCodecs implements CompressionCodecFactory {
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
        int number = codec.getParquetCompressionCodec().getValue();
        return new BytesInputDecompressor() {
            @Override
            public BytesInput decompress(BytesInput bytes, int size) throws IOException {
                return BytesInput.from(decompressed(number, bytes.toByteArray(), size));
            }

            @Override
            public void decompress(ByteBuffer input, int compressedSize, ByteBuffer output, int size)
                    throws IOException {
                byte[] bytes = new byte[Math.min(compressedSize, input.remaining())];
                input.get(bytes);
                output.put(decompressed(number, bytes, size));
            }

            @Override
            public void release() {}
        };
    }

    private static byte[] decompressed(int codec, byte[] bytes, int size) throws IOException {
        PageCompression.checkSize(size);
        byte[] page = new byte[size];
        PageCompression.of(codec).undo(bytes, 0, bytes.length, page, 0, size);
        return page;
    }

    @Override
    public void release() {}
}
