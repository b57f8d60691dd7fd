package org.polygraph.storage.dictionary;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * Bytes in a file without a name, mapped in chunks. Whatever ends the process, its disk space is given back. A chunk's room is
 * taken on disk before it is mapped: a full disk is an {@link IOException}, not a fault. Chunks stay mapped until nobody has
 * them.
 */
final class ScratchFile implements Closeable {
    private static final int BLOCK = 1 << 16;

    private final FileChannel channel;
    private final List<ByteBuffer> chunks = new ArrayList<>();
    private long length;

    ScratchFile(Path folder) throws IOException {
        Path file = Files.createTempFile(folder, "polygraph-", ".strings");
        channel = FileChannel.open(
                file, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.DELETE_ON_CLOSE);
    }

    int chunks() {
        return chunks.size();
    }

    /** Read and written at absolute places by any thread. */
    ByteBuffer chunk(int number) {
        return chunks.get(number);
    }

    /** Adds a chunk of zeros. */
    void add(int bytes) throws IOException {
        ByteBuffer zeros = ByteBuffer.allocate(BLOCK);
        for (int written = 0; written < bytes; ) {
            zeros.clear().limit(Math.min(BLOCK, bytes - written));
            written += channel.write(zeros, length + written);
        }
        chunks.add(channel.map(MapMode.READ_WRITE, length, bytes));
        length += bytes;
    }

    /** Nothing is added any more. */
    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
