package org.polygraph.benchmarks.experiment;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A process and its cost, as the kernel counts it (Linux: /proc). Only one may run at a time, because CPU time is
 * counted for all children of this process together.
 *
 * @param cpuMillis user and system, in steps of 10 ms
 * @param residentBytes the peak of resident memory, mapped files included
 * @param heldBytes the same without mapped files, which the kernel may reclaim; read every 50 ms
 * @param phaseBytes the peak that was seen while its progress (JSON, on standard error) named a phase
 */
record ChildProcess(
        int exitCode,
        long cpuMillis,
        long wallMillis,
        long residentBytes,
        long heldBytes,
        Map<String, Long> phaseBytes,
        String out,
        String errors) {
    private static final int POLL_MILLIS = 50;
    /** Clock ticks a second in /proc, which are the same on every Linux. */
    private static final int TICKS = 100;
    /** The length of the end of standard error that is read: a few lines. */
    private static final int PROGRESS_BYTES = 4096;

    private static final Pattern PHASE = Pattern.compile("\"phase\":\"([^\"]+)\"");
    /**
     * The field of {@code /proc/self/stat}, counted after the name, with the CPU time of children that were waited for.
     */
    private static final int CHILDREN_USER = 13;

    /** Runs a command, which ends when this process ends. Its output is kept in memory. */
    static ChildProcess run(Path directory, Map<String, String> environment, List<String> command)
            throws IOException, InterruptedException {
        Path out = Files.createTempFile("polygraph", ".out");
        Path errors = Files.createTempFile("polygraph", ".err");
        try {
            ProcessBuilder builder = new ProcessBuilder(command)
                    .directory(directory.toFile())
                    .redirectOutput(out.toFile())
                    .redirectError(errors.toFile());
            builder.environment().putAll(environment);
            long before = childrenMillis();
            long start = System.nanoTime();
            Process process = builder.start();
            Thread end = new Thread(process::destroyForcibly);
            Runtime.getRuntime().addShutdownHook(end);
            process.getOutputStream().close();
            Path status = Path.of("/proc", Long.toString(process.pid()), "status");
            long resident = 0;
            long held = 0;
            Map<String, Long> phases = new LinkedHashMap<>();
            String phase = "";
            while (!process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
                phase = lastPhase(errors, phase);
                for (String line : lines(status)) {
                    if (line.startsWith("VmHWM:")) {
                        resident = Math.max(resident, kibibytes(line));
                    } else if (line.startsWith("RssAnon:")) {
                        held = Math.max(held, kibibytes(line));
                    } else if (line.startsWith("VmRSS:") && !phase.isEmpty()) {
                        phases.merge(phase, kibibytes(line) << 10, Math::max);
                    }
                }
            }
            long wall = (System.nanoTime() - start) / 1_000_000;
            Runtime.getRuntime().removeShutdownHook(end);
            return new ChildProcess(
                    process.exitValue(),
                    childrenMillis() - before,
                    wall,
                    resident << 10,
                    held << 10,
                    phases,
                    Files.readString(out),
                    Files.readString(errors));
        } finally {
            Files.delete(out);
            Files.delete(errors);
        }
    }

    /** Returns the phase that the last lines of progress name, or the one before. */
    private static String lastPhase(Path errors, String before) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(errors.toFile(), "r")) {
            byte[] end = new byte[(int) Math.min(file.length(), PROGRESS_BYTES)];
            file.seek(file.length() - end.length);
            file.readFully(end);
            Matcher named = PHASE.matcher(new String(end, StandardCharsets.UTF_8));
            String last = before;
            while (named.find()) {
                last = named.group(1);
            }
            return last;
        }
    }

    /** Reads the lines of a process that may have ended. */
    private static List<String> lines(Path status) {
        try {
            return Files.readAllLines(status, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return List.of();
        }
    }

    private static long kibibytes(String line) {
        return Long.parseLong(line.replaceAll("[^0-9]", ""));
    }

    private static long childrenMillis() throws IOException {
        String stat = Files.readString(Path.of("/proc/self/stat"), StandardCharsets.ISO_8859_1);
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        return (Long.parseLong(fields[CHILDREN_USER]) + Long.parseLong(fields[CHILDREN_USER + 1])) * 1000 / TICKS;
    }
}
