package org.polygraph.jobs.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.polygraph.jobs.application.ClusterDriver;
import org.polygraph.jobs.application.InstalledEngines;
import org.polygraph.jobs.verdict.ExitCode;

/**
 * The process: {@code polygraph COMMAND ...}. It ends with an exit code, unless a cluster runs it inside a process of
 * the cluster: then {@link ClusterDriver} reports the end.
 */
public final class Main {
    static final String CHECK = "check";
    /** {@code help COMMAND} is {@code COMMAND --help}. */
    private static final String HELP = "help";

    private Main() {}

    public static void main(String[] args) throws Exception {
        // The encoding of System.out follows the locale; our output is UTF-8.
        PrintStream out = new PrintStream(
                new ReaderMayLeave(new FileOutputStream(FileDescriptor.out)), false, StandardCharsets.UTF_8);
        PrintStream err = new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8);
        boolean terminal = Boolean.getBoolean("polygraph.terminal");
        InstalledEngines engines = new InstalledEngines();
        Environment environment = new Environment(out, err, terminal, engines);
        ClusterDriver driver = engines.driver(System.getProperties(), err);
        if (driver == null) {
            int code = run(args, environment);
            out.flush();
            System.exit(code);
        } else {
            run(args, environment, driver);
        }
    }

    /** Runs one command line in a process of a cluster, which must not be ended here. */
    static void run(String[] args, Environment environment, ClusterDriver driver) throws Exception {
        driver.begin();
        int code = run(args, environment);
        environment.out().flush();
        driver.end(code);
    }

    /** Runs one command line; returns its exit code. A simple check is read without picocli. */
    static int run(String[] args, Environment environment) {
        List<String> words = List.of(args);
        try {
            if (!words.isEmpty() && words.get(0).equals(HELP)) {
                List<String> asked = new ArrayList<>(words.subList(1, words.size()));
                asked.add("--help");
                return run(asked.toArray(new String[0]), environment);
            }
            CheckCommand check = CheckCommand.check(environment);
            boolean isTaken =
                    !words.isEmpty() && words.get(0).equals(CHECK) && check.take(words.subList(1, words.size()));
            return isTaken
                    ? check.call()
                    : PolygraphCommand.commandLine(words, environment).execute(args);
        } catch (OutOfMemoryError e) {
            environment.message("memory ran out; give more with --memory, or JAVA_OPTS=-Xmx...");
            return ExitCode.UNKNOWN.code();
        } catch (RuntimeException | StackOverflowError | LinkageError | AssertionError e) {
            // picocli handles exceptions of commands but not errors.
            return bug(e, words, environment);
        }
    }

    /** Reports a bug; returns its exit code. */
    static int bug(Throwable e, List<String> words, Environment environment) {
        boolean verbose = words.contains("-v") || words.contains("--verbose");
        environment.message("internal error: " + e + (verbose ? "" : "; -v shows where"));
        if (verbose) {
            e.printStackTrace(environment.err());
        }
        return ExitCode.INTERNAL.code();
    }
}
