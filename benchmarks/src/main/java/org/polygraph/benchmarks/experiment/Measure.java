package org.polygraph.benchmarks.experiment;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import org.polygraph.benchmarks.pipeline.Memory;
import org.polygraph.benchmarks.pipeline.ResultsFile;
import org.polygraph.benchmarks.pipeline.Run;
import org.polygraph.benchmarks.pipeline.Source;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.verdict.ResidualSize;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;

/**
 * One measurement, the only work of its JVM: reads or generates, collects, checks unmeasured as often as told, checks
 * measured, and prints a line of CSV. Arguments: source, level, setting, seconds, warm-ups, whether to judge.
 */
final class Measure {
    private static final long NANOS = 1_000_000_000L;
    private static final long POLL_NANOS = 20_000_000;

    private Measure() {}

    public static void main(String[] args) throws IOException, HistoryException {
        Source source = Source.read(args[0]);
        IsolationLevel level = IsolationLevel.valueOf(args[1].toUpperCase(Locale.ROOT));
        Setting setting = Setting.parse(args[2]);
        long limit = Long.parseLong(args[3]) * NANOS;
        int warmups = Integer.parseInt(args[4]);
        for (int i = 0; i < warmups; i++) {
            check(source.table(), level, setting, limit);
        }
        Memory.forgetHeapPeak();
        Run run = check(source.table(), level, setting, limit);
        Measurement result = of(run);
        if (Boolean.parseBoolean(args[5])) {
            result.set("judged", Judge.of(source.table(), run.verdict()));
        }
        System.out.println(Csv.line(result.values()));
    }

    /** Gives up when the checking thread has used so much CPU time: neighbours must not decide what is UNKNOWN. */
    private static Run check(HistoryTable table, IsolationLevel level, Setting setting, long limit) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long checker = Thread.currentThread().getId();
        long start = threads.getThreadCpuTime(checker);
        Budget budget = Budget.unlimited();
        Thread watch = new Thread(() -> {
            while (threads.getThreadCpuTime(checker) - start < limit) {
                LockSupport.parkNanos(POLL_NANOS);
                if (Thread.interrupted()) {
                    return;
                }
            }
            budget.cancel();
        });
        watch.setDaemon(true);
        watch.start();
        Run run = Run.of(table, setting.request(level), setting.tuning(), budget);
        watch.interrupt();
        return run;
    }

    private static Measurement of(Run run) throws IOException {
        Verdict verdict = run.verdict();
        Measurement result = new Measurement()
                .set("date", LocalDate.now(ZoneOffset.UTC).toString())
                .set("commit", System.getProperty("polygraph.commit", "unknown"))
                .set("machine", ResultsFile.machine())
                .set("jvm", Runtime.version().toString())
                .set("verdict", verdict.status().toString())
                .set("reason", verdict.reason())
                .set("transactions", verdict.counts().transactions())
                .set("operations", verdict.counts().operations())
                .set("thread_ms", ResultsFile.millis(run.threadNanos()))
                .set("process_ms", ResultsFile.millis(run.processNanos()))
                .set("elapsed_ms", ResultsFile.millis(run.elapsedNanos()))
                .set("resident_mb", Memory.residentPeak() >> 20)
                .set("heap_mb", Memory.heapPeak() >> 20);
        if (verdict.certificate() != null) {
            result.set(
                    "certificate",
                    Objects.requireNonNull(verdict.certificate()).kind()
                            + (Objects.requireNonNull(verdict.certificate()).verified() ? ", verified" : ""));
        }
        for (Map.Entry<String, Long> stage : run.stages().entrySet()) {
            String column = stage.getKey() + "_ms";
            if (Measurement.COLUMNS.contains(column)) {
                result.set(column, ResultsFile.millis(stage.getValue()));
            }
        }
        ResidualSize residual = verdict.residual();
        return result.set("components", residual.components())
                .set("largest", residual.largest())
                .set("candidate_reads", residual.candidateReads())
                .set("instantiated", residual.constraints())
                .set("decisions", residual.decisions())
                .set("conflicts", residual.conflicts());
    }
}
