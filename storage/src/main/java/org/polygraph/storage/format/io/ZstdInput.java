package org.polygraph.storage.format.io;

import com.github.luben.zstd.ZstdIOException;
import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import java.io.IOException;
import java.io.InputStream;

/**
 * Reads Zstandard, all frames to the end, with windows up to 128 MiB ({@code --long=27}), the library's default limit.
 */
final class ZstdInput extends InputStream {
    private final ZstdInputStreamNoFinalizer in;

    ZstdInput(InputStream in) throws IOException {
        this.in = new ZstdInputStreamNoFinalizer(in);
    }

    @Override
    public int read() throws IOException {
        try {
            return in.read();
        } catch (ZstdIOException e) {
            throw corrupt(e);
        }
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        try {
            return in.read(bytes, offset, length);
        } catch (ZstdIOException e) {
            throw corrupt(e);
        }
    }

    private static CorruptStreamException corrupt(ZstdIOException e) {
        String message = String.valueOf(e.getMessage());
        // The library has one error code for all damage. Only the message shows that a stream ends too early.
        if (message.startsWith("Truncated source") || message.startsWith("Read error or truncated source")) {
            return new CorruptStreamException(
                    "a zstd stream that stops in the middle", "a complete one", "the file is cut off: copy it again");
        }
        return new CorruptStreamException(
                "damaged zstd data: " + message, "valid zstd", "the file is damaged: copy it again (zstd -t tests it)");
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
