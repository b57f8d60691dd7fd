package org.polygraph.jobs.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.polygraph.jobs.application.ClusterDriver;
import org.polygraph.jobs.application.InstalledEngines;

/**
 * The process: {@code polygraph COMMAND ...}. It ends with an exit code, unless a cluster runs it inside a process of
 * the cluster: then {@link ClusterDriver} reports the end.
 */
public final class Main {
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
            int code = PolygraphCommand.run(args, environment);
            out.flush();
            System.exit(code);
        } else {
            run(args, environment, driver);
        }
    }

    /** Inside a process of the cluster, which must not be ended here. */
    static void run(String[] args, Environment environment, ClusterDriver driver) throws Exception {
        driver.begin();
        int code = PolygraphCommand.run(args, environment);
        environment.out().flush();
        driver.end(code);
    }
}
