package org.polygraph.benchmarks.pipeline;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** The machine and the JVM of a measurement. */
public final class Machine {
    private Machine() {}

    /** Processor, cores and memory. */
    public static String name() throws IOException {
        Path cpuinfo = Path.of("/proc/cpuinfo");
        String model = System.getProperty("os.arch");
        if (Files.isReadable(cpuinfo)) {
            for (String line : Files.readAllLines(cpuinfo)) {
                if (line.startsWith("model name")) {
                    model = line.substring(line.indexOf(':') + 1).trim();
                    break;
                }
            }
        }
        long bytes = ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getTotalMemorySize();
        return model + " x " + Runtime.getRuntime().availableProcessors() + " " + (bytes >> 30) + " GiB";
    }

    /** The JVM's flags, without those that carry the commit and the root of the checkout. */
    static List<String> flags() {
        return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(flag -> !flag.startsWith("-Dpolygraph."))
                .toList();
    }

    /** Milliseconds, with a decimal below 100. */
    static String millis(long nanos) {
        return String.format(Locale.ROOT, nanos < 100_000_000 ? "%.1f" : "%.0f", nanos / 1e6);
    }
}
