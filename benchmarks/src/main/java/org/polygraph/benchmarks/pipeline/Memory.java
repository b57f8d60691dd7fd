package org.polygraph.benchmarks.pipeline;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.nio.file.Files;
import java.nio.file.Path;

/** Memory peaks of this process, in bytes. */
public final class Memory {
    private static final String HIGH_WATER = "VmHWM:";

    private Memory() {}

    /** Returns the peak of resident memory; 0 without /proc. */
    public static long residentPeak() {
        try {
            for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
                if (line.startsWith(HIGH_WATER)) {
                    return Long.parseLong(line.substring(HIGH_WATER.length(), line.length() - " kB".length())
                                    .trim())
                            << 10;
                }
            }
        } catch (IOException e) {
            // This is not Linux.
        }
        return 0;
    }

    /** Collects garbage and resets the peaks of the heap. */
    public static void forgetHeapPeak() {
        System.gc();
        ManagementFactory.getMemoryPoolMXBeans().forEach(MemoryPoolMXBean::resetPeakUsage);
    }

    /**
     * Returns the sum of the peaks of the heap's pools, garbage included. It is above the true peak, because pools peak
     * at different times.
     */
    public static long heapPeak() {
        long bytes = 0;
        for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
            if (pool.getType() == MemoryType.HEAP) {
                bytes += pool.getPeakUsage().getUsed();
            }
        }
        return bytes;
    }
}
