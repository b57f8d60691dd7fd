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
 * A process from start to end, as the kernel counts it (Linux: /proc). One at a time: CPU time is what the children of
 * this process have used, all together.
 *
 * @param cpuMillis user and system, in steps of 10 ms
 * @param residentBytes the most that was ever resident, mapped files included
 * @param heldBytes of that without mapped files, which the kernel may take back; looked at every 50 ms
 * @param stageBytes the most that was seen to be resident while its progress (JSON, on standard error) named a stage
 */
record ChildProcess(
        int exitCode,
        long cpuMillis,
        long wallMillis,
        long residentBytes,
        long heldBytes,
        Map<String, Long> stageBytes,
        String out,
        String errors) {
    private static final int POLL_MILLIS = 50;
    /** Ticks a second in /proc, on every Linux there is. */
    private static final int TICKS = 100;
    /** Of the end of standard error: a few lines. */
    private static final int PROGRESS_BYTES = 4096;

    private static final Pattern STAGE = Pattern.compile("\"stage\":\"([^\"]+)\"");
    /** Of {@code /proc/self/stat}, counted after the name: CPU time of children that were waited for. */
    private static final int CHILDREN_USER = 13;

    /** Runs it; what it prints is kept in memory. It ends with this process. */
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
            Map<String, Long> stages = new LinkedHashMap<>();
            String stage = "";
            while (!process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
                stage = lastStage(errors, stage);
                for (String line : lines(status)) {
                    if (line.startsWith("VmHWM:")) {
                        resident = Math.max(resident, kibibytes(line));
                    } else if (line.startsWith("RssAnon:")) {
                        held = Math.max(held, kibibytes(line));
                    } else if (line.startsWith("VmRSS:") && !stage.isEmpty()) {
                        stages.merge(stage, kibibytes(line) << 10, Math::max);
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
                    stages,
                    Files.readString(out),
                    Files.readString(errors));
        } finally {
            Files.delete(out);
            Files.delete(errors);
        }
    }

    /** The stage that the last lines of progress name, or the one before. */
    private static String lastStage(Path errors, String before) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(errors.toFile(), "r")) {
            byte[] end = new byte[(int) Math.min(file.length(), PROGRESS_BYTES)];
            file.seek(file.length() - end.length);
            file.readFully(end);
            Matcher named = STAGE.matcher(new String(end, StandardCharsets.UTF_8));
            String last = before;
            while (named.find()) {
                last = named.group(1);
            }
            return last;
        }
    }

    /** Of a process that may have ended. */
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
