package org.polygraph.benchmarks.pipeline;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.nio.file.Files;
import java.nio.file.Path;

/** Peaks of this process, in bytes. */
public final class Memory {
    private static final String HIGH_WATER = "VmHWM:";

    private Memory() {}

    /** The most that was ever resident; 0 where there is no /proc. */
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
            // Not Linux.
        }
        return 0;
    }

    /** Forgets the heap's peaks so far, after a collection. */
    public static void forgetHeapPeak() {
        System.gc();
        ManagementFactory.getMemoryPoolMXBeans().forEach(MemoryPoolMXBean::resetPeakUsage);
    }

    /** The heap's pools at their fullest, garbage included; above the true peak, as pools peak at different times. */
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
