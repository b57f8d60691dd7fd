package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;

/** Runs the launcher as users do, after the jars are built. */
class LauncherIT {
    private static final String LAUNCHER = Command.ROOT.resolve("polygraph").toString();
    private static final Path EXAMPLES = Command.ROOT.resolve("spark-jobs/examples");

    @TempDir
    private Path folder;

    private Command run(Map<String, String> environment, String... words) throws IOException, InterruptedException {
        return Command.run(folder, environment, List.of(words));
    }

    @Test
    void runsInAnyDirectoryAndThroughALink() throws IOException, InterruptedException {
        Files.createSymbolicLink(folder.resolve("pg"), Path.of(LAUNCHER));
        Path history = folder.resolve("Ä history.jsonl");
        Files.copy(EXAMPLES.resolve("write-skew.jsonl"), history);
        Command si = run(Map.of("LC_ALL", "C"), "./pg", "check", "-l", "si", "Ä history.jsonl");
        assertThat(si.err()).isEmpty();
        assertThat(si.out()).startsWith("PASS  si  Ä history.jsonl  3 txns  8 ops");
        assertThat(si.exitCode()).isZero();
        Command ser = run(Map.of(), LAUNCHER, "check", "-l", "ser", "--memory", "256m", history.toString());
        assertThat(ser.out()).startsWith("VIOLATION  ser  " + history);
        assertThat(ser.exitCode()).isEqualTo(3);
    }

    @Test
    @Tag("process")
    void aWrongJavaHomeIsUsage() throws IOException, InterruptedException {
        Command command = run(Map.of("JAVA_HOME", folder.toString()), LAUNCHER, "--version");
        assertThat(command.exitCode()).isEqualTo(2);
        assertThat(command.err()).contains("there is no bin/java; set it to a JDK 17 or newer");
    }

    @Test
    @Tag("process")
    void anOldJavaIsUsage() throws IOException, InterruptedException {
        Files.createDirectory(folder.resolve("bin"));
        Files.createSymbolicLink(folder.resolve("bin/java"), Path.of("/bin/false"));
        Files.writeString(folder.resolve("release"), "IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"11.0.2\"\n");
        Command command = run(Map.of("JAVA_HOME", folder.toString()), LAUNCHER, "--version");
        assertThat(command.exitCode()).isEqualTo(2);
        assertThat(command.err()).contains("java is 11.0.2").contains("a JDK 17 or newer is needed");
    }

    @Test
    @Tag("process")
    void javaOptsAreHonoured() throws IOException, InterruptedException {
        Command command = run(Map.of("JAVA_OPTS", "-showversion -Xmx64m"), LAUNCHER, "version");
        assertThat(command.exitCode()).isZero();
        assertThat(command.err()).contains("openjdk version");
    }

    /**
     * Native code is beside the classes, because it could not be extracted from its jar where no file can be written.
     */
    @Test
    @Tag("process")
    @EnabledOnOs(
            value = OS.LINUX,
            architectures = {"amd64", "aarch64"})
    void zstdNeedsNoPlaceForItsNativeCode() throws IOException, InterruptedException {
        String history = folder.resolve("skew.jsonl.zst").toString();
        Command convert = run(
                Map.of(),
                LAUNCHER,
                "convert",
                EXAMPLES.resolve("write-skew.jsonl").toString(),
                history);
        assertThat(convert.exitCode()).as(convert.err()).isZero();
        String nowhere = "-Djava.io.tmpdir=" + folder.resolve("nowhere");
        Command check = run(Map.of("JAVA_OPTS", nowhere), LAUNCHER, "check", "-l", "si", history);
        assertThat(check.out()).as(check.err()).startsWith("PASS  si  " + history);
    }

    /** If Maven's repository was emptied, or another user cannot read it, the launcher builds again. */
    @Test
    @Tag("process")
    void aMissingLibraryIsFetchedAgain() throws IOException, InterruptedException {
        Path launcher = checkout("echo this is $0; exit 9");
        Map<String, String> environment = programs();
        Command command = run(environment, launcher.toString(), "version");
        assertThat(command.out()).as(command.err()).endsWith("/java\n");
        Files.delete(folder.resolve("some.jar"));
        command = run(environment, launcher.toString(), "version");
        assertThat(command.exitCode()).isEqualTo(1);
        assertThat(command.err()).contains("building (once)", "/mvn\n", "the build failed");
    }

    /**
     * A JVM that is asked to end exits like any other program, so the launcher must not take this for the end of its
     * step.
     */
    @ParameterizedTest
    @Tag("process")
    @CsvSource({"INT,130,java", "TERM,143,java", "INT,130,mvn", "TERM,143,mvn"})
    void aSignalEndsTheStepsThatAreDoneOnce(String signal, int exitCode, String program)
            throws IOException, InterruptedException {
        Path steps = folder.resolve("steps");
        Path launcher = checkout("echo ${0##*/}$$ >>'" + steps + "'; trap 'exit 130' INT; exec sleep 60");
        if (program.equals("mvn")) {
            Files.delete(folder.resolve("some.jar"));
        }
        Path temporary = Files.createDirectory(folder.resolve("tmp"));
        Map<String, String> environment = new HashMap<>(programs());
        environment.put("TMPDIR", temporary.toString());
        Process process = Command.start(
                folder,
                environment,
                folder.resolve("out"),
                folder.resolve("err"),
                List.of(launcher.toString(), "version"));
        for (int i = 0; i < 200 && !(Files.exists(steps) && Files.size(steps) > 0); i++) {
            Thread.sleep(50);
        }
        kill(signal, process);
        assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isEqualTo(exitCode);
        String step = Files.readString(steps).strip();
        assertThat(step).startsWith(program);
        assertThat(ProcessHandle.of(Long.parseLong(step.substring(program.length()))))
                .isEmpty();
        assertThat(temporary).isEmptyDirectory();
        assertThat(launcher.resolveSibling("spark-jobs/target/launch").toFile().list())
                .containsExactlyInAnyOrder("spark.libraries", "spark.flags");
    }

    /** A built checkout with a library {@code some.jar}, and a JDK and Maven whose programs are the given script. */
    private Path checkout(String script) throws IOException {
        Path root = Files.createDirectories(folder.resolve("checkout"));
        Path launcher = Files.copy(Path.of(LAUNCHER), root.resolve("polygraph"), StandardCopyOption.COPY_ATTRIBUTES);
        Path launch = Files.createDirectories(root.resolve("spark-jobs/target/launch"));
        Path bin = Files.createDirectories(folder.resolve("jdk/bin"));
        for (String program : List.of("java", "javac", "mvn")) {
            Path file = Files.writeString(bin.resolve(program), "#!/bin/sh\n" + script + "\n");
            assertThat(file.toFile().setExecutable(true)).isTrue();
        }
        Files.writeString(
                folder.resolve("jdk/release"), "JAVA_VERSION=\"" + System.getProperty("java.version") + "\"\n");
        Files.writeString(launch.resolve("spark.flags"), "-ea\n");
        Path library = Files.createFile(folder.resolve("some.jar"));
        Files.writeString(launch.resolve("spark.libraries"), launcher.toRealPath() + ":" + library + "\n");
        return launcher;
    }

    private Map<String, String> programs() {
        Path jdk = folder.resolve("jdk");
        return Map.of(
                "JAVA_HOME", jdk.toString(), "PATH", jdk.resolve("bin") + File.pathSeparator + System.getenv("PATH"));
    }

    private static void kill(String signal, Process process) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid()))
                .start()
                .waitFor();
    }

    @Test
    @Tag("process")
    void aStrangeMemoryIsExplainedByTheCommand() throws IOException, InterruptedException {
        Command command = run(Map.of(), LAUNCHER, "check", "-l", "ser", "--memory", "4x", "h");
        assertThat(command.exitCode()).isEqualTo(2);
        assertThat(command.err()).contains("'4x' is no size");
    }

    /** The JVM refuses some heap sizes with a message on stdout, so the launcher does not request them. */
    @ParameterizedTest
    @Tag("process")
    @ValueSource(strings = {"1k", "08m", "512MiB", "100000g"})
    void anyMemoryStartsTheCommand(String size) throws IOException, InterruptedException {
        Command command = run(Map.of(), LAUNCHER, "check", "-l", "ser", "--memory", size, "missing");
        assertThat(command.exitCode()).isEqualTo(6);
        assertThat(command.out()).startsWith("ERROR  ser  missing");
    }

    /** The exit code shows the signal, whether the launcher or the check received it. */
    @ParameterizedTest
    @Tag("process")
    @CsvSource({"INT,130", "TERM,143"})
    void signalsHaveTheirExitCodes(String signal, int exitCode) throws IOException, InterruptedException {
        Path out = folder.resolve("out");
        // Standard input stays open, so the check waits for it.
        Process process = Command.start(
                folder, Map.of(), out, folder.resolve("err"), List.of(LAUNCHER, "check", "-l", "ser", "-"));
        Thread.sleep(2500);
        assertThat(process.isAlive()).isTrue();
        kill(signal, process);
        assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isEqualTo(exitCode);
        assertThat(out).isEmptyFile();
    }

    /** A part of a generated history must not be left as if it were whole. */
    @ParameterizedTest
    @Tag("process")
    @CsvSource({"INT,130", "TERM,143"})
    void generatedPartsAreWholeOrNotThere(String signal, int exitCode) throws IOException, InterruptedException {
        Path work = Files.createDirectory(folder.resolve("work"));
        Process process = Command.start(
                work,
                Map.of(),
                folder.resolve("out"),
                folder.resolve("err"),
                List.of(LAUNCHER, "generate", "--transactions", "2000000", "--parts", "2000", "-o", "parts"));
        long parts = 0;
        for (int i = 0; i < 600 && parts < 5 && process.isAlive(); i++) {
            Thread.sleep(50);
            try (Stream<Path> files = Files.walk(work)) {
                parts = files.filter(file -> file.getFileName().toString().startsWith("part-"))
                        .count();
            } catch (UncheckedIOException e) {
                // A file was renamed while the folder was listed.
                continue;
            }
            assertThat(work.resolve("parts")).doesNotExist();
        }
        assertThat(parts).as(Files.readString(folder.resolve("err"))).isGreaterThan(4);
        kill(signal, process);
        assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isEqualTo(exitCode);
        assertThat(work).isEmptyDirectory();
    }

    /** The history is whole, and the summary has its counts. */
    @Test
    @Tag("process")
    void aRecordingEndsAtASignal() throws Exception {
        Path out = folder.resolve("out");
        Path file = folder.resolve("run.jsonl");
        Process process = Command.start(
                folder,
                Map.of(),
                out,
                folder.resolve("err"),
                List.of(LAUNCHER, "record", "--check", "--duration", "60s", "-o", file.toString()));
        for (int i = 0; i < 400 && !(Files.exists(file) && Files.size(file) > 10_000); i++) {
            Thread.sleep(50);
        }
        kill("INT", process);
        assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isEqualTo(130);
        int transactions =
                HistoryReader.read(file.toString(), HistoryFormat.JSONL).transactions();
        assertThat(out)
                .content()
                .contains("run.jsonl  " + transactions + " txns  ")
                .doesNotContain("PASS");
    }

    @Test
    @Tag("process")
    void aFullDiskIsAnError() throws IOException, InterruptedException {
        Command command = run(
                Map.of(),
                "bash",
                "-c",
                "'" + LAUNCHER + "' check -l si '" + EXAMPLES.resolve("write-skew.jsonl") + "' >/dev/full");
        assertThat(command.exitCode()).isEqualTo(6);
        assertThat(command.err()).contains("stdout cannot be written");
    }

    private static String transaction(int session, int index, String kind, String key, int value) {
        return "{\"session\":" + session + ",\"index\":" + index + ",\"status\":\"committed\",\"ops\":[{\"op\":\""
                + kind + "\",\"key\":\"" + key + "\",\"value\":" + value + "}]}\n";
    }

    /** The shipped DAG of Airflow with stand-ins for its server; the second hour reads what the third writes. */
    @Test
    @Tag("process")
    void theDagChecksAnArchiveByHour() throws IOException, InterruptedException {
        assumeTrue(
                Command.run(folder, Map.of(), List.of("sh", "-c", "command -v python3"), 1)
                                .exitCode()
                        == 0,
                "there is no python3 here");
        Path archive = Files.createDirectory(folder.resolve("archive"));
        List<String> hours = List.of(
                transaction(0, 0, "w", "x", 1),
                transaction(0, 1, "r", "x", 1) + transaction(1, 0, "r", "y", 7),
                transaction(2, 0, "w", "y", 7) + transaction(0, 2, "w", "x", 2),
                transaction(0, 3, "r", "x", 1));
        for (int i = 0; i < hours.size(); i++) {
            Files.writeString(archive.resolve("2026-11-01T0" + i), hours.get(i));
        }
        String script = Command.ROOT
                .resolve("cluster-config/src/test/resources/org/polygraph/cluster/dag.py")
                .toString();
        Command dag = run(
                Map.of(
                        "PYTHONPATH",
                        Command.ROOT.resolve("cluster-config/deploy/airflow").toString()),
                "python3",
                "-B",
                script,
                LAUNCHER,
                archive.toString(),
                "2026-11-01T00",
                "2026-11-01T01",
                "2026-11-01T02!",
                "2026-11-01T02",
                "2026-11-01T03");
        assertThat(dag.out().lines().map(line -> line.replaceAll("(writes?|wrote); .*", "")))
                .as(dag.err())
                .containsExactly(
                        "2026-11-01T00: check 1 success, verdict 1 success (PASS ser " + archive + "/2026-11-01T00)",
                        "2026-11-01T01: check 1 success, verdict 1 skipped (UNKNOWN ser " + archive + "/2026-11-01T01: "
                                + archive + "/2026-11-01T01:2: read 7 from key \"y\", which no transaction ",
                        "2026-11-01T02!: check 2 success, verdict 1 success (PASS ser " + archive + "/2026-11-01T02)",
                        "2026-11-01T02: check 1 success, verdict 1 success (PASS ser " + archive + "/2026-11-01T02)",
                        "2026-11-01T03: check 1 success, verdict 1 failed (VIOLATION ser " + archive
                                + "/2026-11-01T03 SessionGuaranteeViolation)");
        Command pruned = run(
                Map.of(),
                LAUNCHER,
                "runs",
                "--prune",
                "--keep",
                "1",
                archive.resolve("runs").toString());
        assertThat(pruned.out()).contains("2026-11-01T00  run=").containsPattern("removed \\d+ bytes of 2 of 4 runs\n");
    }
}
