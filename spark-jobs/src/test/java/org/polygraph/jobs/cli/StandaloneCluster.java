package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.polygraph.jobs.spark.FaultPlugin;

/**
 * A master and two workers in processes of their own, with their settings. Closing checks that no file of them is left.
 */
final class StandaloneCluster implements AutoCloseable {
    private static final Path BIN = Command.ROOT.resolve("cluster-config/bin");
    private static final String STANDALONE = BIN.resolve("standalone").toString();

    final String master;
    private final Path folder;
    private final Path dir;
    private final Faults faults;

    StandaloneCluster(Path folder, Faults faults) throws IOException, InterruptedException {
        this.folder = folder;
        this.faults = faults;
        dir = folder.resolve("cluster");
        String memory = Faults.IS_LARGE ? "2000" : "700";
        faults.set("spark.jars", jars());
        faults.set("spark.executor.memory", memory + "m");
        faults.set("spark.executor.cores", "1");
        faults.set("spark.memory.offHeap.size", "64m");
        faults.set("spark.ui.enabled", "false");
        master = script(STANDALONE, "start", "-m", memory, "-d", dir.toString());
    }

    @Override
    public void close() throws IOException, InterruptedException {
        faults.end();
        try {
            assertThat(emptyInTime(dir.resolve("local"))).isTrue();
        } finally {
            script(STANDALONE, "stop", "-d", dir.toString());
        }
    }

    private static String script(String... words) throws IOException, InterruptedException {
        Command command = Command.run(Command.ROOT, Map.of(), List.of(words), 5);
        assertThat(command.exitCode()).as(command.err()).isZero();
        return command.out().strip();
    }

    /** The jars that executors need beside those of Spark: ours, and the plugin that makes faults. */
    private String jars() throws IOException, InterruptedException {
        String ours = script(
                BIN.resolve("thin-jars").toString(), folder.resolve("jars").toString());
        Path harm = folder.resolve("harm.jar");
        try (JarOutputStream jar = new JarOutputStream(Files.newOutputStream(harm))) {
            for (Class<?> type : FaultPlugin.class.getNestMembers()) {
                String name = type.getName().replace('.', '/') + ".class";
                jar.putNextEntry(new ZipEntry(name));
                try (InputStream in = FaultPlugin.class.getResourceAsStream("/" + name)) {
                    in.transferTo(jar);
                }
                jar.closeEntry();
            }
        }
        return ours.replace('\n', ',') + "," + harm;
    }

    /** When the application ends, workers remove the files of its executors, also of killed ones. */
    private static boolean emptyInTime(Path local) throws IOException, InterruptedException {
        for (int i = 0; i < 300; i++) {
            try (Stream<Path> files = Files.walk(local)) {
                if (files.noneMatch(Files::isRegularFile)) {
                    return true;
                }
            } catch (UncheckedIOException e) {
                // The files are being removed.
            }
            Thread.sleep(100);
        }
        return false;
    }
}
