package org.polygraph.jobs.decision;

import java.time.Duration;

/**
 * CPU time of this process, all threads, for the phases of a verdict. Granularity 10 ms on Linux. Read through {@link
 * ProcessHandle} because the
 * management beans would have to be loaded first.
 */
public final class CpuClock {
    private CpuClock() {}

    /** Since the process started; 0 if the platform does not tell. */
    public static long millis() {
        return ProcessHandle.current()
                .info()
                .totalCpuDuration()
                .map(Duration::toMillis)
                .orElse(0L);
    }
}
