package org.polygraph.storage.artifact;

import java.io.Closeable;
import java.io.IOException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A folder for scratch files. Closing deletes it unless its files are kept for a later process. The end of the process, including by a
 * signal, deletes a folder whose files no later process can need.
 */
public final class ScratchFolder implements Closeable {
    private final Location folder;
    /** Ends the exclusive use of a folder that a later process may continue with; null for others. */
    private final @Nullable Closeable claim;

    private final Unfinished.Step unfinished;
    private boolean isKept;

    private ScratchFolder(Location folder, @Nullable Closeable claim) {
        this.folder = folder;
        this.claim = claim;
        this.unfinished = folder::delete;
        if (claim == null) {
            Unfinished.addFolder(unfinished);
        }
    }

    /** A folder of a name that no other process uses. */
    public static ScratchFolder temporary(Location folder) {
        return new ScratchFolder(folder, null);
    }

    /**
     * A folder whose files an earlier process may have left, and that a later process may need.
     *
     * @param stop whether to wait no longer for a process that was killed
     * @return null if this process or another one uses it
     */
    public static @Nullable ScratchFolder kept(Location folder, BooleanSupplier stop) throws IOException {
        Closeable claim = folder.claimed(stop);
        return claim == null ? null : new ScratchFolder(folder, claim);
    }

    public Location location() {
        return folder;
    }

    /** Whether the files may be kept for a later process. */
    public boolean mayKeep() {
        return claim != null;
    }

    /** Decides whether {@link #close} leaves the files for a later process. */
    public void keep(boolean forLater) {
        isKept = forLater && mayKeep();
    }

    /** Deletes the folder unless it is kept. A failure is ignored: scratch files that remain do not change a verdict. */
    @Override
    public void close() {
        try {
            if (!isKept) {
                folder.delete();
                Unfinished.remove(unfinished);
            }
        } catch (IOException e) {
            // The end of the process tries again.
        }
        try {
            if (claim != null) {
                claim.close();
            }
        } catch (IOException e) {
            // The file that shows the use is gone with its folder.
        }
    }
}
