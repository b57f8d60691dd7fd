package org.polygraph.jobs.cli;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.polygraph.jobs.application.CheckSettings;
import org.polygraph.jobs.application.Checker;
import org.polygraph.jobs.application.Engines;
import org.polygraph.jobs.decision.CheckRequest;
import org.polygraph.jobs.estimate.Estimate;
import org.polygraph.jobs.verdict.SessionOrder;
import org.polygraph.storage.analysis.InitialChoice;
import org.polygraph.storage.artifact.Location;
import org.polygraph.storage.format.HistoryFormat;
import org.polygraph.storage.format.HistoryReader;
import org.polygraph.storage.model.HistoryException;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options of a check. */
final class CheckOptions {
    enum OnViolation {
        FAIL,
        SUCCEED
    }

    enum FailOn {
        NEW,
        ANY
    }

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    private static final Pattern NUMBER = Pattern.compile("[0-9]+");

    @Option(
            names = {"-l", "--level"},
            paramLabel = "LEVEL",
            converter = LevelConverter.class,
            completionCandidates = LevelConverter.Candidates.class,
            description =
                    "The level: sser, ser, ssi, si, pc, cc, ra, rc, pl2 or lin (strict serializability, serializability, strong"
                            + " snapshot isolation, snapshot isolation, prefix consistency, causal consistency, read atomicity,"
                            + " read committed, PL-2; linearizability of single operations)."
                            + " Names such as serializable are known too."
                            + " Several, as in ser,si, are decided in one reading, with the strongest that holds; all:"
                            + " every level that the history has the data for. Default: the isolation in its header.")
    private Levels levels = Levels.NONE;

    @Mixin
    private final PathOptions paths = new PathOptions();

    @Mixin
    private final EngineOptions engine = new EngineOptions();

    @Option(
            names = {"-o", "--out"},
            paramLabel = "DIR",
            description = "Where run=<id>/ goes; without it only stdout is written.")
    private @Nullable String out;

    @Option(names = "--json", description = "One JSON object per PATH and level, a line each.")
    private boolean json;

    @Mixin
    private final JudgingOptions judging = new JudgingOptions();

    @Option(
            names = "--session-order",
            paramLabel = "WHICH",
            description = "yes: session order is part of every level but lin; none: of no level.")
    private SessionOrder sessionOrder = SessionOrder.YES;

    @Option(
            names = "--initial",
            paramLabel = "WHICH",
            converter = Converters.Initial.class,
            description = "The transactions that load the initial rows, which precede all others: auto recognizes them,"
                    + " implicit: none, SESSION#INDEX: that one.")
    private InitialChoice initial = InitialChoice.AUTO;

    @Option(
            names = "--initial-state",
            paramLabel = "FILE",
            description = "The values of keys before PATH, which was cut out of a longer history: JSON Lines"
                    + " {\"key\":K,\"value\":V}; with --after or --each before the first part.")
    private @Nullable String initialState;

    @Option(
            names = "--window",
            paramLabel = "N",
            description = "Decide by windows of N transactions, which never changes a verdict (default: "
                    + Estimate.WINDOW + " where the history does not fit in memory; 0: never).")
    private @Nullable Integer window;

    @Option(names = "--on-violation", paramLabel = "WHAT", description = "fail: exit 3; succeed: exit 0.")
    private OnViolation onViolation = OnViolation.FAIL;

    @Option(
            names = "--no-verify",
            description =
                    "Do not replay the order before a PASS; the certificate in verdict.json is then not verified.")
    private boolean unverified;

    @Option(
            names = "--proof",
            paramLabel = "FILE",
            description = "Where to write the proof of a VIOLATION that the solver found; verify --proof checks it.")
    private @Nullable String proof;

    @Option(
            names = "--max-violations",
            paramLabel = "N",
            description = "Report at most this many independent violations, 1 to 100 (default: 10).")
    private int mostViolations = CheckRequest.DEFAULT_VIOLATIONS;

    @Option(
            names = "--resume",
            description = "Continue a run=<id>/ that exists (default); if given, small histories have checkpoints too.")
    private boolean resume;

    @Option(names = "--overwrite", description = "Replace a run=<id>/ that exists.")
    private boolean overwrite;

    @Option(
            names = "--after",
            paramLabel = "RUN",
            description =
                    "The run of the part directly before PATH, or a folder of runs, where the one with the most parts"
                            + " is taken: the verdict is of all parts up to PATH as one history.")
    private @Nullable String after;

    @Option(
            names = "--fail-on",
            paramLabel = "WHICH",
            description = "Of a chain: any violation has exit code 3, or only one that PATH adds (new).")
    private FailOn failOn = FailOn.ANY;

    @Option(
            names = "--start-over",
            description =
                    "With --after: PATH begins a new chain, from the state that the part before it leaves, without"
                            + " the violations of earlier parts.")
    private boolean startOver;

    @Option(
            names = "--recheck",
            description = "If a part of the chain in --out has changed: delete the runs of this part and of those after"
                    + " it, and check each PATH again.")
    private boolean recheck;

    @Option(
            names = "--each",
            description =
                    "PATH is a folder of parts: check them one after the other, by name, h2 before h10, each after those before;"
                            + " needs --out.")
    private boolean each;

    /**
     * Sets an option as picocli would, or a PATH, whose name is empty. Returns false for words that only picocli can
     * handle.
     */
    boolean take(String name, String value) {
        switch (name) {
            case "" -> paths.take(value);
            case "-l", "--level" -> levels = new LevelConverter().convert(value);
            case "-f", "--format" -> paths.take(new Converters.Format().convert(value));
            case "-o", "--out" -> out = value;
            case "--json" -> json = true;
            case "--after" -> after = value;
            case "--each" -> each = true;
            default -> {
                return judging.take(name, value);
            }
        }
        return true;
    }

    /** What is odd about the memory that was given; null if nothing is. */
    @Nullable
    String oddMemory() {
        return judging.oddMemory();
    }

    /** Whether levels were given; otherwise the header of each history states its level. */
    boolean hasLevels() {
        return levels != Levels.NONE;
    }

    /** Rejects options that exclude each other, before anything is read. */
    void validate() {
        reject(conflict());
    }

    private void reject(@Nullable String conflict) {
        if (conflict != null) {
            throw new ParameterException(spec.commandLine(), conflict);
        }
    }

    /** Returns the message for options that exclude each other; null if there are none. */
    @Nullable
    String conflict() {
        String conflict = conflict(levels);
        if (conflict != null) {
            return conflict;
        }
        if (mostViolations < 1 || mostViolations > 100) {
            return "--max-violations " + mostViolations + " is out of range; give 1 to 100";
        }
        if (window != null && window < 0) {
            return "--window " + window + " is out of range; give 1 or more, or 0 for no windows";
        }
        if (proof != null && window != null && window > 0) {
            return "--proof is of the whole history, and --window decides windows; give one";
        }
        if (sessionOrder == SessionOrder.NONE && (each || after != null || proof != null)) {
            return "--session-order none is of a whole history without a proof; leave "
                    + (each ? "--each" : after != null ? "--after" : "--proof") + " out";
        }
        if (sessionOrder == SessionOrder.NONE && window != null && window > 0) {
            return "--session-order none needs the whole history, and --window decides windows; give one";
        }
        if (resume && overwrite) {
            return "--resume and --overwrite exclude each other; give one";
        }
        if ((resume || overwrite) && out == null) {
            return (resume ? "--resume" : "--overwrite") + " needs --out DIR, where the run is";
        }
        if (each && (out == null || after != null)) {
            return "--each needs --out DIR, where the runs are, and excludes --after";
        }
        if (startOver && (after == null || out == null || paths.paths().size() > 1)) {
            return "--start-over needs --after and --out, and one PATH, which begins the new chain";
        }
        if (recheck && !each && (out == null || !out.equals(after))) {
            return "--recheck is of the chain in one folder; give --each, or the same folder to --after and --out";
        }
        if (failOn == FailOn.NEW && after == null && !each) {
            return "--fail-on new is of a chain; give --after or --each";
        }
        if (initialState != null && (initialState.isEmpty() || initialState.equals("-"))) {
            return "--initial-state '" + initialState + "' is no file; give one";
        }
        if (after != null && paths.paths().contains("-")) {
            return "--after needs files: standard input cannot be read again; give a file";
        }
        if (proof != null && (each || paths.paths().size() > 1 || proof.isEmpty() || proof.equals("-"))) {
            return "--proof names one file, for one PATH; give both";
        }
        String ofEngine = engine.conflict(true);
        if (ofEngine != null) {
            return ofEngine;
        }
        if (out != null && (out.isEmpty() || out.equals("-"))) {
            return "--out '" + out + "' is no folder; give one";
        }
        return paths.conflict();
    }

    /** Returns the message for options that exclude these levels; null if there are none. */
    private @Nullable String conflict(Levels levels) {
        String conflict = judging.conflict(levels.strongestFirst());
        return conflict == null && proof != null && levels.areSeveral()
                ? "--proof names one file, for one level; give one"
                : conflict;
    }

    Checker checker(Engines engines) {
        Checker whole = engine.isAuto() ? engine.made(engines::auto) : engine.choose(engines::embedded, engines::spark);
        return window == null || window == 0 ? whole : whole.withWindow(window);
    }

    /** The settings with the levels that were given. */
    CheckSettings settings() {
        return settings(levels);
    }

    /** Returns the settings for the given levels; --time strict adds real-time order to them. */
    CheckSettings settings(Levels levels) {
        reject(conflict(levels));
        return new CheckSettings(
                paths.format(),
                judging.requests(levels, initial, sessionOrder, !unverified, mostViolations),
                levels.all(),
                judging.limits(),
                onViolation == OnViolation.SUCCEED
                        ? CheckSettings.Failing.NONE
                        : failOn == FailOn.NEW ? CheckSettings.Failing.NEW : CheckSettings.Failing.ANY,
                new CheckSettings.Runs(
                        out,
                        overwrite
                                ? CheckSettings.Earlier.OVERWRITTEN
                                : resume ? CheckSettings.Earlier.RESUMED : CheckSettings.Earlier.CONTINUED),
                proof,
                new CheckSettings.Before(initialState, each ? out : after, startOver, recheck, each),
                window == null || window > 0);
    }

    HistoryFormat format() {
        return paths.format();
    }

    /** Returns the folder of runs; null if none are kept. */
    @Nullable
    String out() {
        return out;
    }

    /** Whether the paths are the parts of a chain. */
    boolean areParts() {
        return each;
    }

    /** Whether a path is a part of a chain. */
    boolean isOfChain() {
        return each || after != null;
    }

    boolean json() {
        return json;
    }

    /** A name whose numbers have leading zeros, so that the order of names is that of numbers. */
    private static String withLongNumbers(String name) {
        return NUMBER.matcher(name)
                .replaceAll(number -> "0".repeat(Math.max(0, 20 - number.group().length())) + number.group());
    }

    /** Returns the paths. With --each these are the parts of each folder, by name. */
    List<String> paths() {
        if (!each) {
            return paths.paths();
        }
        List<String> parts = new ArrayList<>();
        for (String path : paths.paths()) {
            try {
                HistoryReader.parts(Location.of(path), Location.of(path).children()).stream()
                        .map(Location::name)
                        .sorted(Comparator.comparing(CheckOptions::withLongNumbers))
                        .forEach(parts::add);
            } catch (IOException | HistoryException e) {
                // The check of this path reports the failure.
                parts.add(path);
            }
        }
        return parts;
    }
}
