package org.polygraph.jobs.cli;

import java.io.IOException;
import java.io.PrintStream;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.application.Answer;
import org.polygraph.jobs.application.CheckRun;
import org.polygraph.jobs.application.CheckSettings;
import org.polygraph.jobs.application.Checker;
import org.polygraph.jobs.application.ConfigurationException;
import org.polygraph.jobs.application.Failures;
import org.polygraph.jobs.application.Runs;
import org.polygraph.jobs.record.Dialect;
import org.polygraph.jobs.record.Isolation;
import org.polygraph.jobs.record.Promise;
import org.polygraph.jobs.record.WorkloadKind;
import org.polygraph.jobs.report.ResultLine;
import org.polygraph.jobs.report.RunDirectory;
import org.polygraph.jobs.report.RunList;
import org.polygraph.jobs.report.StoredVerdict;
import org.polygraph.jobs.report.VerdictJson;
import org.polygraph.jobs.report.ViolationText;
import org.polygraph.jobs.report.wording.Legible;
import org.polygraph.jobs.verdict.ExitCode;
import org.polygraph.jobs.verdict.Phase;
import org.polygraph.jobs.verdict.Strongest;
import org.polygraph.jobs.verdict.Verdict;
import org.polygraph.partitioner.isolation.IsolationLevel;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.model.HistoryException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code polygraph check} and {@code polygraph explain}: a verdict for each PATH and level, in brief or in full. */
@Command(
        name = "check",
        description = "Decide whether each history keeps an isolation level.",
        sortOptions = false,
        footer = {
            "",
            "Prints a line per PATH: PASS|VIOLATION|UNKNOWN|INVALID|ERROR  level  path  txns  ops  ms  [why];",
            "why a PATH is INVALID or an ERROR is a message on stderr.",
            "With several levels: a line for each, the strongest first, then an indented line that names the",
            "strongest that holds; --json has it as \"strongest\".",
            "Exit code: the first of 1, 6, 5, 3, 4, 0 that occurred."
        })
final class CheckCommand implements Callable<Integer> {
    private static final String LEVEL = "--level";

    /** Options without a value that {@link #take} accepts. */
    private static final Set<String> FLAGS = Set.of("--json", "--each", "-q", "--quiet", "-v", "--verbose");

    /** Short names of options that {@link #take} accepts. */
    private static final Map<String, String> SHORT =
            Map.of("-l", LEVEL, "-f", "--format", "-o", "--out", "-q", "--quiet", "-v", "--verbose");

    /** The name of a transaction in explanations. */
    private static final Pattern TRANSACTION = Pattern.compile("\\(s-?\\d+#\\d+\\)");

    private final Environment environment;
    private final ViolationText.Detail detail;
    /** The problems of a PATH that have been explained, and at which level. */
    private final Map<String, String> explained = new HashMap<>();
    /** The verdict of the level above, null at the first level of a PATH. */
    private @Nullable Verdict above;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Mixin
    private final CheckOptions options = new CheckOptions();

    @Mixin
    private final Verbosity verbosity = new Verbosity();

    @Mixin
    private final MetricsFile metrics = new MetricsFile();

    private CheckCommand(Environment environment, ViolationText.Detail detail) {
        this.environment = environment;
        this.detail = detail;
    }

    /** Creates the command check. Either {@link #take} or picocli sets its options. */
    static CheckCommand check(Environment environment) {
        return new CheckCommand(environment, ViolationText.Detail.BRIEF);
    }

    /**
     * Reads the words of a simple check without picocli, whose model of all options costs more than a small check
     * (docs/decisions.md): one PATH, and frequent options in their usual form, each once. Everything else is left to
     * picocli on a new command, as are mistakes and requests for help.
     */
    boolean take(List<String> words) {
        Set<String> given = new HashSet<>();
        try {
            for (int i = 0; i < words.size(); i++) {
                String word = words.get(i);
                boolean isPath = word.equals("-") || !word.startsWith("-");
                boolean isFlag = FLAGS.contains(word);
                if (!given.add(isPath ? "" : SHORT.getOrDefault(word, word)) || word.isEmpty()) {
                    return false;
                }
                String value = isPath || isFlag ? word : ++i < words.size() ? words.get(i) : "";
                boolean isFit = isPath || isFlag || !(value.isEmpty() || value.startsWith("-"));
                if (!isFit || !(verbosity.take(word) || options.take(isPath ? "" : word, value))) {
                    return false;
                }
            }
        } catch (TypeConversionException e) {
            return false;
        }
        return given.contains("") && given.contains(LEVEL) && options.conflict() == null;
    }

    static CommandLine explain(Environment environment) {
        CommandLine command = new CommandLine(new CheckCommand(environment, ViolationText.Detail.FULL));
        CommandSpec spec = command.getCommandSpec().name("explain");
        spec.usageMessage()
                .description("Explain every violation in full: of a run that check --out wrote, or of a check now.")
                .footer(
                        "",
                        "A PATH may be a run=<id>, a folder of runs, or that folder/HISTORY; these runs are explained without a",
                        "check and need no level.");
        return command;
    }

    @Override
    public Integer call() {
        boolean explains = detail == ViolationText.Detail.FULL;
        validate();
        Map<String, CheckSettings> settingsOf = new HashMap<>();
        for (String path : options.paths()) {
            if (explains && isMissing(path)) {
                environment.message(
                        path + ": no run, folder of runs or history; `polygraph runs DIR` lists the runs in DIR");
                return ExitCode.IO.code();
            }
            boolean isStated = !options.hasLevels() && !(explains && Runs.isRun(path));
            settingsOf.put(path, isStated ? options.settings(stated(path)) : options.settings());
        }
        ProgressPrinter progress = verbosity.progress(environment);
        String oddMemory = options.oddMemory();
        if (oddMemory != null) {
            progress.notice(oddMemory);
        }
        Checker checker = options.checker(environment.engines());
        int exitCode = 0;
        boolean isFirst = true;
        boolean isNew = false;
        String changed = null;
        for (String path : options.paths()) {
            long start = System.nanoTime();
            CheckSettings settings = Objects.requireNonNull(settingsOf.get(path));
            CheckRun run = new CheckRun(settings, checker, progress);
            List<Answer> answers;
            try {
                if (explains && Runs.isRun(path)) {
                    exitCode = ExitCode.merge(exitCode, explain(path, settings, start));
                    continue;
                }
                answers = changed == null
                        ? run.answers(path)
                        : run.failed(
                                path,
                                path + ": not checked, because " + changed
                                        + ", a part before it, has changed; restore that part, or give --recheck");
                if (options.areParts() && run.hasChanged()) {
                    changed = path;
                }
            } catch (ConfigurationException e) {
                if (isFirst) {
                    environment.message(Failures.text(e));
                    return ExitCode.USAGE.code();
                }
                // Earlier PATHs have their answers already, so this PATH gets one too.
                answers = run.failed(path, Failures.text(e));
            }
            metrics.add(answers, path);
            exitCode = ExitCode.merge(exitCode, print(answers, path, settings, start));
            isFirst = false;
            isNew |= answers.stream().anyMatch(answer -> answer.found() != null && answer.run() != null);
        }
        String runs = options.out();
        if (runs != null) {
            try {
                Location folder = Location.of(runs);
                // A part of a chain may have changed, or be again as it was.
                if (isNew || (options.isOfChain() && folder.child(RunList.INDEX).exists())) {
                    RunList.writeIndex(folder);
                }
            } catch (IOException e) {
                environment.message(runs + ": the index of the runs cannot be written (" + Failures.cause(e) + ")");
            }
        }
        String unwritten = metrics.write();
        if (unwritten != null) {
            environment.message(unwritten);
            exitCode = ExitCode.merge(exitCode, ExitCode.IO.code());
        }
        if (environment.out().checkError()) {
            environment.message("stdout cannot be written; the results above may be incomplete");
            exitCode = ExitCode.merge(exitCode, ExitCode.IO.code());
        }
        return exitCode;
    }

    /** Rejects options that exclude each other. */
    void validate() {
        options.validate();
    }

    private static boolean isMissing(String path) {
        try {
            return !path.equals("-") && !Location.of(path).exists() && !Runs.isRun(path);
        } catch (IOException e) {
            // Reading the path reports the failure.
            return false;
        }
    }

    /**
     * Returns the level that the header of a history gives: its {@code level}; else what the manual of its database
     * documents for its isolation; else the level with the name of its isolation.
     */
    private Levels stated(String path) {
        String problem;
        try {
            Map<String, String> header = path.equals("-") ? Map.of() : HistoryReader.header(path, options.format());
            String isolation = unquoted(header.getOrDefault("isolation", ""));
            String database = unquoted(header.getOrDefault("database", ""));
            boolean appends = unquoted(header.getOrDefault("workload", "")).equals(WorkloadKind.APPEND.label());
            Optional<Promise> promise = Isolation.ofLabel(isolation)
                    .filter(requested -> !header.containsKey("level"))
                    .flatMap(requested -> Dialect.promiseOfProduct(database, requested, appends));
            String level = promise.map(documented -> documented.level().label())
                    .orElse(unquoted(header.getOrDefault("level", isolation)));
            problem = isolation.isEmpty()
                    ? path + " states no isolation in its header"
                    : "the header of " + path + ": " + LevelNames.refusal(level);
            Optional<IsolationLevel> found = isolation.isEmpty() ? Optional.empty() : LevelNames.of(level);
            if (found.isPresent()) {
                String reason = level.equals(isolation)
                        ? "the header states isolation " + isolation
                        : promise.isPresent()
                                ? "the manual of the database " + database + " documents it for isolation " + isolation
                                : "the header states level " + level + " for isolation " + isolation;
                environment.message(path + ": level " + found.get().label() + ", because " + reason);
                return new Levels(List.of(found.get()));
            }
        } catch (HistoryException e) {
            problem = Failures.text(e);
        } catch (IOException e) {
            problem = Failures.ofPath(path, e);
        }
        throw new MissingParameterException(
                spec.commandLine(),
                spec.findOption(LEVEL),
                "Missing required option: '--level=LEVEL' (" + problem + "); give one or more of " + LevelNames.LABELS);
    }

    private static String unquoted(String json) {
        return json.replaceAll("^\"|\"$", "");
    }

    /** Explains runs without a check. */
    private int explain(String path, CheckSettings settings, long start) {
        int exitCode = ExitCode.PASS.code();
        try {
            for (Location found : Runs.all(path)) {
                explained.clear();
                above = null;
                RunDirectory run = new RunDirectory(found);
                StoredVerdict stored = run.verdict();
                exitCode = ExitCode.merge(exitCode, print(stored, stored.path(), settings, start, null, run));
            }
            return exitCode;
        } catch (HistoryException e) {
            environment.message(Failures.text(e));
            return ExitCode.merge(exitCode, ExitCode.INVALID.code());
        } catch (IOException e) {
            environment.message(Failures.text(e));
            return ExitCode.merge(exitCode, ExitCode.IO.code());
        }
    }

    /** Prints the answers of all levels of a PATH; returns their common exit code. */
    private int print(List<Answer> answers, String path, CheckSettings settings, long start) {
        Strongest strongest = null;
        if (settings.requests().size() > 1) {
            strongest = Strongest.of(
                    answers.stream().map(Answer::level).toList(),
                    answers.stream().map(Answer::status).toList());
        }
        PrintStream out = environment.out();
        String levels = answers.stream().map(each -> each.level().label()).collect(Collectors.joining(","));
        Verdict unread = isUnread(answers) && !options.json() ? answers.get(0).found() : null;
        if (unread != null) {
            out.println(ResultLine.withoutMessage(unread, levels));
            out.flush();
            return unread.exitCode();
        }
        explained.clear();
        above = null;
        int exitCode = ExitCode.PASS.code();
        for (Answer answer : answers) {
            exitCode = ExitCode.merge(exitCode, print(answer, path, settings, start, strongest));
        }
        if (strongest != null && !options.json()) {
            out.println("  strongest of " + levels.replace(",", ", ") + " that holds: " + strongest.text());
        }
        out.flush();
        return exitCode;
    }

    /** Whether the input could not be read, which is the same error at every level. */
    private static boolean isUnread(List<Answer> answers) {
        return answers.size() > 1
                && answers.stream()
                        .map(Answer::found)
                        .allMatch(verdict -> verdict != null
                                && verdict.status() == Verdict.Status.ERROR
                                && verdict.counts().transactions() == 0
                                && verdict.exitCode() == ExitCode.IO.code());
    }

    /** Returns an explanation, or a reference to the level above with the same anomaly of the same transactions. */
    private String once(String explanation, List<String> anomalies, String level) {
        if (explanation.isEmpty() || anomalies.isEmpty()) {
            return explanation;
        }
        String anomaly = anomalies.get(0);
        String problem = anomaly
                + TRANSACTION
                        .matcher(explanation)
                        .results()
                        .map(MatchResult::group)
                        .distinct()
                        .sorted()
                        .collect(Collectors.joining());
        String above = explained.putIfAbsent(problem, level);
        return above == null ? explanation : "  " + anomaly + ": explained at " + above + " above\n";
    }

    private int print(Answer answer, String path, CheckSettings settings, long start, @Nullable Strongest strongest) {
        StoredVerdict stored = answer.stored();
        Verdict found = answer.found();
        RunDirectory run = answer.run();
        if (stored != null && run != null) {
            try {
                return print(stored, path, settings, start, strongest, run);
            } catch (IOException e) {
                String message = Failures.ofPath(path, e);
                environment.message(message);
                found = Verdict.of(Verdict.Status.ERROR, answer.level())
                        .path(path)
                        .reason(message)
                        .build();
            }
        }
        return found == null ? ExitCode.PASS.code() : print(found, strongest, run);
    }

    private int print(Verdict verdict, @Nullable Strongest strongest, @Nullable RunDirectory run) {
        PrintStream out = environment.out();
        if (options.json()) {
            out.println(VerdictJson.of(verdict, strongest, run == null ? null : run.name()));
        } else {
            out.println(ResultLine.withoutMessage(verdict, verdict.level().label()));
            List<String> anomalies = verdict.violations().stream()
                    .map(each -> each.anomaly().label())
                    .toList();
            out.print(once(
                    ViolationText.of(verdict, detail),
                    anomalies,
                    verdict.level().label()));
            where(run);
        }
        out.flush();
        if (verbosity.verbose()) {
            phases(verdict);
        }
        above = verdict;
        return verdict.exitCode();
    }

    /** Prints the phases, which add up to the time since the start: several levels share the first ones. */
    private void phases(Verdict verdict) {
        PrintStream err = environment.err();
        List<Phase> shared = above == null ? List.of() : above.phases();
        long earlier = above == null ? 0 : above.millis();
        long other = verdict.millis() - earlier;
        for (Phase phase : verdict.phases()) {
            boolean isShared = shared.contains(phase);
            earlier -= isShared ? phase.millis() : 0;
            other -= isShared ? 0 : phase.millis();
            err.println("  " + phase.name() + "  " + phase.millis() + " ms  " + phase.cpuMillis() + " cpu-ms  "
                    + phase.items() + " items");
        }
        if (above != null) {
            err.println("  earlier levels  " + Math.max(0, earlier) + " ms");
        }
        err.println("  between phases  " + Math.max(0, other) + " ms");
    }

    /** Names the run, for explain, report and verify. */
    private void where(@Nullable RunDirectory run) {
        if (run != null) {
            environment.out().println("  run: " + Legible.of(run.name()));
        }
    }

    private int print(
            StoredVerdict stored,
            String path,
            CheckSettings settings,
            long start,
            @Nullable Strongest strongest,
            RunDirectory run)
            throws IOException {
        if (ResultLine.isMessage(stored.status())) {
            environment.message(stored.anomaly() + " (found by an earlier run)");
        }
        int exitCode = settings.exitCode(stored.status(), stored.added()).code();
        PrintStream out = environment.out();
        if (options.json()) {
            out.println(stored.json(path, exitCode, strongest, run.name()));
        } else {
            out.println(stored.line(path, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start)));
            out.print(once(stored.explanation(detail), stored.anomalies(), stored.level()));
            where(run);
        }
        out.flush();
        return exitCode;
    }
}
