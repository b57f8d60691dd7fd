package org.polygraph.jobs.windows;

import java.io.IOException;
import java.io.Serializable;
import org.polygraph.jobs.decision.Budget;

/**
 * Work for any process that reaches the input and the scratch files.
 *
 * @param <R> its result, which is small and the same in every process
 */
public interface Task<R extends Serializable> extends Serializable {
    /**
     * Does the work.
     *
     * @param budget its share of the memory of the process, and the time that is left
     * @throws IOException if the input or a scratch file cannot be reached
     */
    R run(Budget budget) throws IOException;
}
