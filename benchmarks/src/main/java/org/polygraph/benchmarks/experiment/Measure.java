package org.polygraph.benchmarks.experiment;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;
import org.polygraph.benchmarks.pipeline.Measurement;
import org.polygraph.benchmarks.pipeline.Memory;
import org.polygraph.benchmarks.pipeline.ResultsFile;
import org.polygraph.benchmarks.pipeline.Run;
import org.polygraph.benchmarks.pipeline.Source;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;

/**
 * One measurement, the only work of its JVM: it reads or generates a history, collects garbage, checks the history
 * several times to warm up and once measured, and prints a line of CSV. Arguments: source, level, setting, seconds,
 * warm-ups.
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
        System.out.println(ResultsFile.line(Measurement.of(run).values()));
    }

    /**
     * Checks until the checking thread has used the given CPU time, so that other processes do not decide what is
     * UNKNOWN.
     */
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
}
