package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.polygraph.jobs.application.EmbeddedChecker;
import org.polygraph.jobs.decision.Check;
import org.polygraph.jobs.decision.Decision;
import org.polygraph.jobs.decision.Finding;
import org.polygraph.jobs.decision.Tuning;
import org.polygraph.partitioner.isolation.Anomaly;
import org.polygraph.partitioner.isolation.Violation;
import org.polygraph.storage.testkit.HistoryDsl;
import org.polygraph.storage.testkit.SplitMix;

/** {@code --timeout} is kept within half a second in every phase, also where no code polls the budget. */
class DeadlineTest {
    private static final double MOST_EXCESS = 0.5;
    /** Another process may take the processor for a while, but hardly in every attempt. */
    private static final int ATTEMPTS = 4;

    private static final String SKEW = HistoryDsl.lines("r(x,null) w(y,1); r(y,null) w(x,1)");

    private static final List<String> PHASES =
            List.of("read", "index", "graph", "closure", "saturation", "order", "solve", "replay");

    @TempDir
    private static Path folder;

    private static String skew = "";
    /** A pipe without a writer, which is a read that never ends. */
    private static String silent = "";

    /** Repeats a check with a timeout until the timeout is kept. */
    private static InProcess inTime(int seconds, Supplier<InProcess> check) {
        List<Double> excesses = new ArrayList<>();
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            long start = System.nanoTime();
            InProcess checked = check.get();
            double excess = (System.nanoTime() - start) / (double) TimeUnit.SECONDS.toNanos(1) - seconds;
            excesses.add(excess);
            if (excess <= MOST_EXCESS) {
                return checked;
            }
        }
        throw new AssertionError("a timeout of " + seconds + " s was exceeded by " + excesses + " s");
    }

    @BeforeAll
    static void writes() throws IOException, InterruptedException {
        skew = Files.writeString(folder.resolve("skew.jsonl"), SKEW).toString();
        silent = folder.resolve("silent").toString();
        new ProcessBuilder("mkfifo", silent).start().waitFor();
    }

    /** Lets the threads end that wait for a writer. */
    @AfterAll
    static void endReads() throws IOException {
        new RandomAccessFile(silent, "rw").close();
    }

    private static void sleep() {
        try {
            Thread.sleep(TimeUnit.SECONDS.toMillis(30));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** An engine that never polls its budget in a phase. */
    private record Deaf(String phase) implements Function<Check, Finding> {
        @Override
        public Finding apply(Check check) {
            check.phases().begin(phase);
            if (phase.equals("evidence")) {
                check.refuted(Finding.Refuted.unexplained());
            } else if (phase.equals("shrinking")) {
                check.refuted(new Finding.Refuted(List.of(new Violation(
                        Anomaly.WRITE_SKEW, List.of(0, 1), List.of(0, 1), List.of(), "before it is shrunk"))));
            }
            sleep();
            throw new IllegalStateException("it should have been given up");
        }
    }

    private static InProcess deaf(String phase, int seconds) {
        String path = phase.equals("read") ? silent : skew;
        String line = "check -q -l ser --engine embedded --timeout " + seconds + "s " + path;
        return inTime(seconds, () -> InProcess.of(new OnlyEmbedded(new Deaf(phase)), line));
    }

    /** The checks of all phases, which sleep, run at the same time. */
    @Test
    void aPhaseThatDoesNotLookIsNotWaitedFor() throws Exception {
        List<Runnable> checks = new ArrayList<>();
        PHASES.forEach(phase -> checks.add(() -> unknown(phase, 1)));
        checks.add(() -> violated("shrinking", 1));
        checks.add(() -> violated("evidence", 1));
        checks.add(() -> violated("evidence", 3));
        ExecutorService threads = Executors.newFixedThreadPool(checks.size());
        for (Future<?> check : checks.stream().map(threads::submit).toList()) {
            check.get();
        }
        threads.shutdown();
    }

    @Test
    @Tag("full")
    void longTimeoutsAreKeptToo() {
        for (int seconds : List.of(5, 20)) {
            PHASES.forEach(phase -> unknown(phase, seconds));
            violated("evidence", seconds);
        }
    }

    private static void unknown(String phase, int seconds) {
        InProcess check = deaf(phase, seconds);
        assertThat(check.exitCode()).as(check.toString()).isEqualTo(4);
        assertThat(check.out())
                .startsWith("UNKNOWN  ser  ")
                .contains("timeout of " + (seconds < 10 ? seconds + "000 ms" : seconds + " s") + " ran out during "
                        + (phase.equals("read") ? "reading" : phase));
    }

    /** The verdict is known before evidence is built, so at the end of the time only evidence is missing. */
    private static void violated(String phase, int seconds) {
        InProcess check = deaf(phase, seconds);
        assertThat(check.exitCode()).as(check.toString()).isEqualTo(3);
        assertThat(check.out()).startsWith("VIOLATION  ser  ");
        assertThat(check.out()).contains(phase.equals("evidence") ? "the budget ended before" : "WriteSkew");
    }

    /** With -o the verdict is written as it is with evidence. */
    @Test
    void aKnownViolationIsKept() throws IOException {
        String out = folder.resolve("kept").toString();
        InProcess check = InProcess.of(
                new OnlyEmbedded(new Deaf("evidence")), "check -q -l ser --timeout 1s -o " + out + " " + skew);
        assertThat(check.exitCode()).as(check.toString()).isEqualTo(3);
        try (var runs = Files.list(Path.of(out))) {
            Path run = runs.filter(each -> each.getFileName().toString().startsWith("run="))
                    .findFirst()
                    .orElseThrow();
            assertThat(run.resolve("_SUCCESS")).exists();
            assertThat(Files.readString(run.resolve("verdict.json"))).contains("VIOLATION");
            for (String reader : List.of("explain", "report", "verify")) {
                InProcess read = InProcess.run(reader, run.toString());
                assertThat(read.exitCode()).as("%s: %s", reader, read).isNotEqualTo(1);
                assertThat(read.err()).as("%s: %s", reader, read).doesNotContain("internal error");
            }
            InProcess verify = InProcess.run("verify", run.toString());
            assertThat(verify.out()).startsWith("UNKNOWN").contains("the run has no sub-history of it");
        }
    }

    /** An engine that finds the order at the moment when the time ends. */
    private static final class Late implements Function<Check, Finding> {
        @Override
        public Finding apply(Check check) {
            Finding found = Decision.of(check, Tuning.DEFAULT);
            while (!check.budget().exhausted()) {
                Thread.onSpinWait();
            }
            return found;
        }
    }

    /** Files are not written after the end of the time: the certificate of a PASS is left out. */
    @Test
    void aKnownPassIsKeptWithoutCertificate() throws IOException {
        String file = Files.writeString(folder.resolve("pass.jsonl"), HistoryDsl.lines("r(x,null) w(y,1)"))
                .toString();
        String out = folder.resolve("late").toString();
        String line = "check -q -l ser --timeout 1s --overwrite -o " + out + " " + file;
        InProcess check = inTime(1, () -> InProcess.of(new OnlyEmbedded(new Late()), line));
        assertThat(check.exitCode()).as(check.toString()).isEqualTo(0);
        assertThat(check.out()).startsWith("PASS").contains("the time ended before the certificate was written");
        InProcess verify = InProcess.run("verify", out);
        assertThat(verify.exitCode()).as(verify.toString()).isEqualTo(4);
        assertThat(verify.out()).contains("the run has no certificate, because the time ended before it was written");
        InProcess again = InProcess.run("report", out);
        assertThat(again.exitCode()).as(again.toString()).isEqualTo(0);
    }

    /** An engine that finds nothing on a seam. */
    private static final class EndlessOnSeams implements Function<Check, Finding> {
        @Override
        public Finding apply(Check check) {
            check.phases().begin("solve");
            boolean isOnSeam = check.table().source().files().stream().anyMatch(file -> file.contains("tail.jsonl"));
            while (isOnSeam && !check.budget().exhausted()) {
                Thread.onSpinWait();
            }
            check.budget().require();
            return new EmbeddedChecker().apply(check);
        }
    }

    @Test
    void aSeamLeavesTimeForAllParts() throws IOException {
        String runs = folder.resolve("runs").toString();
        for (int i = 0; i < 2; i++) {
            Path part = Files.writeString(
                    folder.resolve("part-" + i + ".jsonl"), HistoryDsl.lines("s" + i + ": w(1," + (i + 1) + ")"));
            InProcess check = InProcess.of(
                    new OnlyEmbedded(new EndlessOnSeams()),
                    "check -q -l ser --engine embedded --timeout 4s -o " + runs + " --after " + runs + " " + part);
            assertThat(check.out())
                    .as(check.toString())
                    .startsWith("PASS  ser  ")
                    .contains("  " + (i + 1) + " txns");
        }
    }

    @Test
    void aPipeWithoutWriterIsNotWaitedFor() throws IOException, InterruptedException {
        Path pipe = folder.resolve("pipe");
        Assumptions.assumeTrue(
                new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor() == 0, "no mkfifo");
        InProcess check =
                inTime(1, () -> InProcess.run("check", "-q", "-l", "ser", "--timeout", "1s", pipe.toString()));
        assertThat(check.exitCode()).as(check.toString()).isEqualTo(4);
        assertThat(check.out()).contains("timeout of 1000 ms ran out during reading");
        // Lets the thread end that waits for a writer.
        Files.writeString(pipe, SKEW);
    }

    @Test
    void slowStandardInputIsNotWaitedFor() throws IOException {
        InputStream before = System.in;
        for (String out : List.of("", " -o " + folder.resolve("stdin"))) {
            try (PipedOutputStream writer = new PipedOutputStream();
                    PipedInputStream slow = new PipedInputStream(writer)) {
                writer.write(SKEW.getBytes(StandardCharsets.UTF_8));
                System.setIn(slow);
                InProcess check = inTime(1, () -> InProcess.of("check" + out + " -q -l ser --timeout 1s -"));
                assertThat(check.exitCode()).as(check.toString()).isEqualTo(4);
                assertThat(check.out()).contains("timeout of 1000 ms ran out during reading");
            } finally {
                System.setIn(before);
            }
        }
    }

    /** 3,000 transactions with two values for each key and without times, whose search takes minutes. */
    @Test
    void aSearchEndsInTime() throws IOException, InterruptedException {
        SplitMix random = new SplitMix(0xdead);
        StringBuilder lines = new StringBuilder();
        int[] values = new int[100];
        int[] indexes = new int[10];
        for (int t = 0; t < 3_000; t++) {
            int session = random.nextInt(indexes.length);
            StringBuilder ops = new StringBuilder();
            for (int o = 0; o < 8; o++) {
                // Each transaction accesses a key at most once.
                int key = 12 * o + random.nextInt(12);
                boolean isWrite = random.nextInt(2) == 0;
                values[key] = isWrite ? 1 + random.nextInt(2) : values[key];
                int value = !isWrite && t > 2_000 && random.nextInt(500) == 0 ? 3 - values[key] : values[key];
                ops.append(o == 0 ? "" : ",")
                        .append("{\"op\":\"%s\",\"key\":%d,\"value\":%s}"
                                .formatted(isWrite ? 'w' : 'r', key, value == 0 ? "null" : value));
            }
            lines.append(ChainTest.line(session, indexes[session]++, ops.toString()));
        }
        String file = Files.writeString(folder.resolve("hard.jsonl"), lines).toString();
        for (int seconds : List.of(1, 3)) {
            Set<Thread> before = steps();
            InProcess check =
                    inTime(seconds, () -> InProcess.run("check", "-q", "-l", "ser", "--timeout", seconds + "s", file));
            assertThat(check.exitCode()).as(check.toString()).isEqualTo(4);
            for (Thread step : steps()) {
                if (!before.contains(step)) {
                    step.join(TimeUnit.SECONDS.toMillis(60));
                    assertThat(step.isAlive())
                            .as("%s works after the result", step)
                            .isFalse();
                }
            }
        }
    }

    /** The threads that work on steps of checks, also of those that did not wait for them. */
    private static Set<Thread> steps() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("step of a check"))
                .collect(Collectors.toSet());
    }
}
