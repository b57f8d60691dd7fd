package org.polygraph.benchmarks.pipeline;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** A CSV that grows by a line a measurement, with all that is needed to repeat it. */
public final class ResultsFile {
    private static final String HEADER =
            "date,commit,machine,jvm,flags,source,level,verdict,transactions,operations,warmups,run,read_cpu_ms,"
                    + "thread_cpu_ms,process_cpu_ms,elapsed_ms,stages_ms,resident_peak_mb,heap_peak_mb\n";

    private final Path file;

    ResultsFile(Path file) {
        this.file = file;
    }

    /** Appends a run; the file is created with its header where it is missing. */
    void append(Source source, int warmups, int number, Run run) throws IOException {
        String line = String.join(
                        ",",
                        LocalDate.now(ZoneOffset.UTC).toString(),
                        quoted(System.getProperty("polygraph.commit", "unknown")),
                        quoted(machine()),
                        quoted(Runtime.version().toString()),
                        quoted(String.join(" ", flags())),
                        quoted(source.name()),
                        run.verdict().level().toString(),
                        run.verdict().status().toString(),
                        Integer.toString(source.table().transactions()),
                        Long.toString(source.table().operations()),
                        Integer.toString(warmups),
                        Integer.toString(number),
                        millis(source.readNanos()),
                        millis(run.threadNanos()),
                        millis(run.processNanos()),
                        millis(run.elapsedNanos()),
                        quoted(stages(run.stages())),
                        Long.toString(Memory.residentPeak() >> 20),
                        Long.toString(Memory.heapPeak() >> 20))
                + "\n";
        if (!Files.exists(file)) {
            Files.writeString(file, HEADER);
        }
        Files.writeString(file, line, StandardOpenOption.APPEND);
    }

    /** Processor, cores and memory. */
    public static String machine() throws IOException {
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

    /** The JVM's flags, without the one that carries the commit. */
    public static List<String> flags() {
        return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(flag -> !flag.startsWith("-Dpolygraph."))
                .toList();
    }

    static String stages(Map<String, Long> nanos) {
        return nanos.entrySet().stream()
                .map(stage -> stage.getKey() + " " + millis(stage.getValue()))
                .collect(Collectors.joining("; "));
    }

    /** With a decimal below 100 ms. */
    public static String millis(long nanos) {
        return String.format(Locale.ROOT, nanos < 100_000_000 ? "%.1f" : "%.0f", nanos / 1e6);
    }

    private static String quoted(String text) {
        return '"' + text.replace("\"", "\"\"") + '"';
    }
}
