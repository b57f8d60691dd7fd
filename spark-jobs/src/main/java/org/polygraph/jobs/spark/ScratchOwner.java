package org.polygraph.jobs.spark;

import java.io.Closeable;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LeaseRecoverable;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.ipc.RemoteException;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.artifact.FolderLock;

/**
 * Decides whether the process that made a folder of scratch files is alive, by a file in it that only that process can
 * hold. On a local file system the file is locked, and the kernel releases the lock when the process ends. On HDFS the
 * file is open, and the name node closes it after 20 minutes without a sign of its writer
 * (dfs.namenode.lease-hard-limit-sec). Another process that wants to write to it gets it after one minute without a sign. Process numbers and clocks are not used, so containers and machines may share a
 * file system. Object stores have neither locks nor leases; there all folders count as alive.
 */
final class ScratchOwner implements Closeable {
    /** What the name node answers to one who wants to write to a file that another process holds, or held until now. */
    private static final Set<String> HELD = Set.of(
            "org.apache.hadoop.hdfs.protocol.AlreadyBeingCreatedException",
            "org.apache.hadoop.hdfs.protocol.RecoveryInProgressException");

    /** Longer than the minute after which the name node gives a file to another writer. */
    private static final long MOST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(75);

    private static final long POLL_MILLIS = 1_000;

    private final @Nullable Closeable held;

    private ScratchOwner(@Nullable Closeable held) {
        this.held = held;
    }

    private static boolean isLocal(FileSystem fileSystem) {
        return "file".equals(fileSystem.getUri().getScheme());
    }

    private static java.nio.file.Path local(Path folder) {
        return java.nio.file.Path.of(folder.toUri().getPath());
    }

    /**
     * Takes ownership of a folder.
     *
     * @param folder a qualified path; the folder is made if it does not exist
     * @return null if another process considered the folder abandoned and has removed it, or if this process uses it;
     *     the caller then takes another name
     */
    static @Nullable ScratchOwner take(FileSystem fileSystem, Path folder) throws IOException {
        fileSystem.mkdirs(folder);
        Path file = new Path(folder, FolderLock.FILE);
        if (!isLocal(fileSystem)) {
            return new ScratchOwner(fileSystem instanceof LeaseRecoverable ? fileSystem.create(file) : null);
        }
        FolderLock lock = FolderLock.take(local(folder));
        if (lock != null && !lock.isLocked()) {
            // A folder without the file is never removed.
            fileSystem.delete(file, false);
        }
        return lock == null ? null : new ScratchOwner(lock);
    }

    /**
     * Takes ownership of a folder that may exist. On HDFS a process that was killed holds it for a minute, so this waits that long.
     *
     * @param stop whether to wait no longer
     * @return null if this process or another one has it
     */
    static @Nullable ScratchOwner takeAgain(FileSystem fileSystem, Path folder, BooleanSupplier stop)
            throws IOException {
        Path file = new Path(folder, FolderLock.FILE);
        if (!(fileSystem instanceof LeaseRecoverable) || !fileSystem.exists(file)) {
            return take(fileSystem, folder);
        }
        for (long start = System.nanoTime(); ; ) {
            try {
                return new ScratchOwner(fileSystem.append(file));
            } catch (RemoteException e) {
                if (!HELD.contains(e.getClassName())) {
                    throw e;
                }
            }
            if (System.nanoTime() - start > MOST_WAIT_NANOS || stop.getAsBoolean()) {
                return null;
            }
            try {
                Thread.sleep(POLL_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return null;
            }
        }
    }

    /**
     * Deletes a folder if the process that took it has ended.
     *
     * @param folder a qualified path
     */
    static void sweep(FileSystem fileSystem, Path folder) throws IOException {
        Path file = new Path(folder, FolderLock.FILE);
        if (!fileSystem.exists(file)) {
            return;
        }
        if (isLocal(fileSystem)) {
            try (FolderLock lock = FolderLock.take(local(folder))) {
                if (lock != null && lock.isLocked()) {
                    fileSystem.delete(folder, true);
                }
            }
        } else if (fileSystem instanceof LeaseRecoverable leases && leases.isFileClosed(file)) {
            fileSystem.delete(folder, true);
        }
    }

    /** Releases the lock after the folder has been deleted. */
    @Override
    public void close() {
        try {
            if (held != null) {
                held.close();
            }
        } catch (IOException e) {
            // The file is gone with its folder, so its end cannot be written.
        }
    }
}
