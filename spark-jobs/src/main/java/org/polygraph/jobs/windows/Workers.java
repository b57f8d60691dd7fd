package org.polygraph.jobs.windows;

import java.io.IOException;
import java.util.List;

/** Runs tasks, several at a time. */
public interface Workers extends AutoCloseable {
    /** The folder of scratch files, which all tasks reach, for {@link org.polygraph.storage.artifact.Location#of}. */
    String folder();

    /**
     * Runs tasks to their end.
     *
     * @param what the tasks do, for people
     * @return the result of each task, in the order of the tasks
     * @throws IOException if a task could not reach its files
     * @throws org.polygraph.storage.model.BudgetException if the budget ended
     */
    List<byte[]> run(String what, List<? extends Task> tasks) throws IOException;

    /** Deletes the scratch files. */
    @Override
    void close();
}
