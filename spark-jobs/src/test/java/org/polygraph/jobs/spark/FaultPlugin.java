package org.polygraph.jobs.spark;

import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.spark.TaskContext;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.api.plugin.SparkPlugin;
import org.jspecify.annotations.Nullable;

/**
 * Makes a fault when a task of a given job starts. A file {@code fault} in a folder that all processes see describes
 * the fault; {@code done} exists after the fault. The class needs only Spark and the JDK, so a jar of it alone
 * suffices.
 */
public final class FaultPlugin implements SparkPlugin {
    /** The setting with the folder of these files. */
    public static final String FOLDER = "spark.polygraph.faults";

    /** The kinds of faults. */
    public enum Fault {
        /** Kills the process that runs the first task (kill -9). */
        KILL,
        /** The same when a task of a later stage of the same job starts, whose input is on other processes. */
        KILL_LATER,
        /** Truncates the files below the second line's folder whose names begin with its last name by one byte. */
        CUT,
        /** The same, but changes a byte in the middle. Hadoop's checksums of the files are deleted. */
        FLIP,
        /** The same, but deletes the files. */
        REMOVE
    }

    private static final Set<Fault> OF_FILES = Set.of(Fault.CUT, Fault.FLIP, Fault.REMOVE);

    /**
     * Requests a fault.
     *
     * @param job what the description of the job starts with
     * @param place folder and beginning of names of files that are to be damaged
     */
    public static void order(Path folder, Fault fault, String job, Path place) throws IOException {
        try (Stream<Path> old = Files.list(folder)) {
            for (Path file : old.toList()) {
                Files.delete(file);
            }
        }
        Path order = folder.resolve("order");
        Files.write(order, List.of(fault.name(), job, place.toString()));
        Files.move(order, folder.resolve("fault"), StandardCopyOption.ATOMIC_MOVE);
    }

    /** Cancels a fault that was requested and has not occurred. */
    public static void forget(Path folder) throws IOException {
        Files.deleteIfExists(folder.resolve("fault"));
    }

    /** Whether the requested fault has occurred. */
    public static boolean isDone(Path folder) {
        return Files.exists(folder.resolve("done"));
    }

    @Override
    public @Nullable DriverPlugin driverPlugin() {
        return null;
    }

    @Override
    public ExecutorPlugin executorPlugin() {
        return new Executor();
    }

    private static final class Executor implements ExecutorPlugin {
        private Path folder = Path.of("/nonexistent");

        @Override
        public void init(PluginContext context, Map<String, String> extra) {
            folder = Path.of(context.conf().get(FOLDER));
        }

        @Override
        public void onTaskStart() {
            try {
                start();
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        }

        private void start() throws IOException {
            TaskContext task = TaskContext.get();
            String job = task.getLocalProperty("spark.job.description");
            List<String> order = order();
            if (job == null || order.isEmpty() || !job.startsWith(order.get(1))) {
                return;
            }
            Fault fault = Fault.valueOf(order.get(0));
            if (fault != Fault.KILL && !OF_FILES.contains(fault) && !isOfALaterStage(task.stageId())) {
                return;
            }
            try {
                Files.move(folder.resolve("fault"), folder.resolve("done"), StandardCopyOption.ATOMIC_MOVE);
            } catch (NoSuchFileException e) {
                return; // another task was first
            }
            if (fault == Fault.KILL || fault == Fault.KILL_LATER) {
                long pid = ProcessHandle.current().pid();
                new ProcessBuilder("kill", "-9", Long.toString(pid)).start();
                try {
                    Thread.sleep(60_000);
                } catch (InterruptedException e) {
                    throw new IllegalStateException("still alive", e);
                }
            }
            Path place = Path.of(order.get(2));
            damage(fault, place.getParent(), place.getFileName().toString());
        }

        private static void damage(Fault fault, Path folder, String prefix) throws IOException {
            try (Stream<Path> all = Files.walk(folder)) {
                for (Path file : all.filter(
                                each -> each.getFileName().toString().startsWith(prefix))
                        .toList()) {
                    Files.deleteIfExists(file.resolveSibling("." + file.getFileName() + ".crc"));
                    if (fault == Fault.REMOVE) {
                        Files.delete(file);
                        continue;
                    }
                    try (FileChannel channel = FileChannel.open(file, READ, WRITE)) {
                        long size = channel.size();
                        if (fault == Fault.CUT) {
                            channel.truncate(size - 1);
                        } else {
                            ByteBuffer one = ByteBuffer.allocate(1);
                            channel.read(one, size / 2);
                            one.put(0, (byte) ~one.get(0)).flip();
                            channel.write(one, size / 2);
                        }
                    }
                }
            }
        }

        private List<String> order() throws IOException {
            try {
                return Files.readAllLines(folder.resolve("fault"));
            } catch (NoSuchFileException e) {
                return List.of();
            }
        }

        /** Stages have ascending numbers. Every task records the number of its stage. */
        private boolean isOfALaterStage(int stage) throws IOException {
            Files.writeString(folder.resolve("stage-" + stage), "");
            try (Stream<Path> all = Files.list(folder)) {
                return all.map(file -> file.getFileName().toString())
                        .filter(name -> name.startsWith("stage-"))
                        .anyMatch(name -> Integer.parseInt(name.substring(6)) < stage);
            }
        }
    }
}
