package org.polygraph.jobs.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.certificate.Fingerprint;
import org.polygraph.jobs.pipeline.CheckRequest;
import org.polygraph.jobs.pipeline.Checker;
import org.polygraph.jobs.pipeline.CpuClock;
import org.polygraph.jobs.report.ResultLine;
import org.polygraph.jobs.report.RunDirectory;
import org.polygraph.jobs.report.RunId;
import org.polygraph.jobs.report.StoredVerdict;
import org.polygraph.jobs.report.VerdictJson;
import org.polygraph.jobs.report.ViolationText;
import org.polygraph.jobs.verdict.ExitCode;
import org.polygraph.jobs.verdict.Phase;
import org.polygraph.jobs.verdict.Refutation;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.storage.artifact.AtomicFile;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.model.HistoryException;

/** All PATHs of a command, in order, each answered whatever became of the others. */
final class CheckRun {
    private static final String STDIN = "-";

    private final Environment environment;
    private final CheckOptions options;
    private final Verbosity verbosity;
    private final ViolationText.Detail detail;
    private final ProgressPrinter progress;

    CheckRun(Environment environment, CheckOptions options, Verbosity verbosity, ViolationText.Detail detail) {
        this.environment = environment;
        this.options = options;
        this.verbosity = verbosity;
        this.detail = detail;
        this.progress = verbosity.progress(environment);
    }

    /** The exit code of all. */
    int run() {
        options.validate();
        Checker checker = options.checker(environment.engines());
        int exitCode = 0;
        for (String path : options.paths()) {
            exitCode = ExitCode.merge(exitCode, answer(path, checker));
        }
        if (environment.out().checkError()) {
            environment.message("stdout cannot be written; the results above may be incomplete");
            exitCode = ExitCode.merge(exitCode, ExitCode.IO.code());
        }
        return exitCode;
    }

    private int answer(String path, Checker checker) {
        long start = System.nanoTime();
        if (detail == ViolationText.Detail.FULL && Runs.isRun(path)) {
            return tell(path, start);
        }
        String parent = options.out();
        if (parent == null) {
            return print(check(path, checker, start));
        }
        try {
            if (path.equals(STDIN)) {
                return checkStdin(checker, start, parent);
            }
            Location location = Location.of(path);
            String input = Fingerprint.ofInput(location);
            String id = RunId.of(options.question(), location.fileName(), input);
            RunDirectory directory = new RunDirectory(Location.of(parent), id);
            Optional<StoredVerdict> stored = options.overwrite() ? Optional.empty() : directory.finalVerdict();
            if (stored.isPresent()) {
                return print(stored.get(), path, start);
            }
            return keep(check(path, checker, start), directory, input, start);
        } catch (IOException e) {
            environment.message(Failures.ofPath(path, e));
            return print(error(path, Failures.ofPath(path, e), start));
        }
    }

    /** A run that is there already tells itself. */
    private int tell(String run, long start) {
        try {
            StoredVerdict stored = new RunDirectory(Runs.find(run)).verdict();
            return print(stored, stored.path(), start);
        } catch (HistoryException e) {
            environment.message(Failures.text(e));
            return ExitCode.INVALID.code();
        } catch (IOException e) {
            environment.message(Failures.text(e));
            return ExitCode.IO.code();
        }
    }

    /** Standard input is read once: its bytes are hashed on their way to the reader. */
    private int checkStdin(Checker checker, long start, String parent) throws IOException {
        InputStream stdin = System.in;
        MessageDigest digest = Fingerprint.digest();
        System.setIn(new DigestInputStream(stdin, digest));
        Verdict verdict;
        try {
            verdict = check(STDIN, checker, start);
        } finally {
            System.setIn(stdin);
        }
        String input = Fingerprint.hex(digest);
        String id = RunId.of(options.question(), STDIN, input);
        return keep(verdict, new RunDirectory(Location.of(parent), id), input, start);
    }

    private Verdict check(String path, Checker checker, long start) {
        progress.path(path);
        CheckRequest request = options.request();
        PathCheck check = new PathCheck(environment, options, request, checker, progress, verbosity.verbose());
        Verdict verdict = check.run(path);
        progress.clear();
        Verdict.Builder result = verdict.with().path(path).millis(millisSince(start));
        if (verdict.peakMemoryBytes() == 0) {
            result.peakMemoryBytes(PeakMemory.bytes());
        }
        if (verdict.status() == Verdict.Status.VIOLATION && options.succeedOnViolation()) {
            result.exitCode(ExitCode.PASS);
        }
        return options.proof() == null ? result.build() : proved(result.build(), options.proof());
    }

    /** Writes the proof beside the verdict; a verdict whose proof cannot be written is an error. */
    private Verdict proved(Verdict verdict, String file) {
        Refutation refutation = verdict.refutation();
        if (refutation == null) {
            environment.message(file + ": not written: "
                    + (verdict.status() == Verdict.Status.VIOLATION
                            ? "the evidence shown needed no search"
                            : "only a VIOLATION has a refutation, and this is " + verdict.status()));
            return verdict;
        }
        try (AtomicFile target = Location.of(file).create()) {
            Writer out = new OutputStreamWriter(target.stream(), StandardCharsets.US_ASCII);
            refutation.writeTo(out);
            out.flush();
            target.commit();
            return verdict;
        } catch (IOException e) {
            String message =
                    file + ": the proof cannot be written there (" + Failures.cause(e) + "); give another --proof";
            environment.message(message);
            return Verdict.of(Verdict.Status.ERROR, verdict.level())
                    .path(verdict.path())
                    .counts(verdict.counts())
                    .millis(verdict.millis())
                    .reason(message)
                    .build();
        }
    }

    private int keep(Verdict found, RunDirectory directory, String input, long start) {
        Verdict verdict = found;
        try {
            long evidence = System.nanoTime();
            long cpu = CpuClock.millis();
            verdict = directory.writeEvidence(found, input);
            if (verdict.certificate() != null) {
                Phase phase = new Phase(
                        "certificate",
                        millisSince(evidence),
                        CpuClock.millis() - cpu,
                        verdict.counts().transactions());
                verdict = verdict.with().phase(phase).millis(millisSince(start)).build();
            }
            directory.finish(verdict);
        } catch (OutOfMemoryError e) {
            return print(Verdict.of(Verdict.Status.UNKNOWN, found.level())
                    .path(found.path())
                    .counts(found.counts())
                    .millis(millisSince(start))
                    .reason("memory ran out while the evidence was written; give --memory more")
                    .build());
        } catch (IOException e) {
            String message = directory.name() + ": the run cannot be written there (" + Failures.cause(e)
                    + "); the verdict was " + verdict.status() + "; give another --out";
            environment.message(message);
            return print(Verdict.of(Verdict.Status.ERROR, verdict.level())
                    .path(verdict.path())
                    .counts(verdict.counts())
                    .millis(verdict.millis())
                    .reason(message)
                    .build());
        }
        return print(verdict);
    }

    private int print(Verdict verdict) {
        PrintStream out = environment.out();
        if (options.json()) {
            out.println(VerdictJson.of(verdict));
        } else {
            out.println(ResultLine.of(verdict));
            out.print(ViolationText.of(verdict, detail));
        }
        out.flush();
        if (verbosity.verbose()) {
            for (Phase phase : verdict.phases()) {
                environment
                        .err()
                        .println("  " + phase.name() + "  " + phase.millis() + " ms  " + phase.cpuMillis() + " cpu-ms  "
                                + phase.items() + " items");
            }
        }
        return verdict.exitCode();
    }

    private int print(StoredVerdict stored, String path, long start) throws IOException {
        PrintStream out = environment.out();
        boolean forgiven = stored.status() == Verdict.Status.VIOLATION && options.succeedOnViolation();
        int exitCode = forgiven ? ExitCode.PASS.code() : stored.exitCode();
        if (stored.status() == Verdict.Status.INVALID) {
            environment.message(stored.anomaly() + " (found by an earlier run)");
        }
        if (options.json()) {
            out.println(stored.json(path, exitCode));
        } else {
            out.println(stored.line(path, millisSince(start)));
            out.print(stored.explanation(detail));
        }
        out.flush();
        return exitCode;
    }

    private Verdict error(String path, String reason, long start) {
        return Verdict.of(Verdict.Status.ERROR, options.level())
                .path(path)
                .reason(reason)
                .millis(millisSince(start))
                .build();
    }

    private static long millisSince(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanos);
    }

    /** The process's high-water mark of resident memory. */
    private static final class PeakMemory {
        /** Bytes; where /proc does not tell, the heap that the JVM has taken. */
        static long bytes() {
            @Nullable String line = null;
            try (var lines = java.nio.file.Files.newBufferedReader(Path.of("/proc/self/status"))) {
                do {
                    line = lines.readLine();
                } while (line != null && !line.startsWith("VmHWM:"));
            } catch (IOException e) {
                line = null;
            }
            return line == null
                    ? Runtime.getRuntime().totalMemory()
                    : Long.parseLong(line.replaceAll("[^0-9]", "")) << 10;
        }
    }
}
