package org.polygraph.storage.artifact;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The exclusive use of a local folder, by the lock of a file in it. The kernel releases the lock when the process ends.
 */
final class FolderLock implements Closeable {
    /** The name of the file. */
    static final String FILE = ".owner";

    /**
     * The folders that this process uses. They are not opened again, because closing a locked file, even one that was
     * opened to test it, releases the lock of the process.
     */
    private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

    private final Path folder;
    private @Nullable FileChannel channel;

    private FolderLock(Path folder) {
        this.folder = folder;
    }

    /**
     * Takes a folder that exists.
     *
     * @return null if this process or another one uses it, or if its file was deleted in the meantime
     * @throws IOException if the folder is missing
     */
    static @Nullable FolderLock take(Path existing) throws IOException {
        FolderLock lock = new FolderLock(existing.toRealPath());
        if (!HELD.add(lock.folder)) {
            return null;
        }
        boolean isTaken = false;
        try {
            isTaken = lock.lock();
            return isTaken ? lock : null;
        } finally {
            if (!isTaken) {
                lock.close();
            }
        }
    }

    private boolean lock() throws IOException {
        Path file = folder.resolve(FILE);
        FileChannel opened = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        channel = opened;
        try {
            return opened.tryLock() != null && Files.exists(file);
        } catch (IOException e) {
            // Some network file systems have no locks.
            return true;
        }
    }

    @Override
    public void close() throws IOException {
        try {
            if (channel != null) {
                channel.close();
            }
        } finally {
            HELD.remove(folder);
        }
    }
}
