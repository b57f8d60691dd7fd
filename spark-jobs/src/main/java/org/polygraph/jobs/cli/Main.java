package org.polygraph.jobs.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** The process: {@code polygraph COMMAND ...}. */
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        // The encoding of System.out follows the locale; what we print must not.
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
        PrintStream err = new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8);
        boolean terminal = Boolean.getBoolean("polygraph.terminal");
        int code = Polygraph.run(args, new Environment(out, err, terminal, new InstalledEngines()));
        out.flush();
        System.exit(code);
    }
}
