package org.polygraph.jobs.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.application.Chain;
import org.polygraph.jobs.application.Checker;
import org.polygraph.jobs.application.ConfigurationException;
import org.polygraph.jobs.application.Deadline;
import org.polygraph.jobs.application.EngineException;
import org.polygraph.jobs.application.Failures;
import org.polygraph.jobs.application.ProofVerification;
import org.polygraph.jobs.application.Pruning;
import org.polygraph.jobs.application.Runs;
import org.polygraph.jobs.application.SeamReplay;
import org.polygraph.jobs.certificate.format.Claim;
import org.polygraph.jobs.certificate.format.Fingerprint;
import org.polygraph.jobs.certificate.format.RankFile;
import org.polygraph.jobs.certificate.judge.Verification;
import org.polygraph.jobs.certificate.replay.Replay;
import org.polygraph.jobs.decision.Budget;
import org.polygraph.jobs.decision.Progress;
import org.polygraph.jobs.report.wording.Legible;
import org.polygraph.jobs.verdict.ExitCode;
import org.polygraph.jobs.windows.CertifiedOrder;
import org.polygraph.jobs.windows.WindowSettings;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.format.io.ReadContext;
import org.polygraph.storage.model.BudgetException;
import org.polygraph.storage.model.HistoryException;
import org.polygraph.storage.table.HistoryTable;
import org.polygraph.storage.table.RecordedCounts;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * {@code polygraph verify}: checks the evidence of a run against the history, by code that the check does not use; or
 * the proof of a violation, see {@link ProofVerification}.
 */
@Command(
        name = "verify",
        description = "Check the evidence of a run against the history; or --proof against a history.",
        customSynopsis = {
            "polygraph verify [OPTIONS] RUN [PATH]",
            "polygraph verify --proof FILE -l LEVEL [OPTIONS] PATH"
        },
        sortOptions = false,
        footer = {
            "",
            "Prints VERIFIED|REJECTED|UNKNOWN|INVALID|ERROR  level  path  txns  ops  ms  [why], then what was checked.",
            "Exit code: 0 verified; 3 the evidence does not show what the run says; 4 undecided;",
            "5 the evidence or the history is missing or malformed; 6 it cannot be read."
        })
final class VerifyCommand implements Callable<Integer> {
    private static final String STDIN = "-";

    private final Environment environment;

    @Option(
            names = {"-f", "--format"},
            paramLabel = "FORMAT",
            converter = Converters.Format.class,
            defaultValue = "auto",
            description = "Of PATH: " + Converters.Format.LABELS)
    @SuppressWarnings("NullAway.Init")
    private HistoryFormat format;

    @Mixin
    private final ProofOptions proof = new ProofOptions();

    @Option(
            names = "--chain",
            description = "Verify also the runs of earlier parts on whose seams the run was decided.")
    private boolean chain;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    /** Executors of Spark replay an order without a table. */
    @Mixin
    private final EngineOptions engine = new EngineOptions();

    @Option(
            names = "--timeout",
            paramLabel = "DUR",
            converter = Converters.DurationNanos.class,
            description = "Time for each run, such as 10s, 5m, 1h; then UNKNOWN.")
    private @Nullable Long timeoutNanos;

    @Parameters(
            index = "0",
            paramLabel = "RUN",
            description =
                    "run=<id>; the folder of runs, for all of them; or that folder/HISTORY; with --proof the history.")
    @SuppressWarnings("NullAway.Init")
    private String run;

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "PATH",
            description = "The history (default: the one named in the run's verdict).")
    private @Nullable String path;

    private long start;
    /** The run that is verified. */
    private volatile String directory = "";

    private volatile String level = "-";
    private volatile String history = "-";
    private volatile long transactions;
    private volatile long operations;
    private boolean readsVersions = true;

    /**
     * What verification found.
     *
     * @param word the status of the result line
     * @param message for stderr; empty if there is none
     */
    private record Found(String word, String reason, List<String> checked, ExitCode exitCode, String message) {
        Found(String word, String reason, List<String> checked, ExitCode exitCode) {
            this(word, reason, checked, exitCode, "");
        }
    }

    VerifyCommand(Environment environment) {
        this.environment = environment;
    }

    @Override
    public Integer call() {
        engine.validate();
        String conflict = proof.conflict(path != null);
        if (conflict == null && chain && (proof.isGiven() || path != null)) {
            conflict = "--chain reads the parts that the run lists; leave out PATH and --proof";
        }
        if (conflict != null) {
            throw new ParameterException(spec.commandLine(), conflict);
        }
        Checker checker = engine.choose(environment.engines()::embedded, environment.engines()::spark);
        int exitCode = ExitCode.PASS.code();
        try {
            for (String each : runs()) {
                begin(each);
                Budget budget = Budget.starting(
                        timeoutNanos == null ? Long.MAX_VALUE : timeoutNanos,
                        Runtime.getRuntime().maxMemory());
                Found found = inTime(checker, budget);
                if (!found.message.isEmpty()) {
                    environment.message(found.message);
                }
                print(found.word, found.reason);
                for (String line : found.checked) {
                    environment.out().println("  " + Legible.of(line));
                }
                exitCode = ExitCode.merge(exitCode, found.exitCode.code());
            }
        } catch (ConfigurationException e) {
            environment.message(Failures.text(e));
            return ExitCode.USAGE.code();
        }
        if (environment.out().checkError()) {
            environment.message("stdout cannot be written; the results above may be incomplete");
            return ExitCode.merge(exitCode, ExitCode.IO.code());
        }
        return exitCode;
    }

    /** Forgets the run before. */
    private void begin(String run) {
        start = System.nanoTime();
        directory = run;
        level = "-";
        history = "-";
        transactions = 0;
        operations = 0;
        readsVersions = true;
    }

    /** Returns the runs that the argument names; the argument itself with PATH or --proof, or if no run is found. */
    private List<String> runs() {
        if (proof.isGiven() || path != null) {
            return List.of(run);
        }
        try {
            List<String> all = new ArrayList<>();
            for (Location each : Runs.all(run)) {
                all.add(each.name());
                if (chain) {
                    all.addAll(Chain.bases(each));
                }
            }
            return all.stream().distinct().toList();
        } catch (HistoryException | IOException e) {
            // No run is verified; the verification of this path reports the failure.
            return List.of(run);
        }
    }

    /**
     * Verifies in the time that there is: replays do not look at a budget, so they are abandoned when it ends; hashing
     * and reading stop.
     */
    private Found inTime(Checker checker, Budget budget) {
        Deadline.Step<Found, RuntimeException, RuntimeException> step = () -> answer(checker, budget);
        try {
            return Objects.requireNonNull(Deadline.run(budget, step), "an answer");
        } catch (BudgetException e) {
            return failed("UNKNOWN", budget.exhaustion("verification"), ExitCode.UNKNOWN);
        }
    }

    private Found answer(Checker checker, Budget budget) {
        if (proof.isGiven()) {
            history = run;
            level = proof.level().label();
        } else if (path != null) {
            history = path;
        }
        try {
            if (!proof.isGiven() && Pruning.isPruned(Location.of(directory))) {
                Claim claim = Claim.read(Location.of(directory));
                level = claim.level();
                history = claim.path();
                return failed("UNKNOWN", "the evidence of this run was removed by runs --prune", ExitCode.UNKNOWN);
            }
            return proof.isGiven() ? found(proof.verify(read(budget), budget)) : verify(checker, budget);
        } catch (HistoryException e) {
            return failed("INVALID", Failures.text(e), ExitCode.INVALID);
        } catch (BudgetException e) {
            String reason = budget.exhausted() ? budget.exhaustion("verification") : Failures.text(e);
            return failed("UNKNOWN", reason, ExitCode.UNKNOWN);
        } catch (IOException | EngineException e) {
            return failed("ERROR", Failures.text(e), ExitCode.IO);
        } catch (OutOfMemoryError e) {
            return failed("UNKNOWN", "memory ran out; give more with JAVA_OPTS=-Xmx...", ExitCode.UNKNOWN);
        }
    }

    private Found verify(Checker checker, Budget budget) throws IOException, HistoryException {
        Location folder = Runs.find(directory);
        Claim claim = Claim.read(folder);
        level = claim.level();
        readsVersions = claim.readsVersions();
        if (path == null) {
            history = claim.path();
        }
        if (history.isEmpty() || (history.equals(STDIN) && path == null)) {
            throw new HistoryException(
                    folder.name(),
                    "a run of standard input",
                    "the name of the history",
                    "give PATH, or - to read it again");
        }
        boolean once = history.equals(STDIN);
        boolean isViolation = claim.verdict().equals("VIOLATION");
        Chain covered = Chain.of(folder);
        covered.requireUnchanged();
        boolean isAlone = !once && covered.withoutLast().isEmpty() && !SeamReplay.isNeeded(folder);
        Found byWorkers = isAlone && engine.isSpark() ? byWorkers(folder, claim, checker, budget) : null;
        if (byWorkers != null) {
            return byWorkers;
        }
        MessageDigest digest = Fingerprint.digest();
        InputStream stdin = System.in;
        String input = once ? "" : inputOf(history, budget);
        HistoryTable table;
        try {
            if (once) {
                System.setIn(new DigestInputStream(stdin, digest));
            }
            table = whole(folder, covered, isViolation, budget);
        } catch (BudgetException e) {
            byWorkers = isAlone && !engine.isSpark() && !budget.exhausted()
                    ? byWorkers(folder, claim, checker, budget)
                    : null;
            if (byWorkers == null) {
                throw e;
            }
            return byWorkers;
        } finally {
            System.setIn(stdin);
        }
        if (isAlone && !engine.isSpark() && !isViolation && !budget.fits(table.arrayBytes(), Replay.bytes(table))) {
            // The workers need the memory of the table.
            table = null;
            byWorkers = byWorkers(folder, claim, checker, budget);
            if (byWorkers != null) {
                return byWorkers;
            }
            table = whole(folder, covered, false, budget);
        }
        String bytes = once ? Fingerprint.hex(digest) : input;
        Verification.Report report = Verification.of(folder, claim, table, bytes, budget::exhausted);
        if (report.answer() != Verification.Answer.VERIFIED) {
            return found(report);
        }
        if (isViolation) {
            return once || !RankFile.in(folder).exists() ? found(report) : rest(report, folder, covered, bytes, budget);
        }
        return seam(report, SeamReplay.of(folder, claim, table, budget::exhausted, budget.bytes()));
    }

    /**
     * Verifies the order of a PASS without a table.
     *
     * @return null if the whole history is needed
     */
    private @Nullable Found byWorkers(Location folder, Claim claim, Checker checker, Budget budget)
            throws IOException, HistoryException {
        CertifiedOrder.Source workers = () -> {
            checker.engine().prepare(null, Progress.NONE, budget);
            return checker.engine().workers(null, Progress.NONE, budget);
        };
        Verification.ByWorkers found = Verification.byWorkers(
                folder,
                claim,
                history,
                format,
                CertifiedOrder.replayer(workers, WindowSettings.ofReplay(), budget::exhausted),
                budget::exhausted);
        if (found == null) {
            return null;
        }
        transactions = found.numbers().transactions();
        operations = found.numbers().operations();
        return found(found.report());
    }

    /** Adds to the report of a VIOLATION the result of replaying the order of the chain without the reads that violations need. */
    private Found rest(Verification.Report violation, Location folder, Chain covered, String input, Budget budget)
            throws IOException, HistoryException {
        long violatedTransactions = transactions;
        long violatedOperations = operations;
        Claim claim = Claim.read(folder).ofRest();
        HistoryTable rest = read(Chain.explained(folder, covered), budget);
        transactions = violatedTransactions;
        operations = violatedOperations;
        Verification.Report order = Verification.of(folder, claim, rest, input, budget::exhausted);
        List<String> checked = new ArrayList<>(violation.checked());
        checked.add("beyond       the order of the chain without the reads that these violations need:");
        checked.addAll(order.checked());
        Verification.Report both = new Verification.Report(
                order.answer(),
                order.answer() == Verification.Answer.VERIFIED ? "" : "beyond the violations: " + order.reason(),
                checked);
        return order.answer() == Verification.Answer.VERIFIED
                ? seam(both, SeamReplay.of(folder, claim, rest, budget::exhausted, budget.bytes()))
                : found(both);
    }

    /** Adds the result of checking the seam to the report of a PASS. */
    private static Found seam(Verification.Report pass, Optional<SeamReplay.Result> seam) {
        if (seam.isEmpty()) {
            return found(pass);
        }
        List<String> checked = new ArrayList<>(pass.checked());
        String problem = seam.get().problem();
        if (problem.isEmpty()) {
            checked.add(seam.get().checked());
        }
        return found(new Verification.Report(
                problem.isEmpty() ? Verification.Answer.VERIFIED : Verification.Answer.REJECTED, problem, checked));
    }

    /** Returns the history that the evidence of a run is about. */
    private HistoryTable whole(Location folder, Chain covered, boolean isViolation, Budget budget)
            throws IOException, HistoryException {
        Chain judged = isViolation ? Chain.violated(folder, covered) : Chain.explained(folder, covered);
        return judged.withoutLast().isEmpty() && judged.isWhole() ? read(budget) : read(judged, budget);
    }

    private HistoryTable read(Budget budget) throws IOException, HistoryException {
        try {
            return counted(HistoryReader.read(List.of(history), format, context(budget)));
        } catch (IOException e) {
            throw new IOException(Failures.ofPath(history, e), e);
        }
    }

    /** Returns the parts before the history and the history as one. */
    private HistoryTable read(Chain covered, Budget budget) throws IOException, HistoryException {
        return counted(covered.withoutLast().read(history, format, context(budget)));
    }

    private ReadContext context(Budget budget) {
        return new ReadContext(budget::exhausted, budget.bytes(), readsVersions);
    }

    /** Keeps the counts for the result line, which are those of {@code check}. */
    private HistoryTable counted(HistoryTable table) {
        transactions = table.transactions();
        operations = RecordedCounts.of(table).operations();
        return table;
    }

    private static Found found(Verification.Report report) {
        return switch (report.answer()) {
            case VERIFIED -> new Found("VERIFIED", report.reason(), report.checked(), ExitCode.PASS);
            case REJECTED -> new Found("REJECTED", report.reason(), report.checked(), ExitCode.VIOLATION);
            case UNDECIDED -> new Found("UNKNOWN", report.reason(), report.checked(), ExitCode.UNKNOWN);
        };
    }

    private static String inputOf(String path, Budget budget) throws IOException {
        try {
            return Fingerprint.ofInput(Location.of(path), budget::exhausted);
        } catch (IOException e) {
            throw new IOException(Failures.ofPath(path, e), e);
        }
    }

    private static Found failed(String word, String reason, ExitCode exitCode) {
        return new Found(word, reason, List.of(), exitCode, reason);
    }

    private void print(String word, String reason) {
        PrintStream out = environment.out();
        String line = word + "  " + level + "  " + history + "  " + transactions + " txns  " + operations + " ops  "
                + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start) + " ms"
                + (reason.isEmpty() ? "" : "  " + reason);
        out.println(Legible.of(line));
    }
}
