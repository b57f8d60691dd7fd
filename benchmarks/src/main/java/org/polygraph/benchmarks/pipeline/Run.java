package org.polygraph.benchmarks.pipeline;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.Map;
import org.polygraph.jobs.application.EmbeddedChecker;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Tuning;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.storage.table.HistoryTable;

/**
 * One measured check of a history that is in memory.
 *
 * @param phases CPU time of the checking thread, in ns by phase
 * @param threadNanos CPU time of the checking thread, all phases
 * @param processNanos CPU time of all threads, with garbage collection and compilation, in steps of 10 ms
 */
public record Run(Verdict verdict, Map<String, Long> phases, long threadNanos, long processNanos, long elapsedNanos) {
    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    /** Checks as a tuned engine does, within a budget. */
    public static Run of(HistoryTable table, CheckRequest request, Tuning tuning, Budget budget) {
        PhaseCpu phases = new PhaseCpu();
        long process = processCpu();
        long elapsed = System.nanoTime();
        Verdict verdict = new EmbeddedChecker(tuning).check(table, request, phases, budget);
        phases.close();
        elapsed = System.nanoTime() - elapsed;
        process = processCpu() - process;
        long thread =
                phases.nanos().values().stream().mapToLong(Long::longValue).sum();
        return new Run(verdict, phases.nanos(), thread, process, elapsed);
    }

    /** Returns the CPU time of this process so far, all threads, in ns. */
    static long processCpu() {
        return SYSTEM.getProcessCpuTime();
    }
}
