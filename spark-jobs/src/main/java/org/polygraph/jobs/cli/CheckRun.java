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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.application.Answer;
import org.polygraph.jobs.application.Checker;
import org.polygraph.jobs.application.CheckpointFiles;
import org.polygraph.jobs.application.ConfigurationException;
import org.polygraph.jobs.application.Failures;
import org.polygraph.jobs.application.Runs;
import org.polygraph.jobs.certificate.format.Fingerprint;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.decision.Checkpoints;
import org.polygraph.jobs.decision.CpuClock;
import org.polygraph.jobs.decision.Implications;
import org.polygraph.jobs.report.ResultLine;
import org.polygraph.jobs.report.RunDirectory;
import org.polygraph.jobs.report.RunId;
import org.polygraph.jobs.report.StoredVerdict;
import org.polygraph.jobs.report.VerdictJson;
import org.polygraph.jobs.report.ViolationText;
import org.polygraph.jobs.verdict.ExitCode;
import org.polygraph.jobs.verdict.Phase;
import org.polygraph.jobs.verdict.Refutation;
import org.polygraph.jobs.verdict.Strongest;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.artifact.AtomicFile;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.model.HistoryException;

/** All PATHs of a command, in order, each answered at each level whatever became of the others. */
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
        boolean isFirst = true;
        for (String path : options.paths()) {
            try {
                exitCode = ExitCode.merge(exitCode, answer(path, checker));
            } catch (ConfigurationException e) {
                progress.clear();
                if (isFirst) {
                    environment.message(Failures.text(e));
                    return ExitCode.USAGE.code();
                }
                // Those before have their answers, which stay; so each PATH gets one.
                exitCode = ExitCode.merge(exitCode, failed(path, Failures.text(e), System.nanoTime()));
            }
            isFirst = false;
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
        List<Answer> answers;
        Budget budget = options.budget();
        progress.path(path);
        try {
            answers = answers(path, checker, start, budget);
        } catch (BudgetException e) {
            progress.clear();
            answers = new ArrayList<>();
            for (CheckRequest request : options.requests()) {
                answers.add(Answer.found(Verdict.of(Verdict.Status.UNKNOWN, request.level())
                        .path(path)
                        .reason(budget.exhausted() ? budget.exhaustion("hashing of the input") : Failures.text(e))
                        .millis(millisSince(start))
                        .build()));
            }
        } catch (IOException e) {
            return failed(path, Failures.ofPath(path, e), start);
        }
        return print(answers, path, start);
    }

    private int failed(String path, String message, long start) {
        environment.message(message);
        List<Answer> answers = new ArrayList<>();
        for (CheckRequest request : options.requests()) {
            answers.add(Answer.found(error(request, path, message, start)));
        }
        return print(answers, path, start);
    }

    /** One each level, the strongest first; runs that there are to be are kept. */
    private List<Answer> answers(String path, Checker checker, long start, Budget budget) throws IOException {
        List<CheckRequest> requests = options.requests();
        String parent = options.out();
        if (parent == null) {
            List<Answer> answers = new ArrayList<>();
            for (Verdict verdict : check(path, requests, checker, start, budget, PathCheck.Kept.NOWHERE)) {
                answers.add(Answer.found(verdict));
            }
            return consistent(answers, path);
        }
        Location folder = Location.of(parent);
        if (path.equals(STDIN)) {
            return checkStdin(checker, start, budget, folder);
        }
        Location location = Location.of(path);
        progress.stage("hashing");
        String input = Fingerprint.ofInput(location, budget::exhausted);
        List<@Nullable Answer> known = new ArrayList<>();
        List<CheckRequest> open = new ArrayList<>();
        for (CheckRequest request : requests) {
            Answer answer = earlier(path, request, run(folder, request, location.fileName(), input), start);
            known.add(answer);
            if (answer == null) {
                open.add(request);
            }
        }
        if (options.overwrite()) {
            for (CheckRequest request : requests) {
                run(folder, request, location.fileName(), input).stages().delete();
            }
        }
        PathCheck.Kept kept = (request, history) -> options.keepsStages(history)
                ? new CheckpointFiles(
                        run(folder, request, location.fileName(), input).stages(), environment::message)
                : Checkpoints.NONE;
        List<Verdict> verdicts = open.isEmpty() ? List.of() : check(path, open, checker, start, budget, kept);
        List<Answer> answers = new ArrayList<>();
        int next = 0;
        for (Answer answer : known) {
            answers.add(answer == null ? Answer.found(verdicts.get(next++)) : answer);
        }
        answers = consistent(answers, path);
        for (int i = 0; i < answers.size(); i++) {
            Verdict found = answers.get(i).found();
            if (found != null && known.get(i) == null) {
                RunDirectory run = run(folder, requests.get(i), location.fileName(), input);
                answers.set(i, Answer.found(keep(found, run, input)));
            }
        }
        return answers;
    }

    private RunDirectory run(Location folder, CheckRequest request, String name, String input) {
        return new RunDirectory(folder, RunId.of(options.question(request), name, input));
    }

    /** What an earlier run found, or why that cannot be read; null if the level is open. */
    private @Nullable Answer earlier(String path, CheckRequest request, RunDirectory run, long start) {
        if (options.overwrite()) {
            return null;
        }
        try {
            StoredVerdict stored = run.finalVerdict().orElse(null);
            return stored == null ? null : Answer.stored(request.level(), stored);
        } catch (IOException | HistoryException e) {
            // The run is at fault, not the history: no INVALID.
            String message = e instanceof IOException io ? Failures.ofPath(path, io) : path + ": " + Failures.text(e);
            environment.message(message);
            return Answer.found(error(request, path, message, start));
        }
    }

    /** Verdicts that contradict what levels imply are wrong, one of them at least: no answer, but a bug. */
    private List<Answer> consistent(List<Answer> found, String path) {
        List<Answer> answers = new ArrayList<>(found);
        List<IsolationLevel> levels = answers.stream().map(Answer::level).toList();
        while (true) {
            Implications.Contradiction wrong = Implications.contradiction(
                    levels, answers.stream().map(Answer::status).toList());
            if (wrong == null) {
                return answers;
            }
            String reason = "internal error: " + wrong.text();
            environment.message(path + ": " + reason);
            for (int i = 0; i < answers.size(); i++) {
                Answer answer = answers.get(i);
                if (answer.level() == wrong.passes() || answer.level() == wrong.violated()) {
                    Verdict before = answer.found();
                    Verdict.Builder error = Verdict.of(Verdict.Status.ERROR, answer.level())
                            .path(path)
                            .reason(reason)
                            .exitCode(ExitCode.INTERNAL);
                    if (before != null) {
                        error.counts(before.counts()).millis(before.millis());
                    }
                    answers.set(i, Answer.found(error.build()));
                }
            }
        }
    }

    /** A run that is there already tells itself. */
    private int tell(String run, long start) {
        try {
            StoredVerdict stored = new RunDirectory(Runs.find(run)).verdict();
            environment.out().print(text(stored, stored.path(), start, null));
            environment.out().flush();
            return exitCode(stored);
        } catch (HistoryException e) {
            environment.message(Failures.text(e));
            return ExitCode.INVALID.code();
        } catch (IOException e) {
            environment.message(Failures.text(e));
            return ExitCode.IO.code();
        }
    }

    /** Standard input is read once: its bytes are hashed on their way to the reader. */
    private List<Answer> checkStdin(Checker checker, long start, Budget budget, Location folder) throws IOException {
        InputStream stdin = System.in;
        MessageDigest digest = Fingerprint.digest();
        System.setIn(new DigestInputStream(stdin, digest));
        List<CheckRequest> requests = options.requests();
        List<Answer> answers = new ArrayList<>();
        try {
            for (Verdict verdict : check(STDIN, requests, checker, start, budget, PathCheck.Kept.NOWHERE)) {
                answers.add(Answer.found(verdict));
            }
        } finally {
            System.setIn(stdin);
        }
        String input = Fingerprint.hex(digest);
        answers = consistent(answers, STDIN);
        for (int i = 0; i < answers.size(); i++) {
            Verdict found = answers.get(i).found();
            if (found != null) {
                answers.set(i, Answer.found(keep(found, run(folder, requests.get(i), STDIN, input), input)));
            }
        }
        return answers;
    }

    private List<Verdict> check(
            String path, List<CheckRequest> requests, Checker checker, long start, Budget budget, PathCheck.Kept kept) {
        progress.stage("reading");
        List<Verdict> verdicts = new PathCheck(
                        environment,
                        options,
                        requests,
                        checker,
                        progress,
                        verbosity.verbose(),
                        path,
                        start,
                        budget,
                        kept)
                .run();
        progress.clear();
        List<Verdict> results = new ArrayList<>();
        for (Verdict verdict : verdicts) {
            Verdict.Builder result = verdict.with();
            if (verdict.peakMemoryBytes() == 0) {
                result.peakMemoryBytes(PeakMemory.bytes());
            }
            if (verdict.status() == Verdict.Status.VIOLATION && options.succeedOnViolation()) {
                result.exitCode(ExitCode.PASS);
            }
            results.add(options.proof() == null ? result.build() : proved(result.build(), options.proof()));
        }
        return results;
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
            return error(
                    verdict,
                    file + ": the proof cannot be written there (" + Failures.cause(e) + "); give another --proof");
        }
    }

    /** What a verdict that cannot be kept becomes, with one message. */
    private Verdict error(Verdict verdict, String message) {
        environment.message(message);
        return Verdict.of(Verdict.Status.ERROR, verdict.level())
                .path(verdict.path())
                .counts(verdict.counts())
                .millis(verdict.millis())
                .reason(message)
                .build();
    }

    /** Writes the run; what became of the verdict by that. */
    private Verdict keep(Verdict found, RunDirectory directory, String input) {
        Verdict verdict = found;
        long evidence = System.nanoTime();
        try {
            long cpu = CpuClock.millis();
            verdict = directory.writeEvidence(found, input);
            if (verdict.certificate() != null) {
                long millis = millisSince(evidence);
                Phase phase = new Phase(
                        "certificate",
                        millis,
                        CpuClock.millis() - cpu,
                        verdict.counts().transactions());
                verdict = verdict.with()
                        .phase(phase)
                        .millis(found.millis() + millis)
                        .build();
            }
            directory.finish(verdict);
        } catch (OutOfMemoryError e) {
            return Verdict.of(Verdict.Status.UNKNOWN, found.level())
                    .path(found.path())
                    .counts(found.counts())
                    .millis(found.millis() + millisSince(evidence))
                    .reason("memory ran out while the evidence was written; give --memory more")
                    .build();
        } catch (IOException e) {
            return error(
                    verdict,
                    directory.name() + ": the run cannot be written there (" + Failures.cause(e) + "); the verdict was "
                            + verdict.status() + "; give another --out");
        }
        return verdict;
    }

    /** All levels of a PATH; the exit code of all. */
    private int print(List<Answer> answers, String path, long start) {
        Strongest strongest = null;
        if (options.isOfSeveralLevels()) {
            strongest = Strongest.of(
                    answers.stream().map(Answer::level).toList(),
                    answers.stream().map(Answer::status).toList());
        }
        PrintStream out = environment.out();
        int exitCode = ExitCode.PASS.code();
        for (Answer answer : answers) {
            Verdict found = answer.found();
            StoredVerdict stored = answer.stored();
            if (stored != null) {
                exitCode = ExitCode.merge(exitCode, print(answer, stored, path, start, strongest));
            } else if (found != null) {
                exitCode = ExitCode.merge(exitCode, print(found, strongest));
            }
        }
        if (strongest != null && !options.json()) {
            String levels = answers.stream().map(each -> each.level().label()).collect(Collectors.joining(", "));
            out.println("  strongest of " + levels + " that holds: " + strongest.text());
        }
        out.flush();
        return exitCode;
    }

    private int print(Verdict verdict, @Nullable Strongest strongest) {
        PrintStream out = environment.out();
        if (options.json()) {
            out.println(VerdictJson.of(verdict, strongest));
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

    private int print(Answer answer, StoredVerdict stored, String path, long start, @Nullable Strongest strongest) {
        try {
            environment.out().print(text(stored, path, start, strongest));
            return exitCode(stored);
        } catch (IOException e) {
            String message = Failures.ofPath(path, e);
            environment.message(message);
            return print(
                    Verdict.of(Verdict.Status.ERROR, answer.level())
                            .path(path)
                            .reason(message)
                            .millis(millisSince(start))
                            .build(),
                    strongest);
        }
    }

    private int exitCode(StoredVerdict stored) {
        boolean forgiven = stored.status() == Verdict.Status.VIOLATION && options.succeedOnViolation();
        return forgiven ? ExitCode.PASS.code() : stored.exitCode();
    }

    /** What a stored verdict gets on stdout. */
    private String text(StoredVerdict stored, String path, long start, @Nullable Strongest strongest)
            throws IOException {
        if (stored.status() == Verdict.Status.INVALID) {
            environment.message(stored.anomaly() + " (found by an earlier run)");
        }
        String end = System.lineSeparator();
        return options.json()
                ? stored.json(path, exitCode(stored), strongest) + end
                : stored.line(path, millisSince(start)) + end + stored.explanation(detail);
    }

    private static Verdict error(CheckRequest request, String path, String reason, long start) {
        return Verdict.of(Verdict.Status.ERROR, request.level())
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
