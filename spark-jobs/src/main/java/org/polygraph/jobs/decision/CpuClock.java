package org.polygraph.jobs.decision;

import java.time.Duration;

/**
 * CPU time of this process, all threads, for the phases of a verdict, in steps of 10 ms on Linux. It is read through
 * {@link ProcessHandle}, because management beans would have to be loaded first.
 */
public final class CpuClock {
    private CpuClock() {}

    /** Returns the CPU time since the process started; 0 if the platform does not have it. */
    public static long millis() {
        return ProcessHandle.current()
                .info()
                .totalCpuDuration()
                .map(Duration::toMillis)
                .orElse(0L);
    }
}
