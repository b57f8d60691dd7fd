package org.polygraph.benchmarks.pipeline;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.LinkedHashMap;
import java.util.Map;
import org.polygraph.jobs.decision.Progress;

/**
 * CPU time of the checking thread by stage, in ns: finer than the 10 ms of a verdict's phases, and without collection
 * and compilation, which other threads do. A stage lasts until the next one begins; one that comes again is summed up.
 */
final class StageCpu implements Progress {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final Map<String, Long> nanos = new LinkedHashMap<>();
    private String stage = "";
    private long since;

    @Override
    public void phase(String name) {
        close();
        stage = name;
    }

    @Override
    public void items(long done, long total) {}

    /** Ends the last stage; call from the thread that checked. */
    void close() {
        long now = THREADS.getCurrentThreadCpuTime();
        if (!stage.isEmpty()) {
            nanos.merge(stage, now - since, Long::sum);
        }
        since = now;
        stage = "";
    }

    /** By stage, in the order they first began. */
    Map<String, Long> nanos() {
        return nanos;
    }
}
