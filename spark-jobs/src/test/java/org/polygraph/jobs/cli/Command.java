package org.polygraph.jobs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A process, for tests of the launcher. */
record Command(int exitCode, String out, String err) {
    /** The repository. */
    static final Path ROOT =
            Path.of(System.getProperty("polygraph.root", "..")).toAbsolutePath().normalize();

    /** Resets signals that the parent ignores, as nohup and some build servers do; empty where env(1) cannot. */
    private static final List<String> DEFAULT_SIGNALS = defaultSignals();

    private static List<String> defaultSignals() {
        List<String> reset = List.of("env", "--default-signal=HUP,INT,QUIT");
        try {
            List<String> probe = new ArrayList<>(reset);
            probe.add("true");
            return new ProcessBuilder(probe).redirectErrorStream(true).start().waitFor() == 0 ? reset : List.of();
        } catch (IOException e) {
            return List.of();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The words of a command in a JVM of its own, with the classes of this one. */
    static List<String> main(List<String> options, List<String> command) {
        List<String> words = java(options);
        words.add(Main.class.getName());
        words.addAll(command);
        return words;
    }

    /** The words that start a JVM with the classes of this one, without its main class. */
    static List<String> java(List<String> options) {
        List<String> words = new ArrayList<>();
        words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        words.addAll(options);
        words.addAll(
                List.of("-cp", System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"))));
        return words;
    }

    static ProcessBuilder builder(Map<String, String> environment, List<String> words) {
        List<String> command = new ArrayList<>(DEFAULT_SIGNALS);
        command.addAll(words);
        ProcessBuilder builder = new ProcessBuilder(command);
        // The options of the JVM that runs the tests are not for the JVM under test.
        builder.environment().keySet().removeAll(List.of("JAVA_OPTS", "JAVA_TOOL_OPTIONS", "MAVEN_OPTS"));
        builder.environment().putAll(environment);
        return builder;
    }

    static Process start(Path directory, Map<String, String> environment, Path out, Path err, List<String> words)
            throws IOException {
        return builder(environment, words)
                .directory(directory.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
    }

    /** Runs the process to its end, for at most two minutes. */
    static Command run(Path directory, Map<String, String> environment, List<String> words)
            throws IOException, InterruptedException {
        return run(directory, environment, words, 2);
    }

    /** Runs the process to its end, for at most the given minutes. */
    static Command run(Path directory, Map<String, String> environment, List<String> words, int minutes)
            throws IOException, InterruptedException {
        Path out = Files.createTempFile("polygraph", ".out");
        Path err = Files.createTempFile("polygraph", ".err");
        try {
            Process process = start(directory, environment, out, err, words);
            process.getOutputStream().close();
            boolean ended = process.waitFor(minutes, TimeUnit.MINUTES);
            if (!ended) {
                process.destroyForcibly();
            }
            assertThat(ended).as("%s ends", words).isTrue();
            return new Command(process.exitValue(), Files.readString(out), Files.readString(err));
        } finally {
            Files.delete(out);
            Files.delete(err);
        }
    }
}
