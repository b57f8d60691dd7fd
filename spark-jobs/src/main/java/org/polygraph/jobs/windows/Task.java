package org.polygraph.jobs.windows;

import java.io.IOException;
import java.io.Serializable;
import org.polygraph.jobs.decision.Budget;

/** Work for any process that reaches the input and the scratch files. Its small result is the same in every process. */
public interface Task extends Serializable {
    /**
     * Does the work.
     *
     * @param budget its share of the memory of the process, and the time that is left
     * @throws IOException if the input or a scratch file cannot be reached
     */
    byte[] run(Budget budget) throws IOException;
}
