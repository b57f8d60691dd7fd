package org.polygraph.jobs.cli;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.polygraph.jobs.application.Engines;
import org.polygraph.jobs.application.InstalledEngines;
import org.polygraph.jobs.report.VerdictSchema;

/** The output of a command line that ran in this JVM. */
public record InProcess(int exitCode, String out, String err) {
    /** Runs with the installed engines. */
    public static InProcess run(String... words) {
        return run(new InstalledEngines(), words);
    }

    /** Runs a line of words without blanks in them. */
    static InProcess of(String line) {
        return run(line.split(" "));
    }

    static InProcess of(Engines engines, String line) {
        return run(engines, line.split(" "));
    }

    static InProcess run(Engines engines, String... words) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        PrintStream o = new PrintStream(out, true, StandardCharsets.UTF_8);
        PrintStream e = new PrintStream(err, true, StandardCharsets.UTF_8);
        int code = Main.run(words, new Environment(o, e, false, engines));
        o.flush();
        VerdictSchema.assertFollowedIn(out.toString(StandardCharsets.UTF_8));
        return new InProcess(code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    public static InProcess run(List<String> words) {
        return run(words.toArray(new String[0]));
    }

    /** The first word of the first line. */
    public String word() {
        return out.split("  ", 2)[0];
    }
}
