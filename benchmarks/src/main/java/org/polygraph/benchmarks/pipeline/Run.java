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
 * One check of one history that is in memory, measured.
 *
 * @param stages CPU time of the checking thread, ns by stage
 * @param threadNanos of the checking thread, all stages
 * @param processNanos of all threads: collection and compilation too; granularity 10 ms
 */
public record Run(Verdict verdict, Map<String, Long> stages, long threadNanos, long processNanos, long elapsedNanos) {
    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    /** Checks as a tuned engine does, within a budget. */
    public static Run of(HistoryTable table, CheckRequest request, Tuning tuning, Budget budget) {
        StageCpu stages = new StageCpu();
        long process = processCpu();
        long elapsed = System.nanoTime();
        Verdict verdict = new EmbeddedChecker(tuning).check(table, request, stages, budget);
        stages.close();
        elapsed = System.nanoTime() - elapsed;
        process = processCpu() - process;
        long thread =
                stages.nanos().values().stream().mapToLong(Long::longValue).sum();
        return new Run(verdict, stages.nanos(), thread, process, elapsed);
    }

    /** CPU time of this process so far, all threads, ns. */
    static long processCpu() {
        return SYSTEM.getProcessCpuTime();
    }
}
