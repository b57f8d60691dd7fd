package org.polygraph.jobs.spark;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.decision.Progress;

/**
 * Publishes the progress of a check as gauges of a registry: {@code phase.<name>.done}, {@code .total} (0 where
 * unknown) and {@code .running} (1 or 0) of each phase that has begun, {@code checks.<status>}, {@code
 * checks.undecided} (windows did not decide) and {@code checks.failed} of the checks that have ended, {@code
 * heap.bytes} and {@code offheap.bytes} (buffers and mapped files). All values are numbers, because Prometheus supports no others.
 */
final class CheckMetrics {
    /**
     * The only instance in the process, because Spark creates the plugin that publishes it and gives no access to the
     * plugin.
     */
    static final CheckMetrics OF_THIS_PROCESS = new CheckMetrics();

    private final Map<String, PhaseGauge> phases = new HashMap<>();
    private final MetricRegistry registry = new MetricRegistry();
    private @Nullable PhaseGauge running;

    private static final class PhaseGauge {
        private volatile long done;
        private volatile long total;
        private volatile boolean isRunning;
    }

    CheckMetrics() {
        gauge(
                "heap.bytes",
                () -> Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory());
        gauge("offheap.bytes", CheckMetrics::offHeap);
    }

    /** Shows all gauges in a registry, also those of phases that begin later. */
    void showIn(MetricRegistry other) {
        other.register("", registry);
    }

    private void gauge(String name, Gauge<Long> gauge) {
        registry.register(name, gauge);
    }

    private static long offHeap() {
        long bytes = 0;
        for (BufferPoolMXBean pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
            bytes += pool.getMemoryUsed();
        }
        return bytes;
    }

    private synchronized void begin(@Nullable String name) {
        PhaseGauge before = running;
        if (before != null) {
            before.isRunning = false;
        }
        PhaseGauge next = name == null ? null : phases.computeIfAbsent(name, this::registered);
        if (next != null) {
            next.done = 0;
            next.total = 0;
            next.isRunning = true;
        }
        running = next;
    }

    private PhaseGauge registered(String name) {
        PhaseGauge phase = new PhaseGauge();
        gauge("phase." + name + ".done", () -> phase.done);
        gauge("phase." + name + ".total", () -> phase.total);
        gauge("phase." + name + ".running", () -> phase.isRunning ? 1L : 0L);
        return phase;
    }

    private synchronized void items(long done, long total) {
        PhaseGauge phase = running;
        if (phase != null) {
            phase.done = done;
            phase.total = total;
        }
    }

    /**
     * Counts a check that has ended.
     *
     * @param how the status in lower case, {@code undecided} or {@code failed}
     */
    void ended(String how) {
        begin(null);
        registry.counter("checks." + how).inc();
    }

    /** Returns a listener that forwards to another one. */
    Progress listening(Progress to) {
        return new Progress() {
            @Override
            public void phase(String name) {
                begin(name);
                to.phase(name);
            }

            @Override
            public void job(String name) {
                to.job(name);
            }

            @Override
            public void items(long done, long total) {
                CheckMetrics.this.items(done, total);
                to.items(done, total);
            }

            @Override
            public void note(String text) {
                to.note(text);
            }

            @Override
            public void warning(String text) {
                to.warning(text);
            }
        };
    }
}
