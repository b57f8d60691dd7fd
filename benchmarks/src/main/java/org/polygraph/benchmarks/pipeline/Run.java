package org.polygraph.benchmarks.pipeline;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.polygraph.jobs.application.EmbeddedChecker;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Tuning;
import org.polygraph.jobs.verdict.Certificate;
import org.polygraph.jobs.verdict.ResidualSize;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.storage.table.HistoryTable;

/**
 * One measured check of a history that is in memory.
 *
 * @param phases CPU time of the checking thread, in ns by phase
 * @param threadNanos CPU time of the checking thread, all phases
 * @param processNanos CPU time of all threads, with garbage collection and compilation, in steps of 10 ms
 */
record Run(Verdict verdict, Map<String, Long> phases, long threadNanos, long processNanos, long elapsedNanos) {
    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final long POLL_NANOS = 20_000_000;

    /**
     * Checks as a tuned engine does.
     *
     * @param limitNanos of the CPU time of the checking thread, so that other processes do not decide what is UNKNOWN
     */
    static Run of(HistoryTable table, CheckRequest request, Tuning tuning, long limitNanos) {
        long checker = Thread.currentThread().getId();
        long start = THREADS.getThreadCpuTime(checker);
        Budget budget = Budget.unlimited();
        Thread watch = new Thread(() -> {
            while (THREADS.getThreadCpuTime(checker) - start < limitNanos) {
                LockSupport.parkNanos(POLL_NANOS);
                if (Thread.interrupted()) {
                    return;
                }
            }
            budget.cancel();
        });
        watch.setDaemon(true);
        watch.start();
        PhaseCpu phases = new PhaseCpu();
        long process = processCpu();
        long elapsed = System.nanoTime();
        Verdict verdict = new EmbeddedChecker(tuning).check(table, request, phases, budget);
        phases.close();
        elapsed = System.nanoTime() - elapsed;
        process = processCpu() - process;
        watch.interrupt();
        long thread =
                phases.nanos().values().stream().mapToLong(Long::longValue).sum();
        return new Run(verdict, phases.nanos(), thread, process, elapsed);
    }

    /** Returns the CPU time of this process so far, all threads, in ns. */
    static long processCpu() {
        return SYSTEM.getProcessCpuTime();
    }

    /** The columns of a CSV, which begin with those of the caller. */
    Map<String, Object> columns(Map<String, Object> first) {
        Map<String, Object> columns = new LinkedHashMap<>();
        columns.put("date", LocalDate.now(ZoneOffset.UTC));
        columns.put("commit", System.getProperty("polygraph.commit", "unknown"));
        columns.put("machine", Machine.name());
        columns.putAll(first);
        columns.put("verdict", verdict.status());
        columns.put("reason", verdict.reason());
        Certificate certificate = verdict.certificate();
        columns.put(
                "certificate",
                certificate == null ? "" : certificate.kind() + (certificate.verified() ? ", verified" : ""));
        columns.put("transactions", verdict.counts().transactions());
        columns.put("operations", verdict.counts().operations());
        columns.put("thread_ms", Machine.millis(threadNanos));
        columns.put("process_ms", Machine.millis(processNanos));
        columns.put("elapsed_ms", Machine.millis(elapsedNanos));
        for (String phase :
                new String[] {"index", "graph", "closure", "saturation", "order", "check", "solve", "replay"}) {
            Long nanos = phases.get(phase);
            columns.put(phase + "_ms", nanos == null ? "" : Machine.millis(nanos));
        }
        columns.put("resident_mb", Machine.residentPeak());
        columns.put("heap_mb", Machine.heapPeak());
        ResidualSize residual = verdict.residual();
        columns.put("components", residual.components());
        columns.put("largest", residual.largest());
        columns.put("candidate_reads", residual.candidateReads());
        columns.put("instantiated", residual.constraints());
        columns.put("decisions", residual.decisions());
        columns.put("conflicts", residual.conflicts());
        return columns;
    }
}
