package org.polygraph.jobs.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.polygraph.jobs.certificate.format.IndeterminateMode;
import org.polygraph.jobs.record.Login;
import org.polygraph.jobs.record.WorkloadKind;
import org.polygraph.jobs.report.Version;
import org.polygraph.jobs.verdict.ExitCode;
import org.polygraph.jobs.verdict.SessionOrder;
import org.polygraph.jobs.verdict.TimeMode;
import org.polygraph.jobs.verdict.VersionUse;
import org.polygraph.storage.generate.Workload;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** The root command, with picocli's model of all commands. {@link Main} runs it. */
@Command(
        name = "polygraph",
        description = "Decides from recorded histories whether a database kept its isolation guarantee.",
        mixinStandardHelpOptions = true,
        versionProvider = PolygraphCommand.ProgramVersion.class,
        scope = ScopeType.INHERIT,
        sortOptions = false,
        usageHelpAutoWidth = false,
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "",
            "Exit codes: 0 PASS, 1 internal error, 2 usage, 3 VIOLATION, 4 UNKNOWN (no answer was found),",
            "5 INVALID input, 6 storage or cluster I/O."
        })
final class PolygraphCommand implements Runnable {
    private static final Pattern JDBC_URL = Pattern.compile("jdbc:[^\\s']*");

    /** picocli's name of the mixin {@link Verbosity}: that of the field in commands that have one. */
    private static final String VERBOSITY = "verbosity";

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    private PolygraphCommand() {}

    /** The parser of a command line. */
    static CommandLine commandLine(List<String> words, Environment environment) {
        CommandLine commands = commands(words.isEmpty() ? "" : words.get(0), environment);
        commands.setOut(new PrintWriter(environment.out(), true, StandardCharsets.UTF_8));
        commands.setErr(new PrintWriter(environment.err(), true, StandardCharsets.UTF_8));
        commands.registerConverter(Long.class, new Converters.Count());
        commands.registerConverter(long.class, new Converters.Count());
        commands.registerConverter(Integer.class, new Converters.IntCount());
        commands.registerConverter(int.class, new Converters.IntCount());
        choices(commands, TimeMode.class);
        choices(commands, IndeterminateMode.class);
        choices(commands, SessionOrder.class);
        choices(commands, VersionUse.class);
        choices(commands, EngineOptions.Choice.class);
        choices(commands, CheckOptions.OnViolation.class);
        choices(commands, CheckOptions.FailOn.class);
        choices(commands, WatchCommand.StopOn.class);
        choices(commands, Workload.Distribution.class);
        choices(commands, Workload.Level.class);
        choices(commands, WorkloadKind.class);
        choices(commands, Verbosity.ProgressMode.class);
        // A history may be called @something.
        commands.setExpandAtFiles(false);
        commands.setAbbreviatedOptionsAllowed(false);
        commands.setOverwrittenOptionsAllowed(false);
        commands.setParameterExceptionHandler((e, arguments) -> usage(e, environment));
        commands.setExecutionExceptionHandler((e, command, parsed) -> Main.bug(e, words, environment));
        return commands;
    }

    /** All commands, or only the one that the first word names: the model of all takes longer than a small check. */
    private static CommandLine commands(String first, Environment environment) {
        Map<String, Function<Environment, CommandLine>> known = new LinkedHashMap<>();
        known.put(Main.CHECK, e -> new CommandLine(CheckCommand.check(e)));
        known.put("explain", CheckCommand::explain);
        known.put("report", e -> new CommandLine(new ReportCommand(e)));
        known.put("convert", e -> new CommandLine(new ConvertCommand(e)));
        known.put("verify", e -> new CommandLine(new VerifyCommand(e)));
        known.put("runs", e -> new CommandLine(new RunsCommand(e)));
        known.put("stats", e -> new CommandLine(new StatsCommand(e)));
        known.put("lint", e -> new CommandLine(new LintCommand(e)));
        known.put("estimate", e -> new CommandLine(new EstimateCommand(e)));
        known.put("generate", e -> new CommandLine(new GenerateCommand(e)));
        known.put("watch", e -> new CommandLine(new WatchCommand(e)));
        known.put("record", e -> new CommandLine(new RecordCommand(e)));
        known.put("version", e -> new CommandLine(new VersionCommand(e)));
        CommandLine commands = new CommandLine(new PolygraphCommand());
        known.forEach((name, command) -> {
            if (name.equals(first) || !known.containsKey(first)) {
                CommandLine made = command.apply(environment);
                if (!made.getMixins().containsKey(VERBOSITY)) {
                    // Every command has these options, also one without progress.
                    made.addMixin(VERBOSITY, new Verbosity());
                }
                commands.addSubcommand(name, made);
            }
        });
        return commands;
    }

    private static <E extends Enum<E>> void choices(CommandLine commands, Class<E> type) {
        commands.registerConverter(type, new Converters.Choice<>(type));
    }

    private static int usage(ParameterException first, Environment environment) {
        CommandLine command = first.getCommandLine();
        ParameterException e = first instanceof MissingParameterException ? mistyped(first) : first;
        if (command.getParent() == null && e instanceof UnmatchedArgumentException unmatched) {
            String word = unmatched.getUnmatched().get(0);
            if (!word.startsWith("-")) {
                environment.message(
                        unknownCommand(word, command.getSubcommands().keySet()));
                return ExitCode.USAGE.code();
            }
        }
        StringWriter suggestions = new StringWriter();
        UnmatchedArgumentException.printSuggestions(e, new PrintWriter(suggestions, true));
        String message = e.getMessage() == null ? "wrong arguments" : withoutUrls(e.getMessage());
        environment.message((message + "\n" + suggestions).strip() + "\nTry '"
                + e.getCommandLine().getCommandSpec().qualifiedName() + " --help'.");
        return ExitCode.USAGE.code();
    }

    /** The message with only the beginnings of JDBC URLs, which may have passwords. */
    private static String withoutUrls(String message) {
        return JDBC_URL.matcher(message).replaceAll(url -> Matcher.quoteReplacement(Login.scheme(url.group())));
    }

    /**
     * A missing option may be present but mistyped. That is the better message, but picocli reports the missing option
     * first.
     */
    private static ParameterException mistyped(ParameterException missing) {
        CommandLine command = missing.getCommandLine();
        List<String> options = new ArrayList<>();
        for (String word : command.getUnmatchedArguments()) {
            if (word.startsWith("-") && word.length() > 1) {
                options.add(word.contains("jdbc:") ? word.split("=", 2)[0] : word);
            }
        }
        return options.isEmpty() ? missing : new UnmatchedArgumentException(command, options);
    }

    private static String unknownCommand(String word, Set<String> commands) {
        String known = String.join(", ", commands);
        return "unknown command '" + word + "'" + Suggestion.forWord(word, commands) + " (commands: " + known + ")";
    }

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(),
                "Missing command: " + String.join(", ", spec.subcommands().keySet()));
    }

    /** For {@code --version}. */
    static final class ProgramVersion implements IVersionProvider {
        @Override
        public String[] getVersion() {
            return new String[] {"polygraph " + Version.current()};
        }
    }
}
