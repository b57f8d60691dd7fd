package org.polygraph.jobs.generate;

import java.io.IOException;
import org.polygraph.jobs.application.EngineException;
import org.polygraph.jobs.decision.Progress;
import org.polygraph.storage.generate.TransactionPlan;

/** Writes a generated history. Every engine writes the same rows. */
@FunctionalInterface
public interface Generator {
    /**
     * Writes all parts.
     *
     * @throws IOException if a file cannot be written
     * @throws EngineException if the cluster failed
     * @throws org.polygraph.storage.model.BudgetException if memory does not suffice
     */
    void generate(TransactionPlan plan, GenerationTarget target, Progress progress) throws IOException;
}
