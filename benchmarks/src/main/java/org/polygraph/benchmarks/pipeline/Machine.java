package org.polygraph.benchmarks.pipeline;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** The machine and the JVM of a measurement, and the peaks of their memory. */
final class Machine {
    private Machine() {}

    /** Processor, cores and memory. */
    static String name() {
        String model = value("/proc/cpuinfo", "model name");
        long bytes = ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getTotalMemorySize();
        return (model.isEmpty() ? System.getProperty("os.arch") : model) + " x "
                + Runtime.getRuntime().availableProcessors() + " " + (bytes >> 30) + " GiB";
    }

    /** The JVM's flags, without those that carry the commit and the root of the checkout. */
    static List<String> flags() {
        return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(flag -> !flag.startsWith("-Dpolygraph."))
                .toList();
    }

    /** The peak of resident memory in MiB; 0 without /proc. */
    static long residentPeak() {
        String kilobytes = value("/proc/self/status", "VmHWM").replaceAll("\\D", "");
        return kilobytes.isEmpty() ? 0 : Long.parseLong(kilobytes) >> 10;
    }

    /**
     * The sum of the peaks of the heap's pools in MiB, garbage included. It is above the true peak, because pools peak
     * at different times.
     */
    static long heapPeak() {
        long bytes = 0;
        for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
            bytes += pool.getType() == MemoryType.HEAP ? pool.getPeakUsage().getUsed() : 0;
        }
        return bytes >> 20;
    }

    /** Milliseconds, with a decimal below 100. */
    static String millis(long nanos) {
        return String.format(Locale.ROOT, nanos < 100_000_000 ? "%.1f" : "%.0f", nanos / 1e6);
    }

    /** The value of a line {@code name: value} of a file of Linux; empty on other systems. */
    private static String value(String file, String name) {
        try {
            for (String line : Files.readAllLines(Path.of(file))) {
                if (line.startsWith(name)) {
                    return line.substring(line.indexOf(':') + 1).strip();
                }
            }
        } catch (IOException e) {
            // This is not Linux.
        }
        return "";
    }
}
