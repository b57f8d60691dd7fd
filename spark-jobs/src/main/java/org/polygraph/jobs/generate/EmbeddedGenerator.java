package org.polygraph.jobs.generate;

import java.io.IOException;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.Progress;
import org.polygraph.storage.format.HistoryWriter;
import org.polygraph.storage.generate.GeneratedRows;
import org.polygraph.storage.generate.PredicateStore;
import org.polygraph.storage.generate.SimulatedStore;
import org.polygraph.storage.generate.TransactionPlan;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;

/**
 * Generates in this JVM: one pass in the order of time finds the results of reads, a second one makes rows.
 *
 * <p>Memory: 8 bytes an operation and 8 a key, and {@value #WRITING_BYTES} bytes for a row group of the file.
 */
public final class EmbeddedGenerator implements Generator {
    private static final long WRITING_BYTES = 256L << 20;

    @Override
    public void generate(TransactionPlan plan, GenerationTarget target, Progress progress) throws IOException {
        long operations = plan.transactions() * plan.operations();
        long needed = Long.BYTES * operations
                + SimulatedStore.bytes(plan.workload().keys())
                + (operations < 1 << 20 ? 0 : WRITING_BYTES);
        Budget budget = Budget.unlimited();
        if (operations > Integer.MAX_VALUE - 8) {
            throw new BudgetException(operations + " operations do not fit one process; use --engine spark");
        }
        if (!budget.fits(0, needed)) {
            throw new BudgetException(budget.shortage("generating", needed) + ", or use --engine spark");
        }
        progress.phase("simulate");
        if (plan.workload().predicates() > 0) {
            withPredicates(plan, target, progress);
            return;
        }
        GeneratedRows rows = GeneratedRows.all(plan, done -> progress.items(done, plan.transactions()));
        progress.phase("write");
        for (int part = 0; part < target.parts(); part++) {
            target.write(part, rows);
            progress.items(part + 1L, target.parts());
        }
    }

    private static void withPredicates(TransactionPlan plan, GenerationTarget target, Progress progress)
            throws IOException {
        HistoryTable table;
        try {
            table = PredicateStore.all(plan, done -> progress.items(done, plan.transactions()));
        } catch (HistoryException e) {
            throw new IllegalStateException("two rows of one place", e);
        }
        progress.phase("write");
        HistoryWriter.write(table.withUndone(), target.path(), target.format());
    }
}
