package org.polygraph.jobs.spark;

import java.io.Closeable;
import java.io.IOException;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.application.EngineException;

/**
 * A folder for scratch files between the driver and the tasks. Closing deletes it, and so does the end of the process.
 * The folder of a killed process is deleted by the next process that makes such a folder beside it ({@link
 * ScratchOwner}), unless it belongs to a run, which a later process continues.
 */
final class ScratchFolder implements Closeable {
    /** Every remedy ends with this text. */
    static final String AGAIN = ", then run the command again: a check with --out continues from its checkpoints";

    private static final String PREFIX = "polygraph-scratch-";
    private final FileSystem fileSystem;
    private final Path folder;
    private final ScratchOwner owner;

    private final boolean mayKeep;
    private boolean isKept;

    private ScratchFolder(FileSystem fileSystem, Path folder, ScratchOwner owner, boolean mayKeep) {
        this.fileSystem = fileSystem;
        this.folder = folder;
        this.owner = owner;
        this.mayKeep = mayKeep;
    }

    /** @param parent a folder that the driver and all tasks see; it is made if it does not exist */
    static ScratchFolder in(Path parent, Configuration configuration) throws IOException {
        FileSystem fileSystem = parent.getFileSystem(configuration);
        Path beside = fileSystem.makeQualified(parent);
        ScratchOwner taken;
        Path made;
        do {
            made = new Path(beside, PREFIX + UUID.randomUUID());
            taken = ScratchOwner.take(fileSystem, made);
        } while (taken == null);
        fileSystem.deleteOnExit(made);
        sweep(fileSystem, beside);
        return new ScratchFolder(fileSystem, made, taken, false);
    }

    /**
     * A folder whose files an earlier process may have left, and that a later process may need.
     *
     * @param stop whether to wait no longer for a process that was killed
     * @return null if another process uses it
     */
    static @Nullable ScratchFolder kept(Path folder, Configuration configuration, BooleanSupplier stop)
            throws IOException {
        FileSystem fileSystem = folder.getFileSystem(configuration);
        Path qualified = fileSystem.makeQualified(folder);
        ScratchOwner taken = ScratchOwner.takeAgain(fileSystem, qualified, stop);
        return taken == null ? null : new ScratchFolder(fileSystem, qualified, taken, true);
    }

    /** Whether the files may be kept for a later process. */
    boolean mayKeep() {
        return mayKeep;
    }

    /** Decides whether {@link #close} leaves the files for a later process. */
    void keep(boolean forLater) {
        isKept = forLater && mayKeep;
    }

    /** Deletes the folders of processes that have ended. */
    static void sweep(FileSystem fileSystem, Path parent) {
        try {
            for (FileStatus each :
                    fileSystem.listStatus(parent, path -> path.getName().startsWith(PREFIX))) {
                try {
                    ScratchOwner.sweep(fileSystem, each.getPath());
                } catch (IOException e) {
                    // The folder belongs to another user, or another process has deleted it.
                }
            }
        } catch (IOException e) {
            // Folders that other processes left are no reason to fail.
        }
    }

    /** The message when scratch files cannot be written or read. */
    static EngineException failed(Path where, IOException e) {
        String found = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
        return new EngineException(
                "scratch files in " + where + ": found "
                        + found.strip().lines().findFirst().orElse("")
                        + "; expected a folder with room that driver and executors can write; " + remedy(),
                e);
    }

    /** The remedy for a file system that is full or gone. */
    private static String remedy() {
        return "make room or give another " + LazySession.SCRATCH_FOLDER + AGAIN;
    }

    Path path() {
        return folder;
    }

    /** Deletes the folder; if that fails, the end of the process tries again. */
    @Override
    public void close() {
        try {
            if (!isKept) {
                fileSystem.delete(folder, true);
                fileSystem.cancelDeleteOnExit(folder);
            }
        } catch (IOException e) {
            // A failure to delete temporary files does not change the verdict.
        }
        owner.close();
    }
}
