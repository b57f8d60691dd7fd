package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.job.FaultPlugin;
import org.polygraph.jobs.job.FaultPlugin.Fault;

/** Two workers in processes of their own, one of them killed (-9) within a stage: the same verdict, and nothing left over. */
class WorkerLossIT {
    private static final Path BIN = Command.ROOT.resolve("cluster-config/bin");

    @TempDir
    private Path folder;

    private String script(String... words) throws IOException, InterruptedException {
        Command command = Command.run(Command.ROOT, Map.of(), List.of(words), 5);
        assertThat(command.exitCode()).as(command.err()).isZero();
        return command.out().strip();
    }

    /** What the executors do not have from Spark: our jars, and the one who does the harm. */
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

    /** Lost with the worker: shuffle files; cached slices and files of the closure; broadcast orders. */
    @Test
    @Timeout(600)
    void killed() throws IOException, InterruptedException {
        killed(List.of("index keys, later", "force edges, round 2", "check keys against the first order"));
    }

    @Test
    @Tag("full")
    @Timeout(1200)
    void killedInEachStage() throws IOException, InterruptedException {
        List<String> jobs = new ArrayList<>(Faults.JOBS);
        jobs.add("index keys, later");
        jobs.add("replay keys");
        killed(jobs);
    }

    private void killed(List<String> jobs) throws IOException, InterruptedException {
        String standalone = BIN.resolve("standalone").toString();
        String dir = folder.resolve("cluster").toString();
        Faults faults = new Faults(folder, "ser");
        faults.set("spark.jars", jars());
        faults.set("spark.executor.memory", "700m");
        faults.set("spark.executor.cores", "1");
        faults.set("spark.memory.offHeap.size", "64m");
        faults.set("spark.ui.enabled", "false");
        String master = script(standalone, "start", "-d", dir);
        try {
            faults.begin();
            for (String job : jobs) {
                boolean later = job.endsWith(", later");
                FaultPlugin.order(
                        faults.orders,
                        later ? Fault.KILL_LATER : Fault.KILL,
                        job.replace(", later", ""),
                        faults.stages);
                if (job.equals("replay keys")) {
                    verify(faults.out(jobs.get(0)), master);
                } else {
                    Path out = faults.out(job);
                    InProcess check = faults.check(out, "--engine", "spark", "--master", master);
                    faults.assertAsIfNothingHadHappened(out, check);
                }
                assertThat(FaultPlugin.isDone(faults.orders)).as(job).isTrue();
            }
            faults.assertNothingStays();
            faults.end();
            assertThat(emptyInTime(Path.of(dir, "local"))).isTrue();
        } finally {
            faults.end();
            script(standalone, "stop", "-d", dir);
        }
    }

    private static void verify(Path run, String master) {
        InProcess verify = InProcess.run("verify", run.toString(), "--engine", "spark", "--master", master);
        assertThat(verify.out()).startsWith("VERIFIED");
    }

    /** Workers remove what executors, killed ones too, had on their disks when the application ends. */
    private static boolean emptyInTime(Path local) throws IOException, InterruptedException {
        for (int i = 0; i < 300; i++) {
            try (Stream<Path> files = Files.walk(local)) {
                if (files.noneMatch(Files::isRegularFile)) {
                    return true;
                }
            } catch (UncheckedIOException e) {
                // They are being removed.
            }
            Thread.sleep(100);
        }
        return false;
    }
}
