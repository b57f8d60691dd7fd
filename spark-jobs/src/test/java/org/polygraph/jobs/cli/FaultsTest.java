package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.FileUtil;
import org.apache.spark.launcher.JavaModuleOptions;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.cli.Faults.Question;
import org.polygraph.jobs.spark.FaultPlugin;
import org.polygraph.jobs.spark.FaultPlugin.Fault;

/**
 * Faults around a check on Spark: killed drivers, full disks, missing shuffle files. The result is the verdict of the
 * embedded engine, or an error with a remedy, after which the same command can continue.
 */
@Timeout(300)
@Tag("process")
class FaultsTest {
    private static final String[] SPARK = {"--engine", "spark", "--master", "local[2]"};
    private static final String NO_SPACE = "No space left on device";

    @TempDir
    static Path folder;

    @SuppressWarnings("NullAway.Init")
    private static Faults faults;

    /** The folder of Spark's shuffle files. */
    @SuppressWarnings("NullAway.Init")
    private static Path local;

    /** Descriptions of jobs that ran in this JVM. */
    private static final Set<String> RAN = ConcurrentHashMap.newKeySet();

    @BeforeAll
    static void begin() throws IOException, InterruptedException {
        faults = new Faults(folder, Question.asked());
        local = Files.createDirectory(folder.resolve("local"));
        if (!Faults.IS_LARGE) {
            isSmall(local);
            isSmall(faults.stages);
        }
        faults.set("spark.local.dir", local.toString());
        faults.set("spark.ui.enabled", "true");
        faults.set("spark.ui.port", "0");
        faults.set(
                "spark.metrics.conf",
                Command.ROOT.resolve("cluster-config/deploy/metrics.properties").toString());
        // Every sort of more than two rows spills.
        faults.set("spark.shuffle.spill.numElementsForceSpillThreshold", "2");
        faults.begin();
    }

    @AfterAll
    static void end() throws IOException, InterruptedException {
        faults.end();
        unmount(local);
        unmount(faults.stages);
        unmount(folder.resolve("full"));
    }

    private static int sh(String... words) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
        process.getInputStream().transferTo(java.io.OutputStream.nullOutputStream());
        return process.waitFor();
    }

    /** A disk of 64 MiB; only root can mount one. */
    private static boolean isSmall(Path place) throws IOException, InterruptedException {
        Files.createDirectories(place);
        return sh("mountpoint", "-q", place.toString()) == 0
                || sh("mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", place.toString()) == 0;
    }

    private static void unmount(Path place) throws IOException, InterruptedException {
        if (Files.exists(place) && sh("mountpoint", "-q", place.toString()) == 0) {
            sh("umount", "-l", place.toString());
        }
    }

    private static void assumeDisk(Path place) throws IOException, InterruptedException {
        boolean small = isSmall(place);
        if (!small) {
            System.err.println("NOT TESTED: full disks, for only root can mount a small one at " + place);
        }
        Assumptions.assumeTrue(small, "skipped: no disk can be mounted to be filled");
    }

    @FunctionalInterface
    private interface Step {
        void run() throws IOException;
    }

    /** Fills the disk while the action runs. */
    private static void withoutRoom(Path disk, Step step) throws IOException {
        Path ballast = disk.resolve("ballast");
        try (var out = Files.newOutputStream(ballast)) {
            byte[] some = new byte[4096];
            while (true) {
                out.write(some);
            }
        } catch (IOException full) {
            step.run();
        } finally {
            Files.delete(ballast);
        }
    }

    private void assertClearError(InProcess check, String... parts) {
        assertThat(check.err()).contains(parts).doesNotContain("\tat ").doesNotContain("internal error");
        assertThat(check.err().lines().count()).as(check.err()).isLessThan(4);
        assertThat(check.exitCode()).as(check.err()).isEqualTo(6);
        assertThat(check.out()).startsWith("ERROR  ser  ");
    }

    /** If a disk is full, there is one message and no file is left. Once there is space, the same command continues. */
    private void goesOnWithRoom(Path disk, Path out, String... parts) throws IOException, InterruptedException {
        assumeDisk(disk);
        withoutRoom(disk, () -> assertClearError(faults.check(Question.SER, out, SPARK), parts));
        faults.assertNothingStays();
        faults.assertAsIfNothingHadHappened(Question.SER, out, faults.check(Question.SER, out, SPARK));
    }

    @Test
    void noRoomForStageFiles() throws IOException, InterruptedException {
        goesOnWithRoom(
                faults.stages,
                faults.out("stages"),
                "Spark could not read the input: " + NO_SPACE,
                "make room in " + faults.stages + "/polygraph-run-",
                "spark.polygraph.stage.dir");
    }

    @Test
    void noRoomForTheRun() throws IOException, InterruptedException {
        Path out = folder.resolve("full");
        goesOnWithRoom(out, out, out.toString(), NO_SPACE, "earlier checkpoints are kept");
    }

    /** The first file that fails may be the certificate, which Parquet writes, or a page. */
    @Test
    void noRoomForTheEvidence() throws IOException, InterruptedException {
        Path out = folder.resolve("full");
        assumeDisk(out);
        for (String level : List.of("ser", "rc")) {
            for (String place : List.of(out.resolve("plain").toString(), "file://" + out.resolve("hadoop"))) {
                List<String> words = List.of(
                        "check",
                        "-q",
                        "-l",
                        level,
                        "-o",
                        place,
                        faults.history(Question.SER).toString());
                withoutRoom(out, () -> {
                    InProcess check = InProcess.run(words);
                    assertThat(check.err())
                            .contains(place + "/run=", "the run cannot be written there", NO_SPACE)
                            .contains("; the verdict was PASS; give another --out")
                            .doesNotContain("\tat ");
                    assertThat(check.exitCode()).isEqualTo(6);
                    assertThat(check.out()).startsWith("ERROR  " + level);
                });
                assertThat(InProcess.run(words).exitCode()).isZero();
            }
        }
    }

    /** Tasks of `verify` write what they read to scratch files. */
    @Test
    void noRoomForTheReplay() throws IOException, InterruptedException {
        assumeDisk(faults.stages);
        Path out = faults.out("replay");
        faults.assertAsIfNothingHadHappened(Question.SER, out, faults.check(Question.SER, out));
        List<String> words = new ArrayList<>(List.of("verify", out.toString()));
        words.addAll(List.of(SPARK));
        withoutRoom(faults.stages, () -> {
            InProcess verify = InProcess.run(words);
            assertThat(verify.err() + verify.out())
                    .contains("Spark could not read the certificate: ", NO_SPACE, "make room in " + faults.stages)
                    .doesNotContain("\tat ");
            assertThat(verify.exitCode()).isEqualTo(6);
        });
        faults.assertNothingStays();
        assertThat(InProcess.run(words).out()).startsWith("VERIFIED");
    }

    /**
     * Files are damaged after the driver has written them and before tasks read them: an error names the file, and no
     * other verdict results.
     */
    @Test
    void damagedFilesOfStagesAreErrors() throws IOException {
        damaged(Question.SER, Fault.FLIP, "check reads", "slices-");
        damaged(Question.SER, Fault.CUT, "repair windows", "borders-");
    }

    @Test
    @Tag("full")
    @Timeout(1200)
    void damagedFilesOfAllJobsAreErrors() throws IOException {
        for (Fault fault : List.of(Fault.CUT, Fault.FLIP, Fault.REMOVE)) {
            damaged(Question.SER, fault, "sort transactions", "piece-");
            damaged(Question.SER, fault, "deal operations to keys", "cells-");
            damaged(Question.SI, fault, "check reads", "slices-");
            damaged(Question.RC, fault, "repair windows", "borders-");
            damaged(Question.SSER, fault, "replay sessions", "cells-");
            damaged(Question.SER, fault, "write the certificate", "ranks-");
        }
    }

    private void damaged(Question question, Fault fault, String job, String file) throws IOException {
        FaultPlugin.order(faults.orders, fault, job, faults.stages.resolve(file));
        Path out = faults.out("damaged " + question + fault + file);
        InProcess check = faults.check(question, out, SPARK);
        assertThat(FaultPlugin.isDone(faults.orders)).isTrue();
        assertThat(check.err())
                .as(fault + " " + file)
                .contains("Spark could not " + job, file, "run the command again")
                .doesNotContain("\tat ")
                .doesNotContain("internal error");
        assertThat(check.exitCode()).as(check.err()).isEqualTo(6);
        faults.assertNothingStays();
        faults.assertAsIfNothingHadHappened(question, out, faults.check(question, out, SPARK));
    }

    @Test
    void killedDriversAreResumed() throws IOException, InterruptedException {
        killDriver(Question.SER, "repair windows");
    }

    @Test
    @Tag("full")
    @Timeout(7200)
    void driversKilledInEachJobAreResumed() throws IOException, InterruptedException {
        for (Question question : Question.asked()) {
            for (String job : question.jobs) {
                killDriver(question, job);
            }
        }
    }

    /** Files of a history that a killed driver has left are replaced, and no other file is left. */
    @Test
    void aKilledGeneratorIsRunAgain() throws IOException, InterruptedException {
        Path out = folder.resolve("generated");
        List<String> words = new ArrayList<>(
                List.of("generate", "-q", "--transactions", "20000", "--parts", "5", "-f", "jsonl", "-o"));
        List<String> spark = new ArrayList<>(words);
        spark.add(out.toString());
        spark.addAll(List.of(SPARK));
        FaultPlugin.order(faults.orders, Fault.KILL_LATER, "generate", local);
        assertKilled(Question.SER, spark);
        // The same for a driver that is killed while it writes.
        Files.createDirectories(out);
        Files.writeString(out.resolve("part-00003.jsonl"), "of another try");
        Files.writeString(out.resolve(".part-00001.jsonl.17a.tmp"), "hal");
        assertThat(InProcess.run(spark).err()).contains("exists; give --overwrite to replace it");
        spark.add("--overwrite");
        InProcess again = InProcess.run(spark);
        assertThat(again.exitCode()).as(again.err()).isZero();
        Path whole = folder.resolve("generated-whole");
        words.add(whole.toString());
        assertThat(InProcess.run(words).exitCode()).isZero();
        for (Path place : List.of(out, whole)) {
            try (var files = Files.list(place)) {
                assertThat(files.map(file -> file.getFileName().toString()))
                        .allMatch(name -> name.matches("_SUCCESS|part-0000[0-4]\\.jsonl"))
                        .hasSize(6);
            }
        }
        for (int part = 0; part < 5; part++) {
            String name = "part-0000" + part + ".jsonl";
            assertThat(out.resolve(name)).hasSameTextualContentAs(whole.resolve(name));
        }
    }

    /** Jobs before the first checkpoint. */
    private static final Set<String> FIRST = Set.of("survey the input", "read the input", "sort transactions");

    private static void killDriver(Question question, String job) throws IOException, InterruptedException {
        startSession(question);
        long begin = System.nanoTime();
        Path out = faults.out("killed " + question + " " + job);
        FaultPlugin.order(faults.orders, Fault.KILL, job, local);
        assertKilled(question, faults.words(question, out, SPARK));
        try (var left = Files.list(faults.stages)) {
            assertThat(left).as("left by the killed driver at " + job).isNotEmpty();
        }
        long killed = System.nanoTime();
        listen();
        InProcess again = faults.check(question, out, SPARK);
        faults.assertAsIfNothingHadHappened(question, out, again);
        System.out.printf(
                "driver killed, %s, %s: %d s until then, %d s again%n",
                question,
                job,
                TimeUnit.NANOSECONDS.toSeconds(killed - begin),
                TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - killed));
        assertThat(RAN).as("jobs after " + job).contains(job);
        if (!FIRST.contains(job)) {
            assertThat(again.err())
                    .contains("windows.checkpoint: a checkpoint of an earlier process; the check continues from it");
            assertThat(RAN).as("jobs after " + job).doesNotContainAnyElementsOf(FIRST);
        }
    }

    /** Runs a command in a process of its own and kills it. */
    private static void assertKilled(Question question, List<String> command) throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(List.of(Faults.HEAP));
        if (!Faults.IS_LARGE) {
            // It lives for seconds, as the JVMs of the tests do (pom.xml, test.jvm).
            words.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        }
        words.addAll(List.of(JavaModuleOptions.defaultModuleOptionArray()));
        faults.settings().forEach((key, value) -> {
            if (!key.startsWith("spark.ui") && !key.startsWith("spark.metrics")) {
                words.add("-D" + key + "=" + value);
            }
        });
        Path err = folder.resolve("err");
        Set<Path> before = inLocal();
        Process driver =
                Command.start(folder, java.util.Map.of(), folder.resolve("log"), err, Command.main(words, command));
        try {
            assertThat(driver.waitFor(Faults.IS_LARGE ? 2_000 : 200, TimeUnit.SECONDS))
                    .isTrue();
        } finally {
            driver.destroyForcibly();
            // The fault must not kill this JVM.
            FaultPlugin.forget(faults.orders);
        }
        // Only Spark's driver deletes shuffle files, and the disk is small.
        for (Path left : inLocal()) {
            if (!before.contains(left)) {
                FileUtil.fullyDelete(left.toFile());
            }
        }
        assertThat(driver.exitValue())
                .as(command + ": " + Files.readString(err))
                .isEqualTo(137);
        assertThat(FaultPlugin.isDone(faults.orders)).isTrue();
    }

    private static Set<Path> inLocal() throws IOException {
        try (var all = Files.list(local)) {
            return all.filter(Files::isDirectory).collect(Collectors.toSet());
        }
    }

    /** Starts the session of this JVM, if no test has, while no killed driver has left files. */
    private static void startSession(Question question) throws IOException {
        if (SparkSession.getDefaultSession().isEmpty()) {
            Path out = faults.out("first");
            faults.assertAsIfNothingHadHappened(question, out, faults.check(question, out, SPARK));
        }
    }

    /** Forgets the jobs that ran. */
    private static void listen() {
        SparkSession.getDefaultSession().get().sparkContext().addSparkListener(new SparkListener() {
            @Override
            public void onJobStart(SparkListenerJobStart job) {
                RAN.add(String.valueOf(job.properties().getProperty("spark.job.description")));
            }
        });
        RAN.clear();
    }

    /** The metrics that cluster-config/deploy/metrics.properties publishes for Prometheus. */
    @Test
    void metricsArePublished() throws IOException, InterruptedException {
        Path out = faults.out("metrics");
        faults.assertAsIfNothingHadHappened(Question.SER, out, faults.check(Question.SER, out, SPARK));
        String ui =
                SparkSession.getDefaultSession().get().sparkContext().uiWebUrl().get();
        HttpResponse<String> response = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create(ui + "/metrics/prometheus/"))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        String plugin = "metrics_[a-z0-9_]+_driver_plugin_org_polygraph_jobs_spark_CheckMetricsPlugin_";
        assertThat(response.body().lines())
                .anyMatch(line -> line.matches(plugin + "phase_windows_running_Value\\{.*} 0"))
                .anyMatch(line -> line.matches(plugin + "phase_replay_total_Value\\{.*} [0-9]+"))
                .anyMatch(line -> line.matches(plugin + "phase_read_done_Value\\{.*} [0-9]+"))
                .anyMatch(line -> line.matches(plugin + "checks_pass_Count\\{.*} [1-9][0-9]*"))
                .anyMatch(line -> line.matches(plugin + "heap_bytes_Value\\{.*} [1-9][0-9]*"))
                .anyMatch(line -> line.matches(plugin + "offheap_bytes_Value\\{.*} [0-9]+"));
    }
}
