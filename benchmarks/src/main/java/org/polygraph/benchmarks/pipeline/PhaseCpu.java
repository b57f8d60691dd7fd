package org.polygraph.benchmarks.pipeline;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.LinkedHashMap;
import java.util.Map;
import org.polygraph.jobs.decision.Progress;

/**
 * Measures the CPU time of the checking thread by phase, in ns. This is finer than the 10 ms of a verdict's phases, and
 * excludes garbage collection and compilation, which other threads do. A phase lasts until the next one begins; the
 * times of a repeated phase are added up.
 */
final class PhaseCpu implements Progress {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final Map<String, Long> nanos = new LinkedHashMap<>();
    private String phase = "";
    private long since;

    @Override
    public void phase(String name) {
        close();
        phase = name;
    }

    @Override
    public void items(long done, long total) {}

    /** Ends the last phase. The thread that checked must call it. */
    void close() {
        long now = THREADS.getCurrentThreadCpuTime();
        if (!phase.isEmpty()) {
            nanos.merge(phase, now - since, Long::sum);
        }
        since = now;
        phase = "";
    }

    /** Returns the nanoseconds by phase, in the order in which they first began. */
    Map<String, Long> nanos() {
        return nanos;
    }
}
