package org.polygraph.jobs.decision;

import java.time.Duration;

/**
 * CPU time of this process, all threads, for the phases of a verdict, in steps of 10 ms on Linux. It is read through
 * {@link ProcessHandle}, because management beans would have to be loaded first. A reading takes 50 microseconds, more
 * than the check of a tiny history, so it serves for a millisecond.
 */
public final class CpuClock {
    private static final long SERVES_NANOS = 1_000_000;

    private record Reading(long atNanos, long millis) {}

    private static volatile Reading last = new Reading(System.nanoTime(), 0);

    private CpuClock() {}

    /** Returns the CPU time since the process started; 0 if the platform does not have it. */
    public static long millis() {
        Reading reading = last;
        long now = System.nanoTime();
        if (reading.millis == 0 || now - reading.atNanos > SERVES_NANOS) {
            reading = new Reading(
                    now,
                    ProcessHandle.current()
                            .info()
                            .totalCpuDuration()
                            .map(Duration::toMillis)
                            .orElse(0L));
            last = reading;
        }
        return reading.millis;
    }
}
