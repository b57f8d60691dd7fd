package org.polygraph.jobs.windows;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.Serializable;
import java.nio.file.NoSuchFileException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.polygraph.storage.artifact.ObjectFile;

/** Runs tasks, several at a time, and has a folder for their scratch files. */
public interface Workers extends AutoCloseable {
    /** The folder of scratch files, which all tasks reach, for {@link org.polygraph.storage.artifact.Location#of}. */
    String folder();

    /**
     * Runs tasks, and returns when all have ended.
     *
     * @param what the tasks do, for people
     * @return the result of each task, in the order of the tasks
     * @throws IOException if a task could not reach its files
     * @throws org.polygraph.storage.model.BudgetException if the budget ended
     */
    <R extends Serializable> List<R> run(String what, List<? extends Task<R>> tasks) throws IOException;

    /** Whether the folder may have scratch files of an earlier process, and keeps them for a later one if {@link #keep} was called. */
    default boolean mayKeep() {
        return false;
    }

    /**
     * Decides what {@link #close} does with the scratch files, which it deletes by default.
     *
     * @param forLater whether a later process continues with them
     */
    default void keep(boolean forLater) {}

    /** Whether a failure shows that scratch files are damaged or gone, so that they are of no use for a later process. */
    static boolean showsDamage(@Nullable Throwable failure) {
        for (Throwable t = failure; t != null && t != t.getCause(); t = t.getCause()) {
            if (t instanceof ObjectFile.DamagedException
                    || t instanceof FileNotFoundException
                    || t instanceof NoSuchFileException) {
                return true;
            }
        }
        return false;
    }

    /** Ends the work, and deletes the scratch files unless they are kept. */
    @Override
    void close();
}
