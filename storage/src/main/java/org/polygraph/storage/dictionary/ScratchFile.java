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
 * Bytes in a file without a name, mapped block by block. The operating system frees the disk space however the process
 * ends. A block is written before it is mapped, so that a full disk is an {@link IOException} and not a crash. Blocks
 * stay mapped while they are reachable.
 */
final class ScratchFile implements Closeable {
    private static final int ZEROS = 1 << 16;

    private final FileChannel channel;
    private final List<ByteBuffer> blocks = new ArrayList<>();
    private long length;

    ScratchFile(Path folder) throws IOException {
        Path file = Files.createTempFile(folder, "polygraph-", ".strings");
        channel = FileChannel.open(
                file, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.DELETE_ON_CLOSE);
    }

    int blocks() {
        return blocks.size();
    }

    /** A block, which any thread may read and write at absolute positions. */
    ByteBuffer block(int number) {
        return blocks.get(number);
    }

    /** Adds a block of zeros. */
    void add(int bytes) throws IOException {
        ByteBuffer zeros = ByteBuffer.allocate(ZEROS);
        for (int written = 0; written < bytes; ) {
            zeros.clear().limit(Math.min(ZEROS, bytes - written));
            written += channel.write(zeros, length + written);
        }
        blocks.add(channel.map(MapMode.READ_WRITE, length, bytes));
        length += bytes;
    }

    /** No block can be added afterwards; existing blocks stay usable. */
    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
